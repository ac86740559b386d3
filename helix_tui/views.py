"""The registry of views: one line each. Standard library only at import.

A view is its screen (`screens/NAME.py`), its part of the snapshot (`PART` in `data/NAME.py`: how
its rows are read and how they look as text), its keys (`keys/NAME.py`), and its line here. State
line, bindings, palette, help, arguments, feed and plain text all come from this list.
"""

from __future__ import annotations

from dataclasses import dataclass
from importlib import import_module
from typing import TYPE_CHECKING, Any, cast

from helix_tui.keys import graph, health, insights, learn, run
from helix_tui.keys.action import Action

if TYPE_CHECKING:
    from helix_tui.data.part import Part
    from helix_tui.screens.base import ViewScreen


@dataclass(frozen=True)
class View:
    """One view of the dashboard."""

    name: str
    key: str
    """The digit that goes to it."""
    title: str
    help: str
    screen: str
    """The class in `screens/NAME.py`."""
    keys: tuple[Action, ...] = ()
    panes: tuple[str, ...] = ("table",)
    """What of `actions.PLACES` it has beside itself, for help."""
    dialogs: tuple[str, ...] = ()
    """What of them can lie over it."""

    @property
    def label(self) -> str:
        """Its digit and its name."""
        return f"{self.key} {self.title}"

    @property
    def action(self) -> Action:
        """Going there."""
        return Action(
            f"view_{self.name}", (self.key,), self.title, self.help, call=f"view('{self.name}')"
        )

    @property
    def screen_class(self) -> type[ViewScreen]:
        """What draws it; imports textual."""
        module = import_module(f"helix_tui.screens.{self.name}")
        return cast("type[ViewScreen]", getattr(module, self.screen))

    @property
    def part(self) -> Part[Any, Any]:
        """What reads it; imports the read model."""
        module = import_module(f"helix_tui.data.{self.name}")
        return cast("Part[Any, Any]", module.PART)


VIEWS = (
    View(
        "run",
        "1",
        "Run",
        "Tasks, agents, and what each was given",
        "RunScreen",
        run.KEYS,
        panes=("drawing", "table"),
        dialogs=("runs", "report"),
    ),
    View(
        "insights",
        "2",
        "Insights",
        "The memory: every insight",
        "InsightsScreen",
        insights.KEYS,
        panes=("table", "text"),
        dialogs=("filter", "editor", "what_if", "trash_list", "confirm"),
    ),
    View(
        "effectiveness",
        "3",
        "Effectiveness",
        "What the memory is worth, in figures",
        "EffectivenessScreen",
        panes=("table", "chart"),
    ),
    View(
        "graph",
        "4",
        "Graph",
        "How insights are linked, drawn",
        "GraphScreen",
        graph.KEYS,
        panes=("drawing", "table"),
    ),
    View(
        "learn",
        "5",
        "Learn",
        "Questions that wait for you",
        "LearnScreen",
        learn.KEYS,
        panes=("table", "text"),
        dialogs=("editor",),
    ),
    View("health", "6", "Health", "Whether helix itself works", "HealthScreen", health.KEYS),
)
"""In the order of their digits; the first one is where the dashboard starts."""

NAMES = tuple(view.name for view in VIEWS)


def of(name: str) -> View:
    """The view of that name."""
    return next(view for view in VIEWS if view.name == name)
