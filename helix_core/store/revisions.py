"""What an insight was before a change, and the record of who changed what.

Standard library only. Everything here is called inside a write transaction of the caller, so that
a change, the state before it and its curation event are there together or not at all.
"""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from helix_core import clock
from helix_core.model import Insight

BY_HAND = frozenset({"cli", "tui"})
"""Actors that are a person at a keyboard."""
EDITED = "edit"
RESTORED = "restore-backup"


@dataclass(frozen=True)
class Event:
    """One curation event that was not taken back yet."""

    id: int
    action: str
    ids: tuple[int, ...]
    detail: dict[str, Any]
    actor: str = ""
    created_at: str = ""


def record(
    conn: sqlite3.Connection,
    action: str,
    actor: str,
    ids: Sequence[int],
    moment: datetime,
    *,
    detail: dict[str, Any] | None = None,
    reason: str = "",
    undo_of: int | None = None,
) -> int:
    """Write one curation event; `detail` is what undo needs. Returns its id."""
    cursor = conn.execute(
        "INSERT INTO curation_event(action, actor, insight_ids, detail, reason, undo_of,"
        " created_at) VALUES (?,?,?,?,?,?,?)",
        (
            action,
            actor,
            json.dumps(list(ids)),
            json.dumps(detail or {}, ensure_ascii=False),
            reason,
            undo_of,
            clock.iso(moment),
        ),
    )
    return int(cursor.lastrowid or 0)


def open_events(conn: sqlite3.Connection) -> Iterator[Event]:
    """Every change that could still be taken back, newest first; read one by one."""
    ids = conn.execute(
        "SELECT id FROM curation_event WHERE undone_by IS NULL AND undo_of IS NULL ORDER BY id DESC"
    ).fetchall()
    for (event_id,) in ids:
        event = still_open(conn, event_id)
        if event is not None:
            yield event


def still_open(conn: sqlite3.Connection, event_id: int) -> Event | None:
    """The change of that id, unless it was taken back."""
    row = conn.execute(
        "SELECT action, insight_ids, detail, actor, created_at FROM curation_event"
        " WHERE id = ? AND undone_by IS NULL",
        (event_id,),
    ).fetchone()
    if row is None:
        return None
    ids = tuple(map(int, json.loads(row[1])))
    return Event(int(event_id), str(row[0]), ids, json.loads(row[2]), str(row[3]), str(row[4]))


def close(conn: sqlite3.Connection, event_id: int, by: int) -> None:
    """Mark a change as taken back by another event."""
    conn.execute("UPDATE curation_event SET undone_by = ? WHERE id = ?", (by, event_id))


def keep(
    conn: sqlite3.Connection, insight: Insight, reason: str, actor: str, moment: datetime
) -> None:
    """Keep the state of an insight as it is before a change."""
    keep_wording(conn, insight, insight.content, insight.tags, reason, actor, moment)


def keep_wording(
    conn: sqlite3.Connection,
    insight: Insight,
    content: str,
    tags: Sequence[str],
    reason: str,
    actor: str,
    moment: datetime,
) -> None:
    """Keep another wording that was merged into an insight, with the tags it came with."""
    conn.execute(
        "INSERT INTO revision(insight_id, row_version, content, tags, pinned, effectiveness,"
        " reason, actor, created_at) VALUES (?,?,?,?,?,?,?,?,?)",
        (
            insight.id,
            insight.row_version,
            content,
            json.dumps(list(tags), ensure_ascii=False),
            int(insight.pinned),
            insight.effectiveness,
            reason,
            actor,
            clock.iso(moment),
        ),
    )


def tags_before(now: Sequence[str], before: Sequence[str], after: Sequence[str]) -> list[str]:
    """The tags as they were before a change from `before` to `after`, with what came since."""
    wanted = [tag for tag in now if tag not in after or tag in before]
    wanted += [tag for tag in before if tag not in after]
    return [*(t for t in before if t in wanted), *(t for t in wanted if t not in before)]


def of(conn: sqlite3.Connection, insight_id: int) -> list[dict[str, Any]]:
    """The revisions of one insight, oldest first, as JSON values."""
    cursor = conn.execute(
        "SELECT row_version, content, tags, pinned, effectiveness, reason, actor, created_at"
        " FROM revision WHERE insight_id = ? ORDER BY id",
        (insight_id,),
    )
    names = [column[0] for column in cursor.description]
    found = [dict(zip(names, row, strict=True)) for row in cursor.fetchall()]
    for row in found:
        row.update(tags=json.loads(row["tags"]), pinned=bool(row["pinned"]))
    return found


def changes_of(conn: sqlite3.Connection, insight_id: int) -> list[dict[str, Any]]:
    """The curation events that touched one insight, oldest first, as JSON values."""
    cursor = conn.execute(
        "SELECT c.created_at, c.action, c.actor, c.reason, c.undone_by IS NOT NULL AS undone"
        " FROM curation_event c, json_each(c.insight_ids) j WHERE j.value = ? ORDER BY c.id",
        (insight_id,),
    )
    names = [column[0] for column in cursor.description]
    found = [dict(zip(names, row, strict=True)) for row in cursor.fetchall()]
    return [{**row, "undone": bool(row["undone"])} for row in found]


def edited_by_hand(conn: sqlite3.Connection, insight_id: int) -> bool:
    """Whether a person worded this insight: its text then outranks what an agent says."""
    marks = ",".join("?" * len(BY_HAND))
    return bool(
        conn.execute(
            "SELECT 1 FROM curation_event c, json_each(c.insight_ids) j WHERE j.value = ?"
            f" AND c.action = ? AND c.undone_by IS NULL AND c.actor IN ({marks})",
            (insight_id, EDITED, *sorted(BY_HAND)),
        ).fetchone()
    )
