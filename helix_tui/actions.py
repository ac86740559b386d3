"""The registry of actions: each key is declared here, once. Standard library only.

Bindings, footer, palette, help and the table of keys in the README all come from this list. Keys
survive tmux, screen and ssh: letters, digits and F-keys, no ctrl+a, ctrl+b or ctrl+enter.
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

    @property
    def action(self) -> str:
        """What a binding calls."""
        return self.call or self.id


ACTIONS = (
    Action(
        "view_run", ("1",), "Run", "The run: tasks, agents, what each was given", call="view('run')"
    ),
    Action(
        "view_insights", ("2",), "Insights", "The memory: every insight", call="view('insights')"
    ),
    Action("pause", ("space",), "Pause", "Hold the picture still, or go on", footer=True),
    Action("undo", ("u",), "Undo", "Take back the newest change", footer=True),
    Action("zoom", ("z",), "Zoom", "Give the focused pane the whole screen, or give it back"),
    Action(
        "palette",
        ("colon",),
        "Commands",
        "Everything there is, by name",
        palette=False,
        call="command_palette",
    ),
    Action("help", ("question_mark", "f1"), "Help", "These keys", footer=True),
    Action("quit", ("q",), "Quit", "Leave the dashboard", footer=True, call="leave"),
    Action(
        "interrupt",
        ("ctrl+c",),
        "Quit",
        "Leave the dashboard, also from an input",
        call="leave",
        priority=True,
        palette=False,
    ),
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
    Action(
        "filter",
        ("slash",),
        "Filter",
        "Filter as you type; words, tag:T, source:S, is:pinned",
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
    Action("clear", ("escape",), "All", "Clear the filter", where="insights"),
    Action(
        "cursor_down",
        ("j", "down"),
        "Down",
        "The next row",
        where="table",
        call="move(1)",
        palette=False,
    ),
    Action(
        "cursor_up",
        ("k", "up"),
        "Up",
        "The row before",
        where="table",
        call="move(-1)",
        palette=False,
    ),
    Action(
        "page_down",
        ("f", "pagedown"),
        "Page down",
        "A page on",
        where="table",
        call="page(1)",
        palette=False,
    ),
    Action(
        "page_up",
        ("b", "pageup"),
        "Page up",
        "A page back",
        where="table",
        call="page(-1)",
        palette=False,
    ),
    Action(
        "first",
        ("g", "home"),
        "First",
        "The first row",
        where="table",
        call="edge(-1)",
        palette=False,
    ),
    Action(
        "last", ("G", "end"), "Last", "The last row", where="table", call="edge(1)", palette=False
    ),
    Action(
        "open",
        ("enter",),
        "Open",
        "Open the row: from an insight an agent got to all about it",
        where="table",
        palette=False,
    ),
)
"""Every action, in the order help shows them."""

PLACES = {"app": "Everywhere", "run": "Run", "insights": "Insights", "table": "In a table"}
"""The headings of the help, by `where`."""


def of(where: str) -> tuple[Action, ...]:
    """The actions of one place."""
    return tuple(action for action in ACTIONS if action.where == where)


def clashes(actions: tuple[Action, ...] = ACTIONS) -> list[str]:
    """Keys that mean two things at once: within a place, or in a place and everywhere."""
    found = []
    for place in PLACES:
        seen: dict[str, str] = {}
        reach = ("app", "table", place) if place in {"run", "insights"} else (place,)
        for action in (a for a in actions if a.where in reach):
            for key in action.keys:
                if seen.setdefault(key, action.id) != action.id:
                    found.append(f"{place}: {key} is both {seen[key]} and {action.id}")
    return found
