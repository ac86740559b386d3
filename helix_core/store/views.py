"""The dashboard's read model: insights in pages, and the memory in a few figures.

Standard library and `viewrows` only. Every function reads all its rows and is done: no cursor is
left open, because an open read would keep the write-ahead log from being folded in.
"""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from helix_core import clock, formulas
from helix_core.store import cells, credit, filters, measures
from helix_core.viewrows import Counts, InsightLine, InsightPage

SHORT = 400
PAGE_MAX = 1000
SORTS = {
    "effectiveness": measures.EFFECTIVENESS,
    "uses": measures.USES,
    "causal": f"coalesce({measures.CAUSAL_RATIO}, -1.0)",
    "velocity": "",
    "generality": f"coalesce({measures.GENERALITY}, -1.0)",
    "age": "created_at",
    "used": "coalesce(last_used, '')",
    "tags": "tags",
    "source": "source",
    "text": "lower(substr(content, 1, 80))",
}
"""Sort orders by name; the value is SQL (velocity depends on the time). Equal rows go by age."""
ASCENDING = frozenset({"text", "tags", "source"})
"""Orders that are read upwards unless they are turned round."""

HAPPENED = (
    ("insight", "updated_at"),
    ("feedback_event", "created_at"),
    ("revision", "created_at"),
    ("curation_event", "created_at"),
    ("hook_call", "created_at"),
)
"""What is written down when something happens to the memory, and the column with its time."""


def line_sql() -> str:
    """The columns of a table line, with what is measured at this moment."""
    return (
        f"id, name, substr(content, 1, {SHORT}), tags, effectiveness, use_count, causal_hits,"
        " created_at, last_used, source, pinned, row_version,"
        f" {measures.velocity(clock.now())}, {measures.GENERALITY}"
    )


@dataclass(frozen=True)
class PageQuery:
    """Which part of the table is wanted."""

    sort: str = "effectiveness"
    reverse: bool = False
    text: str = ""
    """The filter (see `filters`)."""
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
    """The memory in a few figures, and when something last happened to it.

    That is told by the newest row of what records it: the latest change over all insights would
    read every one of them, vectors and all, each time that anything is written.
    """
    newest = ", ".join(
        f"coalesce((SELECT {column} FROM {table} ORDER BY id DESC LIMIT 1), '')"
        for table, column in HAPPENED
    )
    row = conn.execute(
        "SELECT (SELECT count(*) FROM insight), (SELECT count(*) FROM trash),"
        " (SELECT count(*) FROM agent_run WHERE state = 'running'),"
        " (SELECT count(*) FROM question WHERE state = 'open'),"
        f" max({newest})"
    ).fetchone()
    return Counts(
        insights=cells.whole(row[0]),
        trash=cells.whole(row[1]),
        running=cells.whole(row[2]),
        asking=cells.whole(row[3]),
        changed_at=cells.text(row[4]),
    )


def order_sql(sort: str, reverse: bool) -> str:
    """A sort order as SQL; an unknown name is the first one."""
    name = sort if sort in SORTS else next(iter(SORTS))
    upward = (name in ASCENDING) != reverse
    expression = SORTS[name] or measures.velocity(clock.now())
    return f"{expression} {'ASC' if upward else 'DESC'}, id ASC"


def page(conn: sqlite3.Connection, query: PageQuery) -> InsightPage:
    """One window of the table, and where the insight `query.key` stands in it."""
    where, values = filters.where(query.text)
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
    ids = [
        int(row[0])
        for row in conn.execute(
            f"SELECT id FROM insight WHERE {where} ORDER BY {order} LIMIT ? OFFSET ?",
            [*values, limit, offset],
        ).fetchall()
    ]
    return InsightPage(total, matching, offset, tuple(by_ids(conn, ids)), query.key, position)


def by_ids(conn: sqlite3.Connection, ids: Sequence[int]) -> list[InsightLine]:
    """The lines of these insights, in this order; what is measured is measured of them alone."""
    rows = conn.execute(
        f"SELECT {line_sql()} FROM insight WHERE id IN (SELECT value FROM json_each(?))",
        (json.dumps(list(ids)),),
    ).fetchall()
    found = {line.id: line for line in lines(conn, rows)}
    return [found[insight_id] for insight_id in ids if insight_id in found]


def lines(conn: sqlite3.Connection, rows: Sequence[Sequence[Any]]) -> list[InsightLine]:
    """Rows of `line_sql` as lines, with what their tasks say."""
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
        velocity=cells.whole(row[12]),
        generality=cells.maybe(row[13]),
    )
