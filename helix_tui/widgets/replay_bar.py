"""The line of a replay: which moment is shown, of how many, and a slider for the mouse.

It keeps the moment and the pace, and says when another moment is to be shown; empty is now.
"""

from __future__ import annotations

from rich.cells import cell_len
from textual import events
from textual.content import Content
from textual.timer import Timer
from textual.widget import Widget

from helix_tui import formats, replay
from helix_tui.glyphs import Glyphs
from helix_tui.messages import MomentChanged
from helix_tui.state import RunView
from helix_tui.widgets import pieces
from helix_tui.widgets.table_layout import Cell

PACE = 0.6
"""Seconds a moment is shown while it plays."""
HINT = "  , . step  p play  escape: back to now"
SLIDER_LEAST = 10


def slider(place: int, count: int, width: int, glyphs: Glyphs) -> str:
    """Where a moment lies among all, `width` cells wide."""
    if width < 3:
        return ""
    at = round(place / max(1, count - 1) * (width - 1))
    rail, knob = glyphs.mark("rail"), glyphs.mark("knob")
    return rail * at + knob + rail * (width - 1 - at)


def place_at(x: int, count: int, width: int) -> int:
    """The moment under cell `x` of a slider."""
    return max(0, min(count - 1, round(x / max(1, width - 1) * (count - 1))))


class ReplayBar(Widget):
    """Hidden unless a run is replayed."""

    def __init__(self, glyphs: Glyphs) -> None:
        super().__init__(id="replay")
        self._glyphs = glyphs
        self._steps: tuple[str, ...] = ()
        self._timer: Timer | None = None
        self._rail = (0, 0)
        self.moment = ""
        """The stored time that is shown; empty where nothing is replayed."""

    @property
    def playing(self) -> bool:
        """Whether it goes on by itself."""
        return self._timer is not None

    def on_mount(self) -> None:
        """Out of sight."""
        self.display = False

    def start(self, view: RunView) -> None:
        """Replay a run from its first moment on."""
        self._steps = replay.moments(view)
        if self._steps:
            self.display = True
            self._show(self._steps[0])

    def take(self, view: RunView) -> None:
        """The run has moments that were not there before."""
        steps = replay.moments(view)
        if steps != self._steps:
            self._steps = steps
            self.refresh()

    def leave(self) -> None:
        """Back to now."""
        self._stop()
        self.display = False
        self._steps = ()
        self._show("")

    def step(self, by: int) -> None:
        """Some moments on or back; a person's step ends the playing."""
        self._stop()
        self._by(by)

    def play(self) -> None:
        """Go on by itself, or stop; from the end it begins anew."""
        if self._stop() or not self._steps:
            self.refresh()
            return
        if self.moment >= self._steps[-1]:
            self._show(self._steps[0])
        self._timer = self.set_interval(PACE, self._tick)
        self.refresh()

    def _tick(self) -> None:
        self._by(1)
        if self.moment >= self._steps[-1]:
            self._stop()
            self.refresh()

    def _by(self, by: int) -> None:
        if self._steps:
            place = replay.place(self._steps, self.moment) + by
            self._show(self._steps[max(0, min(place, len(self._steps) - 1))])

    def _show(self, moment: str) -> None:
        if moment != self.moment:
            self.moment = moment
            self.refresh()
            self.post_message(MomentChanged(moment))

    def _stop(self) -> bool:
        if self._timer is None:
            return False
        self._timer.stop()
        self._timer = None
        return True

    def on_click(self, event: events.Click) -> None:
        """Go to the moment under the mouse."""
        start, width = self._rail
        if self._steps and start <= event.x < start + width:
            self._stop()
            self._show(self._steps[place_at(event.x - start, len(self._steps), width)])

    def render(self) -> Content:
        """The line."""
        count, place = len(self._steps), replay.place(self._steps, self.moment)
        word = "playing" if self.playing else "at"
        left: list[Cell] = [
            (" REPLAY ", "warn strong"),
            (f" {word} {formats.clock_time(self.moment)}", "strong"),
            (f"  {place + 1} of {count}  ", ""),
        ]
        used = sum(cell_len(text) for text, _ in left)
        room = self.size.width - used
        hint = HINT if room >= len(HINT) + SLIDER_LEAST else "  escape: now"
        width = max(0, room - len(hint) - 1)
        self._rail = (used, width)
        rail = slider(place, count, width, self._glyphs)
        return pieces.line([*left, (rail, "active"), (hint, "muted")])
