"""The insight graph on a canvas: a cursor that walks along links. The layout is made in a thread,
only for a graph that is looked at; what is known stays in its place.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import partial
from typing import ClassVar

from textual import events
from textual.binding import BindingType
from textual.message import Message

from helix_tui import bindings
from helix_tui.glyphs import Glyphs
from helix_tui.messages import Chosen, Selected
from helix_tui.state import GraphView
from helix_tui.widgets import graph_art
from helix_tui.widgets.canvas import Canvas
from helix_tui.widgets.graph_layout import DOTS, Pair, Point, Spot, place, spots, walk
from helix_tui.widgets.table_layout import Cell

Order = tuple[int | None, tuple[int, ...], tuple[Pair, ...]]
"""A layout that is wanted: whose neighbourhood, which insights, which links."""
REACH = 3
"""A click selects the nearest insight at most so many rows away."""


class LaidOut(Message):
    """A layout is there."""

    def __init__(self, order: Order, places: dict[int, Point]) -> None:
        self.order = order
        self.places = places
        super().__init__()


class GraphCanvas(Canvas):
    """Shows the graph it is given by `show`."""

    BINDINGS: ClassVar[list[BindingType]] = bindings.for_place("drawing")

    def __init__(self, glyphs: Glyphs) -> None:
        super().__init__(id="graph")
        self._glyphs = glyphs
        self._view = GraphView()
        self._order: Order | None = None
        self._places: dict[int, Point] = {}
        self._focus: int | None = None
        self._scene: graph_art.Scene | None = None
        self._rows: list[list[Cell]] = []
        self.where: dict[int, Spot] = {}
        """The cell of each insight."""
        self.key: int | None = None
        """The selected insight."""

    # -- what it is given ---------------------------------------------------------------------

    def show(self, view: GraphView) -> None:
        """Take a graph; its places come later where it has others than before."""
        self._view = view
        pairs = {(min(e.source, e.target), max(e.source, e.target)): e.weight for e in view.links}
        order = (
            view.focus,
            tuple(node.id for node in view.nodes),
            tuple((a, b, weight) for (a, b), weight in sorted(pairs.items())),
        )
        if order != self._order:
            known = self._places if self._order and self._order[0] == view.focus else {}
            self._ask(order, known)
        else:
            self._draw()

    def lay_out(self) -> None:
        """Make the layout anew, from nothing."""
        if self._order is not None:
            self._ask(self._order, {})

    def _ask(self, order: Order, known: Mapping[int, Point]) -> None:
        self._order = order
        self.run_worker(
            partial(self._make, order, dict(known)), thread=True, group="layout", exclusive=True
        )

    def _make(self, order: Order, known: dict[int, Point]) -> None:
        self.post_message(LaidOut(order, place(order[1], order[2], known)))

    def on_laid_out(self, message: LaidOut) -> None:
        """Put a layout on the screen, unless another one is on its way."""
        if message.order == self._order:
            self._places = message.places
            self._settle()

    def on_resize(self) -> None:
        """The same places on another canvas."""
        self._settle()

    def _settle(self) -> None:
        room = self.scrollable_content_region
        self.where = spots(self._places, room.width, room.height) if room.width else {}
        if self.key not in self.where:
            wish = self._view.focus if self._view.focus in self.where else self._first()
            self._go(wish)
        self._draw()

    def _first(self) -> int | None:
        """The best linked insight."""
        degree = dict.fromkeys(self.where, 0)
        for link in self._view.links:
            for end in (link.source, link.target):
                if end in degree:
                    degree[end] += 1
        return max(degree, key=lambda i: (degree[i], -i), default=None)

    def _draw(self) -> None:
        """Make the picture, if it is another one."""
        room = self.scrollable_content_region
        scene = graph_art.Scene(self._view, dict(self.where), self.key, room.width, room.height)
        if scene != self._scene:
            self._scene = scene
            self._rows = graph_art.rows(scene, self._glyphs)
            self.refresh()

    # -- the cursor ---------------------------------------------------------------------------

    @property
    def linked(self) -> dict[int, list[int]]:
        """What each insight is linked to."""
        found: dict[int, list[int]] = {}
        for link in self._view.links:
            found.setdefault(link.source, []).append(link.target)
            found.setdefault(link.target, []).append(link.source)
        return found

    def _go(self, key: int | None) -> None:
        if key != self.key:
            self.key = key
            self._draw()
            self.post_message(Selected("graph", key))

    def action_walk(self, to: str) -> None:
        """Along a link to the left, right, up or down, or to what is nearest there."""
        if self.key in self.where:
            self._go(walk(self.where, self.linked, self.key, to))

    def action_edge(self, side: int) -> None:
        """The best linked insight, or the last one of the drawing."""
        if self.where:
            last = max(self.where, key=lambda i: (self.where[i][1], self.where[i][0]))
            self._go(self._first() if side < 0 else last)

    def action_open(self) -> None:
        """All about the insight."""
        if self.key is not None:
            self.post_message(Chosen("graph", self.key))

    def next_part(self) -> None:
        """The best linked insight of the next component, the largest first."""
        left, linked = set(self.where), self.linked
        parts: list[set[int]] = []
        while left:
            part, edge = set(), [min(left)]
            while edge:
                part |= set(edge)
                edge = [o for i in edge for o in linked.get(i, ()) if o not in part and o in left]
            left -= part
            parts.append(part)
        parts.sort(key=lambda part: (-len(part), min(part)))
        if parts:
            here = next((n for n, part in enumerate(parts) if self.key in part), -1)
            part = parts[(here + 1) % len(parts)]
            self._go(max(part, key=lambda i: (len(linked.get(i, ())), -i)))

    def on_click(self, event: events.Click) -> None:
        """Select the nearest insight, open it by a second click."""
        x, y = event.x - self.gutter.left, event.y - self.gutter.top

        def far(i: int) -> float:
            return abs(self.where[i][0] - x) * DOTS[0] + abs(self.where[i][1] - y) * DOTS[1]

        near = min(self.where, key=far, default=None)
        if near is not None and far(near) <= REACH * DOTS[1]:
            self._go(near)
            if event.chain == 2:
                self.action_open()

    # -- drawing ------------------------------------------------------------------------------

    def line(self, y: int, left: int, right: int) -> tuple[int, Iterable[Cell]]:
        """One line of the picture, which is never wider than the pane."""
        return 0, self._rows[y] if y < len(self._rows) else ()
