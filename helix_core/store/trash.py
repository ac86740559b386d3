"""The trash and the tombstones: how an insight leaves the memory, and how it comes back whole.

Standard library only. Every function runs inside a write transaction of the caller; the actions a
person knows, with their events, are in `curation`.
"""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import Any

from helix_core import clock
from helix_core.model import Insight
from helix_core.store import edges, insights

BLOBS = ("embedding", "context_centroid")
FACTS = ("reason", "actor", "merged_into", "trashed_at", "expires_at")
KEEP_DAYS = 90.0


def facts(
    moment: datetime,
    reason: str,
    actor: str,
    keep_days: float = KEEP_DAYS,
    merged_into: int | None = None,
) -> dict[str, Any]:
    """What the trash notes about an insight beside the insight itself."""
    expires = clock.iso(moment + timedelta(days=keep_days))
    return dict(zip(FACTS, (reason, actor, merged_into, clock.iso(moment), expires), strict=True))


def move_out(conn: sqlite3.Connection, insight: Insight, about: dict[str, Any]) -> None:
    """Take an insight out of the memory into the trash, with its vector and its edges."""
    move_all_out(conn, [(insight, about)])


def move_all_out(conn: sqlite3.Connection, going: Sequence[tuple[Insight, dict[str, Any]]]) -> None:
    """`move_out` for many, each with its own facts; the trash is looked through once."""
    ids = [insight.id for insight, _ in going]
    kept = _edges_to_keep(conn, ids)
    for insight, about in going:
        cursor = conn.execute("SELECT * FROM insight WHERE id = ?", (insight.id,))
        names = [column[0] for column in cursor.description]
        row = dict(zip(names, cursor.fetchone(), strict=True))
        blobs = {name: row.pop(name, None) for name in BLOBS}
        values = {
            "insight_id": insight.id,
            "name": insight.name,
            "content": insight.content,
            "columns": json.dumps(row, ensure_ascii=False),
            **blobs,
            "edges": json.dumps(kept[insight.id]),
            **about,
        }
        marks = ",".join("?" * len(values))
        conn.execute(
            f"INSERT OR REPLACE INTO trash({', '.join(values)}) VALUES ({marks})",
            tuple(values.values()),
        )
        conn.execute("DELETE FROM insight WHERE id = ?", (insight.id,))


def _edges_to_keep(conn: sqlite3.Connection, ids: Sequence[int]) -> dict[int, list[list[object]]]:
    """The edges of each insight, and those to insights that went to the trash before it.

    With an edge on record at both ends, it comes back whichever end is restored last.
    """
    shared = conn.execute(
        "SELECT e.value FROM trash, json_each(trash.edges) e"
        " WHERE json_extract(e.value, '$[0]') IN (SELECT value FROM json_each(?1))"
        " OR json_extract(e.value, '$[1]') IN (SELECT value FROM json_each(?1))",
        (json.dumps(list(ids)),),
    )
    rows: list[list[Any]] = [json.loads(row[0]) for row in shared]
    rows += [row for insight_id in ids for row in edges.delete_edges_for(conn, insight_id)]
    kept: dict[int, list[list[object]]] = {insight_id: [] for insight_id in ids}
    for row in rows:
        for end in row[:2]:
            if end in kept and row not in kept[end]:
                kept[end].append(row)
    return {insight_id: _in_order(mine) for insight_id, mine in kept.items()}


def _in_order(rows: list[list[Any]]) -> list[list[Any]]:
    return sorted(rows, key=lambda row: (row[0], row[1], str(row[3])))


def take_similar(conn: sqlite3.Connection, insight_id: int) -> list[list[Any]]:
    """Remove the `similar` edges of an insight from what the trash would put back.

    They belong to its text, like those that are not in the trash. Returns pairs of the trashed
    insight's id and the edge, for `give_similar`.
    """
    taken = []
    for owner, text in conn.execute("SELECT insight_id, edges FROM trash").fetchall():
        rows = json.loads(text)
        mine = [row for row in rows if row[3] == "similar" and insight_id in row[:2]]
        if mine:
            _keep_edges(conn, int(owner), [row for row in rows if row not in mine])
            taken += [[int(owner), row] for row in mine]
    return taken


def give_similar(conn: sqlite3.Connection, taken: list[list[Any]]) -> None:
    """Undo `take_similar`; what is not in the trash any more gets its edge at once."""
    for owner, row in taken:
        held = conn.execute("SELECT edges FROM trash WHERE insight_id = ?", (owner,)).fetchone()
        if held is None:
            edges.put_back(conn, [row])
        else:
            _keep_edges(conn, owner, _in_order([*json.loads(held[0]), row]))


def _keep_edges(conn: sqlite3.Connection, insight_id: int, rows: list[list[Any]]) -> None:
    conn.execute("UPDATE trash SET edges = ? WHERE insight_id = ?", (json.dumps(rows), insight_id))


def bring_back(conn: sqlite3.Connection, insight_id: int) -> dict[str, Any] | None:
    """Put an insight back under its old id, with its edges.

    Returns what the trash noted about it, or None where the trash does not hold it any more.
    """
    row = conn.execute(
        f"SELECT columns, embedding, context_centroid, edges, {', '.join(FACTS)} FROM trash"
        " WHERE insight_id = ?",
        (insight_id,),
    ).fetchone()
    if row is None:
        return None
    values = json.loads(row[0])
    values.update(embedding=row[1], context_centroid=row[2])
    marks = ",".join("?" * len(values))
    conn.execute(
        f"INSERT INTO insight({', '.join(values)}) VALUES ({marks})", tuple(values.values())
    )
    edges.put_back(conn, json.loads(row[3]))
    conn.execute("DELETE FROM trash WHERE insight_id = ?", (insight_id,))
    return dict(zip(FACTS, row[4:], strict=True))


def listed(conn: sqlite3.Connection) -> list[dict[str, Any]]:
    """What is in the trash, newest first, as JSON values."""
    rows = conn.execute(
        "SELECT t.name, t.content, t.reason, t.actor, t.trashed_at, t.expires_at,"
        " coalesce(i.name, other.name) FROM trash t LEFT JOIN insight i ON i.id = t.merged_into"
        " LEFT JOIN trash other ON other.insight_id = t.merged_into"
        " ORDER BY t.trashed_at DESC, t.insight_id DESC"
    ).fetchall()
    names = ("name", "content", "reason", "actor", "trashed_at", "expires_at", "merged_into")
    return [dict(zip(names, row, strict=True)) for row in rows]


def bury(conn: sqlite3.Connection, insight: Insight, reason: str, moment: datetime) -> list[Any]:
    """Leave a tombstone for an insight that is in the trash; returns `lift`'s argument."""
    vector, model = conn.execute(
        "SELECT embedding, json_extract(columns, '$.embedding_model') FROM trash"
        " WHERE insight_id = ?",
        (insight.id,),
    ).fetchone()
    key = insights.content_key(insight.content)
    before = unbury(conn, key)
    _put_tombstone(
        conn, [key, insight.content, insight.name, vector, model, reason, clock.iso(moment)]
    )
    return [key, before]


def unbury(conn: sqlite3.Connection, key: str) -> list[Any] | None:
    """Remove the tombstone of a text; returns it as a JSON value, None where there was none."""
    row = conn.execute(
        "SELECT content_hash, content, name, hex(vector), embedding_model, reason, created_at"
        " FROM tombstone WHERE content_hash = ?",
        (key,),
    ).fetchone()
    conn.execute("DELETE FROM tombstone WHERE content_hash = ?", (key,))
    return list(row) if row else None


def lift(conn: sqlite3.Connection, key: str, before: list[Any] | None) -> None:
    """Undo `bury` or `unbury`: the tombstone of a text is again what it was before."""
    unbury(conn, key)
    if before is not None:
        _put_tombstone(conn, [*before[:3], bytes.fromhex(before[3] or "") or None, *before[4:]])


def _put_tombstone(conn: sqlite3.Connection, values: list[Any]) -> None:
    conn.execute(
        "INSERT INTO tombstone(content_hash, content, name, vector, embedding_model, reason,"
        " created_at) VALUES (?,?,?,?,?,?,?)",
        values,
    )


def tombstone(conn: sqlite3.Connection, key: str) -> dict[str, Any] | None:
    """The tombstone of a text by its key (`insights.content_key`), without its vector, or None."""
    names = ("content_hash", "content", "name", "reason", "created_at")
    row = conn.execute(
        f"SELECT {', '.join(names)} FROM tombstone WHERE content_hash = ?", (key,)
    ).fetchone()
    return dict(zip(names, row, strict=True)) if row else None


def tombstone_vectors(conn: sqlite3.Connection, model: str) -> list[tuple[str, str, bytes]]:
    """Keys, texts and vectors of what was rejected, for a model."""
    return [
        (str(row[0]), str(row[1]), bytes(row[2]))
        for row in conn.execute(
            "SELECT content_hash, content, vector FROM tombstone WHERE vector IS NOT NULL"
            " AND embedding_model = ?",
            (model,),
        )
    ]
