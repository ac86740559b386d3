"""Every key, from the registry, those of the current view first."""

from __future__ import annotations

from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import BindingType
from textual.screen import ModalScreen
from textual.widgets import Static

from helix_tui import actions, bindings, formats, views
from helix_tui.keys.insights import FILTER
from helix_tui.widgets import pieces
from helix_tui.widgets.reading import ReadingPane
from helix_tui.widgets.table_layout import Cell

WIDTH = 12


def key_lines(view: str) -> list[list[Cell]]:
    """The keys of a view, of what it is made of, of everywhere, and of what lies over it."""
    lines: list[list[Cell]] = []
    for where in (view, *views.of(view).panes, "app", *views.of(view).dialogs, "help"):
        if not actions.of(where):
            continue
        lines.append([(actions.PLACES[where], "strong")])
        for action in actions.of(where):
            keys = " ".join(bindings.shown(key) for key in action.keys)
            lines.append([(f"  {formats.fit(keys, WIDTH)} ", "accent"), (action.help, "")])
        lines.append([])
    if view == "insights":
        lines.append([("In the filter", "strong")])
        for term, meaning in FILTER:
            lines.append([(f"  {formats.fit(term, WIDTH + 6)} ", "accent"), (meaning, "")])
        lines.append([])
    return lines[:-1]


class Help(ModalScreen[None]):
    """The keys, over the view they are for."""

    BINDINGS: ClassVar[list[BindingType]] = bindings.for_place("help")

    def __init__(self, view: str) -> None:
        super().__init__()
        self._view = view

    def compose(self) -> ComposeResult:
        """A box that scrolls."""
        with ReadingPane(id="help-box") as box:
            box.border_title = "Keys"
            box.border_subtitle = pieces.clicks(("escape closes", "screen.close"))
            yield Static(pieces.lines(key_lines(self._view)))

    def action_close(self) -> None:
        """Back to the view."""
        self.dismiss(None)
