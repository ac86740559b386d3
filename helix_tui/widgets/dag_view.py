"""The task graph, drawn: boxes in layers, links between them, a cursor that walks along them.

The drawing is made in a thread when the plan is another one or the pane has another size; a state
that changes only draws its box again.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import partial
from typing import ClassVar

from textual import events
from textual.binding import BindingType
from textual.message import Message

from helix_core.dag.layers import layers
from helix_tui import bindings
from helix_tui.glyphs import Glyphs
from helix_tui.messages import Chosen, Selected
from helix_tui.state import TaskLine
from helix_tui.widgets import dag_art
from helix_tui.widgets.canvas import Canvas, runs
from helix_tui.widgets.dag_layout import step
from helix_tui.widgets.dag_wires import Drawing, draw
from helix_tui.widgets.table_layout import Cell

Links = tuple[tuple[str, tuple[str, ...]], ...]
"""The tasks of a plan with the tasks each waits for: all that a drawing depends on."""


@dataclass(frozen=True)
class Order:
    """A drawing that is wanted: of which plan, for how much room."""

    links: Links
    names: tuple[str, ...]
    width: int
    height: int


class DagDrawn(Message):
    """A drawing is there."""

    def __init__(self, order: Order, drawing: Drawing, ways: dict[int, dag_art.Row]) -> None:
        self.order = order
        self.drawing = drawing
        self.ways = ways
        super().__init__()


def make(order: Order) -> Drawing:
    """The drawing for an order: boxed if that fits the height, else one row per task, as in a plan
    in which no task waits for another."""
    blockers = dict(order.links)
    found = Drawing()
    deep = len(layers(blockers))
    for height in (dag_art.BOXED, 1) if deep > 1 else (1,):
        width = dag_art.box_size(deep, order.width, order.names, compact=height == 1)
        found = draw(blockers, width, height)
        if found.height <= order.height:
            break
    return found


class DagView(Canvas):
    """Shows the tasks it is given by `show`."""

    BINDINGS: ClassVar[list[BindingType]] = bindings.for_place("drawing")

    def __init__(self, glyphs: Glyphs) -> None:
        super().__init__(id="plan")
        self._glyphs = glyphs
        self._tasks: dict[str, TaskLine] = {}
        self._numbers: dict[str, int] = {}
        self._rows: dict[str, list[list[Cell]]] = {}
        self._order: Order | None = None
        self._ways: dict[int, dag_art.Row] = {}
        self._boxes: dict[int, list[tuple[int, int, str]]] = {}
        self._marked: frozenset[int] = frozenset()
        self._now: datetime | None = None
        self.drawing = Drawing()
        self.room = (0, 0)
        """Cells a drawing may take before it has to be scrolled."""
        self.key = ""
        """The selected task."""

    # -- what it is given ---------------------------------------------------------------------

    def show(self, tasks: Sequence[TaskLine], room: tuple[int, int], now: datetime) -> None:
        """Take the tasks of a plan, and how much room there is to draw them in."""
        self._now, self.room = now, room
        self._tasks = {task.key: task for task in tasks}
        self._numbers = {key: n for n, key in enumerate(self._tasks)}
        self._ask()
        self._dress()

    def _ask(self) -> None:
        """Have a drawing made, unless this plan has been drawn for this room already."""
        region = self.scrollable_content_region  # more than it was given, when it is zoomed
        room = max(self.room[0], region.width), max(self.room[1], region.height)
        links = tuple((task.key, task.blocked_by) for task in self._tasks.values())
        many = len(links) > dag_art.TASKS or sum(len(b) for _, b in links) > dag_art.LINKS
        names = tuple(dag_art.name_of(task) for task in self._tasks.values())
        order = Order(() if many else links, () if many else names, *room)
        if order != self._order:
            self._order = order
            self.run_worker(partial(self._make, order), thread=True, group="layout", exclusive=True)

    def _make(self, order: Order) -> None:
        drawing = make(order)
        self.post_message(DagDrawn(order, drawing, dag_art.ways(drawing)))

    def on_dag_drawn(self, message: DagDrawn) -> None:
        """Put a drawing on the screen, unless another one is on its way."""
        if message.order != self._order:
            message.stop()
            return
        self.drawing = drawing = message.drawing
        self._ways = message.ways
        self._boxes = {}
        for box in drawing.boxes.values():
            for n in range(box.height):
                self._boxes.setdefault(box.y + n, []).append((box.x, n, box.key))
        for row in self._boxes.values():
            row.sort()
        self.resize_drawing(drawing.width, drawing.height)
        if self.key not in drawing.boxes:
            self.key = next(iter(drawing.boxes), "")
        self._mark()
        self._dress(anew=True)
        self._bring()

    def on_resize(self) -> None:
        """More room, or less."""
        if self._tasks:
            self._ask()

    def _dress(self, *, anew: bool = False) -> None:
        """Write into the boxes what is known of their tasks; draws again what changed."""
        if self._now is None:
            return
        rows = {
            key: dag_art.box_rows(
                self._tasks[key],
                box.width,
                box.height,
                self._glyphs,
                self._now,
                here=key == self.key,
            )
            for key, box in self.drawing.boxes.items()
            if key in self._tasks
        }
        before, self._rows = self._rows, rows
        if anew:
            self.refresh()
            return
        for key, box in self.drawing.boxes.items():
            if rows.get(key) != before.get(key):
                self.refresh_lines(box.y, box.height)

    # -- the cursor ---------------------------------------------------------------------------

    def select(self, number: int | None) -> None:
        """Put the cursor on a task by its place in the plan, now or as soon as it is drawn."""
        key = next((key for key, n in self._numbers.items() if n == number), None)
        if key is not None and key != self.key:
            self.key = key
            self._mark()
            self._dress(anew=True)
            self._bring()

    def _go(self, key: str) -> None:
        if key and key != self.key:
            self.key = key
            self._mark()
            self._dress(anew=True)
            self._bring()
            self.post_message(Selected("plan", self._numbers.get(key)))

    def _mark(self) -> None:
        self._marked = frozenset(
            n for n, wire in enumerate(self.drawing.wires) if self.key in (wire.source, wire.target)
        )

    def _bring(self) -> None:
        box = self.drawing.boxes.get(self.key)
        if box is not None:
            self.bring(box.x, box.y, box.width, box.height)

    def action_walk(self, to: str) -> None:
        """Go to the next task left, right, up or down."""
        if self.key in self.drawing.boxes:
            self._go(step(self.drawing.boxes, self.drawing.linked, self.key, to))

    def action_edge(self, side: int) -> None:
        """The first or the last task of the plan."""
        keys = [key for key in self._numbers if key in self.drawing.boxes]
        if keys:
            self._go(keys[0 if side < 0 else -1])

    def action_open(self) -> None:
        """Go on to the agents of the task."""
        if self.key in self._numbers:
            self.post_message(Chosen("plan", self._numbers[self.key]))

    def on_click(self, event: events.Click) -> None:
        """Select a task, go to its agents by a second click."""
        x = event.x - self.gutter.left + self.scroll_offset.x
        y = event.y - self.gutter.top + self.scroll_offset.y
        for box in self.drawing.boxes.values():
            if box.x <= x < box.x + box.width and box.y <= y < box.y + box.height:
                self._go(box.key)
                if event.chain == 2:
                    self.action_open()

    # -- drawing ------------------------------------------------------------------------------

    def line(self, y: int, left: int, right: int) -> tuple[int, Iterable[Cell]]:
        """One line of the drawing: links, and boxes in front of them."""
        boxes = self.drawing.boxes
        shown = [
            (x, n, key)
            for x, n, key in self._boxes.get(y, [])
            if x < right and x + boxes[key].width > left
        ]
        start = min([left, *(x for x, _, _ in shown)])
        through, x = self._ways.get(y, {}), start
        pieces: list[Cell] = []
        for at, n, key in shown:
            pieces += self._between(through, x, at)
            rows = self._rows.get(key)
            pieces += rows[n] if rows else [(" " * boxes[key].width, "")]
            x = at + boxes[key].width
        return start, [*pieces, *self._between(through, x, min(right, self.drawing.width))]

    def _between(self, through: dag_art.Row, start: int, end: int) -> Iterable[Cell]:
        wires = self.drawing.wires
        cells = []
        for x in range(start, end):
            parts = through.get(x)
            if parts is None:
                cells.append((" ", ""))
            elif any(wires[n].cells[-1][0] == x for n, _ in parts):
                cells.append(dag_art.arrow(any(n in self._marked for n, _ in parts), self._glyphs))
            else:
                cells.append(dag_art.wire_cell(parts, self.drawing, self._marked, self._glyphs))
        yield from runs(cells)
