"""A dialog with one input: what is typed is saved by F2, and given up only the second time."""

from __future__ import annotations

from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import BindingType
from textual.containers import Horizontal, Vertical
from textual.content import Content
from textual.screen import ModalScreen
from textual.widget import Widget
from textual.widgets import Button, Static, TextArea

from helix_tui import bindings
from helix_tui.formats import literal
from helix_tui.messages import CommandDone

NOT_SAVED = "Not saved: escape once more leaves it."


def text_area(text: str) -> TextArea:
    """Several lines to type over, the cursor at their end."""
    area = TextArea(text, id="edit-text", soft_wrap=True, show_line_numbers=False)
    area.cursor_blink = False
    area.move_cursor(area.document.end)
    return area


class TypingDialog(ModalScreen[None]):
    """It closes when the change was carried out, or by escape; a refusal leaves it open."""

    BINDINGS: ClassVar[list[BindingType]] = bindings.for_place("editor")
    QUESTION: ClassVar[str] = ""
    SAVE: ClassVar[str] = "Save"

    def __init__(self, start: str) -> None:
        super().__init__()
        self._start = start
        self._warned = False

    def entry(self, text: str) -> Widget:
        """The input."""
        return text_area(text)

    @property
    def text(self) -> str:
        """What is typed."""
        return self.query_one("#edit-text", TextArea).text

    def action_save(self) -> None:
        """Carry it out."""
        raise NotImplementedError

    def action_reload(self) -> None:
        """What is typed over may have changed; where nothing can, there is nothing to do."""

    def compose(self) -> ComposeResult:
        """The question, the input, what there is to say, two buttons."""
        with Vertical(id="dialog", classes="-editor"):
            yield Static(Content(self.QUESTION), id="dialog-title")
            yield from self.about()
            yield self.entry(self._start)
            yield Static(Content(""), id="dialog-word")
            with Horizontal(id="dialog-buttons"):
                yield Button(f"{self.SAVE} (F2)", id="save", variant="primary")
                yield Button("Cancel (esc)", id="leave")

    def about(self) -> ComposeResult:
        """What is to be seen above the input."""
        yield from ()

    def on_button_pressed(self, event: Button.Pressed) -> None:
        """A button instead of a key."""
        event.stop()
        self.action_save() if event.button.id == "save" else self.action_leave()

    def action_leave(self) -> None:
        """Close; what was typed is given up only the second time."""
        if self.text == self._start or self._warned:
            self.dismiss(None)
        self._warned = True
        self.say(NOT_SAVED)

    def on_command_done(self, message: CommandDone) -> None:
        """Done: close, and let the app say so. Refused: stay, and say why."""
        if not message.trouble:
            self.dismiss(None)
            return
        message.stop()
        self.refused(message)

    def refused(self, message: CommandDone) -> None:
        """Why it was not carried out."""
        self.say(message.text)

    def say(self, text: str) -> None:
        """A line under the input."""
        self.query_one("#dialog-word", Static).update(Content(literal(text)))
