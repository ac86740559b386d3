"""A view whose run can be gone through again, step by step."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from helix_tui.glyphs import Glyphs
from helix_tui.messages import MomentChanged
from helix_tui.screens.base import ViewScreen
from helix_tui.state import RunView, RunWanted, Snapshot
from helix_tui.widgets.replay_bar import ReplayBar


class ReplayingScreen(ViewScreen):
    """Shows a run as it is, or as it was at the moment its `ReplayBar` stands at."""

    _wanted = RunWanted()
    _view = RunView()
    """What is on the screen: in a replay not what is known now."""
    _agent: int | None = None
    """The agent looked at in a replay; None is the newest one by then."""

    def __init__(self, glyphs: Glyphs, latest: Callable[[], tuple[Snapshot | None, bool]]) -> None:
        super().__init__(glyphs, latest)
        self._bar = ReplayBar(glyphs)

    def action_replay(self) -> None:
        """Go through the run from its beginning; it is read whole, once."""
        if self._view.run is not None:
            self._wanted = replace(self._wanted, run=self._view.run.key, whole=True)
            self._agent = None
            self.ask()
            self._bar.start(self._view)

    def on_moment_changed(self, message: MomentChanged) -> None:
        """Another moment, or back to now."""
        self._agent = None
        self.set_class(bool(message.moment), "-replay")
        if not message.moment:
            newest = bool(self._view.runs) and self._wanted.run == self._view.runs[0].key
            self._wanted = replace(
                self._wanted, run="" if newest else self._wanted.run, whole=False
            )
            self.ask()
        self.redraw()
        self.refresh_bindings()

    def action_moment(self, by: int) -> None:
        """Some moments on or back."""
        self._bar.step(by)

    def action_play(self) -> None:
        """Let it go on by itself, or stop it."""
        self._bar.play()

    def action_live(self) -> None:
        """Back to now."""
        self._bar.leave()
