"""Make the README's pictures: the demonstration's data, each view once, on a clock that stands.

`python -m screenshots.make` plays `helix demo`, asks what the last session left open, and exports
each view as SVG through Textual's pilot. The demonstration is played with the real hooks and model,
so names, scores and order are as they come; only the time is set.
"""

from __future__ import annotations

import asyncio
import json
import os
import subprocess
import sys
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

from textual.pilot import Pilot

from helix_core import clock, local
from helix_core.paths import Project, find_project
from helix_core.store.connection import open_store
from helix_core.timestamps import parse_time
from helix_tui import views
from helix_tui.app import HelixApp
from helix_tui.glyphs import Glyphs

FOLDER = Path(__file__).resolve().parent
ROOT = FOLDER.parent
SIZE = (132, 40)
SECONDS = 60.0
KEYS = {"insights": ("j",), "learn": ("2",)}
"""What is pressed before a view's picture is taken."""


def play() -> Project:
    """The demonstration's project, after its three sessions."""
    done = subprocess.run(
        [sys.executable, "-m", "helix_core", "demo", "--json"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=True,
    )
    return find_project(json.loads(done.stdout)["project"], environ={})


def ask(project: Project) -> None:
    """What a session would ask after its blocked task, as the LEARN phase words it."""
    found: list[dict[str, Any]] = local.run(project, "learn-evidence", {"session": newest(project)})
    for one in found[:1]:
        quoted = one["reason"].splitlines()[0][:120] if one["reason"] else "it was not delivered"
        document = {
            "header": "Next time?",
            "question": f'Task {one["task_id"]} ended with "{quoted}". What should be done first?',
            "task": one["task_id"],
            "options": [
                {"label": "Nothing, it was bad luck", "description": "it will work when repeated"},
                {
                    "label": "Check this before building",
                    "insight": {
                        "content": "When a task needs something from outside, check that it is"
                        " there before building because the task ends blocked otherwise",
                        "tags": ["planning"],
                    },
                },
                {"label": "Ask me", "description": "I want to be asked each time"},
            ],
        }
        local.run(project, "learn-ask", {"document": document, "session": newest(project)})


def newest(project: Project) -> str:
    """The session that was seen last."""
    conn = open_store(project.database, readonly=True)
    row = conn.execute("SELECT session_id FROM agent_run ORDER BY id DESC LIMIT 1").fetchone()
    conn.close()
    return str(row[0])


def moment(project: Project) -> datetime:
    """A minute after the last agent: when the clock stands."""
    conn = open_store(project.database, readonly=True)
    row = conn.execute("SELECT max(coalesce(ended_at, started_at)) FROM agent_run").fetchone()
    conn.close()
    return (parse_time(str(row[0])) or clock.now()) + timedelta(minutes=1)


async def drawn(app: HelixApp, pilot: Pilot[None]) -> None:
    """Wait until the view in front has what it wants, and has drawn it."""
    for _ in range(int(SECONDS / 0.05)):
        await pilot.pause(0.05)
        snapshot, wanted = app.snapshot, app.view.wanted()
        there = snapshot is not None and any(
            (part.view, part.wanted) == (wanted.view, wanted.rows) for part in snapshot.parts
        )
        if there and all(worker.is_finished for worker in app.workers if worker.group != "files"):
            break
    await pilot.pause(1.0)  # the footer follows what is selected in its own time


async def take(project: Project) -> None:
    """Export every view."""
    app = HelixApp(project, Glyphs())
    async with app.run_test(size=SIZE) as pilot:
        for view in views.VIEWS:
            app.switch_mode(view.name)
            await drawn(app, pilot)
            for key in KEYS.get(view.name, ()):
                await pilot.press(key)
                await drawn(app, pilot)
            await drawn(app, pilot)
            target = FOLDER / f"{view.name}.svg"
            picture = app.export_screenshot(title=f"helix-tui: {view.title}")
            target.write_text(picture, encoding="utf-8")
            print(target.relative_to(ROOT))


def main() -> int:
    """Make them."""
    project = play()
    ask(project)
    os.environ["HELIX_NOW"] = moment(project).isoformat()
    asyncio.run(take(project))
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
