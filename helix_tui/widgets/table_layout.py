"""The geometry of a table: which columns there is room for, and how wide. Pure, no Textual."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

Cell = tuple[str, str]
"""A text, literal and on one line, and its role (see `glyphs.ROLES`)."""

GAP = 1
CURSOR = 1


@dataclass(frozen=True)
class Column:
    """One column. Exactly one column of a table has width 0: it takes what the others leave."""

    key: str
    title: str
    width: int = 0
    right: bool = False
    drop: int = 0
    """Columns go from the highest number down where there is no room; 0 always stays."""
    sort: str = ""
    """The sort order a click on the head asks for."""


@dataclass(frozen=True)
class Row:
    """One line of a table; two rows that are equal are drawn once."""

    key: int
    cells: tuple[Cell, ...]


def fit_columns(columns: Sequence[Column], width: int, least: int = 24) -> list[tuple[int, int]]:
    """(index, width) of each column shown in `width` cells, the flexible one at least `least`.

    Never more than `width` cells in all, however narrow.
    """
    shown = list(range(len(columns)))
    while True:
        fixed = sum(columns[n].width for n in shown) + GAP * (len(shown) - 1) + CURSOR
        room = width - fixed
        going = [n for n in shown if columns[n].drop]
        if room >= least or not going:
            break
        shown.remove(max(going, key=lambda n: (columns[n].drop, n)))
    placed, used = [], CURSOR
    for n in shown:
        wide = columns[n].width or max(1, room)
        wide = min(wide, width - used)
        if wide <= 0:
            break
        placed.append((n, wide))
        used += wide + GAP
    return placed


def column_at(placed: Sequence[tuple[int, int]], x: int) -> int | None:
    """The index of the column under cell `x`; None beside them."""
    left = CURSOR
    for n, wide in placed:
        if left <= x < left + wide:
            return n
        left += wide + GAP
    return None
