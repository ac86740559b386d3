"""Everything there is, by name: Textual's palette, safe to page in before its list is drawn."""

from __future__ import annotations

import contextlib

from textual.command import CommandPalette
from textual.theme import ThemeProvider
from textual.widgets import Input


class Palette(CommandPalette):
    """Commands of the view in front, from the registry; or the themes, tried on as one walks."""

    def __init__(self, *, themes: bool = False) -> None:
        if themes:
            super().__init__([ThemeProvider], placeholder="Search for themes")
        else:
            super().__init__()  # without an id: the one before it may still be going

    def on_mount(self) -> None:
        """A cursor that stands still, like that of every other input."""
        self.query_one(Input).cursor_blink = False

    def _action_command_list(self, action: str) -> None:
        with contextlib.suppress(KeyError):  # Textual 8.2 looks up the line of a row not drawn yet
            super()._action_command_list(action)
