"""The dashboard's read model of the insight graph: nodes and links, bounded, and a neighbourhood.

Standard library and `viewrows` only; like `views`, every function reads all its rows at once.
"""

from __future__ import annotations

import heapq
import sqlite3
from collections.abc import Iterable, Sequence

from helix_core.store import cells
from helix_core.store.insights import CHUNK
from helix_core.viewrows import LinkLine, NodeLine

SHORT = 400

ALIVE = (
    "FROM insight_edges e JOIN insight s ON s.id = e.src_id JOIN insight d ON d.id = e.dst_id"
    " WHERE e.src_id <> e.dst_id"
)
"""Links between insights that exist."""


def state(conn: sqlite3.Connection) -> tuple[int, ...]:
    """What changes whenever the graph's shape may have: counts and the newest of each."""
    row = conn.execute(
        "SELECT (SELECT count(*) FROM insight), (SELECT max(id) FROM insight),"
        " (SELECT count(*) FROM insight_edges), (SELECT max(rowid) FROM insight_edges)"
    ).fetchone()
    return tuple(cells.whole(value) for value in row)


def best_linked(conn: sqlite3.Connection, limit: int) -> list[int]:
    """At most `limit` insights that hang together: from the one with the most links on, always the
    best linked one of those beside what has been taken; where a component ends, the next one.

    O(links log links). Insights without a link come last, by age.
    """
    beside: dict[int, set[int]] = {}
    for a, b in conn.execute(f"SELECT e.src_id, e.dst_id {ALIVE}").fetchall():
        beside.setdefault(int(a), set()).add(int(b))
        beside.setdefault(int(b), set()).add(int(a))
    found: dict[int, None] = {}
    seen: set[int] = set()
    for start in sorted(beside, key=lambda i: (-len(beside[i]), i)):
        edge = [] if start in seen else [(-len(beside[start]), start)]
        while edge and len(found) < limit:
            found[heapq.heappop(edge)[1]] = None
            newest = next(reversed(found))
            for other in beside[newest] - seen - {start}:
                seen.add(other)
                heapq.heappush(edge, (-len(beside[other]), other))
        if len(found) >= limit:
            return list(found)
    rows = conn.execute("SELECT id FROM insight ORDER BY id").fetchall()
    lonely = [int(row[0]) for row in rows if int(row[0]) not in beside]
    return [*found, *lonely[: limit - len(found)]]


def around(conn: sqlite3.Connection, insight_id: int, hops: int, limit: int) -> list[int]:
    """An insight and what is at most `hops` links away, the nearest first; at most `limit`."""
    found = dict.fromkeys([insight_id])
    edge = [insight_id]
    for _ in range(hops):
        beside = sorted({other for pair in _touching(conn, edge) for other in pair} - found.keys())
        edge = beside[: max(0, limit - len(found))]
        found |= dict.fromkeys(edge)
    return list(found)


def _touching(conn: sqlite3.Connection, ids: Sequence[int]) -> Iterable[tuple[int, int]]:
    for start in range(0, len(ids), CHUNK):
        part = ids[start : start + CHUNK]
        marks = ",".join("?" * len(part))
        for end in ("src_id", "dst_id"):
            rows = conn.execute(
                f"SELECT e.src_id, e.dst_id {ALIVE} AND e.{end} IN ({marks})", list(part)
            ).fetchall()
            yield from ((int(a), int(b)) for a, b in rows)


def nodes(conn: sqlite3.Connection, ids: Sequence[int]) -> list[NodeLine]:
    """The insights of those ids that exist, by id."""
    found = []
    for start in range(0, len(ids), CHUNK):
        part = ids[start : start + CHUNK]
        rows = conn.execute(
            f"SELECT id, name, substr(content, 1, {SHORT}), effectiveness, use_count, causal_hits,"
            f" pinned FROM insight WHERE id IN ({','.join('?' * len(part))})",
            list(part),
        ).fetchall()
        found += [
            NodeLine(
                id=int(row[0]),
                name=cells.text(row[1]),
                content=cells.text(row[2]),
                effectiveness=cells.share(row[3]),
                use_count=cells.whole(row[4]),
                causal_hits=cells.whole(row[5]),
                pinned=bool(cells.whole(row[6])),
            )
            for row in rows
        ]
    return sorted(found, key=lambda node: node.id)


def links(conn: sqlite3.Connection, ids: Sequence[int]) -> list[LinkLine]:
    """The links between those insights, each once, by source, target and relation."""
    known = set(ids)
    found = {}
    for start in range(0, len(ids), CHUNK):
        part = ids[start : start + CHUNK]
        rows = conn.execute(
            f"SELECT e.src_id, e.dst_id, e.relation, e.weight {ALIVE}"
            f" AND e.src_id IN ({','.join('?' * len(part))})",
            list(part),
        ).fetchall()
        for a, b, relation, weight in rows:
            if int(b) in known:
                key = (int(a), int(b), cells.text(relation))
                found[key] = LinkLine(*key, weight=cells.number(weight))
    return [found[key] for key in sorted(found)]
