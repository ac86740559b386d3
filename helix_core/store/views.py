"""The dashboard's read model: insights in pages, one insight whole, the memory in figures.

Standard library and `viewrows` only. Every function reads all its rows and is done: no cursor is
left open, because an open read would keep the write-ahead log from being folded in. Filters and
sort orders become SQL from fixed parts; what a person typed is only ever a parameter.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from helix_core import formulas
from helix_core.store import cells, credit
from helix_core.viewrows import Counts, InsightDetail, InsightLine, InsightPage, MoveLine

SHORT = 400
MOVES = 200
PAGE_MAX = 1000
SORTS = {
    "effectiveness": "effectiveness",
    "uses": "use_count",
    "causal": "CASE WHEN use_count > 0 THEN 1.0 * causal_hits / use_count ELSE -1.0 END",
    "age": "created_at",
    "used": "coalesce(last_used, '')",
    "text": "lower(substr(content, 1, 80))",
}
"""Sort orders by name; the value is SQL. Equal rows go by age, oldest first."""
ASCENDING = frozenset({"text"})
"""Orders that are read upwards unless they are turned round."""

LINE = (
    f"id, name, substr(content, 1, {SHORT}), tags, effectiveness, use_count, causal_hits,"
    " created_at, last_used, source, pinned, row_version"
)


@dataclass(frozen=True)
class PageQuery:
    """Which part of the table is wanted."""

    sort: str = "effectiveness"
    reverse: bool = False
    text: str = ""
    """The filter: words that must all occur; `tag:T`, `source:S` and `is:pinned` narrow further."""
    offset: int = 0
    limit: int = 200
    key: int | None = None
    """An insight whose place is wanted too ..."""
    key_index: int | None = None
    """... and where it was: the window follows it by as much as it moved."""


def data_version(conn: sqlite3.Connection) -> int:
    """A number that changes when another connection has committed something."""
    return int(conn.execute("PRAGMA data_version").fetchone()[0])


def counts(conn: sqlite3.Connection) -> Counts:
    """The memory in a few figures, and when it last changed."""
    row = conn.execute(
        "SELECT (SELECT count(*) FROM insight), (SELECT count(*) FROM trash),"
        " (SELECT count(*) FROM agent_run WHERE state = 'running'),"
        " max(coalesce((SELECT max(updated_at) FROM insight), ''),"
        " coalesce((SELECT created_at FROM hook_call ORDER BY id DESC LIMIT 1), ''),"
        " coalesce((SELECT created_at FROM curation_event ORDER BY id DESC LIMIT 1), ''))"
    ).fetchone()
    return Counts(
        insights=cells.whole(row[0]),
        trash=cells.whole(row[1]),
        running=cells.whole(row[2]),
        changed_at=cells.text(row[3]),
    )


def filter_sql(text: str) -> tuple[str, list[str]]:
    """A filter as a WHERE clause with parameters; an empty filter lets everything through."""
    parts, values = [], []
    for word in text.split()[:20]:
        kind, _, rest = word.partition(":")
        if kind == "tag" and rest:
            parts.append("tags LIKE ? ESCAPE '\\'")
            values.append(f'%"{_like(rest)}%')
        elif kind == "source" and rest:
            parts.append("source LIKE ? ESCAPE '\\'")
            values.append(f"{_like(rest)}%")
        elif word == "is:pinned":
            parts.append("pinned = 1")
        else:
            parts.append(
                "(content LIKE ? ESCAPE '\\' OR name LIKE ? ESCAPE '\\' OR tags LIKE ? ESCAPE '\\')"
            )
            values += [f"%{_like(word)}%"] * 3
    return " AND ".join(parts) or "1", values


def _like(word: str) -> str:
    return word.replace("\\", "\\\\").replace("%", "\\%").replace("_", "\\_")


def order_sql(sort: str, reverse: bool) -> str:
    """A sort order as SQL; an unknown name is the first one."""
    name = sort if sort in SORTS else next(iter(SORTS))
    upward = (name in ASCENDING) != reverse
    return f"{SORTS[name]} {'ASC' if upward else 'DESC'}, id ASC"


def page(conn: sqlite3.Connection, query: PageQuery) -> InsightPage:
    """One window of the table, and where the insight `query.key` stands in it."""
    where, values = filter_sql(query.text)
    order = order_sql(query.sort, query.reverse)
    total = cells.whole(conn.execute("SELECT count(*) FROM insight").fetchone()[0])
    matching = cells.whole(
        conn.execute(f"SELECT count(*) FROM insight WHERE {where}", values).fetchone()[0]
    )
    position = None
    if query.key is not None:
        found = conn.execute(
            f"SELECT place FROM (SELECT id, row_number() OVER (ORDER BY {order}) - 1 AS place"
            f" FROM insight WHERE {where}) WHERE id = ?",
            [*values, query.key],
        ).fetchone()
        position = None if found is None else int(found[0])
    offset = query.offset
    if position is not None and query.key_index is not None:
        offset += position - query.key_index
    limit = max(1, min(query.limit, PAGE_MAX))
    offset = max(0, min(offset, matching - limit))
    rows = conn.execute(
        f"SELECT {LINE} FROM insight WHERE {where} ORDER BY {order} LIMIT ? OFFSET ?",
        [*values, limit, offset],
    ).fetchall()
    return InsightPage(total, matching, offset, tuple(_lines(conn, rows)), query.key, position)


def _lines(conn: sqlite3.Connection, rows: Sequence[Sequence[Any]]) -> list[InsightLine]:
    counted = credit.by_insight(conn, [int(row[0]) for row in rows])
    return [_line(row, counted.get(int(row[0]))) for row in rows]


def _line(row: Sequence[Any], counted: tuple[float, float, int] | None) -> InsightLine:
    effectiveness, hits = cells.share(row[4]), cells.whole(row[6])
    # Rows of an older database have causal uses but no events: their average stands in.
    helped, hurt, n = counted or (effectiveness * hits, (1.0 - effectiveness) * hits, hits)
    low, high = formulas.wilson(helped, helped + hurt)
    return InsightLine(
        id=int(row[0]),
        name=cells.text(row[1]),
        content=cells.text(row[2]),
        tags=cells.names(row[3]),
        effectiveness=effectiveness,
        use_count=cells.whole(row[5]),
        causal_hits=hits,
        n=n,
        low=low,
        high=high,
        created_at=cells.text(row[7]),
        last_used=cells.text(row[8]),
        source=cells.text(row[9]),
        pinned=bool(cells.whole(row[10])),
        row_version=cells.whole(row[11]),
    )


def detail(conn: sqlite3.Connection, insight_id: int) -> InsightDetail | None:
    """One insight with its whole text and its newest 200 events; None where it is gone."""
    row = conn.execute(
        f"SELECT {LINE}, content, confirmations, embedding_model FROM insight WHERE id = ?",
        (insight_id,),
    ).fetchone()
    if row is None:
        return None
    line = _lines(conn, [row])[0]
    figures = conn.execute(
        "SELECT (SELECT count(*) FROM injection WHERE insight_id = :id AND withheld = 0),"
        " (SELECT count(*) FROM insight_edges WHERE src_id = :id OR dst_id = :id),"
        " (SELECT count(*) FROM revision WHERE insight_id = :id)",
        {"id": insight_id},
    ).fetchone()
    return InsightDetail(
        line=line,
        content=cells.text(row[12]),
        adjusted=formulas.causal_adjusted(line.effectiveness, line.use_count, line.causal_hits),
        injected=cells.whole(figures[0]),
        edges=cells.whole(figures[1]),
        revisions=cells.whole(figures[2]),
        confirmations=cells.whole(row[13]),
        embedding_model=cells.text(row[14]),
        moves=moves(conn, insight_id),
    )


def moves(conn: sqlite3.Connection, insight_id: int, limit: int = MOVES) -> tuple[MoveLine, ...]:
    """The feedback events of one insight, newest first."""
    rows = conn.execute(
        "SELECT id, created_at, kind, outcome, source, similarity, weight, causal, before, after,"
        " coalesce(task, ''), agent_id, undone_by FROM feedback_event WHERE insight_id = ?"
        " ORDER BY id DESC LIMIT ?",
        (insight_id, limit),
    ).fetchall()
    return tuple(
        MoveLine(
            id=int(r[0]),
            at=cells.text(r[1]),
            kind=cells.text(r[2]),
            outcome=cells.text(r[3]),
            source=cells.text(r[4]),
            similarity=cells.maybe(r[5]),
            weight=cells.number(r[6]),
            causal=bool(cells.whole(r[7])),
            before=cells.share(r[8]),
            after=cells.share(r[9]),
            task=cells.text(r[10])[:SHORT],
            agent_id=cells.text(r[11]),
            undone=r[12] is not None,
        )
        for r in rows
    )
