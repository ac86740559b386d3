"""The first line of every view: the views, the memory's state, the project, the data's age.

A click on a view goes there, on the first sign to everything there is, on the state to its reasons.
"""

from __future__ import annotations

from datetime import datetime

from rich.cells import cell_len
from textual.content import Content
from textual.widget import Widget

from helix_tui import formats, views
from helix_tui.glyphs import Glyphs
from helix_tui.state import Snapshot
from helix_tui.widgets import pieces
from helix_tui.widgets.table_layout import Cell

ASKING = "learn"
LEAST_NAME = 3
"""Cells of a project's name that stay in the least room."""
RIGHT_LEAST = 54
"""Cells kept for the state; where the names of all views leave less, the others are digits."""


def view_pieces(current: str, width: int, asking: int = 0) -> list[Cell]:
    """The views with their keys, the current one in brackets and always by name.

    Questions that wait are counted beside the view that has them, wherever the person is.
    """
    named = sum(len(view.label) + 2 for view in views.VIEWS) + RIGHT_LEAST <= width
    found: list[Cell] = []
    for view in views.VIEWS:
        label = view.label if named or view.name == current else view.key
        waits = f" ({asking})" if asking and view.name == ASKING else ""
        if view.name == current:
            found.append((f"[{label}{waits}]", "strong"))
        else:
            found.append((f" {label}{waits} ", "warn" if waits else "muted"))
    return found


def state_pieces(
    snapshot: Snapshot | None, paused: bool, now: datetime, glyphs: Glyphs, *, brief: int = 0
) -> list[Cell]:
    """What the line says on its right side, the most important first.

    `brief`: 1 says the age in a figure, 2 the state in a word as well, for little room.
    """
    if snapshot is None:
        return [("reading the memory", "muted")]
    service = snapshot.service
    state = glyphs.state(service.state)
    sep = f" {glyphs.mark('sep')} "
    text = f"{state.glyph} {service.state}" if brief > 1 else state.text
    parts: list[Cell] = [(text, state.role)]
    if service.state == "ok" and service.model and not brief:
        parts.append((f" {formats.literal(service.model)}", "muted"))
    parts.append((sep, "muted"))
    parts.append((formats.literal(snapshot.project), "strong"))
    parts.append((sep, "muted"))
    parts.append(age_piece(snapshot, paused, now, brief=brief > 0))
    return parts


def age_piece(snapshot: Snapshot, paused: bool, now: datetime, *, brief: bool = False) -> Cell:
    """How old the rows are: paused, stale since, or when the memory last changed."""
    if snapshot.stale and snapshot.read_at:
        return f"stale {formats.age(snapshot.read_at, now)}", "bad"
    if snapshot.stale:
        return "no data", "bad"
    if paused:
        return ("paused, news waits" if snapshot.held_back else "paused"), "warn"
    if not snapshot.counts.changed_at:
        return "empty" if brief else "live, empty", "muted"
    age = formats.age(snapshot.counts.changed_at, now)
    return age if brief else f"live, changed {age}", "muted"


class StateLine(Widget):
    """Draws `state_pieces` beside the names of the views."""

    def __init__(self, view: str, glyphs: Glyphs) -> None:
        super().__init__(id="state-line")
        self.auto_links = False
        self._view = view
        self._glyphs = glyphs
        self._parts: list[Cell] = []
        self._briefer: list[list[Cell]] = []
        self._asking = 0

    def show(self, snapshot: Snapshot | None, paused: bool, now: datetime) -> None:
        """Take in a snapshot; draws only what changed."""
        parts = state_pieces(snapshot, paused, now, self._glyphs)
        asking = snapshot.counts.asking if snapshot else 0
        if (parts, asking) != (self._parts, self._asking):
            self._parts, self._asking = parts, asking
            self._briefer = [
                state_pieces(snapshot, paused, now, self._glyphs, brief=brief) for brief in (1, 2)
            ]
            self.refresh()

    def render(self) -> Content:
        """The line, cut from its end where it is too long."""
        width = self.size.width
        left = view_pieces(self._view, width, self._asking)
        menu: Cell = (f"{self._glyphs.mark('menu')} ", "muted")
        room = width - sum(cell_len(text) for text, _ in (menu, *left)) - 1
        ways = [self._parts, *self._briefer]
        whole = (way for way in ways if sum(cell_len(text) for text, _ in way) <= room)
        right: list[Cell] = []
        for text, role in next(whole, None) or _shortened(ways[-1], room):
            cut = formats.fit(text, min(cell_len(text), max(0, room)))
            room -= cell_len(cut)
            right.append((cut, role))
        tabs = [
            pieces.clickable(pieces.line([tab]), f"app.view('{view.name}')")
            for tab, view in zip(left, views.VIEWS, strict=True)
        ]
        return Content.assemble(
            pieces.clickable(pieces.line([menu]), "app.command_palette"),
            *tabs,
            " " * max(1, room + 1),
            pieces.clickable(pieces.line(right), "app.view('health')"),
        )


def _shortened(parts: list[Cell], room: int) -> list[Cell]:
    """The project's name gives way, so that the age behind it is seen."""
    over = sum(cell_len(text) for text, _ in parts) - room
    return [
        (formats.fit(text, max(LEAST_NAME, cell_len(text) - over)), role)
        if role == "strong" and cell_len(text) > LEAST_NAME
        else (text, role)
        for text, role in parts
    ]
