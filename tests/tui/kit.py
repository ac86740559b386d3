"""Starting the dashboard in a test, and waiting for what it has to show."""

from __future__ import annotations

import asyncio
import os
import time
from collections.abc import Callable

import pytest
from textual.pilot import Pilot

from helix_core.paths import Project
from helix_tui.app import HelixApp
from helix_tui.glyphs import Glyphs
from helix_tui.state import InsightsView, RunView, Snapshot

SECONDS = 60.0


def make_app(project: Project, view: str = "run", *, ascii_only: bool = False) -> HelixApp:
    return HelixApp(project, Glyphs(ascii=ascii_only), view=view)


async def until(pilot: Pilot[None], condition: Callable[[], object], what: str = "") -> None:
    """Wait until a condition holds, and the screen has been drawn after it."""
    deadline = time.monotonic() + SECONDS
    while not condition():
        assert time.monotonic() < deadline, f"never came: {what or condition}"
        await asyncio.sleep(0.02)
    await pilot.pause()


def nobody_may_write(monkeypatch: pytest.MonkeyPatch) -> None:
    """As on a disk that is mounted to be read; root may write everywhere else."""
    may = os.access
    monkeypatch.setattr(os, "access", lambda place, mode: mode != os.W_OK and may(place, mode))


def shown(app: HelixApp) -> Snapshot:
    assert app.snapshot is not None
    return app.snapshot


def shown_run(app: HelixApp) -> RunView:
    found = shown(app).of(RunView)
    assert found is not None
    return found


def shown_insights(app: HelixApp) -> InsightsView:
    found = shown(app).of(InsightsView)
    assert found is not None
    return found


async def ready(pilot: Pilot[None]) -> None:
    """Wait until the view in front has its rows (or its problem), and what they select."""
    app = pilot.app
    assert isinstance(app, HelixApp)

    def arrived() -> bool:
        snapshot = app.snapshot
        if snapshot is None:
            return False
        if snapshot.problem is not None and snapshot.problem.blocking:
            return True
        mode, wanted = app.current_mode, app.view.wanted()
        if any(w.group == "layout" and not w.is_finished for w in app.workers):
            return False  # a drawing is being made
        return any((a.view, a.wanted) == (mode, wanted.rows) for a in snapshot.parts)

    await until(pilot, arrived, "rows")
    await until(pilot, arrived, "the rows selected by them")


def text(app: HelixApp) -> str:
    """The screen as lines of text."""
    width, height = app.size
    strips = app.screen._compositor.render_strips()
    lines = ["".join(segment.text for segment in strip) for strip in strips]
    return "\n".join(line[:width].rstrip() for line in lines[:height])
