"""Taking changes back, newest first, and keeping the feedback that came since.

Standard library only. Each kind of change has one function here; what it needs stands in the
change's event. A change whose insight is gone for good (the trash forgets after a while) is passed
over, so that it does not block those before it.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Callable
from datetime import datetime
from typing import Any

from helix_core import clock
from helix_core.errors import RefusedError
from helix_core.model import Insight
from helix_core.store import (
    curation,
    edges,
    insights,
    merging,
    plans,
    questions,
    results,
    retract,
    revisions,
    runs,
    trash,
    unlearn,
)
from helix_core.store.connection import rehearsed
from helix_core.store.revisions import Event

Names = list[str]


def newest(
    conn: sqlite3.Connection, *, actor: str, moment: datetime, dry_run: bool = False
) -> dict[str, Any]:
    """Take back the newest change that was not taken back yet; with `dry_run` only say which.

    Returns `undone` (the action), the `names` it concerned and the `event`, who made it (`by`) and
    when (`at`), and what taking it back amounts to (`effect`). Raises RefusedError where there is
    nothing left to undo.
    """
    found: dict[str, Any] = {}
    with rehearsed(conn, dry_run):
        for event in revisions.open_events(conn):
            step = STEPS.get(event.action)
            names = step(conn, event, actor, moment) if step else []
            if not names:
                continue
            what = f"undo {event.action}"
            done = revisions.record(conn, what, actor, event.ids, moment, undo_of=event.id)
            revisions.close(conn, event.id, done)
            found = {
                "undone": event.action,
                "names": names,
                "event": event.id,
                "by": event.actor,
                "at": event.created_at,
                "effect": unlearn.effect(event),
            }
            break
        else:
            raise RefusedError("there is nothing to undo")
    return found


def _discarded(conn: sqlite3.Connection, event: Event, actor: str, moment: datetime) -> Names:
    back = [i for i in reversed(event.ids) if trash.bring_back(conn, i) is not None]
    for key, before in reversed(event.detail.get("tombstones", [])):
        trash.lift(conn, key, before)
    found = insights.by_ids(conn, back)
    return [found[i].name for i in event.ids if i in found]


def _restored(conn: sqlite3.Connection, event: Event, actor: str, moment: datetime) -> Names:
    insight = insights.by_ids(conn, event.ids).get(event.ids[0])
    if insight is None:
        return []
    trash.move_out(conn, insight, event.detail["trash"])
    trash.lift(conn, *event.detail["tombstone"])
    return [insight.name]


def _pinned(conn: sqlite3.Connection, event: Event, actor: str, moment: datetime) -> Names:
    return _changed(conn, event, moment, lambda _: {"pinned": int(event.detail["pinned"])})


def _tagged(conn: sqlite3.Connection, event: Event, actor: str, moment: datetime) -> Names:
    before, after = event.detail["tags"]
    return _changed(
        conn,
        event,
        moment,
        lambda i: curation.tag_columns(i.content, revisions.tags_before(i.tags, before, after)),
    )


def _edited(conn: sqlite3.Connection, event: Event, actor: str, moment: datetime) -> Names:
    insight = insights.by_ids(conn, event.ids).get(event.ids[0])
    if insight is None:
        return []
    before = event.detail
    revisions.keep(conn, insight, "undo edit", actor, moment)
    edges.take_similar(conn, insight.id)  # of the text that goes, here and in the trash
    trash.take_similar(conn, insight.id)
    edges.put_back(conn, before["similar"])
    trash.give_similar(conn, before["similar_in_trash"])
    return _changed(
        conn,
        event,
        moment,
        lambda i: {
            "content": before["content"],
            "terms": insights.search_terms(before["content"], i.tags),
            "embedding": bytes.fromhex(before["vector"] or "") or None,
            "embedding_model": before["model"],
        },
    )


def _changed(
    conn: sqlite3.Connection,
    event: Event,
    moment: datetime,
    columns: Callable[[Insight], dict[str, Any]],
) -> Names:
    insight = insights.by_ids(conn, event.ids).get(event.ids[0])
    if insight is None:
        return []
    insights.update(conn, insight.id, clock.iso(moment), **columns(insight))
    return [insight.name]


def _merged(conn: sqlite3.Connection, event: Event, actor: str, moment: datetime) -> Names:
    keep, drop = event.ids
    if not merging.split(conn, keep, drop, event.detail, moment):
        return []
    found = insights.by_ids(conn, event.ids)
    return [found[i].name for i in event.ids]


def _imported(conn: sqlite3.Connection, event: Event, actor: str, moment: datetime) -> Names:
    """What an import added goes to the trash, with its edges; its rejections are lifted."""
    found = insights.by_ids(conn, event.ids)
    about = trash.facts(moment, "import undone", actor)
    trash.move_all_out(conn, [(insight, about) for insight in found.values()])
    lifted = event.detail.get("tombstones", [])
    for key in lifted:
        trash.lift(conn, key, None)
    return [one.name for one in found.values()] or [f"rejections: {len(lifted)}"] * bool(lifted)


def _restored_backup(conn: sqlite3.Connection, event: Event, actor: str, moment: datetime) -> Names:
    """A whole memory is not taken back by a step: what was there before is another file."""
    before = event.detail.get("before")
    way = f"helix restore-backup {before}" if before else "there was none before"
    raise RefusedError(f"the newest change is a restored backup; the way back: {way}")


def _answered(conn: sqlite3.Connection, event: Event, actor: str, moment: datetime) -> Names:
    """The question waits again, and what its answer did is gone, the newest of it first."""
    detail, at = event.detail, clock.iso(moment)
    merging.take_edges_away(conn, list(reversed(detail.get("edges", []))))
    names = [_unstored(conn, i, actor, moment) for i in reversed(detail.get("added", []))]
    verdict = detail.get("verdict")
    if verdict:
        _reverse_verdict(conn, verdict, event.id, at)
    for part in filter(None, (revisions.still_open(conn, i) for i in reversed(detail["parts"]))):
        names += STEPS[part.action](conn, part, actor, moment)
        revisions.close(conn, part.id, event.id)
    if detail.get("tombstone"):
        trash.lift(conn, *detail["tombstone"])
    there = questions.reopen(conn, detail["question"])
    return [f"question {detail['question']}", *filter(None, names)] if there else []


def _unstored(conn: sqlite3.Connection, insight_id: int, actor: str, moment: datetime) -> str:
    """Remove what an answer stored; what agents have seen since goes to the trash. Its name."""
    insight = insights.by_ids(conn, [insight_id]).get(insight_id)
    if insight is None:
        return ""
    seen = conn.execute(
        "SELECT EXISTS (SELECT 1 FROM injection WHERE insight_id = :id)"
        " OR EXISTS (SELECT 1 FROM feedback_event WHERE insight_id = :id)",
        {"id": insight_id},
    ).fetchone()[0]
    if seen:
        trash.move_out(conn, insight, trash.facts(moment, "its answer was taken back", actor))
    else:
        edges.delete_edges_for(conn, insight_id)
        conn.execute("DELETE FROM insight WHERE id = ?", (insight_id,))
    return insight.name


def _reverse_verdict(
    conn: sqlite3.Connection, verdict: dict[str, Any], by: int, moment: str
) -> None:
    """A person's word about how a task ended counts no more, nor the feedback it gave."""
    agent_id, mark = verdict["agent_id"], verdict["mark"]
    retract.feedback(conn, agent_id, mark, verdict["noted"], by, moment)
    results.drop(conn, agent_id, mark)
    run = runs.by_agent(conn, agent_id) or runs.by_id(conn, verdict["run"])
    if run is None or run.state != verdict["outcome"]:
        return
    if runs.outcome_source(conn, run.id) == "user":  # else it has ended anew
        runs.update(conn, run.id, **verdict["before"])
        if verdict.get("plan"):
            plans.set_ended(conn, *verdict["plan"])


def _dismissed(conn: sqlite3.Connection, event: Event, actor: str, moment: datetime) -> Names:
    number = event.detail["question"]
    return [f"question {number}"] if questions.reopen(conn, number) else []


STEPS: dict[str, Callable[[sqlite3.Connection, Event, str, datetime], Names]] = {
    "trash": _discarded,
    "prune": _discarded,
    "restore": _restored,
    "pin": _pinned,
    "unpin": _pinned,
    "tag": _tagged,
    revisions.EDITED: _edited,
    "merge": _merged,
    "import": _imported,
    revisions.RESTORED: _restored_backup,
    "answer": _answered,
    "dismiss": _dismissed,
    unlearn.STORED: unlearn.stored,
    unlearn.FEEDBACK: unlearn.fed_back,
    unlearn.DECAYED: unlearn.undecayed,
    unlearn.SYNTHESIS: unlearn.synthesised,
}
