"""How the insight graph looks: lines, nodes and labels, row by row. Pure; no Textual."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from rich.cells import cell_len

from helix_tui import formats
from helix_tui.glyphs import Glyphs
from helix_tui.state import GraphView, LinkLine, NodeLine
from helix_tui.widgets.braille import Sheet, along
from helix_tui.widgets.canvas import runs
from helix_tui.widgets.graph_layout import DOTS, Spot
from helix_tui.widgets.table_layout import Cell

GOOD, POOR = 0.6, 0.4
"""An insight at or above the first is drawn as a good one, below the second as a poor one."""
LABEL = 24
"""Cells of a label at most."""
_HEADS = "→↘↓↙←↖↑↗"
_PLAIN_HEADS = ">>vv<<^^"
_OPENING = re.compile(r"^(when(ever)?|if|before|after)\s+", re.IGNORECASE)


@dataclass(frozen=True)
class Scene:
    """What is drawn: the graph, where its insights lie, and which one is selected."""

    view: GraphView
    where: Mapping[int, Spot]
    key: int | None
    width: int
    height: int

    @property
    def beside(self) -> frozenset[int]:
        """What the selected insight is linked to."""
        found = set()
        for link in self.view.links:
            if self.key in (link.source, link.target):
                found |= {link.source, link.target}
        return frozenset(found - {self.key})


def grade(node: NodeLine) -> tuple[str, str]:
    """How good an insight is, as a mark and a role."""
    if node.effectiveness >= GOOD:
        return "high", "good"
    return ("low", "bad") if node.effectiveness < POOR else ("middle", "warn")


def node_cell(node: NodeLine, cut: bool, glyphs: Glyphs) -> Cell:
    """An insight's own cell: round, or a diamond where it holds its component together."""
    name, role = grade(node)
    return glyphs.mark(f"cut_{name}" if cut else name), role


def label(node: NodeLine, width: int) -> str:
    """A few words of an insight, without the word they all begin with."""
    text = formats.literal(_OPENING.sub("", node.content or node.name))
    return formats.fit(text, min(width, cell_len(text))).rstrip()


def rows(scene: Scene, glyphs: Glyphs) -> list[list[Cell]]:
    """The whole picture, one list of pieces per line."""
    sheet = Sheet(scene.width, scene.height, plain=glyphs.ascii)
    shown = [n for n in scene.view.nodes if n.id in scene.where]
    over: dict[Spot, Cell] = {}
    for link in sorted(scene.view.links, key=lambda link: _rank(link, scene)):
        if link.source in scene.where and link.target in scene.where:
            _draw_link(sheet, link, scene, over, glyphs)
    for node in shown:
        sign, role = node_cell(node, node.id in scene.view.cut, glyphs)
        over[scene.where[node.id]] = sign, f"{role} strong"
    _labels(scene, shown, sheet, over)
    _select(scene, over, glyphs)
    return [
        list(runs(over.get((x, y)) or sheet.cell((x, y)) for x in range(scene.width)))
        for y in range(scene.height)
    ]


def _rank(link: LinkLine, scene: Scene) -> tuple[bool, bool]:
    return scene.key in (link.source, link.target), link.relation == "led_to"


def _draw_link(
    sheet: Sheet, link: LinkLine, scene: Scene, over: dict[Spot, Cell], glyphs: Glyphs
) -> None:
    start, end = scene.where[link.source], scene.where[link.target]
    directed = link.relation == "led_to"
    ours = scene.key in (link.source, link.target)
    role = "active" if ours else "" if directed else "muted"
    sheet.line(start, end, role, dotted=not directed)
    way = list(along(start, end))
    before = 3 if link.target == scene.key else 2  # the selected one has brackets
    if directed and len(way) > before:
        over[way[-before]] = head(start, end, glyphs), role


def head(start: Spot, end: Spot, glyphs: Glyphs) -> str:
    """The arrow that points from one cell to another, in eighths of a turn."""
    dx, dy = (end[0] - start[0]) * DOTS[0], (end[1] - start[1]) * DOTS[1]
    if 2 * abs(dy) < abs(dx):
        eighth = 0 if dx > 0 else 4
    elif 2 * abs(dx) < abs(dy):
        eighth = 2 if dy > 0 else 6
    else:
        eighth = (1 if dx > 0 else 3) if dy > 0 else (7 if dx > 0 else 5)
    return (_PLAIN_HEADS if glyphs.ascii else _HEADS)[eighth]


def _labels(scene: Scene, shown: Sequence[NodeLine], sheet: Sheet, over: dict[Spot, Cell]) -> None:
    """Labels where they hide nothing: the selected one's first, then those beside it, then as many
    of the best linked ones as can still be read. Only the selected one's may hide a line."""
    degree: dict[int, int] = {}
    for link in scene.view.links:
        for end in (link.source, link.target):
            degree[end] = degree.get(end, 0) + 1
    beside = scene.beside
    order = sorted(
        shown, key=lambda n: (n.id != scene.key, n.id not in beside, -degree.get(n.id, 0), n.id)
    )
    others = scene.height // 2
    for node in order:
        near = node.id == scene.key or node.id in beside
        role = "strong" if node.id == scene.key else "" if near else "muted"
        for most in (LABEL, LABEL * 2 // 3, LABEL // 3) if near else (LABEL * 2 // 3, LABEL // 3):
            text = label(node, most)
            left = _room_for(text, node.id, scene, sheet, over)
            if left is not None:
                row = scene.where[node.id][1]
                over.update({(x, row): (piece, role) for x, piece in _cells(text, left)})
                others -= not near
                break
        if not others:
            break


def _room_for(
    text: str, key: int, scene: Scene, sheet: Sheet, over: Mapping[Spot, Cell]
) -> int | None:
    """Where a label begins right or left of its insight; None where it would hide something."""
    wide, (x, y) = cell_len(text), scene.where[key]
    away = 3 if key == scene.key else 2
    for left in (x + away, x - away + 1 - wide):
        room = {(at, y) for at in range(left - 1, left + wide + 1)} - {(x, y)}
        inside = left >= 0 and left + wide <= scene.width
        if inside and room.isdisjoint(over) and (key == scene.key or all(map(sheet.free, room))):
            return left
    return None


def _cells(text: str, left: int) -> list[tuple[int, str]]:
    """The cells of a text; the second cell of a wide character is empty."""
    found: list[tuple[int, str]] = []
    x = left
    for char in text:
        wide = cell_len(char)
        if not wide and found:  # a combining character belongs to the one before it
            last = next(n for n in range(len(found) - 1, -1, -1) if found[n][1])
            found[last] = (found[last][0], found[last][1] + char)
        elif wide:
            found += [(x, char), *((x + n, "") for n in range(1, wide))]
            x += wide
    return found


def _select(scene: Scene, over: dict[Spot, Cell], glyphs: Glyphs) -> None:
    """Brackets round the selected insight, so that it is not told by colour alone."""
    if scene.key is None or scene.key not in scene.where:
        return
    x, y = scene.where[scene.key]
    sign, role = over[x, y]
    over[x, y] = sign, f"{role} cursor"
    for at, mark in ((x - 1, "["), (x + 1, "]")):
        if 0 <= at < scene.width:
            over[at, y] = mark, "active cursor"
