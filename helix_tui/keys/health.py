"""The keys of the health view. Standard library only."""

from __future__ import annotations

from helix_tui.keys.action import Action

KEYS = (
    Action(
        "integrity",
        ("i",),
        "Check",
        "Look the whole database through (reads every page)",
        "health",
        footer=True,
    ),
)
