"""The pane with the plan of a run: drawn where there is room for it, else a list of its tasks."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime

from textual.app import ComposeResult
from textual.containers import Vertical

from helix_tui.glyphs import Glyphs
from helix_tui.state import TaskLine
from helix_tui.widgets import run_rows
from helix_tui.widgets.dag_view import DagDrawn, DagView
from helix_tui.widgets.live_table import LiveTable
from helix_tui.widgets.pieces import retitle
from helix_tui.widgets.run_layout import Room, shown_as


class PlanPane(Vertical):
    """As high as what it shows; hidden where there is no plan."""

    def __init__(self, glyphs: Glyphs) -> None:
        super().__init__(id="plan-pane")
        self._glyphs = glyphs
        self._tasks: Sequence[TaskLine] = ()
        self._room = Room(0, 0)
        self._chosen: bool | None = None

    def compose(self) -> ComposeResult:
        """Both ways to show it; one of them is in sight."""
        yield DagView(self._glyphs)
        yield LiveTable(run_rows.TASK_COLUMNS, id="tasks", glyphs=self._glyphs)

    @property
    def drawing(self) -> DagView:
        """The plan, drawn."""
        return self.query_one(DagView)

    @property
    def table(self) -> LiveTable:
        """The plan as a list."""
        return self.query_one("#tasks", LiveTable)

    @property
    def walked(self) -> bool:
        """Whether a person's cursor is in it."""
        return self.drawing.has_focus or self.table.has_focus

    def show(self, tasks: Sequence[TaskLine], room: Room, now: datetime) -> None:
        """Take the tasks of a run, and the room there is for them."""
        self._tasks, self._room = tasks, room
        self.display = bool(tasks)
        self.drawing.show(tasks, (room.width, room.height), now)
        self.table.show(run_rows.task_rows(tasks, self._glyphs, now))
        self._arrange()

    def _arrange(self) -> None:
        """Put the drawing or the list in sight, and give it the lines it needs."""
        drawing = self.drawing.drawing
        drawn = shown_as(self._room, drawing, self._chosen)
        shown, hidden = (self.drawing, self.table) if drawn else (self.table, self.drawing)
        shown.display = True
        if hidden.has_focus:
            self.screen.set_focus(shown)
        hidden.display = False
        below = drawing.width > self._room.width  # a scroll bar
        rows = drawing.height + below if drawn else len(self._tasks) + 1
        self.styles.height = "1fr" if self._room.broad else min(rows, self._room.height) + 1
        retitle(self, run_rows.plan_title(self._tasks, drawing.lost))

    def on_dag_drawn(self, message: DagDrawn) -> None:
        """There is a drawing now, so that it can be seen whether it fits."""
        message.stop()
        self._arrange()

    def turn(self) -> None:
        """From the drawing to the list, or back."""
        self._chosen = not self.drawing.display
        self._arrange()

    def select(self, number: int) -> None:
        """Put the cursor on a task by its place in the plan, except where a person moves it."""
        for shown in (self.drawing, self.table):
            if not shown.has_focus:
                shown.select(number)

    def restart(self) -> None:
        """Another run's plan comes."""
        self.table.restart()
