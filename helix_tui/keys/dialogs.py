"""The keys of what lies over a view: what is typed into, asked, listed. Standard library only."""

from __future__ import annotations

from helix_tui.keys.action import Action

Said = tuple[str, tuple[str, ...], str, str, str]
"""A name, its keys, its label, its help, what it calls."""


def _at(where: str, *actions: Said, typed: bool = False) -> tuple[Action, ...]:
    """The actions of one place; where something is `typed` they come before the input's own."""
    return tuple(
        Action(
            f"{where}_{name}",
            keys,
            label,
            text,
            where,
            call,
            footer=True,
            priority=typed,
            palette=False,
        )
        for name, keys, label, text, call in actions
    )


FILTER = _at(
    "filter",
    ("clear", ("escape",), "Clear", "No filter, back to the table", "leave(True)"),
    ("keep", ("enter", "down"), "Keep", "Back to the table, with the filter", "leave(False)"),
    typed=True,
)
EDITOR = _at(
    "editor",
    ("save", ("f2",), "Save", "Carry out what is typed", "save"),
    ("leave", ("escape",), "Cancel", "Close; twice where something was typed", "leave"),
    ("reload", ("f5",), "As it is now", "Give up what is typed for what is there now", "reload"),
    typed=True,
)
WHAT_IF = (
    *_at("what_if", ("rows", ("down",), "Rows", "From the line to the rows", "to_rows")),
    *_at(
        "what_if",
        ("close", ("escape",), "Close", "Back to the line, then to the insights", "close"),
        typed=True,
    ),
)
TRASH_LIST = _at(
    "trash_list",
    ("restore", ("r",), "Restore", "Bring the selected one back; so does enter", "restore"),
    ("undo", ("u",), "Undo", "Take back the newest change", "app.undo"),
    ("close", ("escape", "q", "T"), "Close", "Back to the insights", "close"),
)
RUNS = _at("runs", ("close", ("escape", "q", "r"), "Close", "Back to the run", "dismiss(None)"))
REPORT = _at(
    "report", ("close", ("escape", "q", "s", "enter"), "Close", "Back to the run", "close")
)
HELP = _at(
    "help",
    (
        "close",
        ("escape", "q", "question_mark", "f1", "enter"),
        "Close",
        "Back to the view",
        "close",
    ),
)
CONFIRM = _at(
    "confirm",
    ("yes", ("y",), "Yes", "Do it", "answer(True)"),
    ("no", ("n", "escape", "q"), "Cancel", "Leave it; enter does so too", "answer(False)"),
    ("other", ("left", "right", "h", "l"), "Other", "The other button", "app.focus_next"),
)
DIALOGS = (
    *FILTER,
    *EDITOR,
    *WHAT_IF,
    *TRASH_LIST,
    *RUNS,
    *REPORT,
    *CONFIRM,
    *HELP,
)
PLACES = {
    "filter": "In the filter",
    "editor": "While editing",
    "what_if": "In what-if",
    "trash_list": "In the trash list",
    "runs": "In the list of runs",
    "report": "In the report",
    "confirm": "When asked",
    "help": "In this help",
}
"""Their headings."""
