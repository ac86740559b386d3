"""The keys of the run view. Standard library only."""

from __future__ import annotations

from helix_tui.keys.action import Action

KEYS = (
    Action(
        "older_run",
        ("left_square_bracket",),
        "Older",
        "The run before this one",
        where="run",
        footer=True,
    ),
    Action(
        "newer_run",
        ("right_square_bracket",),
        "Newer",
        "The run after this one",
        where="run",
        footer=True,
    ),
    Action("latest_run", ("n",), "Newest", "Follow the newest run again", where="run"),
)
