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
    Action("runs", ("r",), "Runs", "Choose one of all runs from a list", where="run", footer=True),
    Action(
        "as_list",
        ("t",),
        "List",
        "The tasks as a list, or drawn as a graph",
        where="run",
        footer=True,
    ),
    Action(
        "report",
        ("s",),
        "Report",
        "The report of the session: delivered, stored, moved, asked",
        where="run",
        footer=True,
    ),
    Action(
        "replay",
        ("R",),
        "Replay",
        "Go through the run step by step, from its beginning",
        where="run",
        footer=True,
    ),
    Action("play", ("p",), "Play", "In a replay: let it go on by itself, or stop", where="run"),
    Action(
        "moment_back",
        ("comma",),
        "Back",
        "In a replay: one moment back",
        where="run",
        call="moment(-1)",
        footer=True,
    ),
    Action(
        "moment_on",
        ("full_stop",),
        "On",
        "In a replay: one moment on",
        where="run",
        call="moment(1)",
        footer=True,
    ),
    Action(
        "moments_back",
        ("less_than_sign",),
        "Back 10",
        "In a replay: ten moments back",
        where="run",
        call="moment(-10)",
    ),
    Action(
        "moments_on",
        ("greater_than_sign",),
        "On 10",
        "In a replay: ten moments on",
        where="run",
        call="moment(10)",
    ),
    Action("live", ("escape",), "Now", "Leave the replay", where="run", footer=True),
)
