"""The keys that work everywhere, and those of any table, drawing, chart or text. Standard library
only."""

from __future__ import annotations

from helix_tui.keys.action import Action

EVERYWHERE = (
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
)
TABLE = (
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
DRAWING = (
    *(
        Action(
            f"walk_{to}",
            keys,
            to.capitalize(),
            text,
            where="drawing",
            call=f"walk('{to}')",
            palette=False,
        )
        for to, keys, text in (
            ("left", ("h", "left"), "Along a link to the left, or to what is nearest there"),
            ("down", ("j", "down"), "The same downwards"),
            ("up", ("k", "up"), "The same upwards"),
            ("right", ("l", "right"), "The same to the right"),
        )
    ),
    Action(
        "drawing_first",
        ("g", "home"),
        "First",
        "The first one",
        where="drawing",
        call="edge(-1)",
        palette=False,
    ),
    Action(
        "drawing_last",
        ("G", "end"),
        "Last",
        "The last one",
        where="drawing",
        call="edge(1)",
        palette=False,
    ),
    Action(
        "drawing_open",
        ("enter",),
        "Open",
        "From a task to its agents, from an insight to all about it",
        where="drawing",
        call="open",
        palette=False,
    ),
)
CHART = (
    Action(
        "bar_left", ("h", "left"), "Left", "The bar to the left", "chart", "walk(-1)", palette=False
    ),
    Action(
        "bar_right",
        ("l", "right"),
        "Right",
        "The bar to the right",
        "chart",
        "walk(1)",
        palette=False,
    ),
    Action(
        "open_bar",
        ("enter",),
        "Open",
        "The insights behind the bar",
        "chart",
        "open",
        palette=False,
    ),
)
TEXT = tuple(
    Action(f"text_{call}", keys, label, text, "text", call, palette=False)
    for call, keys, label, text in (
        ("scroll_down", ("j", "down"), "Down", "A line down"),
        ("scroll_up", ("k", "up"), "Up", "A line up"),
        ("page_down", ("f", "pagedown"), "Page down", "A page on"),
        ("page_up", ("b", "pageup"), "Page up", "A page back"),
        ("scroll_home", ("g", "home"), "Top", "The beginning"),
        ("scroll_end", ("G", "end"), "End", "The end"),
    )
)
