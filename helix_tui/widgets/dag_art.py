"""How a task graph looks: the characters of its boxes and links. Pure; no Textual."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime

from rich.cells import cell_len

from helix_tui import formats
from helix_tui.glyphs import Glyphs
from helix_tui.state import TaskLine
from helix_tui.widgets.dag_wires import EAST, NORTH, SOUTH, WEST, Drawing
from helix_tui.widgets.table_layout import Cell

BOXED = 3
"""Rows of a box; a compact one has one row."""
LEAST, MOST = 20, 30
"""Cells of a box: a state with its word and its time always fit."""
COMPACT_LEAST, COMPACT_MOST = 26, 60
CHANNEL = 5
"""About the width of a channel, for guessing what fits."""
TASKS, LINKS = 400, 2000
"""What is drawn at most; a longer plan is a list."""

_LIGHT = " ╵╶└╷│┌├╴┘─┴┐┤┬┼"
_HEAVY = " ╹╺┗╻┃┏┣╸┛━┻┓┫┳╋"
_PLAIN = " |-+|+++-+-+++++"
_MARKED = " #=########=#####"
_UPRIGHT, _LEVEL = NORTH | SOUTH, EAST | WEST
_FRAMES = {
    (False, False): "╭─╮│╰╯",
    (False, True): "┏━┓┃┗┛",
    (True, False): "+-+|++",
    (True, True): "#=##" + "##",
}

Row = dict[int, list[tuple[int, int]]]
"""What runs through the cells of one row: by column, (number of the wire, directions)."""


def box_size(layers: int, room: int, names: Sequence[str], *, compact: bool) -> int:
    """How wide boxes are in a pane `room` cells wide: as their names need and the pane allows."""
    least, most = (COMPACT_LEAST, COMPACT_MOST) if compact else (LEAST, MOST)
    extra = 20 if compact else 5
    longest = max((cell_len(name) for name in names), default=0) + extra
    each = (room - CHANNEL * (layers - 1)) // max(1, layers)
    return max(least, min(most, each, longest))


def name_of(task: TaskLine) -> str:
    """A task's number and short name."""
    name = task.slug or task.description
    return formats.literal(f"{task.seq} {name}" if task.seq else name)


def box_rows(
    task: TaskLine, width: int, height: int, glyphs: Glyphs, now: datetime, *, here: bool
) -> list[list[Cell]]:
    """A box as lines of pieces, each exactly `width` cells; `here` frames the selected one."""
    state = glyphs.state(task.state)
    took = formats.span(task.started_at, task.ended_at, now)
    frame = _FRAMES[glyphs.ascii, here]
    role = f"{state.role} strong".strip() if here else state.role
    word = formats.literal(state.text)
    strong = "strong" if here else ""
    inner = width - 2
    if height == 1:
        tries = f"x{task.attempts} " if task.attempts > 1 else ""
        end = f"{tries}{took}"
        room = inner - cell_len(end) - 2
        text = formats.fit(f" {word} ", max(0, min(cell_len(word) + 2, room)))
        name = formats.fit(name_of(task), room - cell_len(text))
        side = (frame[3], role)
        return [[side, (text, role), (name, strong), (f" {end} ", "muted"), side]]
    title = formats.fit(name_of(task), min(inner - 2, cell_len(name_of(task))))
    rest = max(0, inner - 2 - cell_len(title))
    tries = f" {task.attempts} tries " if task.attempts > 1 else ""
    below = frame[1] * (inner - len(tries))
    return [
        [
            (frame[0], role),
            (f" {title} ", strong),
            (frame[1] * rest + frame[2], role),
        ],
        [
            (frame[3], role),
            (formats.fit(f" {word}", inner - 6), role),
            (formats.fit(took, 5, right=True) + " ", ""),
            (frame[3], role),
        ],
        [(frame[4] + below, role), (tries, "muted"), (frame[5], role)],
    ]


def ways(drawing: Drawing) -> dict[int, Row]:
    """The wires by row and column, each cell with the wires that run through it."""
    found: dict[int, Row] = {}
    for number, wire in enumerate(drawing.wires):
        for x, y, mask in wire.cells:
            found.setdefault(y, {}).setdefault(x, []).append((number, mask))
    return found


def wire_cell(
    through: Sequence[tuple[int, int]], drawing: Drawing, marked: frozenset[int], glyphs: Glyphs
) -> Cell:
    """One cell of the links: those of the selected task are heavy and lie above the others.

    Where two links cross without having to do with each other, the level one passes behind.
    """
    by_source: dict[str, int] = {}
    ours: set[str] = set()
    for number, mask in through:
        source = drawing.wires[number].source
        by_source[source] = by_source.get(source, 0) | mask
        if number in marked:
            ours.add(source)
    crossing = len(by_source) > 1 and set(by_source.values()) == {_UPRIGHT, _LEVEL}
    union = 0
    for source, mask in by_source.items():
        if not crossing or (source in ours if ours else mask == _UPRIGHT):
            union |= mask
    if ours:
        return (_MARKED if glyphs.ascii else _HEAVY)[union], "active"
    return (_PLAIN if glyphs.ascii else _LIGHT)[union], "muted"


def arrow(marked: bool, glyphs: Glyphs) -> Cell:
    """The last cell of a link."""
    return glyphs.mark("direct")[-1], "active" if marked else "muted"
