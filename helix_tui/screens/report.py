"""The report of a session, over the run view: delivered, stored, moved, asked; it goes on live."""

from __future__ import annotations

from datetime import datetime
from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import VerticalScroll

from helix_tui.screens.base import LiveDialog
from helix_tui.state import RunView, Snapshot
from helix_tui.widgets import report_text
from helix_tui.widgets.pieces import Pieces, clicks


class Report(LiveDialog):
    """The rows come with the snapshot while this is open."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape,q,s,enter", "close", "Close"),
        Binding("j", "scroll(1)", "Down", show=False),
        Binding("k", "scroll(-1)", "Up", show=False),
    ]

    def compose(self) -> ComposeResult:
        """A box that scrolls."""
        with VerticalScroll(id="report-box") as box:
            box.border_title = "Session report"
            box.border_subtitle = clicks(("escape closes", "screen.close"))
            yield Pieces("report-text")

    def on_mount(self) -> None:
        """The arrows scroll at once."""
        self.query_one("#report-box").focus()
        self.show()

    def draw(self, snapshot: Snapshot, now: datetime) -> None:
        """Fill the box, once the report has been read."""
        view = snapshot.of(RunView)
        if view is not None and view.report is not None:
            lines = report_text.about(view.report, self.glyphs, now)
            self.query_one("#report-text", Pieces).show(*lines)

    def action_scroll(self, by: int) -> None:
        """A line up or down."""
        self.query_one("#report-box").scroll_relative(y=by, animate=False)

    def action_close(self) -> None:
        """Back to the run."""
        self.dismiss(None)
