"""The insights view's rows: a window of the table, and the selected insight whole."""

from __future__ import annotations

from dataclasses import asdict, replace
from typing import Any

from helix_core.store import view_insight, views
from helix_tui import formats
from helix_tui.data.part import Desk, Part
from helix_tui.state import InsightsView, InsightsWanted

PAGE = 1000


def read(desk: Desk, wanted: InsightsWanted, before: InsightsView | None = None) -> InsightsView:
    """The wanted window and the selected insight.

    With `before`, a view of the same rows, only what the new wish adds is read.
    """
    if before is not None and _window(before.wanted) == _window(wanted):
        page = before.page
    else:
        page = views.page(desk.conn, _query(wanted))
    key = wanted.key
    if key is None and page.rows:
        key = page.rows[0].id
    detail = view_insight.detail(desk.conn, key) if key is not None else None
    trash = view_insight.trashed(desk.conn) if wanted.trash else ()
    return InsightsView(wanted, page, detail, trash)


def _window(wanted: InsightsWanted) -> InsightsWanted:
    return replace(wanted, key=None, key_index=None, trash=False)


def _query(wanted: InsightsWanted) -> views.PageQuery:
    return views.PageQuery(
        sort=wanted.sort,
        reverse=wanted.reverse,
        text=wanted.text,
        offset=wanted.offset,
        limit=wanted.limit,
        key=wanted.key,
        key_index=wanted.key_index,
    )


def facts(desk: Desk) -> dict[str, Any]:
    """The first thousand insights."""
    page = read(desk, InsightsWanted(limit=PAGE)).page
    return {
        "insights": [
            {**asdict(row), "causal_ratio": row.causal_ratio, "interval": [row.low, row.high]}
            for row in page.rows
        ],
    }


def text(found: dict[str, Any]) -> list[str]:
    """The table as lines."""
    lines = [f"{'eff':>4} {'n':>3} {'90%':>7} {'uses':>4}  insight"]
    for row in found["insights"]:
        spread = formats.interval(row["low"], row["high"], row["n"])
        text = formats.fit(formats.literal(row["content"]), 90).rstrip()
        lines.append(
            f"{formats.percent(row['effectiveness']):>4} {row['n']:>3} {spread:>7}"
            f" {row['use_count']:>4}  {text}"
        )
    return lines


PART: Part[InsightsWanted, InsightsView] = Part(InsightsWanted, read, facts, text)
