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
        about=True,
    ),
    Action(
        "pin",
        ("p",),
        "Pin",
        "Pin the insight, so that it is never pruned, or unpin it",
        where="insights",
        footer=True,
        about=True,
    ),
    Action(
        "edit",
        ("e",),
        "Edit",
        "Edit the text; the old one stays",
        "insights",
        footer=True,
        about=True,
    ),
    Action("tags", ("t",), "Tags", "Change the tags", "insights", about=True),
    Action(
        "merge",
        ("m",),
        "Merge",
        "Mark one, then another: the second goes into it",
        "insights",
        about=True,
    ),
    Action(
        "copy",
        ("c",),
        "Copy",
        "Copy the text, through the terminal (OSC 52)",
        "insights",
        about=True,
    ),
    Action("trash_list", ("T",), "Trash list", "What is in the trash; restore", "insights"),
    Action(
        "prune",
        ("P",),
        "Prune",
        "Move what failed or was never needed to the trash (asks; u brings it back)",
        "insights",
        destructive=True,
    ),
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

FILTER = (
    ("words", "all of them in the text, the name or the tags"),
    ("tag:T source:S", "tags and sources that begin so"),
    ("is:pinned", "also is:used, is:unused, is:causal"),
    ("eff:70-80", "effectiveness in percent, or eff:0.7-0.8; open ends: eff:70-, eff:-30"),
    ("causal:50- gen:-10", "share of causal uses, generality; in percent"),
    ("uses:3- vel:0", "uses, causal events of 14 days: a number, from-to, from-"),
    ("shown:70-80", "credited by a task that was shown it with that score"),
    ("given:builder", "given to such an agent; also outcome:blocked, on:2026-03"),
)
"""What can be typed into the filter, for help; the language itself is `store.filters`."""
