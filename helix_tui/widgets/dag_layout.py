"""The geometry of a task graph: layers from left to right, rows, boxes. Pure; no Textual.

A link that spans several layers gets a slot in each layer between, so that it keeps a row of its
own; all links of one task share it. Slots are ordered by barycentre sweeps (Sugiyama, Tagawa and
Toda 1981) and put on rows by isotonic regression (pool adjacent violators): as near to the middle
of what they are linked to as the others in their layer allow. Same tasks, same drawing.
"""

from __future__ import annotations

import bisect
import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from helix_core.dag.layers import layers

SWEEPS = 6
Slot = tuple[int, str, bool]
"""One place in a layer: the layer, a task, and whether it is the task or its link passing by."""


@dataclass(frozen=True)
class Box:
    """Where one task is drawn; `x` and `y` are its upper left cell."""

    key: str
    layer: int
    x: int
    y: int
    width: int
    height: int

    @property
    def middle(self) -> int:
        """The row its links leave from and arrive at."""
        return self.y + self.height // 2


@dataclass(frozen=True)
class Grid:
    """The slots of a graph in order and on rows; columns are not decided yet."""

    layers: tuple[tuple[Slot, ...], ...]
    rows: Mapping[Slot, int]
    """The middle row of each slot."""
    links: tuple[tuple[Slot, Slot], ...]
    """Between slots of neighbouring layers, each once."""
    height: int
    lost: tuple[tuple[str, str], ...]
    """Links that go back or sideways, since their tasks wait for each other, or for themselves."""


def grid(blocked_by: Mapping[str, Sequence[str]], height: int) -> Grid:
    """The layers of a graph, ordered and on rows, for boxes `height` rows high."""
    depth = {task: n for n, layer in enumerate(layers(blocked_by)) for task in layer}
    given = [
        (name, task)
        for task, names in blocked_by.items()
        for name in dict.fromkeys(names)
        if name in depth
    ]
    forward = [(a, b) for a, b in given if depth[a] < depth[b]]
    lost = tuple((a, b) for a, b in given if depth[a] >= depth[b])
    slots, links = _slots(blocked_by, depth, forward)
    ordered = _ordered(slots, links)
    rows = _rows(ordered, links, height)
    tall = max((row + _half(slot, height)[1] for slot, row in rows.items()), default=0)
    return Grid(tuple(map(tuple, ordered)), rows, tuple(links), tall, lost)


def _slots(
    tasks: Iterable[str], depth: Mapping[str, int], forward: Sequence[tuple[str, str]]
) -> tuple[list[list[Slot]], list[tuple[Slot, Slot]]]:
    """The slots of each layer, tasks in the order of the plan, and the links between them."""
    reach: dict[str, int] = {}
    for a, b in forward:
        reach[a] = max(reach.get(a, 0), depth[b])
    found: list[list[Slot]] = [[] for _ in range(max(depth.values(), default=-1) + 1)]
    links: list[tuple[Slot, Slot]] = []
    for task in tasks:
        found[depth[task]].append((depth[task], task, True))
    for task, far in reach.items():
        last: Slot = (depth[task], task, True)
        for layer in range(depth[task] + 1, far):
            slot: Slot = (layer, task, False)
            found[layer].append(slot)
            links.append((last, slot))
            last = slot
    for a, b in forward:
        near = depth[b] - 1
        links.append(((near, a, near == depth[a]), (depth[b], b, True)))
    return found, links


def _around(links: Sequence[tuple[Slot, Slot]]) -> tuple[dict[Slot, list[Slot]], ...]:
    """What each slot is linked to in the layer before, and in the one after."""
    before: dict[Slot, list[Slot]] = {}
    after: dict[Slot, list[Slot]] = {}
    for a, b in links:
        before.setdefault(b, []).append(a)
        after.setdefault(a, []).append(b)
    return before, after


def crossings(ordered: Sequence[Sequence[Slot]], links: Sequence[tuple[Slot, Slot]]) -> int:
    """How many pairs of links cross when the slots of each layer stand in this order."""
    place = {slot: n for layer in ordered for n, slot in enumerate(layer)}
    by_layer: dict[int, list[tuple[int, int]]] = {}
    for a, b in links:
        by_layer.setdefault(a[0], []).append((place[a], place[b]))
    count = 0
    for pairs in by_layer.values():
        seen: list[int] = []
        for _, end in sorted(pairs):
            count += len(seen) - bisect.bisect_right(seen, end)
            bisect.insort(seen, end)
    return count


def _ordered(slots: list[list[Slot]], links: Sequence[tuple[Slot, Slot]]) -> list[list[Slot]]:
    """The order with the fewest crossings that a few barycentre sweeps find."""
    before, after = _around(links)
    best = current = [list(layer) for layer in slots]
    fewest = crossings(best, links)
    for sweep in range(SWEEPS):
        if not fewest:
            break
        current = [list(layer) for layer in current]
        down = sweep % 2 == 0
        nearby = before if down else after
        for n in range(len(current)) if down else range(len(current) - 1, -1, -1):
            beside = n - 1 if down else n + 1
            if 0 <= beside < len(current):
                place = {slot: i for i, slot in enumerate(current[beside])}
                _sort(current[n], nearby, place)
        found = crossings(current, links)
        if found < fewest:
            best, fewest = current, found
    return best


def _sort(
    layer: list[Slot], nearby: Mapping[Slot, Sequence[Slot]], place: Mapping[Slot, int]
) -> None:
    """Put a layer in the order of its barycentres; slots without a link stay where they are."""
    centre = {}
    for n, slot in enumerate(layer):
        near = [place[other] for other in nearby.get(slot, ())]
        centre[slot] = sum(near) / len(near) if near else float(n)
    layer.sort(key=centre.__getitem__)


def _half(slot: Slot, height: int) -> tuple[int, int]:
    """The rows a slot takes above its middle, and from its middle on."""
    tall = height if slot[2] else 1
    return tall // 2, tall - tall // 2


def _rows(
    ordered: Sequence[Sequence[Slot]], links: Sequence[tuple[Slot, Slot]], height: int
) -> dict[Slot, int]:
    before, after = _around(links)
    rows: dict[Slot, float] = {}
    for layer in ordered:  # first from the left, each layer packed where nothing is known
        _settle(layer, before, rows, height)
    for backward in (True, False, True, False):
        nearby = after if backward else before
        for layer in reversed(ordered) if backward else ordered:
            _settle(layer, nearby, rows, height)
    top = min((row - _half(slot, height)[0] for slot, row in rows.items()), default=0.0)
    return {slot: round(row - top) for slot, row in rows.items()}


def _settle(
    layer: Sequence[Slot],
    nearby: Mapping[Slot, Sequence[Slot]],
    rows: dict[Slot, float],
    height: int,
) -> None:
    """Put one layer on rows: near the mean of what each slot is linked to, without overlap."""
    packed, room = [], 0
    for slot in layer:
        above, below = _half(slot, height)
        packed.append(room + above)
        room += above + below
    wishes = []
    for slot, offset in zip(layer, packed, strict=True):
        near = [rows[other] for other in nearby.get(slot, ()) if other in rows]
        if near:
            wish = sum(near) / len(near)
        else:
            wish = rows.get(slot, float(offset))
        wishes.append(wish - offset)
    for slot, offset, shift in zip(layer, packed, isotonic(wishes), strict=True):
        rows[slot] = float(offset + math.floor(shift + 0.5))  # round() would go by parity


def isotonic(values: Sequence[float]) -> list[float]:
    """The rising sequence nearest to `values` by squares (pool adjacent violators)."""
    pools: list[tuple[float, int]] = []
    for value in values:
        mean, count = value, 1
        while pools and pools[-1][0] > mean:
            other, many = pools.pop()
            mean = (mean * count + other * many) / (count + many)
            count += many
        pools.append((mean, count))
    return [mean for mean, count in pools for _ in range(count)]


def step(boxes: Mapping[str, Box], linked: Mapping[str, Sequence[str]], key: str, to: str) -> str:
    """The task one step `left`, `right`, `up` or `down` of another; the same where there is none.

    Left and right follow a link where there is one, else go to the nearest task of the next layer
    that has any; up and down stay in the layer. `linked` holds both ends of every link.
    """
    here = boxes[key]
    if to in {"up", "down"}:
        beside = [b for b in boxes.values() if b.layer == here.layer]
        ahead = [b for b in beside if (b.y > here.y if to == "down" else b.y < here.y)]
    else:
        ahead = [
            b
            for b in boxes.values()
            if (b.layer > here.layer) == (to == "right") and b.layer != here.layer
        ]
        ahead = [b for b in ahead if b.key in set(linked.get(key, ()))] or ahead
    if not ahead:
        return key
    found = min(
        ahead, key=lambda b: (abs(b.layer - here.layer), abs(b.middle - here.middle), b.y, b.key)
    )
    return found.key
