"""Where the insights of the graph lie: a force layout per component, packed; cells; walking. Pure.

The plane has its y axis downwards, like the screen. networkx (which needs numpy for this) is
imported when a layout is made, which is in a thread, long after the first paint.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence

Point = tuple[float, float]
Spot = tuple[int, int]
"""A cell: column and row."""
Pair = tuple[int, int, float]
"""A link without a direction, and its weight."""

SEED = 7
ROUNDS = 80
ASPECT = 2.4
"""Width over height of the whole, as a wide screen has it in braille dots."""
GAP = 1.2
APART = (18, 6)
"""Columns and rows for one unit of the plane at most: a small graph is not pulled apart."""
KEPT = 0.5
"""With fewer than this share of its insights known, a drawing is made anew."""
DOTS = (2, 4)
"""Braille dots of a cell, across and down: nearly square ones."""


def place(
    ids: Sequence[int], pairs: Sequence[Pair], known: Mapping[int, Point]
) -> dict[int, Point]:
    """A place for every insight; the same insights and links give the same places.

    In: what is to be placed, its links, and the places of an earlier layout. Those that are known
    stay exactly where they are, as long as they are the greater part; newcomers are put beside what
    they are linked to.
    """
    kept = {i: known[i] for i in ids if i in known}
    if len(kept) < KEPT * len(ids):
        kept = {}
    found: dict[int, Point] = dict(kept)
    fresh = []
    for part in _components(ids, pairs):
        inside = set(part)
        mine = [pair for pair in pairs if pair[0] in inside]
        fixed = {i: kept[i] for i in part if i in kept}
        if fixed and len(fixed) < len(part):
            found |= _grown(part, mine, fixed)
        elif not fixed:
            fresh.append(_sized(part, _shape(part, mine)))
    top = max((y for _, y in found.values()), default=-GAP) + GAP
    found |= _packed(fresh, top)
    return found


def _components(ids: Sequence[int], pairs: Sequence[Pair]) -> list[list[int]]:
    """The parts that hang together, the largest first, then by their lowest id."""
    leader = {i: i for i in ids}

    def top(i: int) -> int:
        while leader[i] != i:
            leader[i] = leader[leader[i]]
            i = leader[i]
        return i

    for a, b, _ in pairs:
        one, other = sorted((top(a), top(b)))
        leader[other] = one
    parts: dict[int, list[int]] = {}
    for i in sorted(ids):
        parts.setdefault(top(i), []).append(i)
    return sorted(parts.values(), key=lambda part: (-len(part), part[0]))


def _graph(part: Sequence[int], pairs: Sequence[Pair]) -> object:
    import networkx

    graph = networkx.Graph()
    graph.add_nodes_from(part)
    graph.add_weighted_edges_from(pairs)
    return graph


def _shape(part: Sequence[int], pairs: Sequence[Pair]) -> dict[int, Point]:
    """One component by itself, somewhere (Fruchterman and Reingold 1991)."""
    if len(part) <= 2:
        return {i: (float(n), 0.0) for n, i in enumerate(part)}
    try:
        import networkx

        found = networkx.spring_layout(_graph(part, pairs), seed=SEED, iterations=ROUNDS)
    except ImportError:  # without networkx or numpy there is a circle
        return {
            i: (math.cos(math.tau * n / len(part)), math.sin(math.tau * n / len(part)))
            for n, i in enumerate(part)
        }
    return {int(i): (float(x), float(y)) for i, (x, y) in found.items()}


def _grown(
    part: Sequence[int], pairs: Sequence[Pair], fixed: Mapping[int, Point]
) -> dict[int, Point]:
    """A component with newcomers: each one moves, what was there stays."""
    start: dict[int, Point] = dict(fixed)
    for _ in part:
        for a, b, _weight in [*pairs, *((b, a, w) for a, b, w in pairs)]:
            if a in start and b not in start:
                angle = b * 2.399963  # the golden angle: neighbours do not start on one spot
                start[b] = (start[a][0] + math.cos(angle) / 2, start[a][1] + math.sin(angle) / 2)
        if len(start) == len(part):
            break
    try:
        import networkx

        found = networkx.spring_layout(
            _graph(part, pairs), pos=start, fixed=list(fixed), k=0.6, seed=SEED, iterations=20
        )
    except ImportError:
        return start
    return {int(i): (float(x), float(y)) for i, (x, y) in found.items()} | dict(fixed)


def _sized(
    part: Sequence[int], places: Mapping[int, Point]
) -> tuple[float, float, dict[int, Point]]:
    """A component in a box as large as its number asks for, its corner at the origin."""
    side = math.sqrt(len(part)) - 1.0
    width, height = 1.5 * side, side if len(part) > 2 else 0.0
    return width, height, _scaled(places, width, height)


def _scaled(places: Mapping[int, Point], width: float, height: float) -> dict[int, Point]:
    xs, ys = [x for x, _ in places.values()], [y for _, y in places.values()]
    left, top = min(xs, default=0.0), min(ys, default=0.0)
    wide, high = max(xs, default=0.0) - left, max(ys, default=0.0) - top
    return {
        i: (
            (x - left) / wide * width if wide else width / 2,
            (y - top) / high * height if high else height / 2,
        )
        for i, (x, y) in places.items()
    }


def _packed(boxes: Iterable[tuple[float, float, dict[int, Point]]], top: float) -> dict[int, Point]:
    """Boxes in rows from left to right, below `top`, in about the shape of a screen."""
    boxes = list(boxes)
    area = sum((width + GAP) * (height + GAP) for width, height, _ in boxes)
    limit = max([math.sqrt(area * ASPECT), *(width for width, _, _ in boxes)])
    found: dict[int, Point] = {}
    x, y, tall = 0.0, top, 0.0
    for width, height, places in boxes:
        if x and x + width > limit:
            x, y, tall = 0.0, y + tall + GAP, 0.0
        found |= {i: (x + px, y + py) for i, (px, py) in places.items()}
        x, tall = x + width + GAP, max(tall, height)
    return found


def spots(places: Mapping[int, Point], width: int, height: int) -> dict[int, Spot]:
    """Each insight's cell on a canvas of `width` x `height` cells; no two share one while there is
    a free one."""
    margin_x, margin_y = min(2, max(0, width - 1) // 2), 0 if height < 6 else 1
    across = _stretch([x for x, _ in places.values()], width - 1 - 2 * margin_x, APART[0])
    down = _stretch([y for _, y in places.values()], height - 1 - 2 * margin_y, APART[1])
    left, top = (width - 1 - across) // 2, (height - 1 - down) // 2
    scaled = _scaled(places, float(across), float(down))
    found: dict[int, Spot] = {}
    taken: set[Spot] = set()
    for i in sorted(scaled):
        x, y = scaled[i]
        wish = (left + math.floor(x + 0.5), top + math.floor(y + 0.5))
        spot = _free(wish, taken, width, height)
        taken.add(spot)
        found[i] = spot
    return found


def _stretch(values: Sequence[float], room: int, apart: int) -> int:
    """The cells a side of the drawing takes: all there are, unless that pulls it apart."""
    span = max(values, default=0.0) - min(values, default=0.0)
    return max(0, min(room, math.ceil(span * apart)))


def _free(wish: Spot, taken: set[Spot], width: int, height: int) -> Spot:
    """The free cell nearest to the wish, two columns counting as much as one row."""
    if wish not in taken:
        return wish
    for far in range(1, width + height):
        ring = [
            (wish[0] + dx, wish[1] + dy)
            for dy in range(-far, far + 1)
            for dx in (range(-2 * far, 2 * far + 1) if abs(dy) == far else (-2 * far, 2 * far))
        ]
        ring += [(wish[0] + dx, wish[1]) for dx in (1 - 2 * far, 2 * far - 1)]
        for spot in sorted(ring, key=lambda s: (abs(s[0] - wish[0]) + 2 * abs(s[1] - wish[1]), s)):
            if 0 <= spot[0] < width and 0 <= spot[1] < height and spot not in taken:
                return spot
    return wish


def walk(where: Mapping[int, Spot], linked: Mapping[int, Iterable[int]], key: int, to: str) -> int:
    """The insight one step `left`, `right`, `up` or `down`: along a link that leads that way, else
    to the nearest insight there; the same one where there is none."""
    here = where[key]
    ahead = {}
    for other, spot in where.items():
        dx, dy = (spot[0] - here[0]) * DOTS[0], (spot[1] - here[1]) * DOTS[1]
        along, aside = {
            "left": (-dx, dy),
            "right": (dx, dy),
            "up": (-dy, dx),
            "down": (dy, dx),
        }[to]
        if along > 0 and abs(aside) <= 2 * along:
            ahead[other] = (along + 2 * abs(aside), other)
    straight = [other for other in linked.get(key, ()) if other in ahead]
    return min(straight or ahead, key=ahead.__getitem__, default=key)
