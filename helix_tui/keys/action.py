"""One thing a person can do, and the keys that do it. Standard library only.

Keys survive tmux, screen and ssh: letters, digits and F-keys, no ctrl+a, ctrl+b or ctrl+enter.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Action:
    """One thing a person can do."""

    id: str
    keys: tuple[str, ...]
    label: str
    """One or two words for the footer."""
    help: str
    where: str = "app"
    """app, a view's name, or table (any table with the cursor in it)."""
    call: str = ""
    """The Textual action; the id where empty."""
    footer: bool = False
    destructive: bool = False
    priority: bool = False
    palette: bool = True
    about: bool = False
    """It is about the selected row: it waits while that row is being read."""
    overrides: bool = False
    """Takes a key from another place where it applies (the view's `check_action` says when)."""

    @property
    def action(self) -> str:
        """What a binding calls."""
        return self.call or self.id
