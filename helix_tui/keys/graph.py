"""The keys of the graph view. Standard library only."""

from __future__ import annotations

from helix_tui.keys.action import Action

KEYS = (
    Action(
        "neighbourhood",
        ("n",),
        "Near",
        "Only the neighbourhood of the selected insight, or everything again",
        where="graph",
        footer=True,
    ),
    Action(
        "next_part",
        ("c",),
        "Next part",
        "Go to the next component, the largest first",
        where="graph",
        footer=True,
    ),
    Action(
        "lay_out",
        ("r",),
        "Lay out",
        "Lay the graph out anew; else what is known stays in its place",
        where="graph",
        footer=True,
    ),
    Action("everything", ("escape",), "All", "The whole graph again", where="graph"),
)
