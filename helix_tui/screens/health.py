"""View 6: whether helix itself works, and what it complains about."""

from __future__ import annotations

from datetime import datetime
from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import BindingType
from textual.containers import Container, Vertical

from helix_core import clock
from helix_core.hooks.process import budget_ms
from helix_tui import bindings, formats
from helix_tui.messages import Chosen, CommandAsked, CommandDone, Selected
from helix_tui.screens.base import ViewScreen
from helix_tui.state import HealthView, Nothing, Snapshot, Wanted
from helix_tui.widgets import health_rows
from helix_tui.widgets.live_table import LiveTable
from helix_tui.widgets.pieces import Pieces

CHECKING = "looking through every page ..."


class HealthScreen(ViewScreen):
    """Hooks above, worker and database in words, errors and refusals below."""

    VIEW = "health"
    CSS_PATH = "health.tcss"
    AUTO_FOCUS = "#errors"
    BINDINGS: ClassVar[list[BindingType]] = bindings.for_place("health")

    _checked = ""

    def compose_view(self) -> ComposeResult:
        """The panes."""
        glyphs = self.glyphs
        with Container(id="health"):
            with Vertical(id="works"):
                yield Pieces("about")
                yield LiveTable(
                    health_rows.HOOK_COLUMNS,
                    id="hooks",
                    glyphs=glyphs,
                    empty="No hook has run in this project yet.",
                    least=16,
                )
            with Container(id="complaints"):
                yield LiveTable(
                    health_rows.ERROR_COLUMNS,
                    id="errors",
                    glyphs=glyphs,
                    empty="Nothing has gone wrong.",
                    selects=True,
                )
                yield LiveTable(
                    health_rows.REFUSAL_COLUMNS,
                    id="refusals",
                    glyphs=glyphs,
                    empty="No text was refused.",
                )
        yield Pieces("error-text")

    def on_mount(self) -> None:
        """Name the panes."""
        for pane, title in (
            (
                "hooks",
                "Hooks, last 5,000 calls; budget: how long a hook waits for its answer",
            ),
            ("errors", "Errors and warnings, newest first"),
            ("refusals", "Refused texts"),
        ):
            self.query_one(f"#{pane}").border_title = title

    def wanted(self) -> Wanted:
        """Always the same."""
        return Wanted(self.VIEW, Nothing())

    def draw(self, snapshot: Snapshot, now: datetime) -> None:
        """Fill the panes."""
        view = snapshot.of(HealthView)
        if view is None:
            return
        words = health_rows.about(view, snapshot.service, self._checked, self.glyphs, now)
        self.query_one("#about", Pieces).show(*words)
        hooks = health_rows.hook_rows(view.rows.hooks, budget_ms, self.glyphs, now)
        self.query_one("#hooks", LiveTable).show(hooks)
        self.query_one("#errors", LiveTable).show(health_rows.error_rows(view, now))
        refusals = health_rows.refusal_rows(view.rows.refusals, now)
        self.query_one("#refusals", LiveTable).show(refusals)
        self._show_error()

    def _show_error(self) -> None:
        """The selected complaint whole."""
        row = self.query_one("#errors", LiveTable).row
        text = self.query_one("#error-text", Pieces)
        text.display = row is not None
        text.show([row.cells[-1]] if row is not None else [])

    def on_selected(self, message: Selected) -> None:
        """Another complaint."""
        self._show_error()

    def on_chosen(self, message: Chosen) -> None:
        """Nothing lies behind these rows."""

    def action_integrity(self) -> None:
        """Look the database through, in a thread."""
        if self._checked != CHECKING:
            self._checked = CHECKING
            self.redraw()
            self.post_message(CommandAsked("integrity", to=self))

    def on_command_done(self, message: CommandDone) -> None:
        """What the look found stands until the next one."""
        message.stop()
        self._checked = f"{message.text}, {formats.clock_time(clock.iso(clock.now()))}"
        self.redraw()
