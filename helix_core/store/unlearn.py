"""Taking back what a person made the memory learn: a stored text, an outcome, a decay.

Standard library only. Steps of `store.undo`, inside its write transaction; what each needs stands
in the event of the change, as the functions here note it.
"""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterable, Mapping
from datetime import datetime
from typing import Any

from helix_core import clock
from helix_core.model import Insight
from helix_core.store import insights, retract, revisions, trash
from helix_core.store.revisions import Event

STORED, FEEDBACK, DECAYED, SYNTHESIS = "store", "feedback", "decay", "synthesis"
KEPT_APART = frozenset({FEEDBACK, DECAYED})
"""Changes that another one can be taken back without: what they moved is computed anew."""
VECTOR = ("embedding", "embedding_model")


def noted_merge(conn: sqlite3.Connection, before: Insight) -> dict[str, Any]:
    """What a text that is about to be merged into an insight may overwrite, as JSON values."""
    vector, model = insights.vector_of(conn, before.id)
    return {
        "content": before.content,
        "tags": list(before.tags),
        "source": before.source,
        "vector": vector.hex() if vector else None,
        "model": model,
    }


def record_store(
    conn: sqlite3.Connection,
    actor: str,
    insight_id: int,
    moment: datetime,
    merged: dict[str, Any] | None,
) -> int:
    """Note that a person stored a text; `merged`: the insight from before it (`noted_merge`)."""
    detail: dict[str, Any] = {}
    if merged is not None:
        after = insights.by_ids(conn, [insight_id])[insight_id]
        detail["merged"] = {
            **merged,
            "after": {
                "content": after.content,
                "tags": list(after.tags),
                "source": after.source,
            },
        }
    return revisions.record(conn, STORED, actor, [insight_id], moment, detail=detail)


def record_outcome(
    conn: sqlite3.Connection,
    action: str,
    actor: str,
    ids: Iterable[int],
    moment: datetime,
    *,
    agent_id: str,
    mark: str,
    noted: dict[str, dict[str, Any]],
    reason: str,
) -> int:
    """Note that a person moved insights; `noted`: what `retract.noted` gave before it."""
    detail = {"agent_id": agent_id, "mark": mark, "noted": noted}
    return revisions.record(conn, action, actor, list(ids), moment, detail=detail, reason=reason)


def record_decay(
    conn: sqlite3.Connection,
    actor: str,
    moved: Mapping[int, str | None],
    moment: datetime,
    mark: str,
    today: str,
) -> int:
    """Note that a person had insights decay; `moved`: when each did before, by id."""
    detail = {
        "agent_id": "maintenance",
        "mark": mark,
        "noted": {},
        "decayed_on": {str(i): [before, today] for i, before in moved.items()},
    }
    return revisions.record(conn, DECAYED, actor, list(moved), moment, detail=detail)


def stored(conn: sqlite3.Connection, event: Event, actor: str, moment: datetime) -> list[str]:
    """A new insight goes to the trash; one that was only confirmed is as it was before."""
    row = insights.by_ids(conn, event.ids).get(event.ids[0])
    if row is None:
        return []
    merged = event.detail.get("merged")
    if merged is None:
        trash.move_out(conn, row, trash.facts(moment, "its storing was taken back", actor))
    else:
        _unconfirm(conn, row, merged, clock.iso(moment))
    return [row.name]


def _unconfirm(conn: sqlite3.Connection, row: Insight, before: dict[str, Any], moment: str) -> None:
    after = before["after"]
    tags = revisions.tags_before(row.tags, before["tags"], after["tags"])
    changes: dict[str, Any] = {
        "confirmations": max(0, row.confirmations - 1),
        "tags": json.dumps(tags, ensure_ascii=False),
    }
    if row.source == after["source"]:
        changes["source"] = before["source"]
    content = row.content
    if row.content == after["content"] != before["content"]:
        content = before["content"]
        values = (bytes.fromhex(before["vector"] or "") or None, before["model"])
        changes.update(content=content, **dict(zip(VECTOR, values, strict=True)))
    changes["terms"] = insights.search_terms(content, tags)
    insights.update(conn, row.id, moment, **changes)


def fed_back(conn: sqlite3.Connection, event: Event, actor: str, moment: datetime) -> list[str]:
    """An outcome counts no more; feedback that came later stays."""
    detail = event.detail
    at = clock.iso(moment)
    ids = retract.feedback(conn, detail["agent_id"], detail["mark"], detail["noted"], event.id, at)
    found = insights.by_ids(conn, ids)
    return [found[i].name for i in event.ids if i in found]


def undecayed(conn: sqlite3.Connection, event: Event, actor: str, moment: datetime) -> list[str]:
    """What a decay by hand took is given back, and it may decay again today."""
    names = fed_back(conn, event, actor, moment)
    for insight_id, (before, after) in event.detail["decayed_on"].items():
        conn.execute(
            "UPDATE insight SET decayed_on = ? WHERE id = ? AND decayed_on = ?",
            (before, int(insight_id), after),
        )
    return names


def synthesised(conn: sqlite3.Connection, event: Event, actor: str, moment: datetime) -> list[str]:
    """What a person had synthesised; what maintenance makes by itself is no change of theirs."""
    if event.actor not in revisions.BY_HAND:
        return []
    return (fed_back if "mark" in event.detail else stored)(conn, event, actor, moment)


def effect(event: Event) -> str:
    """What taking a change back amounts to, for the person who did it; "" where it is plain."""
    if event.action == STORED and "merged" in event.detail:
        return "the confirmation is taken out again"
    return EFFECTS.get(event.action, "")


EFFECTS = {
    STORED: "in the trash now",
    FEEDBACK: "its move is taken out, later feedback stays",
    DECAYED: "what it took is given back",
    SYNTHESIS: "what it made or confirmed is taken out",
    "trash": "back in the memory",
    "prune": "back in the memory",
    "restore": "in the trash again",
    "merge": "two insights again",
    "edit": "the text before it is back",
    "import": "what it brought is in the trash",
    "answer": "the question waits again",
    "dismiss": "the question waits again",
}
