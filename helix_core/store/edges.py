"""SQL for the insight graph: `similar` (undirected, kept once) and `led_to` (directed)."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable, Sequence
from typing import NamedTuple

from helix_core.store.insights import CHUNK


class Neighbour(NamedTuple):
    """One edge as seen from one insight."""

    insight_id: int
    other_id: int
    weight: float
    relation: str
    outgoing: bool


def add_edges(
    conn: sqlite3.Connection, edges: Iterable[tuple[int, int, float, str]], moment: str
) -> int:
    """Add (source, target, weight, relation); an edge that exists keeps its larger weight."""
    added = 0
    for source, target, weight, relation in edges:
        if source == target:
            continue
        if relation == "similar" and source > target:
            source, target = target, source
        added += conn.execute(
            "INSERT INTO insight_edges(src_id, dst_id, weight, relation, created_at)"
            " VALUES (?,?,?,?,?) ON CONFLICT(src_id, dst_id, relation)"
            " DO UPDATE SET weight = max(weight, excluded.weight)",
            (source, target, weight, relation, moment),
        ).rowcount
    return added


def weight_of(conn: sqlite3.Connection, source: int, target: int, relation: str) -> float | None:
    """The weight of one edge as it is stored, or None where there is none."""
    row = conn.execute(
        "SELECT weight FROM insight_edges WHERE src_id = ? AND dst_id = ? AND relation = ?",
        (source, target, relation),
    ).fetchone()
    return float(row[0]) if row else None


def get_neighbors(
    conn: sqlite3.Connection,
    ids: Sequence[int],
    relation: str | None = None,
    lightest: float = 0.0,
) -> list[Neighbour]:
    """Every edge that touches one of `ids`, seen from that side; dangling ids are left out.

    Only those of a relation, and of weight `lightest` or more, where these are given.
    """
    found = []
    extra = " AND e.relation = ?" if relation else ""
    extra += " AND e.weight >= ?" if lightest > 0.0 else ""
    values = [*([relation] if relation else []), *([lightest] if lightest > 0.0 else [])]
    for start in range(0, len(ids), CHUNK):
        part = list(ids[start : start + CHUNK])
        marks = ",".join("?" * len(part))
        for mine, other, outgoing in (("src_id", "dst_id", True), ("dst_id", "src_id", False)):
            rows = conn.execute(
                f"SELECT e.{mine}, e.{other}, e.weight, e.relation FROM insight_edges e"
                f" JOIN insight i ON i.id = e.{other} WHERE e.{mine} IN ({marks}){extra}",
                [*part, *values],
            )
            found += [
                Neighbour(int(r[0]), int(r[1]), float(r[2]), str(r[3]), outgoing) for r in rows
            ]
    return sorted(found, key=lambda n: (-n.weight, n.other_id, n.relation))


def delete_edges_for(conn: sqlite3.Connection, insight_id: int) -> list[list[object]]:
    """Remove an insight's edges; returns them as rows, so that a restore can put them back."""
    rows = conn.execute(
        "SELECT src_id, dst_id, weight, relation, created_at FROM insight_edges"
        " WHERE src_id = ? OR dst_id = ?",
        (insight_id, insight_id),
    ).fetchall()
    conn.execute(
        "DELETE FROM insight_edges WHERE src_id = ? OR dst_id = ?", (insight_id, insight_id)
    )
    return [list(row) for row in rows]


def take_similar(conn: sqlite3.Connection, insight_id: int) -> list[list[object]]:
    """Remove an insight's `similar` edges, which belong to its text; returns them as rows."""
    mine = "relation = 'similar' AND ? IN (src_id, dst_id)"
    rows = conn.execute(
        f"SELECT src_id, dst_id, weight, relation, created_at FROM insight_edges WHERE {mine}"
        " ORDER BY src_id, dst_id",
        (insight_id,),
    ).fetchall()
    conn.execute(f"DELETE FROM insight_edges WHERE {mine}", (insight_id,))
    return [list(row) for row in rows]


def put_back(conn: sqlite3.Connection, rows: Iterable[Sequence[object]]) -> None:
    """Insert edges removed by `delete_edges_for`, where both ends are still there."""
    for row in rows:
        conn.execute(
            "INSERT OR IGNORE INTO insight_edges(src_id, dst_id, weight, relation, created_at)"
            " SELECT ?,?,?,?,? WHERE EXISTS (SELECT 1 FROM insight WHERE id = ?)"
            " AND EXISTS (SELECT 1 FROM insight WHERE id = ?)",
            (*row, row[0], row[1]),
        )
