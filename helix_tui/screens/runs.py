"""The list of all runs, to choose one from."""

from __future__ import annotations

from collections.abc import Callable
from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import BindingType
from textual.containers import Vertical
from textual.screen import ModalScreen

from helix_core import clock
from helix_tui import bindings
from helix_tui.glyphs import Glyphs
from helix_tui.messages import Chosen
from helix_tui.state import RunLine, RunView, Snapshot
from helix_tui.widgets import run_rows
from helix_tui.widgets.live_table import LiveTable
from helix_tui.widgets.pieces import clicks


class Runs(ModalScreen[str]):
    """Dismissed with the key of the chosen run, or with None."""

    BINDINGS: ClassVar[list[BindingType]] = bindings.for_place("runs")

    def __init__(
        self,
        glyphs: Glyphs,
        latest: Callable[[], tuple[Snapshot | None, bool]],
        current: RunLine | None,
    ) -> None:
        super().__init__()
        self._glyphs = glyphs
        self._latest = latest
        self._current = current
        self._runs: dict[int, str] = {}

    def compose(self) -> ComposeResult:
        """A table in a box."""
        with Vertical(id="runs-box") as box:
            box.border_title = "Runs, newest first"
            box.border_subtitle = clicks(
                ("enter shows one", "screen.show_it"), ("escape goes back", "screen.dismiss(None)")
            )
            yield LiveTable(run_rows.RUN_COLUMNS, id="runs", glyphs=self._glyphs)

    def on_mount(self) -> None:
        """The cursor stands on the run that is looked at; the list stays up to date."""
        if self._current is not None:
            self.query_one(LiveTable).select(run_rows.run_key(self._current))
        self._show()
        self.set_interval(1.0, self._show)

    def _show(self) -> None:
        snapshot, _ = self._latest()
        view = snapshot.of(RunView) if snapshot else None
        runs = view.runs if view else ()
        self._runs = {run_rows.run_key(run): run.key for run in runs}
        self.query_one(LiveTable).show(run_rows.run_list(runs, self._glyphs, clock.now()))

    def action_show_it(self) -> None:
        """The one under the cursor."""
        self.query_one(LiveTable).action_open()

    def on_chosen(self, message: Chosen) -> None:
        """That one."""
        self.dismiss(self._runs.get(message.key))
