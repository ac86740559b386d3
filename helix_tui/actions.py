"""All actions in one list: each key is declared once, in `keys`. Standard library only.

Bindings, footer, palette, help and the table of keys in the README all come from this list.
"""

from __future__ import annotations

from helix_tui import views
from helix_tui.keys.action import Action
from helix_tui.keys.everywhere import DRAWING, EVERYWHERE, TABLE

__all__ = ["ACTIONS", "PLACES", "Action", "clashes", "of"]

ACTIONS = (
    *(view.action for view in views.VIEWS),
    *EVERYWHERE,
    *(action for view in views.VIEWS for action in view.keys),
    *DRAWING,
    *TABLE,
)
"""Every action, in the order help shows them."""

PLACES = {
    "app": "Everywhere",
    **{view.name: view.title for view in views.VIEWS},
    "drawing": "In a drawing",
    "table": "In a table",
}
"""The headings of the help, by `where`."""


def of(where: str) -> tuple[Action, ...]:
    """The actions of one place."""
    return tuple(action for action in ACTIONS if action.where == where)


def clashes(actions: tuple[Action, ...] = ACTIONS) -> list[str]:
    """Keys that mean two things at once: within a place, or in a place and everywhere."""
    found = []
    reaches: list[tuple[str, ...]] = [(place,) for place in PLACES if place not in views.NAMES]
    reaches += [(view.name, pane, "app") for view in views.VIEWS for pane in view.panes]
    for reach in reaches:
        seen: dict[str, str] = {}
        for action in (a for place in reach[::-1] for a in actions if a.where == place):
            for key in action.keys:
                if seen.setdefault(key, action.id) != action.id:
                    found.append(f"{reach[0]}: {key} is both {seen[key]} and {action.id}")
    return found
