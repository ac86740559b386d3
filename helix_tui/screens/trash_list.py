"""What is in the trash, over the insights: look at it, bring it back."""

from __future__ import annotations

from datetime import datetime
from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import BindingType
from textual.containers import Vertical

from helix_tui import bindings, formats
from helix_tui.messages import Chosen, CommandAsked, Selected
from helix_tui.screens.base import LiveDialog
from helix_tui.state import InsightsView, Snapshot, TrashLine
from helix_tui.widgets import insight_rows
from helix_tui.widgets.live_table import LiveTable
from helix_tui.widgets.pieces import Pieces, clicks


class TrashList(LiveDialog):
    """The rows come with the snapshot while this is open."""

    BINDINGS: ClassVar[list[BindingType]] = bindings.for_place("trash_list")
    _lines: tuple[TrashLine, ...] = ()

    def compose(self) -> ComposeResult:
        """The table, and the text of the selected one."""
        with Vertical(id="trash-box") as box:
            box.border_title = "Trash"
            box.border_subtitle = clicks(
                ("r or enter restores", "screen.restore"), ("escape closes", "screen.close")
            )
            yield LiveTable(
                insight_rows.TRASH_COLUMNS,
                id="trash",
                glyphs=self.glyphs,
                empty="The trash is empty.",
                selects=True,
            )
            yield Pieces("trash-text")

    def on_mount(self) -> None:
        """Show what there is already."""
        self.query_one("#trash").border_title = "in the trash"
        self.show()

    def draw(self, snapshot: Snapshot, now: datetime) -> None:
        """Fill the table."""
        view = snapshot.of(InsightsView)
        if view is None or not view.wanted.trash:
            return
        self._lines = view.trash
        table = self.query_one("#trash", LiveTable)
        table.show(insight_rows.trash_rows(view.trash, now))
        table.border_title = formats.plural(len(view.trash), "insight")
        self._show_text()

    def _selected(self) -> TrashLine | None:
        key = self.query_one("#trash", LiveTable).key
        return next((line for line in self._lines if line.key == key), None)

    def _show_text(self) -> None:
        line = self._selected()
        self.query_one("#trash-text", Pieces).show(insight_rows.trash_text(line))

    def on_selected(self, message: Selected) -> None:
        """Another row: its text."""
        message.stop()
        self._show_text()

    def on_chosen(self, message: Chosen) -> None:
        """Enter restores."""
        message.stop()
        self.action_restore()

    def action_restore(self) -> None:
        """Bring the selected one back."""
        line = self._selected()
        if line is not None:
            self.post_message(CommandAsked("restore", line.name))

    def action_close(self) -> None:
        """Back to the insights."""
        self.dismiss(None)
