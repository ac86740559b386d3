"""How much of the screen the plan of a run gets, and whether it is drawn or listed. Pure."""

from __future__ import annotations

from dataclasses import dataclass

from helix_tui.widgets.dag_wires import Drawing

WIDE, BROAD = 110, 150
"""Columns from which every view puts two panes side by side, and from which a third joins them."""
FRAME = 4
"""Lines of the screen that no pane has: state, run, footer, the plan's head."""


@dataclass(frozen=True)
class Room:
    """The cells a plan may take."""

    width: int
    height: int
    wide: bool = False
    broad: bool = False
    """Whether the plan stands beside the agents, not above them."""


def room_for(width: int, height: int) -> Room:
    """The room on a screen of that size."""
    lines = max(0, height - FRAME)
    if width >= BROAD:
        return Room(width * 11 // 20 - 2, max(3, lines * 2 // 3 - 1), wide=True, broad=True)
    wide = width >= WIDE
    return Room(width, max(3, lines * (4 if wide else 3) // 10), wide=wide)


def shown_as(room: Room, drawing: Drawing, chosen: bool | None) -> bool:
    """Whether the plan is drawn: as the person chose, else wherever it can be seen well.

    A narrow screen lists a plan that would have to be scrolled; so does any screen for a plan too
    long to be drawn.
    """
    if not drawing.boxes:
        return False
    if chosen is not None:
        return chosen
    return room.wide or (drawing.width <= room.width and drawing.height <= room.height)
