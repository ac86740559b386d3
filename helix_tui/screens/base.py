"""What every view has: the state line, a notice, its own panes, the problem in their place."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime
from typing import ClassVar

from textual.app import ComposeResult
from textual.containers import Container
from textual.screen import ModalScreen, Screen
from textual.timer import Timer
from textual.widgets import Static

from helix_core import clock
from helix_tui import bindings
from helix_tui.formats import literal
from helix_tui.glyphs import Glyphs
from helix_tui.messages import WantedChanged
from helix_tui.state import Snapshot, Wanted
from helix_tui.widgets.key_line import KeyLine
from helix_tui.widgets.pieces import Pieces
from helix_tui.widgets.problem_pane import ProblemPane
from helix_tui.widgets.run_layout import BROAD
from helix_tui.widgets.state_line import StateLine

EVERYWHERE = bindings.keys("app")
RESTS = 0.08
"""Seconds after which a cursor rests: longer than between two repeats of a key that is held."""
TOO_SMALL = "helix needs a little more room: 60 columns and 16 lines."


class ViewScreen(Screen[None]):
    """A top-level view. It draws the snapshot it was given last, and says which rows it wants."""

    VIEW: ClassVar[str] = ""
    TITLE = "helix"
    about: ClassVar[frozenset[str]] = frozenset()
    """The keys that are about what is selected."""
    _framed = False
    _drawn: tuple[int, str] | None = None
    _asking: Timer | None = None

    def __init__(self, glyphs: Glyphs, latest: Callable[[], tuple[Snapshot | None, bool]]) -> None:
        super().__init__()
        self.glyphs = glyphs
        self.latest = latest
        """The newest snapshot, and whether the picture is paused."""

    def compose(self) -> ComposeResult:
        """The frame around the view's own panes."""
        yield StateLine(self.VIEW, self.glyphs)
        yield Pieces("notice")
        with Container(id="view"):
            yield from self.compose_view()
        yield ProblemPane(id="problem")
        yield Static(TOO_SMALL, id="too-small")
        yield KeyLine()

    def compose_view(self) -> ComposeResult:
        """The view's own panes."""
        yield from ()

    def wanted(self) -> Wanted:
        """The rows this view shows."""
        return Wanted(view=self.VIEW)

    def draw(self, snapshot: Snapshot, now: datetime) -> None:
        """Show a snapshot that holds something for this view."""

    def tick(self, snapshot: Snapshot, now: datetime) -> None:
        """Show what depends on the time of a snapshot that was drawn already."""
        self.draw(snapshot, now)

    def moment(self, snapshot: Snapshot, now: datetime) -> str:
        """What of the time the view depends on; while it is the same, nothing is drawn again."""
        return now.strftime("%Y%m%d%H%M")

    def open_insight(self, insight_id: int) -> None:
        """Go to an insight, in the view that shows them."""

    def open_filter(self, text: str) -> None:
        """Show the insights a filter lets through, in the view that shows them."""

    def redraw(self) -> None:
        """Draw once more, whatever was drawn."""
        self._drawn = None
        self.show()

    def lacks(self, snapshot: Snapshot) -> bool:
        """Whether what is selected has not been read yet."""
        return False

    def is_early(self, key: str) -> bool:
        """Whether a key is about what is still being read: the first rows, or the selected one."""
        snapshot, _ = self.latest()
        if snapshot is not None and (snapshot.stale):
            return False
        if snapshot is None or not any(part.view == self.VIEW for part in snapshot.parts):
            return key not in EVERYWHERE
        return key in self.about and self.lacks(snapshot)

    def ask(self) -> None:
        """Say that other rows are wanted."""
        self.post_message(WantedChanged())

    def ask_soon(self) -> None:
        """The same once the cursor rests: what stands beside a row is not drawn in passing."""
        if self._asking is not None:
            self._asking.stop()
        self._asking = self.set_timer(RESTS, self.ask)

    def on_mount(self) -> None:
        """Show what there is already: after a subclass's own handler, which Textual calls first."""
        self._framed = True
        self.show()

    def on_resize(self) -> None:
        """On a broad screen a third pane joins the two that stand side by side on a wide one."""
        self.set_class(self.size.width >= BROAD, "-broad")

    def on_screen_resume(self) -> None:
        """This view is in front again."""
        self.ask()
        self.show()

    def show(self) -> None:
        """Draw the newest snapshot; also called every second, for what depends on the time."""
        line = next((pane for pane in self.children if isinstance(pane, StateLine)), None)
        if not self._framed or line is None:  # not built yet, or going already
            return
        snapshot, paused = self.latest()
        now = clock.now()
        line.show(snapshot, paused, now)
        if snapshot is None:
            return
        problem = snapshot.problem
        blocking = problem is not None and problem.blocking
        self.set_class(blocking, "-problem")
        if problem is not None and problem.blocking:
            self.query_one(ProblemPane).show(problem)
        notice = snapshot.note
        if problem is not None and not problem.blocking:
            notice = f"{problem.title}. {problem.what} {problem.todo}"
        above = self.query_one("#notice", Pieces)
        above.display = bool(notice) and not blocking
        above.show([(literal(notice), "")])
        drawn, before = (snapshot.number, self.moment(snapshot, now)), self._drawn
        if not blocking and drawn != before:
            self._drawn = drawn
            same = before is not None and before[0] == snapshot.number
            (self.tick if same else self.draw)(snapshot, now)


class LiveDialog(ModalScreen[None]):
    """A dialog over a view that goes on showing what changes."""

    def __init__(self, glyphs: Glyphs, latest: Callable[[], tuple[Snapshot | None, bool]]) -> None:
        super().__init__()
        self.glyphs = glyphs
        self.latest = latest

    def show(self) -> None:
        """Draw the newest snapshot."""
        snapshot, _ = self.latest()
        if snapshot is not None and self.is_mounted:
            self.draw(snapshot, clock.now())

    def draw(self, snapshot: Snapshot, now: datetime) -> None:
        """Show a snapshot."""
