"""Lines on a canvas of terminal cells: braille dots, or plain characters. Pure; no Textual."""

from __future__ import annotations

from collections.abc import Iterator

from helix_tui.widgets.graph_layout import DOTS, Spot
from helix_tui.widgets.table_layout import Cell

_BITS = ((0x01, 0x08), (0x02, 0x10), (0x04, 0x20), (0x40, 0x80))
RANKS = ("muted", "", "active")
"""Roles of lines; where several share a cell it has the last of them in this order."""
DOTTED = 2
"""Every second dot of a dotted line is there."""


def along(start: tuple[int, int], end: tuple[int, int]) -> Iterator[tuple[int, int]]:
    """The points of a straight line, both ends included (Bresenham 1965)."""
    (x, y), (end_x, end_y) = start, end
    dx, dy = abs(end_x - x), -abs(end_y - y)
    step_x, step_y = (1 if end_x > x else -1), (1 if end_y > y else -1)
    off = dx + dy
    while True:
        yield x, y
        if (x, y) == (end_x, end_y):
            return
        twice = 2 * off
        if twice >= dy:
            off += dy
            x += step_x
        if twice <= dx:
            off += dx
            y += step_y


class Sheet:
    """A canvas of `width` x `height` cells to draw lines on."""

    def __init__(self, width: int, height: int, *, plain: bool = False) -> None:
        self.width, self.height = width, height
        self._plain = plain
        self._dots: dict[Spot, int] = {}
        self._signs: dict[Spot, str] = {}
        self._ranks: dict[Spot, int] = {}

    def line(self, start: Spot, end: Spot, role: str, *, dotted: bool = False) -> None:
        """A line from the middle of one cell to that of another."""
        rank = RANKS.index(role)
        if self._plain:
            self._plain_line(start, end, rank, dotted)
            return
        for n, (x, y) in enumerate(along(_middle(start), _middle(end))):
            if not dotted or n % DOTTED == 0:
                spot = (x // DOTS[0], y // DOTS[1])
                self._dots[spot] = self._dots.get(spot, 0) | _BITS[y % DOTS[1]][x % DOTS[0]]
                self._ranks[spot] = max(self._ranks.get(spot, 0), rank)

    def _plain_line(self, start: Spot, end: Spot, rank: int, dotted: bool) -> None:
        dx, dy = end[0] - start[0], end[1] - start[1]
        if abs(dy) * 4 <= abs(dx):
            sign = "-"
        elif abs(dx) <= abs(dy) // 2:
            sign = "|"
        else:
            sign = "\\" if (dx > 0) == (dy > 0) else "/"
        for spot in along(start, end):
            if rank >= self._ranks.get(spot, -1):
                self._signs[spot] = "." if dotted else sign
                self._ranks[spot] = rank

    def free(self, spot: Spot) -> bool:
        """Whether no line runs through a cell."""
        return spot not in self._dots and spot not in self._signs

    def cell(self, spot: Spot) -> Cell:
        """What a cell shows."""
        role = RANKS[self._ranks.get(spot, 0)]
        if self._plain:
            return self._signs.get(spot, " "), role
        bits = self._dots.get(spot, 0)
        return (chr(0x2800 + bits) if bits else " "), role


def _middle(spot: Spot) -> tuple[int, int]:
    return spot[0] * DOTS[0], spot[1] * DOTS[1] + DOTS[1] // 2 - 1
