"""What if an agent got this task? The answer as it would be given now, and why. Records nothing."""

from __future__ import annotations

from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import BindingType
from textual.containers import Vertical
from textual.screen import ModalScreen
from textual.timer import Timer
from textual.widgets import Input

from helix_tui import bindings
from helix_tui.formats import literal
from helix_tui.glyphs import Glyphs
from helix_tui.messages import Chosen, CommandAsked, CommandDone, InsightAsked, Selected
from helix_tui.whatif import WhatIf
from helix_tui.widgets import whatif_rows
from helix_tui.widgets.live_table import LiveTable
from helix_tui.widgets.pieces import Pieces, clicks

PAUSE = 0.3
"""Seconds without a key after which is asked."""


class WhatIfDialog(ModalScreen[None]):
    """Asks as it is typed. An answer to what is no longer typed is not shown."""

    BINDINGS: ClassVar[list[BindingType]] = bindings.for_place("what_if")

    def __init__(self, glyphs: Glyphs, task: str = "") -> None:
        super().__init__()
        self._glyphs = glyphs
        self._begun = task
        self._timer: Timer | None = None
        self.answer: WhatIf | None = None

    def compose(self) -> ComposeResult:
        """The line, the verdict, the candidates, and the selected one."""
        with Vertical(id="what-if-box") as box:
            box.border_title = "What would an agent get?"
            box.border_subtitle = clicks(
                ("enter goes to the rows", "screen.to_rows"),
                ("escape closes", "screen.dismiss(None)"),
            )
            line = Input(self._begun, placeholder="a task, as a plan words it", id="what-if-task")
            line.cursor_blink = False
            yield line
            yield Pieces("what-if-verdict")
            yield LiveTable(
                whatif_rows.COLUMNS,
                id="what-if",
                glyphs=self._glyphs,
                least=24,
                selects=True,
            )
            yield Pieces("what-if-one")

    def on_mount(self) -> None:
        """Type at once; a task from before is asked again."""
        self.query_one(LiveTable).border_title = "Candidates, score in thousandths"
        self.query_one("#what-if-task", Input).focus()
        self._show()
        if self._begun:
            self._ask()

    @property
    def typed(self) -> str:
        """The task."""
        return self.query_one("#what-if-task", Input).value.strip()

    def on_input_changed(self, event: Input.Changed) -> None:
        """Ask once nobody types for a moment."""
        event.stop()
        if self.answer is not None and self.answer.task == self.typed:
            return
        if self._timer is not None:
            self._timer.stop()
        self._timer = self.set_timer(PAUSE, self._ask)

    def _ask(self) -> None:
        if self.typed:
            self.post_message(CommandAsked("what-if", self.typed, to=self))
        else:
            self.answer = None
            self._show()

    def on_command_done(self, message: CommandDone) -> None:
        """The answer, or why there is none."""
        message.stop()
        if message.trouble:
            self.query_one("#what-if-verdict", Pieces).show([(literal(message.text), "warn")])
        elif isinstance(message.result, WhatIf) and message.result.task == self.typed:
            self.answer = message.result
            self._show()

    def _show(self) -> None:
        words = whatif_rows.verdict(self.answer, self.typed)
        self.query_one("#what-if-verdict", Pieces).show(words)
        table = self.query_one(LiveTable)
        table.set_empty("Nothing is near this task." if self.answer else "")
        table.show(whatif_rows.rows(self.answer, self._glyphs) if self.answer else ())
        self._show_one()

    def _show_one(self) -> None:
        one = whatif_rows.about(self.answer, self.query_one(LiveTable).key)
        self.query_one("#what-if-one", Pieces).show(*one)

    def on_selected(self, message: Selected) -> None:
        """Another candidate."""
        message.stop()
        self._show_one()

    def on_input_submitted(self, event: Input.Submitted) -> None:
        """On to the rows."""
        event.stop()
        self.action_to_rows()

    def action_to_rows(self) -> None:
        """Walk the candidates."""
        self.set_focus(self.query_one(LiveTable))

    def on_chosen(self, message: Chosen) -> None:
        """Open the insight."""
        message.stop()
        if message.key > 0:
            self.app.post_message(InsightAsked(message.key))
            self.dismiss(None)

    def action_close(self) -> None:
        """From the rows back to the line; from the line back to the insights."""
        line = self.query_one("#what-if-task", Input)
        if line.has_focus:
            self.dismiss(None)
        else:
            self.set_focus(line)
