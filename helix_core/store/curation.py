"""What is done to single insights, by a person or by maintenance: each one event, each undoable.

Standard library only. Every function is one write transaction: the change, the state before it and
the event that `undo` reads are there together or not at all. What may be done by whom, and what is
a fit text, is decided above (`memory.curate`).
"""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any

from helix_core import clock
from helix_core.errors import ChangedError, GoneError, RefusedError
from helix_core.model import Insight
from helix_core.store import edges, insights, merging, revisions, trash, unlearn
from helix_core.store.connection import writing
from helix_core.text import suggest


def required(conn: sqlite3.Connection, name: str, version: int | None = None) -> Insight:
    """The insight of that name.

    Raises GoneError where there is none, ChangedError where it is not at `version` any more.
    """
    found = insights.get(conn, name)
    if found is None:
        raise GoneError(f"there is no insight named {name!r}{_meant(conn, name)}")
    if version is not None and found.row_version != version:
        raise ChangedError(
            f"{name} was changed meanwhile (now version {found.row_version}, not {version});"
            " nothing was overwritten"
        )
    return found


def _meant(conn: sqlite3.Connection, name: str) -> str:
    """Where a name that is not there may have gone, or which one was meant."""
    if conn.execute("SELECT 1 FROM trash WHERE name = ?", (name,)).fetchone():
        return "; it is in the trash (helix restore brings it back)"
    names = (str(row[0]) for row in conn.execute("SELECT name FROM insight ORDER BY id DESC"))
    return suggest.hint(name, names)


def discard(
    conn: sqlite3.Connection,
    names: Sequence[str],
    *,
    actor: str,
    moment: datetime,
    reason: str = "",
    keep_days: float = trash.KEEP_DAYS,
) -> int:
    """Move insights to the trash, with edges; by hand also a tombstone. Returns the event id.

    All of them or, where one name is unknown, none.
    """
    with writing(conn):
        found = [required(conn, name) for name in dict.fromkeys(names)]
        tombstones = []
        about = trash.facts(moment, reason or "trash", actor, keep_days)
        trash.move_all_out(conn, [(insight, about) for insight in found])
        for insight in found:
            if actor in revisions.BY_HAND:
                why = reason or "trashed by hand"
                tombstones.append(trash.bury(conn, insight, why, moment))
        return revisions.record(
            conn,
            "trash",
            actor,
            [i.id for i in found],
            moment,
            detail={"tombstones": tombstones},
            reason=reason,
        )


def prune(
    conn: sqlite3.Connection,
    reasons: Mapping[str, str],
    *,
    actor: str,
    moment: datetime,
    keep_days: float = trash.KEEP_DAYS,
) -> int:
    """Move insights to the trash by rule, each with its reason: one event, no tombstone."""
    with writing(conn):
        found = [required(conn, name) for name in reasons]
        trash.move_all_out(
            conn,
            [(one, trash.facts(moment, reasons[one.name], actor, keep_days)) for one in found],
        )
        why = ", ".join(sorted(set(reasons.values())))
        return revisions.record(conn, "prune", actor, [i.id for i in found], moment, reason=why)


def restore(conn: sqlite3.Connection, name: str, *, actor: str, moment: datetime) -> int:
    """Bring an insight back from the trash under its old id, with edges. Returns the event id.

    One that was merged comes back by taking that merge back, as long as neither side and no
    neighbour was changed since; RefusedError otherwise, and where the trash holds no such name.
    """
    with writing(conn):
        row = conn.execute(
            "SELECT insight_id, merged_into, content FROM trash WHERE name = ?", (name,)
        ).fetchone()
        if row is None:
            names = (str(row[0]) for row in conn.execute("SELECT name FROM trash"))
            meant = suggest.hint(name, names)
            raise RefusedError(f"there is nothing named {name!r} in the trash{meant}")
        insight_id = int(row[0])
        if row[1] is not None:
            return _unmerge(conn, name, insight_id, int(row[1]), actor, moment)
        about = trash.bring_back(conn, insight_id)
        key = insights.content_key(str(row[2]))
        detail = {"trash": about, "tombstone": [key, trash.unbury(conn, key)]}
        return revisions.record(conn, "restore", actor, [insight_id], moment, detail=detail)


def _unmerge(
    conn: sqlite3.Connection, name: str, drop: int, keep: int, actor: str, moment: datetime
) -> int:
    """Take one merge back out of turn, where no later change concerns what it touched."""
    later: set[int] = set()
    event = None
    for event in revisions.open_events(conn):
        if event.action == "merge" and event.ids == (keep, drop):
            break
        if event.action not in unlearn.KEPT_APART:  # feedback stays through a merge and its undo
            later |= set(event.ids)
    if event is None or event.ids != (keep, drop) or later & merging.touched(event):
        raise RefusedError(
            f"{name} was merged, and what it was merged with was changed since:"
            " `helix undo` walks back to the merge"
        )
    if not merging.split(conn, keep, drop, event.detail, moment):
        raise RefusedError(f"{name} was merged into an insight that is not there any more")
    done = revisions.record(conn, "undo merge", actor, [keep, drop], moment, undo_of=event.id)
    revisions.close(conn, event.id, done)
    return done


def set_pinned(
    conn: sqlite3.Connection, name: str, pinned: bool, *, actor: str, moment: datetime
) -> int | None:
    """Pin or unpin an insight; a pinned one is never pruned.

    Returns the event id, or None where it is that way already.
    """
    with writing(conn):
        insight = required(conn, name)
        if insight.pinned == pinned:
            return None
        action = "pin" if pinned else "unpin"
        revisions.keep(conn, insight, action, actor, moment)
        insights.update(conn, insight.id, clock.iso(moment), pinned=int(pinned))
        detail = {"pinned": insight.pinned}
        return revisions.record(conn, action, actor, [insight.id], moment, detail=detail)


def set_tags(
    conn: sqlite3.Connection,
    name: str,
    tags: Sequence[str],
    *,
    actor: str,
    moment: datetime,
    version: int | None = None,
) -> int | None:
    """Give an insight these tags; None where it has them already. Raises ChangedError."""
    with writing(conn):
        insight = required(conn, name, version)
        if tuple(tags) == insight.tags:
            return None
        revisions.keep(conn, insight, "tag", actor, moment)
        insights.update(conn, insight.id, clock.iso(moment), **tag_columns(insight.content, tags))
        detail = {"tags": [list(insight.tags), list(tags)]}
        return revisions.record(conn, "tag", actor, [insight.id], moment, detail=detail)


def tag_columns(content: str, tags: Sequence[str]) -> dict[str, str]:
    """The columns that follow from the tags of a text."""
    return {
        "tags": json.dumps(list(tags), ensure_ascii=False),
        "terms": insights.search_terms(content, tags),
    }


def edit(
    conn: sqlite3.Connection,
    name: str,
    content: str,
    *,
    actor: str,
    moment: datetime,
    version: int | None = None,
) -> int | None:
    """Give an insight another text; its vector goes, and with it its `similar` edges.

    Returns the event id, None where the text is the same. Raises ChangedError where the insight is
    not at `version` any more, RefusedError where another one says the same already.
    """
    with writing(conn):
        insight = required(conn, name, version)
        if content == insight.content:
            return None
        twin = insights.find_same_text(conn, content)
        if twin is not None and twin.id != insight.id:
            raise RefusedError(f"{twin.name} says this already; merge the two instead")
        vector, model = insights.vector_of(conn, insight.id)
        detail: dict[str, Any] = {
            "content": insight.content,
            "vector": vector.hex() if vector else None,
            "model": model,
            "similar": edges.take_similar(conn, insight.id),
            "similar_in_trash": trash.take_similar(conn, insight.id),
        }
        revisions.keep(conn, insight, revisions.EDITED, actor, moment)
        insights.update(
            conn,
            insight.id,
            clock.iso(moment),
            content=content,
            terms=insights.search_terms(content, insight.tags),
            embedding=None,
            embedding_model=None,
        )
        return revisions.record(conn, revisions.EDITED, actor, [insight.id], moment, detail=detail)


def merge(
    conn: sqlite3.Connection,
    keep: str,
    drop: str,
    *,
    actor: str,
    moment: datetime,
    reason: str = "",
    keep_days: float = trash.KEEP_DAYS,
) -> int:
    """Make two insights one: `drop` goes to the trash, what it earned to `keep`. The event id."""
    with writing(conn):
        kept, dropped = required(conn, keep), required(conn, drop)
        if kept.id == dropped.id:
            raise RefusedError("an insight cannot be merged into itself")
        about = trash.facts(moment, reason or f"merged into {keep}", actor, keep_days, kept.id)
        detail = merging.join(conn, kept, dropped, moment, actor, about)
        return revisions.record(
            conn, "merge", actor, [kept.id, dropped.id], moment, detail=detail, reason=reason
        )
