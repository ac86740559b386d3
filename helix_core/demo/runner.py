"""`helix demo`: the whole story in a scratch project, and what became of its insights.

The worker is the user's own, started where it is not there; the memory is the scratch project's
alone. May import the standard library and helix_core; the dashboard is started as a process.
"""

from __future__ import annotations

import contextlib
import os
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from helix_core import local, paths, settings
from helix_core.cli import output
from helix_core.demo import client, lessons, report, script, show
from helix_core.demo.play import Played, Scene, play_session
from helix_core.embed import client as worker
from helix_core.embed import lifecycle
from helix_core.errors import RefusedError, WorkerError
from helix_core.paths import Project
from helix_core.store.connection import open_store

MODEL_SECONDS = 120.0  # a first start may have to read the model from a cold disk
SETTLE_SECONDS = 10.0
PAUSE_SECONDS = 1.2  # between two steps, for a person who watches the dashboard
# Each of these would lead hooks, worker or dashboard away from the scratch project or its time.
LEADING_AWAY = ("HELIX_PROJECT_DIR", "HELIX_DB_PATH", "HELIX_NOW", "HELIX_HOOK_ACTIVE")


@dataclass(frozen=True)
class Place:
    """The scratch folder: the plugin that is shown, the project, the client's transcripts."""

    plugin: Path
    project: Project
    transcripts: Path


def main(*, tui: bool = False, as_json: bool = False) -> int:
    """Play the story and print the report; returns 1 where a hook failed or complained, else 0.

    `tui`: open the dashboard on the scratch project meanwhile, where there is a terminal.
    `as_json`: the report as one JSON document on standard output, all talk on standard error.
    """
    began = time.monotonic()
    for name in LEADING_AWAY:
        os.environ.pop(name, None)
    place = _scratch()
    output.say(f"helix: scratch project {place.project.root}")
    recall, vectors = _recall(place.project)
    output.say(f"helix: {recall}")
    _store_lessons(place.project, vectors)
    if _may_watch(tui, as_json):
        played = _play_watched(place)
    else:
        played = _play(place, threading.Event(), watched=False)
    if vectors:
        _settle(place.project)
    found = {
        "project": str(place.project.root),
        "transcripts": str(place.transcripts),
        "recall": recall,
        "vectors": vectors,
        **_read(place.project, played),
        "seconds": round(time.monotonic() - began, 1),
    }
    if as_json:
        output.emit_json(found)
    else:
        show.show(found)
    hooks = found["hooks"]
    return 1 if hooks["nonzero_exits"] or hooks["failed"] or hooks["errors"] else 0


def _scratch() -> Place:
    """A new project in a folder of its own, which is kept for looking around."""
    plugin = client.plugin_root()
    root = Path(tempfile.mkdtemp(prefix="helix-demo-")).resolve()
    shop = root / "shop"
    for session in script.SESSIONS:
        for task in session.tasks:
            for name in task.files:
                file = shop / name
                file.parent.mkdir(parents=True, exist_ok=True)
                file.write_text('"""A part of the shop."""\n', encoding="utf-8")
    (shop / paths.HELIX_DIR).mkdir()
    with contextlib.suppress(OSError):  # without git the project is known by its `.helix/`
        clean = {k: v for k, v in os.environ.items() if not k.startswith("GIT_")}
        subprocess.run(["git", "init", "--quiet"], cwd=shop, env=clean, check=False)
    project = paths.find_project(shop)
    if project.root != shop:
        raise RefusedError(f"{shop} belongs to the project {project.root}: set TMPDIR elsewhere")
    paths.ensure_home(project)
    return Place(plugin, project, root / "transcripts")


def _recall(project: Project) -> tuple[str, bool]:
    """Start the worker and wait for its model: how recall goes now, and whether by vectors."""
    by_keyword = "by keyword only, without vectors no outcome moves an insight"
    if not settings.load(project.home).worker_enabled:
        return f"{by_keyword} (the worker is switched off)", False
    if worker.status() is None:
        output.say("helix: starting the embedding worker ...")
    ready = lifecycle.ensure(MODEL_SECONDS)
    status = worker.status() or {}
    if ready and status.get("model_state") == "ready":
        return f"by vectors and keywords, embedding model {status['model']}", True
    why = status.get("model_error") or (
        "no embedding model" if ready else "the embedding worker does not start"
    )
    return f"{by_keyword} ({why})", False


def _store_lessons(project: Project, vectors: bool) -> None:
    for lesson in lessons.LESSONS:
        args = {
            "content": lesson.content,
            "tags": list(lesson.tags),
            "effectiveness": lesson.effectiveness,
        }
        if vectors:
            with contextlib.suppress(WorkerError):
                worker.request("store", {**args, "actor": "cli"}, project)
                continue
        local.run(project, "store", args)


def _may_watch(tui: bool, as_json: bool) -> bool:
    if not tui:
        return False
    if as_json or not (sys.stdin.isatty() and sys.stdout.isatty()):
        why = "--json was given" if as_json else "this is no terminal"
        output.say(f"helix: no dashboard, {why}")
        return False
    return True


def _play(place: Place, left: threading.Event, *, watched: bool) -> list[Played]:
    """Play every session. While a dashboard has the terminal, there are pauses and no talk.

    `left` is set as soon as the dashboard is closed: the rest is then played at full speed.
    """

    def say(text: str) -> None:
        if not watched or left.is_set():
            output.say(text)

    def rest() -> None:
        if watched:
            left.wait(PAUSE_SECONDS)

    stage = client.Stage(place.plugin, place.project.root, dict(os.environ))
    scene = Scene(stage, place.transcripts, rest, say)
    played = []
    for number, session in enumerate(script.SESSIONS, 1):
        say(f"helix: session {number}: {session.objective}")
        played.append(play_session(scene, session))
    return played


def _play_watched(place: Place) -> list[Played]:
    """Play in the background while the dashboard has the terminal."""
    left = threading.Event()
    with ThreadPoolExecutor(max_workers=1) as pool:
        playing = pool.submit(_play, place, left, watched=True)
        try:
            code = subprocess.run(
                ["/bin/sh", str(place.plugin / "bin" / "helix-tui")],
                cwd=place.project.root,
                check=False,
            ).returncode
        finally:
            left.set()
        if code:
            output.say(f"helix: the dashboard ended with exit code {code}")
        if not playing.done():
            output.say("helix: playing the rest of the story ...")
        return playing.result()


def _settle(project: Project) -> None:
    """Wait until the worker has given what credit it can give and kept its house after sessions."""
    deadline = time.monotonic() + SETTLE_SECONDS
    conn = open_store(project.database, readonly=True)
    try:
        while time.monotonic() < deadline:
            waiting = conn.execute(
                "SELECT (SELECT count(*) FROM agent_run WHERE feedback = 'pending')"
                " + (SELECT count(*) FROM session WHERE maintained_at IS NULL)"
            ).fetchone()[0]
            if not waiting:
                return
            time.sleep(0.1)
    finally:
        conn.close()


def _read(project: Project, played: Sequence[Played]) -> dict[str, Any]:
    conn = open_store(project.database, readonly=True)
    try:
        return report.build(conn, played)
    finally:
        conn.close()
