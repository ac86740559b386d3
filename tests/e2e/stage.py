"""One session on the real client: prepared, played, and kept for inspection.

Role: what the fixtures of `conftest` call. May import: standard library, tests.e2e.
"""

from __future__ import annotations

import shutil
import sqlite3
import tempfile
from collections.abc import Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass, field
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
class House:
    """What all sessions share: the worker's own place, and the memory they start from."""

    place: client.Place
    images: dict[bool, bytes] = field(default_factory=dict)

    @property
    def worker_env(self) -> dict[str, str]:
        """The environment in which the shared worker is found, and waited for on a busy machine."""
        names = ("XDG_RUNTIME_DIR", "XDG_DATA_HOME")
        own = {name: self.place.environment()[name] for name in names}
        return {**own, "HELIX_WORKER": "auto", "HELIX_WORKER_WAIT_MS": "2500"}


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


@contextmanager
def housed() -> Iterator[House]:
    """A warm worker for the whole test run; stopped, and its folder gone, afterwards."""
    with scratch() as root:
        house = House(new_place(root))
        memory.helix(house.place, "worker", "start")
        try:
            yield house
        finally:
            memory.helix(house.place, "worker", "stop")


@contextmanager
def staged(house: House, plan: str, *, background: bool, worker: bool) -> Iterator[Scene]:
    """A finished session of `plan`, with or without the house's worker."""
    with scratch() as root:
        place = new_place(root, **(house.worker_env if worker else {"HELIX_WORKER": "off"}))
        _furnish(house, place, worker=worker)
        yield _play(house, place, plan, background=background, worker=worker)


def new_place(root: Path, **env: str) -> client.Place:
    """An empty project below `root`, with a private socket folder."""
    project, runtime = root / "project", root / "run"
    project.mkdir()
    runtime.mkdir(mode=0o700)
    return client.Place(root, project, {**memory.product_env(runtime), **env})


def furnish_project(place: client.Place) -> None:
    """The files that builders read and run."""
    (place.project / "checks").mkdir()
    (place.project / "NOTES.txt").write_text(scenario.NOTES, encoding="utf-8")
    (place.project / "checks" / "task.sh").write_text(scenario.CHECK, encoding="utf-8")


def _furnish(house: House, place: client.Place, *, worker: bool) -> None:
    """Give the project its files and a memory of 30 insights; without a worker, no vectors."""
    furnish_project(place)
    database = memory.database(place)
    if worker in house.images:
        database.parent.mkdir()
        database.write_bytes(house.images[worker])
        return
    memory.store_all(place, INSIGHTS)
    copy = place.root / "image.db"
    with closing(sqlite3.connect(database)) as source, closing(sqlite3.connect(copy)) as target:
        source.backup(target)
    house.images[worker] = copy.read_bytes()


def _play(house: House, place: client.Place, plan: str, *, background: bool, worker: bool) -> Scene:
    """Run one session to its end, then let a worker do what had to wait for one."""
    folder = place.project / ".helix" / "injected"
    folder.mkdir(exist_ok=True)
    with FolderWitness(folder) as witness:
        run = client.run_session(place, COMMAND, plugin=PLUGIN, plan=plan, background=background)
    db = memory.database(place)
    memory.wait_until_zero(db, UNSETTLED)
    pending = memory.number(db, PENDING)
    events = memory.number(db, "SELECT count(*) FROM feedback_event")
    if not worker:
        memory.helix(place, "worker", "start", env=house.worker_env)
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
def scratch() -> Iterator[Path]:
    """A folder with a short name (a socket's path has under 100 bytes), gone afterwards."""
    root = Path(tempfile.mkdtemp(prefix="hx-"))
    try:
        yield root
    finally:
        shutil.rmtree(root, ignore_errors=True)
