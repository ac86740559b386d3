"""The panes with one insight whole. A refresh keeps the place; another one starts at the top."""

from __future__ import annotations

from datetime import datetime

from textual.app import ComposeResult
from textual.containers import Vertical

from helix_tui.glyphs import Glyphs
from helix_tui.state import InsightDetail
from helix_tui.widgets import insight_text
from helix_tui.widgets.pieces import Pieces
from helix_tui.widgets.reading import ReadingPane
from helix_tui.widgets.table_layout import Cell


class InsightPart(ReadingPane):
    """One text about it."""

    def compose(self) -> ComposeResult:
        """The text."""
        yield Pieces(f"{self.id}-text")

    def show(self, lines: list[list[Cell]], *, anew: bool) -> None:
        """Show a text; `anew` from its beginning."""
        self.query_one(f"#{self.id}-text", Pieces).show(*lines)
        if anew:
            self.scroll_home(animate=False)


class InsightDetailPane(Vertical):
    """One insight: what it is and what became of it, in one pane; in two where there is room."""

    def __init__(self, glyphs: Glyphs) -> None:
        super().__init__(id="whole")
        self._glyphs = glyphs
        self._insight: int | None = None

    def compose(self) -> ComposeResult:
        """Two panes, of which the second is seen on a broad screen."""
        yield InsightPart(id="detail")
        yield InsightPart(id="record")

    @property
    def front(self) -> InsightPart:
        """The pane that is always there."""
        return self.query_one("#detail", InsightPart)

    @property
    def read(self) -> bool:
        """Whether a person's cursor is in it."""
        return any(pane.has_focus for pane in self.query(InsightPart))

    def show(self, detail: InsightDetail | None, now: datetime) -> None:
        """Show an insight, or that there is none."""
        insight = detail.line.id if detail else None
        anew, self._insight = insight != self._insight, insight
        about = insight_text.about(detail, self._glyphs, now)
        record = insight_text.record(detail, self._glyphs, now)
        name = insight_text.name(detail)
        apart = self.query_one("#record", InsightPart)
        if apart.display:
            self.front.show([*about, *name], anew=anew)
            apart.show(record, anew=anew)
        else:
            self.front.show([*about, [], *record, [], *name], anew=anew)
