"""A table that is alive: rows are patched by key, the cursor stays on its row, and a table of any
length is drawn from a window of rows. May import textual, rich, `formats`, `glyphs`, `messages`.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from rich.segment import Segment
from rich.style import Style
from textual import events
from textual.binding import BindingType
from textual.cache import LRUCache
from textual.geometry import Region, Size
from textual.scroll_view import ScrollView
from textual.strip import Strip

from helix_tui import bindings
from helix_tui.formats import fit
from helix_tui.glyphs import ROLES, Glyphs
from helix_tui.messages import Chosen, RowsNeeded, Selected, SortAsked
from helix_tui.widgets.table_layout import GAP, Column, Row, column_at, fit_columns

KEPT = 128
"""Lines kept as they were drawn: more than a screen has."""


class LiveTable(ScrollView, can_focus=True):
    """Shows rows it is given by `show`; knows nothing of where they come from."""

    BINDINGS: ClassVar[list[BindingType]] = bindings.for_place("table")
    COMPONENT_CLASSES: ClassVar[set[str]] = {
        "live-table--head",
        "live-table--sorted",
        "live-table--cursor",
        "live-table--cursor-blurred",
        "live-table--empty",
        *(f"live-table--{role}" for role in ROLES if role),
    }

    def __init__(
        self,
        columns: Sequence[Column],
        *,
        id: str,  # noqa: A002 - the name Textual gives it
        glyphs: Glyphs,
        empty: str = "",
        head: bool = True,
        least: int = 18,
        selects: bool = False,
        follows: bool = False,
    ) -> None:
        super().__init__(id=id)
        self._selects = selects  # the cursor means something while another pane has the focus
        self._follows = follows  # a cursor on the first row stays there when rows come before it
        self._columns = tuple(columns)
        self._glyphs = glyphs
        self._empty = empty
        self._head = 1 if head else 0
        self._least = least
        self._rows: tuple[Row, ...] = ()
        self._offset = 0
        self._total = 0
        self._sort = ("", False)
        self._asked: int | None = None
        self._placed: list[tuple[int, int]] = []
        self._base = Style()
        self._drawn: LRUCache[tuple[Row | None, bool, bool], Strip] = LRUCache(KEPT)
        self.cursor = 0
        """The index of the selected row among all rows."""
        self.key: int | None = None
        """Its key; None while there is none, or while its row is on the way."""

    # -- what it is given ---------------------------------------------------------------------

    def show(
        self,
        rows: Sequence[Row],
        *,
        offset: int = 0,
        total: int | None = None,
        position: int | None = None,
    ) -> None:
        """Take a window of rows, the first of them being number `offset` of `total`.

        `position`: where the selected row is now, if it is known and not among these. The cursor
        stays on its row and, where that moved, on its line of the screen; where the row is gone,
        the cursor stays in its place.
        """
        rows, count = tuple(rows), len(rows) if total is None else total
        same = (rows, offset, count) == (self._rows, self._offset, self._total)
        if same and self._asked is None and (self.key is not None or not rows):
            return
        changed = self._changed(rows, offset, count)
        self._rows, self._offset, self._total, self._asked = rows, offset, count, None
        if changed is not None:
            for index in changed:
                self.refresh_line(index + self._head)
            return
        self.virtual_size = Size(self._width, count + self._head)
        if self._follows and not self.cursor:
            self.key = None
        found = self._index_of(self.key)
        if found is None and self.key is not None:
            found = position
        if found is not None and found != self.cursor:
            line = self.cursor - self.scroll_offset.y
            self.cursor = found
            height = max(1, self._height)
            self._scroll(found - line if 0 <= line < height else found - height // 2)
        self._settle()
        self.refresh()

    def _changed(self, rows: tuple[Row, ...], offset: int, count: int) -> list[int] | None:
        """The rows whose cells alone are other ones, such as running clocks; None where more is."""
        keys = [row.key for row in self._rows]
        if (offset, count) != (self._offset, self._total) or [row.key for row in rows] != keys:
            return None
        if self.key is None or self._index_of(self.key) != self.cursor or self._asked is not None:
            return None
        pairs = enumerate(zip(self._rows, rows, strict=True), offset)
        return [n for n, (before, now) in pairs if before is not now and before != now]

    def set_empty(self, text: str) -> None:
        """What to say where there is no row."""
        if text != self._empty:
            self._empty = text
            self.refresh()

    def select(self, key: int | None) -> None:
        """Put the cursor on the row of that key, now or as soon as it is there."""
        if key is not None and key != self.key:
            self.key = key
            found = self._index_of(key)
            if found is not None:
                self._go(found)

    def restart(self) -> None:
        """Back to the first row: the rows to come are in another order."""
        self.cursor, self.key = 0, None
        self._rows = ()
        self._scroll(0)

    def sorted_by(self, sort: str, upward: bool) -> None:
        """Mark the column the rows are sorted by, and the direction."""
        if self._sort != (sort, upward):
            self._sort = (sort, upward)
            self.refresh()

    @property
    def row(self) -> Row | None:
        """The selected row, where it is held."""
        return self._row(self.cursor)

    @property
    def first_wanted(self) -> int:
        """The first row of a window around what is visible, for windows of 200."""
        return max(0, self.scroll_offset.y - max(0, 200 - self._height) // 2)

    def _index_of(self, key: int | None) -> int | None:
        if key is None:
            return None
        return next((self._offset + n for n, row in enumerate(self._rows) if row.key == key), None)

    def _row(self, index: int) -> Row | None:
        n = index - self._offset
        return self._rows[n] if 0 <= n < len(self._rows) else None

    def _settle(self) -> None:
        """Bring cursor, key and window back together; say so where the selection changed."""
        self.cursor = max(0, min(self.cursor, self._total - 1))
        row = self._row(self.cursor)
        key = row.key if row else None
        if key != self.key and (row is not None or not self._total):
            self.key = key
            self.post_message(Selected(self.id or "", key))
        self._ask()

    def _ask(self) -> None:
        """Ask for the rows that are visible and not held."""
        top = self.scroll_offset.y
        bottom = min(self._total, top + max(1, self._height))
        held = self._offset <= top and bottom <= self._offset + len(self._rows)
        if not held and self._total and self._asked != self.first_wanted:
            self._asked = self.first_wanted
            self.post_message(RowsNeeded(self.id or "", self._asked))

    # -- moving -------------------------------------------------------------------------------

    @property
    def _width(self) -> int:
        return self.scrollable_content_region.width

    @property
    def _height(self) -> int:
        return self.scrollable_content_region.height - self._head

    def _scroll(self, line: int) -> None:
        self.scroll_to(y=max(0, line), animate=False, force=True, immediate=True)

    def _go(self, index: int) -> None:
        before, top, height = self.cursor, self.scroll_offset.y, max(1, self._height)
        self.cursor = max(0, min(index, self._total - 1))
        if self.cursor < top:
            self._scroll(self.cursor)
        elif self.cursor >= top + height:
            self._scroll(self.cursor - height + 1)
        row = self._row(self.cursor)
        key = row.key if row else None
        if key != self.key:
            self.key = key
            if row is not None:
                self.post_message(Selected(self.id or "", key))
        self._ask()
        if self.cursor == before or self.scroll_offset.y != top:
            self.refresh()
            return
        for line in (before, self.cursor):
            self.refresh_line(line + self._head)

    def action_move(self, step: int) -> None:
        """One row up or down."""
        self._go(self.cursor + step)

    def action_page(self, step: int) -> None:
        """A page up or down."""
        self._go(self.cursor + step * max(1, self._height - 1))

    def action_edge(self, side: int) -> None:
        """The first or the last row."""
        self._go(0 if side < 0 else self._total - 1)

    def action_open(self) -> None:
        """Open the selected row."""
        if self.key is not None:
            self.post_message(Chosen(self.id or "", self.key))

    def watch_scroll_y(self, old_value: float, new_value: float) -> None:
        """Ask for the rows that came into sight."""
        super().watch_scroll_y(old_value, new_value)
        if round(old_value) != round(new_value):
            self._ask()

    def on_click(self, event: events.Click) -> None:
        """Select a row, open it by a second click, sort by a click on the head."""
        x, y = event.x - self.gutter.left, event.y - self.gutter.top
        if y < self._head:
            column = column_at(self._placed, x)
            if column is not None and self._columns[column].sort:
                self.post_message(SortAsked(self.id or "", self._columns[column].sort))
            return
        index = self.scroll_offset.y + y - self._head
        if 0 <= index < self._total:
            self._go(index)
            if event.chain == 2:
                self.action_open()

    def on_resize(self) -> None:
        """Keep the cursor in sight."""
        self.virtual_size = Size(self._width, self._total + self._head)
        self._go(self.cursor)

    # -- drawing ------------------------------------------------------------------------------

    def notify_style_update(self) -> None:
        """Other colours, perhaps: nothing that was drawn is good any more."""
        super().notify_style_update()
        self._drawn.clear()

    def render_lines(self, crop: Region) -> list[Strip]:
        """The visible lines; what they share is looked up once, not once a line."""
        base, placed = self.rich_style, fit_columns(self._columns, self._width, self._least)
        if (base, placed) != (self._base, self._placed):
            self._base, self._placed = base, placed
            self._drawn.clear()
        return super().render_lines(crop)

    def render_line(self, y: int) -> Strip:
        """One line of the screen: the head, a row, or nothing."""
        width, base = self._width, self._base
        if y < self._head:
            return self._head_line(base).adjust_cell_length(width, base)
        index = self.scroll_offset.y + y - self._head
        if not self._total and y == self._head and self._empty:
            style = base + self.get_component_rich_style("live-table--empty", partial=True)
            return Strip([Segment(fit(f" {self._empty}", width), style)])
        if index >= self._total:
            return Strip.blank(width, base)
        here = index == self.cursor and (self.has_focus or self._selects)
        key = (self._row(index), here, here and self.has_focus)
        strip = self._drawn.get(key)
        if strip is None or strip.cell_length != width:
            strip = self._row_line(key[0], base, here=here).adjust_cell_length(width, base)
            self._drawn[key] = strip
        return strip

    def _head_line(self, base: Style) -> Strip:
        plain = base + self.get_component_rich_style("live-table--head", partial=True)
        marked = plain + self.get_component_rich_style("live-table--sorted", partial=True)
        segments = [Segment(" ", plain)]
        for n, wide in self._placed:
            column, (sort, upward) = self._columns[n], self._sort
            here = bool(sort) and column.sort == sort
            title = column.title
            if here:
                title += self._glyphs.mark("up" if upward else "down")
            segments.append(
                Segment(fit(title, wide, right=column.right), marked if here else plain)
            )
            segments.append(Segment(" " * GAP, plain))
        return Strip(segments).adjust_cell_length(self._width, plain)

    def _row_line(self, row: Row | None, base: Style, *, here: bool) -> Strip:
        if here:
            name = "live-table--cursor" if self.has_focus else "live-table--cursor-blurred"
            base = base + self.get_component_rich_style(name, partial=True)
        sign = ("▌" if not self._glyphs.ascii else ">") if here else " "
        segments = [Segment(sign, base)]
        if row is None:
            segments.append(Segment(self._glyphs.mark("more"), base))
            return Strip(segments).adjust_cell_length(self._width, base)
        for n, wide in self._placed:
            text, role = row.cells[n]
            style = base
            if role:
                style = base + self.get_component_rich_style(f"live-table--{role}", partial=True)
            segments.append(Segment(fit(text, wide, right=self._columns[n].right), style))
            segments.append(Segment(" " * GAP, base))
        return Strip(segments).adjust_cell_length(self._width, base)
