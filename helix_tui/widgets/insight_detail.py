"""The pane with one insight whole. A refresh keeps the place; another insight starts at the top."""

from __future__ import annotations

from datetime import datetime
from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import VerticalScroll

from helix_tui.glyphs import Glyphs
from helix_tui.state import InsightDetail
from helix_tui.widgets import insight_text
from helix_tui.widgets.pieces import Pieces


class InsightDetailPane(VerticalScroll, can_focus=True):
    """Shows one insight: text, figures, events."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("j", "scroll_down", "Down", show=False),
        Binding("k", "scroll_up", "Up", show=False),
        Binding("g", "scroll_home", "Top", show=False),
        Binding("G", "scroll_end", "End", show=False),
    ]

    def __init__(self, glyphs: Glyphs) -> None:
        super().__init__(id="detail")
        self._glyphs = glyphs
        self._insight: int | None = None

    def compose(self) -> ComposeResult:
        """One text that scrolls."""
        yield Pieces("detail-text")

    def show(self, detail: InsightDetail | None, now: datetime) -> None:
        """Show an insight, or that there is none."""
        self.query_one("#detail-text", Pieces).show(*insight_text.about(detail, self._glyphs, now))
        if detail is None or detail.line.id != self._insight:
            self._insight = detail.line.id if detail else None
            self.scroll_home(animate=False)
