"""Every message that crosses widgets or threads. May import textual's Message and `state`."""

from __future__ import annotations

from textual.message import Message
from textual.message_pump import MessagePump

from helix_tui.state import Snapshot


class SnapshotReady(Message):
    """The feed has a new snapshot. Replaceable: of a burst only the last one is drawn."""

    def __init__(self, snapshot: Snapshot) -> None:
        self.snapshot = snapshot
        super().__init__()

    def can_replace(self, message: Message) -> bool:
        """Whether this one stands for an older one that waits."""
        return isinstance(message, SnapshotReady)


class WantedChanged(Message):
    """A screen wants other rows than before."""


class CommandAsked(Message):
    """A person wants a change: the command's name and its arguments (see `data.commands`).

    `to` is told first what came of it, such as a dialog that stays open where it was refused.
    """

    def __init__(self, command: str, *args: object, to: MessagePump | None = None) -> None:
        self.command = command
        self.args = args
        self.to = to
        super().__init__()


class RowsAsked(Message):
    """A person wants the insights behind a figure: a filter of the insights view."""

    def __init__(self, text: str) -> None:
        self.text = text
        super().__init__()


class InsightAsked(Message):
    """A person wants to see one insight, wherever they are."""

    def __init__(self, insight_id: int) -> None:
        self.insight_id = insight_id
        super().__init__()


class CommandDone(Message):
    """A command was carried out, or refused: a sentence for a person, or what was asked for.

    `trouble` is the name of the error's class; empty where all went well.
    """

    def __init__(self, result: object, *, trouble: str = "") -> None:
        self.result = result
        self.trouble = trouble
        super().__init__()

    @property
    def text(self) -> str:
        """The sentence, where that is what came of it."""
        return self.result if isinstance(self.result, str) else ""


class Selected(Message):
    """The cursor of a table is on another row (by key), or the table became empty (None)."""

    def __init__(self, table: str, key: int | None) -> None:
        self.table = table
        self.key = key
        super().__init__()


class Chosen(Message):
    """A row was opened by enter or a double click."""

    def __init__(self, table: str, key: int) -> None:
        self.table = table
        self.key = key
        super().__init__()


class RowsNeeded(Message):
    """A table was scrolled to rows it does not hold."""

    def __init__(self, table: str, offset: int) -> None:
        self.table = table
        self.offset = offset
        super().__init__()


class SortAsked(Message):
    """A column head was clicked."""

    def __init__(self, table: str, column: str) -> None:
        self.table = table
        self.column = column
        super().__init__()


class FilterChanged(Message):
    """The text of the filter is another one."""

    def __init__(self, text: str) -> None:
        self.text = text
        super().__init__()


class MomentChanged(Message):
    """A replay shows another moment (a stored time), or none any more."""

    def __init__(self, moment: str) -> None:
        self.moment = moment
        super().__init__()
