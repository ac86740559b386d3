"""All actions in one list: each key is declared once, in `keys`. Standard library only.

Bindings, footer, palette, help and the table of keys in the README all come from this list.
"""

from __future__ import annotations

from helix_tui import views
from helix_tui.keys import dialogs
from helix_tui.keys.action import Action
from helix_tui.keys.everywhere import CHART, DRAWING, EVERYWHERE, TABLE, TEXT

__all__ = ["ACTIONS", "PLACES", "Action", "clashes", "of"]

ACTIONS = (
    *(view.action for view in views.VIEWS),
    *EVERYWHERE,
    *(action for view in views.VIEWS for action in view.keys),
    *DRAWING,
    *TABLE,
    *CHART,
    *TEXT,
    *dialogs.DIALOGS,
)
"""Every action, in the order help shows them."""

PLACES = {
    "app": "Everywhere",
    **{view.name: view.title for view in views.VIEWS},
    "drawing": "In a drawing",
    "table": "In a table",
    "chart": "In a chart",
    "text": "In a text",
    **dialogs.PLACES,
}
"""The headings of the help, by `where`."""


def of(where: str) -> tuple[Action, ...]:
    """The actions of one place."""
    return tuple(action for action in ACTIONS if action.where == where)


def clashes(actions: tuple[Action, ...] = ACTIONS) -> list[str]:
    """Keys that mean two things at once: within a place, or in places that are heard together."""
    reaches = {place: (place,) for place in PLACES}
    together = {
        (f"{view.name} {pane}"): ("app", pane, view.name)
        for view in views.VIEWS
        for pane in view.panes
    }
    found = []
    for place, reach in (*reaches.items(), *together.items()):
        seen: dict[str, str] = {}
        meant = (a for a in actions if a.where in reach)
        for action in (a for a in meant if len(reach) == 1 or not a.overrides):
            for key in action.keys:
                if seen.setdefault(key, action.id) != action.id:
                    found.append(f"{place}: {key} is both {seen[key]} and {action.id}")
    return found
