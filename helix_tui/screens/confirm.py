"""The question before something that takes away. Cancel is the default."""

from __future__ import annotations

from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import BindingType
from textual.containers import Horizontal, Vertical
from textual.content import Content
from textual.screen import ModalScreen
from textual.widgets import Button, Static

from helix_tui import bindings
from helix_tui.formats import literal


class Confirm(ModalScreen[bool]):
    """Dismissed with True only by the button that says so, or by y."""

    BINDINGS: ClassVar[list[BindingType]] = bindings.for_place("confirm")

    def __init__(self, question: str, subject: str, promise: str, verb: str) -> None:
        super().__init__()
        self._question = question
        self._subject = subject
        self._promise = promise
        self._verb = verb

    def compose(self) -> ComposeResult:
        """The question, what it is about, what follows, two buttons."""
        with Vertical(id="dialog"):
            yield Static(Content(self._question), id="dialog-title")
            yield Static(Content(literal(self._subject, lines=True)), id="dialog-subject")
            yield Static(Content(self._promise), id="dialog-promise")
            with Horizontal(id="dialog-buttons"):
                yield Button("Cancel (n)", id="cancel", variant="primary")
                yield Button(Content(f"{self._verb} (y)"), id="go", variant="error")

    def on_mount(self) -> None:
        """Enter without a thought takes nothing away."""
        self.query_one("#cancel", Button).focus()

    def on_button_pressed(self, event: Button.Pressed) -> None:
        """One of the buttons."""
        event.stop()
        self.dismiss(event.button.id == "go")

    def action_answer(self, yes: bool) -> None:
        """A key instead of a button."""
        self.dismiss(yes)
