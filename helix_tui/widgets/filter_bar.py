"""The line in which a filter is typed, with how much it lets through."""

from __future__ import annotations

from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import BindingType
from textual.containers import Horizontal
from textual.widgets import Input, Static

from helix_tui import bindings
from helix_tui.messages import FilterChanged


class FilterBar(Horizontal):
    """Hidden while there is no filter and nobody types one."""

    BINDINGS: ClassVar[list[BindingType]] = bindings.for_place("filter")

    _counted = ""

    def on_mount(self) -> None:
        """Out of sight until it is opened."""
        self.display = False

    def compose(self) -> ComposeResult:
        """A slash, the text, the count."""
        yield Static("/", id="filter-sign")
        entry = Input(placeholder="words, tag:T, is:pinned, eff:70-80, uses:3-", id="filter-text")
        entry.cursor_blink = False
        entry.can_focus = False  # while hidden it must not catch a key
        yield entry
        yield Static("", id="filter-count")

    @property
    def text(self) -> str:
        """What is typed."""
        return self.query_one("#filter-text", Input).value

    def open(self) -> None:
        """Show the bar and type in it."""
        self.display = True
        entry = self.query_one("#filter-text", Input)
        entry.can_focus = True
        # At once, not when the queue is empty: the next letter is on its way already.
        self.screen.set_focus(entry)

    def fill(self, text: str) -> None:
        """Show the bar with a filter in it, without typing."""
        self.display = True
        self.query_one("#filter-text", Input).value = text

    def clear(self) -> None:
        """No filter any more."""
        self.query_one("#filter-text", Input).value = ""
        self.display = False

    def count(self, matching: int, total: int) -> None:
        """Say how many rows the filter lets through."""
        text = f"{matching:,} of {total:,}"
        if text != self._counted:  # it costs a layout of the whole screen
            self._counted = text
            self.query_one("#filter-count", Static).update(text)

    def on_input_changed(self, event: Input.Changed) -> None:
        """Pass on what is typed, as it is typed."""
        event.stop()
        self.post_message(FilterChanged(event.value))

    def action_leave(self, clear: bool) -> None:
        """Back to the table, with the filter or without."""
        if clear:
            self.query_one("#filter-text", Input).value = ""
        self.screen.set_focus(self.screen.query_one("LiveTable"))
        if not self.text:
            self.display = False
