"""What makes every change reversible: trash, restore, revisions, tombstones, undo.

Standard library only. Every function here runs inside one write transaction, so that a change is
there whole, with its curation event, or not at all.
"""

from __future__ import annotations

import json
import sqlite3
from datetime import datetime, timedelta
from typing import Any

from helix_core import clock
from helix_core.errors import RefusedError
from helix_core.model import Insight
from helix_core.store import edges, insights
from helix_core.store.connection import writing

BLOBS = ("embedding", "context_centroid")
UNDO_ACTIONS = frozenset({"trash", "prune", "restore", "pin", "unpin", "tag", "edit"})


def record(
    conn: sqlite3.Connection,
    action: str,
    actor: str,
    ids: list[int],
    moment: datetime,
    *,
    detail: dict[str, Any] | None = None,
    reason: str = "",
    undo_of: int | None = None,
) -> int:
    """Write one curation event; returns its id."""
    cursor = conn.execute(
        "INSERT INTO curation_event(action, actor, insight_ids, detail, reason, undo_of,"
        " created_at) VALUES (?,?,?,?,?,?,?)",
        (
            action,
            actor,
            json.dumps(ids),
            json.dumps(detail or {}, ensure_ascii=False),
            reason,
            undo_of,
            clock.iso(moment),
        ),
    )
    return int(cursor.lastrowid or 0)


def keep_revision(
    conn: sqlite3.Connection, insight: Insight, reason: str, actor: str, moment: datetime
) -> None:
    """Keep the state of an insight as it is before a change."""
    conn.execute(
        "INSERT INTO revision(insight_id, row_version, content, tags, pinned, effectiveness,"
        " reason, actor, created_at) VALUES (?,?,?,?,?,?,?,?,?)",
        (
            insight.id,
            insight.row_version,
            insight.content,
            json.dumps(list(insight.tags), ensure_ascii=False),
            int(insight.pinned),
            insight.effectiveness,
            reason,
            actor,
            clock.iso(moment),
        ),
    )


def trash(
    conn: sqlite3.Connection,
    names: list[str],
    *,
    actor: str,
    moment: datetime,
    reason: str = "",
    action: str = "trash",
    keep_days: float = 90.0,
) -> int:
    """Move insights to the trash, with edges; by hand also a tombstone. Returns the event id."""
    with writing(conn):
        found = [_required(conn, name) for name in names]
        for insight in found:
            _to_trash(conn, insight, actor, moment, reason or action, keep_days)
            if action == "trash" and actor in {"cli", "tui"}:
                _add_tombstone(conn, insight, reason or "trashed by hand", moment)
        return record(conn, action, actor, [i.id for i in found], moment, reason=reason)


def _required(conn: sqlite3.Connection, name: str) -> Insight:
    insight = insights.get(conn, name)
    if insight is None:
        raise RefusedError(f"there is no insight named {name!r}")
    return insight


def _to_trash(
    conn: sqlite3.Connection,
    insight: Insight,
    actor: str,
    moment: datetime,
    reason: str,
    keep_days: float,
) -> None:
    cursor = conn.execute("SELECT * FROM insight WHERE id = ?", (insight.id,))
    names = [column[0] for column in cursor.description]
    row = dict(zip(names, cursor.fetchone(), strict=True))
    blobs = {name: row.pop(name, None) for name in BLOBS}
    conn.execute(
        "INSERT OR REPLACE INTO trash(insight_id, name, content, columns, embedding,"
        " context_centroid, edges, reason, actor, trashed_at, expires_at)"
        " VALUES (?,?,?,?,?,?,?,?,?,?,?)",
        (
            insight.id,
            insight.name,
            insight.content,
            json.dumps(row, ensure_ascii=False),
            blobs["embedding"],
            blobs["context_centroid"],
            json.dumps(_edges_to_keep(conn, insight.id)),
            reason,
            actor,
            clock.iso(moment),
            clock.iso(moment + timedelta(days=keep_days)),
        ),
    )
    conn.execute("DELETE FROM insight WHERE id = ?", (insight.id,))


def _edges_to_keep(conn: sqlite3.Connection, insight_id: int) -> list[list[object]]:
    """The insight's edges, and those to insights that went to the trash before it.

    With an edge on record at both ends, it comes back whichever end is restored last.
    """
    shared = conn.execute(
        "SELECT e.value FROM trash, json_each(trash.edges) e"
        " WHERE ? IN (json_extract(e.value, '$[0]'), json_extract(e.value, '$[1]'))",
        (insight_id,),
    )
    kept = [json.loads(row[0]) for row in shared]
    return kept + [row for row in edges.delete_edges_for(conn, insight_id) if row not in kept]


def _add_tombstone(
    conn: sqlite3.Connection, insight: Insight, reason: str, moment: datetime
) -> None:
    vector, model = conn.execute(
        "SELECT embedding, json_extract(columns, '$.embedding_model') FROM trash"
        " WHERE insight_id = ?",
        (insight.id,),
    ).fetchone()
    conn.execute(
        "INSERT OR REPLACE INTO tombstone(content_hash, content, name, vector, embedding_model,"
        " reason, created_at) VALUES (?,?,?,?,?,?,?)",
        (
            insights.content_key(insight.content),
            insight.content,
            insight.name,
            vector,
            model,
            reason,
            clock.iso(moment),
        ),
    )


def restore(
    conn: sqlite3.Connection, name: str, *, actor: str, moment: datetime, undo_of: int | None = None
) -> int:
    """Bring an insight back from the trash under its old id, with edges. Returns the event id."""
    with writing(conn):
        row = conn.execute(
            "SELECT insight_id, columns, embedding, context_centroid, edges, content FROM trash"
            " WHERE name = ?",
            (name,),
        ).fetchone()
        if row is None:
            raise RefusedError(f"there is nothing named {name!r} in the trash")
        values = json.loads(row[1])
        values.update(embedding=row[2], context_centroid=row[3])
        marks = ",".join("?" * len(values))
        conn.execute(
            f"INSERT INTO insight({', '.join(values)}) VALUES ({marks})", tuple(values.values())
        )
        edges.put_back(conn, json.loads(row[4]))
        conn.execute("DELETE FROM trash WHERE insight_id = ?", (row[0],))
        conn.execute(
            "DELETE FROM tombstone WHERE content_hash = ?", (insights.content_key(row[5]),)
        )
        return record(conn, "restore", actor, [int(row[0])], moment, undo_of=undo_of)


def has_tombstone(conn: sqlite3.Connection, content: str) -> bool:
    """Whether the same text was rejected by a person before."""
    return bool(
        conn.execute(
            "SELECT 1 FROM tombstone WHERE content_hash = ?", (insights.content_key(content),)
        ).fetchone()
    )


def tombstone_vectors(conn: sqlite3.Connection, model: str) -> list[tuple[str, bytes]]:
    """Texts and vectors of what was rejected, for a model."""
    return [
        (str(row[0]), bytes(row[1]))
        for row in conn.execute(
            "SELECT content, vector FROM tombstone WHERE vector IS NOT NULL"
            " AND embedding_model = ?",
            (model,),
        )
    ]


def set_pinned(
    conn: sqlite3.Connection, name: str, pinned: bool, *, actor: str, moment: datetime
) -> int:
    """Pin or unpin an insight; a pinned one is never pruned. Returns the event id."""
    with writing(conn):
        insight = _required(conn, name)
        action = "pin" if pinned else "unpin"
        insights.update(conn, insight.id, clock.iso(moment), pinned=int(pinned))
        return record(conn, action, actor, [insight.id], moment, detail={"pinned": insight.pinned})


def undo(conn: sqlite3.Connection, *, actor: str, moment: datetime) -> dict[str, Any]:
    """Take back the newest change that was not taken back yet; feedback that came later stays.

    Returns the action undone and the names concerned. Raises RefusedError where there is nothing.
    """
    with writing(conn):
        row = conn.execute(
            "SELECT id, action, insight_ids, detail FROM curation_event"
            " WHERE undone_by IS NULL AND undo_of IS NULL AND actor <> 'maintenance'"
            " ORDER BY id DESC LIMIT 1"
        ).fetchone()
        if row is None:
            raise RefusedError("there is nothing to undo")
        event, action = int(row[0]), str(row[1])
        if action not in UNDO_ACTIONS:
            raise RefusedError(f"{action} cannot be undone")
        names = [
            _undo_one(conn, action, int(insight_id), json.loads(row[3]), actor, moment, event)
            for insight_id in json.loads(row[2])
        ]
        done = record(conn, f"undo {action}", actor, json.loads(row[2]), moment, undo_of=event)
        conn.execute("UPDATE curation_event SET undone_by = ? WHERE id = ?", (done, event))
        return {"undone": action, "names": names, "event": event}


def _undo_one(
    conn: sqlite3.Connection,
    action: str,
    insight_id: int,
    detail: dict[str, Any],
    actor: str,
    moment: datetime,
    event: int,
) -> str:
    if action in {"trash", "prune"}:
        row = conn.execute("SELECT name FROM trash WHERE insight_id = ?", (insight_id,)).fetchone()
        if row is None:
            raise RefusedError("it is no longer in the trash")
        restore(conn, str(row[0]), actor=actor, moment=moment, undo_of=event)
        return str(row[0])
    insight = insights.by_ids(conn, [insight_id]).get(insight_id)
    if insight is None:
        raise RefusedError("the insight is not there any more")
    if action == "restore":
        _to_trash(conn, insight, actor, moment, "undo of restore", 90.0)
    elif action in {"pin", "unpin"}:
        insights.update(conn, insight_id, clock.iso(moment), pinned=int(detail["pinned"]))
    else:
        _undo_text(conn, insight, detail, moment)
    return insight.name


def _undo_text(
    conn: sqlite3.Connection, insight: Insight, detail: dict[str, Any], moment: datetime
) -> None:
    """Put text and tags back as the revision before the change held them."""
    tags = list(detail["tags"])
    insights.update(
        conn,
        insight.id,
        clock.iso(moment),
        content=detail["content"],
        tags=json.dumps(tags, ensure_ascii=False),
        terms=insights.search_terms(detail["content"], tags),
        embedding=None,
        embedding_model=None,
    )
