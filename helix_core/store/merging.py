"""Two insights become one, and two again: counts, contexts, graph and events move both ways.

Standard library and the formulas. Inside a write transaction of the caller. What a merge adds is
noted as it is added, so that taking it back removes exactly that and keeps what came later.
"""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Sequence
from datetime import datetime
from typing import Any

from helix_core import clock, constants, formulas
from helix_core.model import Insight
from helix_core.store import edges, insights, results, revisions, trash, vectors

COUNTS = ("use_count", "causal_hits", "recent_uses", "confirmations")
OTHER_WORDING = "merged: other wording"
FOLLOWS = ("feedback_event", "injection", "synthesis")
"""Tables whose rows follow the insight they speak of."""


def union(first: Sequence[str], second: Sequence[str]) -> list[str]:
    """The tags of both, the first's before the second's: a merge loses none."""
    return list(dict.fromkeys([*first, *second]))


def join(
    conn: sqlite3.Connection,
    keep: Insight,
    drop: Insight,
    moment: datetime,
    actor: str,
    about: dict[str, Any],
) -> dict[str, Any]:
    """Move `drop` into the trash and what it earned to `keep`; returns what `split` needs.

    The effectiveness becomes the mean of both, weighted by their causal uses: what was measured
    outranks what was not. `about`: what the trash notes (`trash.facts`).
    """
    revisions.keep(conn, keep, "merge", actor, moment)
    if drop.content != keep.content:
        revisions.keep_wording(conn, keep, drop.content, drop.tags, OTHER_WORDING, actor, moment)
    changes = _joined(keep, drop)
    changes.update(_joined_contexts(conn, keep.id, drop.id))
    old = _columns(conn, keep.id, list(changes))
    mark = conn.execute("SELECT coalesce(max(id), 0) FROM feedback_event").fetchone()[0]
    theirs = _edges_of(conn, drop.id)
    trash.move_out(conn, drop, about)
    moved = {table: _follow(conn, table, drop.id, keep.id) for table in FOLLOWS}
    added = {name: getattr(drop, name) for name in COUNTS}
    added["confirmations"] += 1
    counts = {name: getattr(keep, name) + added[name] for name in COUNTS}
    words = insights.search_terms(keep.content, union(keep.tags, drop.tags))
    insights.update(conn, keep.id, clock.iso(moment), **changes, **counts, terms=words)
    return {
        "columns": {name: [_plain(old[name]), _plain(changes[name])] for name in changes},
        "counts": added,
        "edges": _move_edges(conn, theirs, drop.id, keep.id),
        "moved": moved,
        "mark": int(mark),
    }


def _joined(keep: Insight, drop: Insight) -> dict[str, Any]:
    uses = keep.causal_hits + drop.causal_hits
    mean = keep.effectiveness * keep.causal_hits + drop.effectiveness * drop.causal_hits
    return {
        "tags": json.dumps(union(keep.tags, drop.tags), ensure_ascii=False),
        "effectiveness": mean / uses if uses else keep.effectiveness,
        "pinned": int(keep.pinned or drop.pinned),
        "source": "user" if drop.source == "user" else keep.source,
        "last_used": later_of(keep.last_used, drop.last_used),
        "last_feedback_at": later_of(keep.last_feedback_at, drop.last_feedback_at),
    }


def later_of(a: str | None, b: str | None) -> str | None:
    """The later of two stored times; one that cannot be read counts as none."""
    first, second = clock.parse(a, default=None), clock.parse(b, default=None)
    return b if second is not None and (first is None or second > first) else a


def _joined_contexts(conn: sqlite3.Connection, keep: int, drop: int) -> dict[str, Any]:
    """The mean of both sets of causal contexts (decision 10); nothing where one says nothing."""
    (mine, n), (other, m) = mean_of(conn, keep), mean_of(conn, drop)
    if other is None or not m:
        return {}
    if mine is None or not n:
        mine, n = [0.0] * len(other), 0
    if len(mine) != len(other):
        return {}
    total = n + m
    mean = [(a * n + b * m) / total for a, b in zip(mine, other, strict=True)]
    return context_columns(mean, total)


def mean_of(conn: sqlite3.Connection, insight_id: int) -> tuple[list[float] | None, int]:
    """The mean of an insight's causal contexts and how many they are."""
    row = conn.execute(
        "SELECT context_centroid, context_count FROM insight WHERE id = ?", (insight_id,)
    ).fetchone()
    return vectors.unpack(row[0]), int(row[1] or 0)


def context_columns(mean: list[float], count: int) -> dict[str, Any]:
    """The columns that hold a mean of contexts."""
    return {
        "context_centroid": vectors.pack(mean),
        "context_count": count,
        "context_spread": formulas.spread_of(mean) if formulas.spread_counts(count) else None,
    }


def _columns(conn: sqlite3.Connection, insight_id: int, names: list[str]) -> dict[str, Any]:
    row = conn.execute(
        f"SELECT {', '.join(names)} FROM insight WHERE id = ?", (insight_id,)
    ).fetchone()
    return dict(zip(names, row, strict=True))


def _plain(value: Any) -> Any:
    """A cell as a JSON value; a blob in hexadecimal."""
    return {"hex": value.hex()} if isinstance(value, bytes) else value


def _cell(value: Any) -> Any:
    return bytes.fromhex(value["hex"]) if isinstance(value, dict) else value


def _edges_of(conn: sqlite3.Connection, insight_id: int) -> list[tuple[Any, ...]]:
    return conn.execute(
        "SELECT src_id, dst_id, weight, relation, created_at FROM insight_edges"
        " WHERE src_id = ? OR dst_id = ? ORDER BY src_id, dst_id, relation",
        (insight_id, insight_id),
    ).fetchall()


def _move_edges(
    conn: sqlite3.Connection, theirs: list[tuple[Any, ...]], drop: int, keep: int
) -> list[list[Any]]:
    """Give `keep` the edges of `drop`; returns (source, target, relation, weight before)."""
    moved = []
    for source, target, weight, relation, created in theirs:
        ends = [keep if end == drop else end for end in (source, target)]
        if ends[0] == ends[1]:
            continue
        if relation == "similar":
            ends.sort()
        before = edges.weight_of(conn, ends[0], ends[1], relation)
        edges.add_edges(conn, [(*ends, weight, relation)], created)
        moved.append([*ends, relation, before])
    return moved


def _follow(conn: sqlite3.Connection, table: str, old: int, new: int) -> list[int]:
    """Let the rows of a table speak of another insight; returns their ids.

    A row that would be the second one for the same agent stays where it is.
    """
    ids = [
        int(row[0])
        for row in conn.execute(f"SELECT id FROM {table} WHERE insight_id = ?", (old,)).fetchall()
    ]
    conn.execute(f"UPDATE OR IGNORE {table} SET insight_id = ? WHERE insight_id = ?", (new, old))
    left = conn.execute(f"SELECT id FROM {table} WHERE insight_id = ?", (old,)).fetchall()
    return [i for i in ids if (i,) not in left]


def touched(event: revisions.Event) -> set[int]:
    """The insights a merge changed: both sides, and those whose edges moved with it."""
    return {*event.ids, *(end for edge in event.detail["edges"] for end in edge[:2])}


def split(
    conn: sqlite3.Connection, keep: int, drop: int, detail: dict[str, Any], moment: datetime
) -> bool:
    """Take a merge back: `drop` returns with what it had, `keep` loses that and nothing else.

    False, and nothing is done, where one of the two is not there to be taken apart.
    """
    row = insights.by_ids(conn, [keep]).get(keep)
    held = conn.execute("SELECT 1 FROM trash WHERE insight_id = ?", (drop,)).fetchone()
    if row is None or held is None:
        return False
    take_edges_away(conn, detail["edges"])
    trash.bring_back(conn, drop)
    for table, ids in detail["moved"].items():
        conn.executemany(
            f"UPDATE {table} SET insight_id = ? WHERE id = ?", [(drop, each) for each in ids]
        )
    changes: dict[str, Any] = {
        name: max(0, getattr(row, name) - added) for name, added in detail["counts"].items()
    }
    changes.update(_columns_before(conn, row, drop, detail))
    insights.update(conn, keep, clock.iso(moment), **changes)
    return True


def take_edges_away(conn: sqlite3.Connection, moved: list[list[Any]]) -> None:
    """Undo added edges, given as (source, target, relation, weight before or None)."""
    for source, target, relation, before in moved:
        if before is None:
            conn.execute(
                "DELETE FROM insight_edges WHERE src_id = ? AND dst_id = ? AND relation = ?",
                (source, target, relation),
            )
        else:
            conn.execute(
                "UPDATE insight_edges SET weight = ? WHERE src_id = ? AND dst_id = ?"
                " AND relation = ?",
                (before, source, target, relation),
            )


def _columns_before(
    conn: sqlite3.Connection, row: Insight, drop: int, detail: dict[str, Any]
) -> dict[str, Any]:
    """Each column as it was before the merge, or what later feedback makes of that."""
    noted = {k: (_cell(v[0]), _cell(v[1])) for k, v in detail["columns"].items()}
    now = _columns(conn, row.id, list(noted))
    changes = {k: before for k, (before, after) in noted.items() if now[k] == after != before}
    tags = [insights.read_tags(cell) for cell in noted["tags"]]
    left = revisions.tags_before(row.tags, *tags)
    changes.update(tags=json.dumps(left, ensure_ascii=False))
    changes.update(terms=insights.search_terms(row.content, left))
    if "effectiveness" in noted:
        start = noted["effectiveness"][0]
        changes["effectiveness"] = replayed(conn, row.id, int(detail["mark"]), start)
    if "context_centroid" in noted and now["context_count"] != noted["context_count"][1]:
        for name in ("context_centroid", "context_count", "context_spread"):
            changes.pop(name, None)
        changes.update(_contexts_left(conn, row.id, drop))
    return changes


def replayed(conn: sqlite3.Connection, insight_id: int, mark: int, value: float) -> float:
    """What the feedback since a merge makes of the effectiveness from before it."""
    for kind, outcome, weight, causal, before, after in conn.execute(
        "SELECT kind, outcome, weight, causal, before, after FROM feedback_event"
        " WHERE insight_id = ? AND id > ? AND undone_by IS NULL ORDER BY id",
        (insight_id, mark),
    ).fetchall():
        if kind == "decay":
            neutral = constants.NEUTRAL_EFFECTIVENESS
            kept = (after - neutral) / (before - neutral) if before > neutral else 1.0
            value = neutral + (value - neutral) * kept if value > neutral else value
        elif causal or kind == results.LINEAGE:
            value = formulas.ema(value, weight, formulas.OUTCOME_VALUES[outcome])
        else:
            value = formulas.erode(value)
    return value


def _contexts_left(conn: sqlite3.Connection, keep: int, drop: int) -> dict[str, Any]:
    """The contexts of `keep` without those `drop` brought: the weighted mean, solved for it."""
    (mine, n), (other, m) = mean_of(conn, keep), mean_of(conn, drop)
    if mine is None or other is None or len(mine) != len(other) or n <= m:
        return {}
    return context_columns(
        [(a * n - b * m) / (n - m) for a, b in zip(mine, other, strict=True)], n - m
    )
