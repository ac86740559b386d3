"""The keys of the insights view. Standard library only."""

from __future__ import annotations

from helix_tui.keys.action import Action

KEYS = (
    Action(
        "filter",
        ("slash",),
        "Filter",
        "Filter as you type: words, tag:T, source:S, is:pinned, eff:70-80, uses:3-",
        where="insights",
        footer=True,
        priority=True,  # the next letter is on its way already, and belongs to the filter
    ),
    Action("sort", ("s",), "Sort", "Sort by the next column", where="insights", footer=True),
    Action("reverse", ("S",), "Reverse", "Turn the order round", where="insights"),
    Action(
        "trash",
        ("d",),
        "Trash",
        "Move the insight to the trash (asks; u brings it back)",
        where="insights",
        footer=True,
        destructive=True,
    ),
    Action(
        "pin",
        ("p",),
        "Pin",
        "Pin the insight, so that it is never pruned, or unpin it",
        where="insights",
        footer=True,
    ),
    Action("edit", ("e",), "Edit", "Edit the text; the old one stays", "insights", footer=True),
    Action("tags", ("t",), "Tags", "Change the tags", "insights"),
    Action("merge", ("m",), "Merge", "Mark one, then another: the second goes into it", "insights"),
    Action("copy", ("c",), "Copy", "Copy the text, through the terminal (OSC 52)", "insights"),
    Action("trash_list", ("T",), "Trash list", "What is in the trash; restore", "insights"),
    Action(
        "what_if",
        ("w",),
        "What if",
        "Type a task: what would its agent get, and why? Records nothing",
        "insights",
        footer=True,
    ),
    Action("clear", ("escape",), "All", "Clear the mark, then the filter", where="insights"),
)
