"""The report of a session, over the run view: delivered, stored, moved, asked; it goes on live."""

from __future__ import annotations

from datetime import datetime
from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import BindingType

from helix_tui import bindings
from helix_tui.screens.base import LiveDialog
from helix_tui.state import RunView, Snapshot
from helix_tui.widgets import report_text
from helix_tui.widgets.pieces import Pieces, clicks
from helix_tui.widgets.reading import ReadingPane


class Report(LiveDialog):
    """The rows come with the snapshot while this is open."""

    BINDINGS: ClassVar[list[BindingType]] = bindings.for_place("report")

    def compose(self) -> ComposeResult:
        """A box that scrolls."""
        with ReadingPane(id="report-box") as box:
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

    def action_close(self) -> None:
        """Back to the run."""
        self.dismiss(None)
