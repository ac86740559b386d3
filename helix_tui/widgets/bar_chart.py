"""A histogram that can be walked: each bar opens its rows. May import textual, bars, glyphs."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from rich.segment import Segment
from textual import events
from textual.binding import BindingType
from textual.strip import Strip
from textual.widget import Widget

from helix_tui import bindings, formats
from helix_tui.glyphs import ROLES, Glyphs
from helix_tui.messages import RowsAsked
from helix_tui.widgets.bars import Bar, bar_at, chart


class BarChart(Widget, can_focus=True):
    """Shows bars it is given; the cursor stays on its bar when they change."""

    BINDINGS: ClassVar[list[BindingType]] = bindings.for_place("chart")
    COMPONENT_CLASSES: ClassVar[set[str]] = {f"bar-chart--{role}" for role in ROLES if role}

    def __init__(self, title: str, *, id: str, glyphs: Glyphs) -> None:  # noqa: A002
        super().__init__(id=id)
        self._title = title
        self._glyphs = glyphs
        self._bars: tuple[Bar, ...] = ()
        self._note = ""
        self._walked = False
        self.cursor = 0

    def on_mount(self) -> None:
        """Name it."""
        self._entitle()

    def show(self, bars: Sequence[Bar], note: str = "") -> None:
        """Take bars; `note` is said beside the title while the chart is not walked."""
        bars = tuple(bars)
        if (bars, note) != (self._bars, self._note):
            self._bars, self._note = bars, note
            if not self._walked:  # until then on what there is most of
                self.cursor = max(range(len(bars)), key=lambda n: bars[n].count, default=0)
            self.cursor = max(0, min(self.cursor, len(bars) - 1))
            self._entitle()
            self.refresh()

    def _entitle(self) -> None:
        said = self._note
        if self.has_focus and self._bars:
            bar = self._bars[self.cursor]
            said = f"{bar.label}: {formats.plural(bar.count, 'insight')}"
        self.border_title = f"{self._title}  {said}" if said else self._title

    def action_walk(self, step: int) -> None:
        """The bar to the left or to the right."""
        self.cursor = max(0, min(self.cursor + step, len(self._bars) - 1))
        self._walked = True
        self._entitle()
        self.refresh()

    def action_open(self) -> None:
        """Open the rows of the bar."""
        if self._bars and self._bars[self.cursor].count:
            self.post_message(RowsAsked(self._bars[self.cursor].filter))

    def on_focus(self) -> None:
        """Say which bar the cursor is on."""
        self._entitle()
        self.refresh()

    def on_blur(self) -> None:
        """Say what the chart shows."""
        self._entitle()
        self.refresh()

    def on_click(self, event: events.Click) -> None:
        """Select a bar; a second click opens it."""
        place = bar_at(len(self._bars), self.content_size.width, event.x - self.gutter.left)
        if place is not None:
            self.cursor = place
            self.action_walk(0)
            if event.chain == 2:
                self.action_open()

    def render_line(self, y: int) -> Strip:
        """One line of the chart."""
        width, height = self.content_size.width, self.content_size.height
        base = self.rich_style
        selected = self.cursor if self.has_focus else None
        lines = chart(self._bars, width, height, self._glyphs, selected)
        if y >= len(lines):
            return Strip.blank(width, base)
        segments = []
        for text, role in lines[y]:
            style = base
            if role:
                style += self.get_component_rich_style(f"bar-chart--{role}", partial=True)
            segments.append(Segment(text, style))
        return Strip(segments).adjust_cell_length(width, base)
