"""The links of a task graph as lines of cells between boxes. Pure; no Textual.

Between two layers lies a channel. The links that leave one task share one upright line (a track) in
it; lines whose rows overlap get tracks of their own, ordered so that few of them cross and none
runs along another one's row. A cell knows the directions its line leaves it in, per link, so that
a link can be drawn over the others when its task is selected.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from helix_tui.widgets.dag_layout import Box, Grid, Slot, grid

NORTH, EAST, SOUTH, WEST = 1, 2, 4, 8
ROOMY = 6
"""Up to so many tracks in a channel stand apart; more of them stand side by side."""

Cell = tuple[int, int, int]
"""A column, a row, and the directions the line leaves the cell in."""


@dataclass(frozen=True)
class Wire:
    """One link, from the cell right of its source to the one left of its target: the arrow."""

    source: str
    target: str
    cells: tuple[Cell, ...]


@dataclass(frozen=True)
class Drawing:
    """A task graph as it is drawn."""

    boxes: Mapping[str, Box] = field(default_factory=dict)
    wires: tuple[Wire, ...] = ()
    width: int = 0
    height: int = 0
    lost: tuple[tuple[str, str], ...] = ()
    """Links of tasks that wait for each other in a circle; they are not drawn."""

    @property
    def linked(self) -> dict[str, list[str]]:
        """Both ends of every link."""
        found: dict[str, list[str]] = {}
        for wire in self.wires:
            found.setdefault(wire.source, []).append(wire.target)
            found.setdefault(wire.target, []).append(wire.source)
        return found


@dataclass(frozen=True)
class _Net:
    """All links that leave one slot: one row out, one or more rows in."""

    source: Slot
    row: int
    targets: tuple[int, ...]

    @property
    def low(self) -> int:
        return min(self.row, *self.targets)

    @property
    def high(self) -> int:
        return max(self.row, *self.targets)

    @property
    def straight(self) -> bool:
        return self.low == self.high

    @property
    def rank(self) -> float:
        """Lines that go down stand further left the lower they start, lines that go up the higher:
        so neither crosses one of its own kind."""
        down = sum(row > self.row for row in self.targets)
        up = sum(row < self.row for row in self.targets)
        return float(-self.row if down > up else self.row if up > down else 0)


def draw(blocked_by: Mapping[str, Sequence[str]], width: int, height: int) -> Drawing:
    """The whole drawing, for boxes of `width` x `height` cells."""
    found = grid(blocked_by, height)
    return wire(found, width, height)


def wire(found: Grid, width: int, height: int) -> Drawing:
    """Columns for the layers of a grid, and the lines between them."""
    nets = _nets(found)
    tracks = [_tracks(part) for part in nets]
    lefts, x = [], 0
    columns: list[dict[Slot, int]] = []
    for n in range(len(found.layers)):
        lefts.append(x)
        x += width
        if n < len(nets):
            gap, places = _channel(tracks[n])
            columns.append({slot: x + place for slot, place in places.items()})
            x += gap
    boxes = {
        key: Box(key, n, lefts[n], found.rows[n, key, True] - height // 2, width, height)
        for slots in found.layers
        for n, key, is_task in slots
        if is_task
    }
    wires = tuple(_wires(found, boxes, lefts, columns))
    return Drawing(boxes, wires, x, found.height, found.lost)


def _nets(found: Grid) -> list[list[_Net]]:
    targets: dict[Slot, list[int]] = {}
    for a, b in found.links:
        targets.setdefault(a, []).append(found.rows[b])
    return [
        [
            _Net(slot, found.rows[slot], tuple(sorted(targets[slot])))
            for slot in layer
            if slot in targets
        ]
        for layer in found.layers[:-1]
    ]


def _tracks(nets: Sequence[_Net]) -> dict[Slot, int]:
    """The track of each net that is not straight, from the left.

    A net whose own row is one that another net arrives on stands left of it; where two nets each
    ask that of the other, the first one in order does.
    """
    left = sorted((net for net in nets if not net.straight), key=lambda net: (net.rank, net.row))
    leaves = {net.row: net for net in left}
    first = {
        net.source: {
            leaves[row].source
            for row in net.targets
            if row in leaves and row not in leaves[row].targets
        }
        for net in left
    }
    placed: list[tuple[_Net, int]] = []
    waiting = {net.source for net in left}
    while left:
        free = (net for net in left if waiting.isdisjoint(first[net.source]))
        net = next(free, left[0])
        left.remove(net)
        waiting.remove(net.source)
        track = max(
            (
                at + 1
                for other, at in placed
                if _touch(other, net) or other.source in first[net.source]
            ),
            default=0,
        )
        placed.append((net, track))
    return {net.source: track for net, track in placed}


def _touch(one: _Net, other: _Net) -> bool:
    return one.low <= other.high and other.low <= one.high


def _channel(tracks: Mapping[Slot, int]) -> tuple[int, dict[Slot, int]]:
    """The width of a channel, and the column of each slot's track in it."""
    count = max(tracks.values(), default=-1) + 1
    apart = 2 if count <= ROOMY else 1
    width = 1 + apart * (count - 1) + 1 + 2 if count else 3
    return width, {slot: 1 + apart * track for slot, track in tracks.items()}


def _wires(
    found: Grid,
    boxes: Mapping[str, Box],
    lefts: Sequence[int],
    columns: Sequence[Mapping[Slot, int]],
) -> Iterable[Wire]:
    into: dict[Slot, list[Slot]] = {}
    for a, b in found.links:
        into.setdefault(b, []).append(a)
    for layer in found.layers:
        for slot in layer:
            for last in into.get(slot, ()) if slot[2] else ():
                way = [slot, last]
                while not way[-1][2]:  # back along the slots of a link that passes
                    way.append(into[way[-1]][0])
                yield _wire(way[::-1], found.rows, boxes, lefts, columns)


def _wire(
    way: Sequence[Slot],
    rows: Mapping[Slot, int],
    boxes: Mapping[str, Box],
    lefts: Sequence[int],
    columns: Sequence[Mapping[Slot, int]],
) -> Wire:
    source, target = boxes[way[0][1]], boxes[way[-1][1]]
    corners = [(source.x + source.width, source.middle)]
    for a, b in itertools.pairwise(way):
        if rows[a] != rows[b]:
            column = columns[a[0]][a]
            corners += [(column, rows[a]), (column, rows[b])]
    corners.append((target.x - 1, target.middle))
    return Wire(source.key, target.key, tuple(_along(corners)))


def _along(corners: Sequence[tuple[int, int]]) -> Iterable[Cell]:
    """The cells of a line through corners; it comes in from the left and ends to the right."""
    path = [corners[0]]
    for x, y in corners[1:]:
        last_x, last_y = path[-1]
        path += [(last_x + _sign(x - last_x) * n, y) for n in range(1, abs(x - last_x) + 1)]
        path += [(x, last_y + _sign(y - last_y) * n) for n in range(1, abs(y - last_y) + 1)]
    for n, (x, y) in enumerate(path):
        before = path[n - 1] if n else (x - 1, y)
        after = path[n + 1] if n + 1 < len(path) else (x + 1, y)
        yield x, y, _way(x, y, before) | _way(x, y, after)


def _sign(value: int) -> int:
    return (value > 0) - (value < 0)


def _way(x: int, y: int, to: tuple[int, int]) -> int:
    if to[0] != x:
        return EAST if to[0] > x else WEST
    return SOUTH if to[1] > y else NORTH
