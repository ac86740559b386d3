"""View 2: every insight, sorted and filtered, and one of them whole."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime
from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import BindingType
from textual.containers import Container

from helix_tui import bindings, formats
from helix_tui.messages import (
    Chosen,
    FilterChanged,
    RowsNeeded,
    Selected,
    SortAsked,
)
from helix_tui.screens.curating import CuratingScreen
from helix_tui.screens.trash_list import TrashList
from helix_tui.state import (
    InsightLine,
    InsightsView,
    InsightsWanted,
    Snapshot,
    Wanted,
)
from helix_tui.widgets import insight_rows
from helix_tui.widgets.filter_bar import FilterBar
from helix_tui.widgets.insight_detail import InsightDetailPane
from helix_tui.widgets.live_table import LiveTable
from helix_tui.widgets.pieces import retitle
from helix_tui.widgets.table_layout import Row

EMPTY = "The memory is empty: agents fill it, or `helix store`."
NO_MATCH = "No insight matches; escape shows all."
ABOUT_ONE = frozenset({"trash", "pin", "edit", "tags", "merge", "copy"})
MARKED = ", one marked: m on another merges that into it"
UPWARD = frozenset({"text", "tags", "source"})
"""Orders that are read upwards unless they are turned round."""


class InsightsScreen(CuratingScreen):
    """A window of the table is wanted, and the row under the cursor in full."""

    VIEW = "insights"
    CSS_PATH = "insights.tcss"
    AUTO_FOCUS = "#insights"
    BINDINGS: ClassVar[list[BindingType]] = bindings.for_place("insights")
    about = bindings.keys("insights", about=True)

    _wanted = InsightsWanted()
    _view: InsightsView | None = None
    _made: tuple[object, Sequence[Row]] | None = None

    def compose_view(self) -> ComposeResult:
        """The filter, the table, and the pane with one insight."""
        yield FilterBar(id="filter")
        with Container(id="halves"):
            yield LiveTable(
                insight_rows.COLUMNS,
                id="insights",
                glyphs=self.glyphs,
                empty=EMPTY,
                least=insight_rows.LEAST,
                selects=True,
            )
            yield InsightDetailPane(self.glyphs)

    def on_mount(self) -> None:
        """Name the panes."""
        self.table.border_title = "Insights"
        self.query_one("#detail").border_title = "The selected one"
        self.query_one("#record").border_title = "What became of it"

    def on_resize(self) -> None:
        """One insight stands in one pane, or in two."""
        self.call_after_refresh(self.redraw)

    @property
    def table(self) -> LiveTable:
        """The table of insights."""
        return self.query_one("#insights", LiveTable)

    def wanted(self) -> Wanted:
        """The window around what is visible, and the selected insight."""
        return Wanted(self.VIEW, self._wanted)

    def draw(self, snapshot: Snapshot, now: datetime) -> None:
        """Show the window, unless it answers an order or a filter that is no longer meant."""
        view = snapshot.of(InsightsView)
        if view is None:
            return
        mine = self._wanted
        if not _same_rows(mine, view.wanted):
            return
        self._view = view
        table, page = self.table, view.page
        table.sorted_by(mine.sort, (mine.sort in UPWARD) != mine.reverse)
        table.set_empty(NO_MATCH if page.total else EMPTY)
        table.show(
            self._rows(page.rows, now),
            offset=page.offset,
            total=page.matching,
            position=page.position if page.key == table.key else None,
        )
        title = formats.plural(page.matching, "insight")
        retitle(table, title + (MARKED if self.marked else ""))
        self.query_one(FilterBar).count(page.matching, page.total)
        detail = view.detail
        if detail is None or detail.line.id == table.key:
            self.query_one(InsightDetailPane).show(detail, now)

    def _rows(self, lines: Sequence[InsightLine], now: datetime) -> Sequence[Row]:
        """The rows of a window, made once: most snapshots bring another detail alone."""
        marked = self.marked.id if self.marked else None
        drawn = (lines, marked, now.replace(second=0, microsecond=0))
        if self._made is None or self._made[0] != drawn:
            self._made = drawn, insight_rows.rows(lines, self.glyphs, now, marked)
        return self._made[1]

    def lacks(self, snapshot: Snapshot) -> bool:
        """Whether the row under the cursor, or all about it, is on its way."""
        view = snapshot.of(InsightsView)
        if view is None or not _same_rows(view.wanted, self._wanted):
            return True
        return bool(view.page.matching) and self._detail(self.key) is None

    # -- what is wanted -----------------------------------------------------------------------

    def _want(self, wanted: InsightsWanted) -> None:
        if wanted != self._wanted:
            self._wanted = wanted
            self.ask()

    def on_selected(self, message: Selected) -> None:
        """Another row under the cursor: it is wanted in full."""
        index = self.table.cursor if message.key is not None else None
        wanted = replace(self._wanted, key=message.key, key_index=index)
        if wanted != self._wanted:
            self._wanted = wanted
            self.ask_soon()

    def on_rows_needed(self, message: RowsNeeded) -> None:
        """Another window."""
        self._want(replace(self._wanted, offset=message.offset))

    def on_filter_changed(self, message: FilterChanged) -> None:
        """Another filter: the selected insight stays selected where it is let through."""
        self.table.restart()
        self._want(replace(self._wanted, text=message.text, offset=0, key=None, key_index=None))

    def on_sort_asked(self, message: SortAsked) -> None:
        """Sort by a column; once more turns it round."""
        again = message.column == self._wanted.sort
        self._order(message.column, not self._wanted.reverse if again else False)

    def _order(self, sort: str, reverse: bool) -> None:
        self.table.restart()
        self._want(
            replace(self._wanted, sort=sort, reverse=reverse, offset=0, key=None, key_index=None)
        )

    def open_insight(self, insight_id: int) -> None:
        """Show one insight, wherever it is in the table; a filter is lifted."""
        self.query_one(FilterBar).clear()
        self.table.restart()
        self.table.select(insight_id)
        self._want(replace(self._wanted, text="", offset=0, key=insight_id, key_index=None))
        self.redraw()

    def open_filter(self, text: str) -> None:
        """Show the insights that a filter lets through."""
        self.query_one(FilterBar).fill(text)
        self.set_focus(self.table)

    def on_chosen(self, message: Chosen) -> None:
        """Go on to the pane with the whole insight."""
        self.set_focus(self.query_one(InsightDetailPane).front)

    @property
    def key(self) -> int | None:
        """The insight under the cursor."""
        return self.table.key

    # -- what can be done ---------------------------------------------------------------------

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Keys that would do nothing are not offered."""
        if action == "filter":
            return self.table.has_focus or self.query_one(InsightDetailPane).read
        if action in ABOUT_ONE:
            return self.selected() is not None
        if action == "clear":
            return bool(self._wanted.text or self.marked)
        return True

    def action_filter(self) -> None:
        """Type a filter."""
        self.query_one(FilterBar).open()

    def action_clear(self) -> None:
        """Lift the mark, then the filter."""
        if self.marked is not None:
            self.mark(None)
        else:
            self.query_one(FilterBar).clear()

    def action_sort(self) -> None:
        """Sort by the next column."""
        place = insight_rows.SORTS.index(self._wanted.sort)
        self._order(insight_rows.SORTS[(place + 1) % len(insight_rows.SORTS)], False)

    def action_reverse(self) -> None:
        """Turn the order round."""
        self._order(self._wanted.sort, not self._wanted.reverse)

    def action_trash_list(self) -> None:
        """Look into the trash."""

        def closed(_: None) -> None:
            self._want(replace(self._wanted, trash=False))

        self.app.push_screen(TrashList(self.glyphs, self.latest), closed)
        self._want(replace(self._wanted, trash=True))


def _same_rows(one: InsightsWanted, other: InsightsWanted) -> bool:
    """Whether two wishes are for the same rows in the same order."""
    return (one.sort, one.reverse, one.text) == (other.sort, other.reverse, other.text)
