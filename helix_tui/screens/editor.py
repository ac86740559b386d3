"""Typing over an insight, its text or its tags; nothing typed is lost to another's change."""

from __future__ import annotations

from collections.abc import Callable

from textual.widget import Widget
from textual.widgets import Input, TextArea

from helix_tui.formats import literal
from helix_tui.messages import CommandAsked, CommandDone
from helix_tui.screens.typing_dialog import TypingDialog
from helix_tui.state import InsightDetail

CHANGED = "Changed meanwhile: F2 again overwrites it, F5 takes it as it is now."
GONE = "It is not there any more: F2 again stores this as a new insight."


class Editor(TypingDialog):
    """One insight in an input.

    An edit carries the row version it is based on. Where the insight was changed or taken away
    meanwhile the dialog stays, says so, and offers what can be done.
    """

    def __init__(
        self, detail: InsightDetail, latest: Callable[[int], InsightDetail | None]
    ) -> None:
        super().__init__(self.loaded(detail))
        self.detail = detail
        self._latest = latest
        self._version: int | None = detail.line.row_version
        self._gone = False

    def loaded(self, detail: InsightDetail) -> str:
        """What is typed over."""
        raise NotImplementedError

    def fill(self, text: str) -> None:
        """Put another text in."""
        raise NotImplementedError

    def change(self, version: int | None) -> CommandAsked:
        """The command that carries out what is typed."""
        raise NotImplementedError

    def action_save(self) -> None:
        """Carry it out, if there is something to carry out."""
        if self._gone:
            words = (self.text, list(self.detail.line.tags))
            self.post_message(CommandAsked("store", *words, to=self))
        elif self.text == self._start and self._version is not None:
            self.dismiss(None)
        else:
            self.post_message(self.change(self._version))

    def action_reload(self) -> None:
        """Give up what was typed for what is there now."""
        detail = self._latest(self.detail.line.id)
        if detail is not None:
            self.detail, self._version = detail, detail.line.row_version
            self._start, self._gone = self.loaded(detail), False
            self.fill(self._start)
            self.say("")

    def refused(self, message: CommandDone) -> None:
        """What can be done about it, where something can."""
        if message.trouble == "ChangedError":
            self._version = None
            self.say(CHANGED)
        elif message.trouble == "GoneError":
            self._gone = True
            self.say(GONE)
        else:
            self.say(message.text)


class EditText(Editor):
    """The text of an insight."""

    QUESTION = "Edit the insight"

    def loaded(self, detail: InsightDetail) -> str:
        """The whole text."""
        return literal(detail.content, lines=True)

    def fill(self, text: str) -> None:
        """Put another text in."""
        area = self.query_one("#edit-text", TextArea)
        area.text = text
        area.move_cursor(area.document.end)

    def change(self, version: int | None) -> CommandAsked:
        """Edit."""
        return CommandAsked("edit", self.detail.line.name, self.text, version, to=self)


class EditTags(Editor):
    """The tags of an insight, with spaces between them."""

    QUESTION = "Tags, with spaces between them"

    def loaded(self, detail: InsightDetail) -> str:
        """All tags in a row."""
        return literal(" ".join(detail.line.tags))

    def entry(self, text: str) -> Widget:
        """One line."""
        line = Input(text, id="edit-tags", select_on_focus=False)
        line.cursor_blink = False
        return line

    def on_input_submitted(self, event: Input.Submitted) -> None:
        """Enter saves, as there is only one line."""
        event.stop()
        self.action_save()

    @property
    def text(self) -> str:
        """What is typed."""
        return self.query_one("#edit-tags", Input).value

    def fill(self, text: str) -> None:
        """Put other tags in."""
        self.query_one("#edit-tags", Input).value = text

    def change(self, version: int | None) -> CommandAsked:
        """Add what is new, remove what is not there any more."""
        before, wanted = self._start.split(), self.text.split()
        add = [tag for tag in wanted if tag not in before]
        remove = [tag for tag in before if tag not in wanted]
        return CommandAsked("tag", self.detail.line.name, add, remove, version, to=self)
