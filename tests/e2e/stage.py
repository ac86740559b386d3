"""One session on the real client: prepared, played, and kept for inspection.

Role: what the fixtures of `conftest` call. May import: standard library, tests.e2e.
"""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from tests.e2e import client, memory, scenario
from tests.e2e.checks import Builder, builders
from tests.e2e.watch import FolderWitness
from tests.e2e.world import INSIGHTS

PLUGIN = client.REPOSITORY
COMMAND = f"/helix:helix {scenario.OBJECTIVE}"
UNSETTLED = "SELECT count(*) FROM agent_run WHERE state = 'running'"
PENDING = "SELECT count(*) FROM agent_run WHERE feedback = 'pending'"


@dataclass(frozen=True)
class Scene:
    """One finished session and everything that was seen while it ran."""

    background: bool
    worker: bool
    place: client.Place
    run: client.Run
    builders: tuple[Builder, ...]
    bound: frozenset[str]
    left_over: tuple[str, ...]
    pending_at_end: int
    events_at_end: int

    @property
    def db(self) -> Path:
        """The project's database."""
        return memory.database(self.place)


def prepare(root: Path, *, worker: bool) -> client.Place:
    """A project with a memory of 30 insights; the worker is up if there is to be one."""
    project, runtime = root / "project", root / "run"
    (project / "checks").mkdir(parents=True)
    runtime.mkdir(mode=0o700)
    (project / "NOTES.txt").write_text(scenario.NOTES, encoding="utf-8")
    (project / "checks" / "task.sh").write_text(scenario.CHECK, encoding="utf-8")
    place = client.Place(root, project, memory.product_env(runtime, worker=worker))
    if worker:
        memory.helix(place, "worker", "start")
    memory.store_all(place, INSIGHTS)
    return place


def play(place: client.Place, plan: str, *, background: bool, worker: bool) -> Scene:
    """Run one session to its end, then let a worker do what had to wait for one."""
    folder = place.project / ".helix" / "injected"
    folder.mkdir(exist_ok=True)
    with FolderWitness(folder) as witness:
        run = client.run_session(
            place, COMMAND, plugin=PLUGIN, plan=plan, background=background
        )
    db = memory.database(place)
    memory.wait_until_zero(db, UNSETTLED)
    pending = memory.number(db, PENDING)
    events = memory.number(db, "SELECT count(*) FROM feedback_event")
    if not worker:
        memory.helix(place, "worker", "start", HELIX_WORKER="auto")
    memory.wait_until_zero(db, PENDING)
    return Scene(
        background=background,
        worker=worker,
        place=place,
        run=run,
        builders=tuple(builders(run)),
        bound=frozenset(witness.json_files),
        left_over=tuple(sorted(path.name for path in folder.iterdir())),
        pending_at_end=pending,
        events_at_end=events,
    )


@contextmanager
def staged(plan: str, *, background: bool, worker: bool) -> Iterator[Scene]:
    """A finished session; its worker is stopped and its folders are gone afterwards."""
    root = Path(tempfile.mkdtemp(prefix="hx-"))  # short: a socket path has under 100 bytes
    place: client.Place | None = None
    try:
        place = prepare(root, worker=worker)
        yield play(place, plan, background=background, worker=worker)
    finally:
        if place is not None:
            memory.helix(place, "worker", "stop", HELIX_WORKER="auto")
        shutil.rmtree(root, ignore_errors=True)
