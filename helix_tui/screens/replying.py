"""Answering a question of the LEARN phase in words, or with an option's insight edited first."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from textual.app import ComposeResult

from helix_tui.formats import literal
from helix_tui.messages import CommandAsked
from helix_tui.screens.typing_dialog import TypingDialog
from helix_tui.widgets.pieces import Pieces


class Reply(TypingDialog):
    """A person's own words, beside the options they chose."""

    QUESTION: ClassVar[str] = "Answer in your own words"
    SAVE: ClassVar[str] = "Answer"
    PROMISE: ClassVar[str] = 'Stored as yours if it begins like advice ("When ..."), else noted.'

    def __init__(
        self, number: int, question: str, chosen: Sequence[int] = (), start: str = ""
    ) -> None:
        super().__init__(literal(start, lines=True))
        self._number = number
        self._question = question
        self._chosen = list(chosen)

    def about(self) -> ComposeResult:
        """The question, and what becomes of the words."""
        yield Pieces("reply-question")
        yield Pieces("dialog-promise")

    def on_mount(self) -> None:
        """Show what it is about."""
        self.query_one("#reply-question", Pieces).show([(literal(self._question), "")])
        self.query_one("#dialog-promise", Pieces).show([(self.PROMISE, "muted")])

    def action_save(self) -> None:
        """Answer; without a word there is nothing to answer with."""
        if self.text.strip():
            self.post_message(self.reply(self.text.strip()))
        else:
            self.say("There is nothing typed yet.")

    def reply(self, text: str) -> CommandAsked:
        """The command that answers."""
        return CommandAsked("answer", self._number, self._chosen, text, to=self)


class EditAnswer(Reply):
    """The insight of a chosen option, edited before it is stored."""

    QUESTION: ClassVar[str] = "Edit the insight, then accept it"
    SAVE: ClassVar[str] = "Accept"
    PROMISE: ClassVar[str] = "Stored as yours instead of the option's text."

    def reply(self, text: str) -> CommandAsked:
        """The same option, with this text."""
        return CommandAsked("answer", self._number, self._chosen, "", text, to=self)
