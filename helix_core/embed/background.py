"""What the worker does between requests: vectors, credit and maintenance that had to wait.

Small steps, and none while a request is being answered. Also ends the worker when it is idle or too
big, and binds running agents to their calls as the client's `meta.json` appears.
"""

from __future__ import annotations

import contextlib
import sqlite3
import threading
import time
from pathlib import Path
from typing import TYPE_CHECKING

from helix_core import clock, log, settings
from helix_core.embed import footprint
from helix_core.errors import HelixError, StoreCorruptError
from helix_core.memory import synthesis, upkeep
from helix_core.memory.context import Memory
from helix_core.paths import Project
from helix_core.store import rescue

if TYPE_CHECKING:
    from helix_core.embed.projects import ProjectState
    from helix_core.embed.worker import Worker

TICK = 0.2
QUIET = 0.5  # how long a project with nothing to do is left alone, in seconds


class Background(threading.Thread):
    """The worker's one background thread."""

    def __init__(self, worker: Worker) -> None:
        super().__init__(daemon=True, name="helix-background")
        self._worker = worker
        self._quiet: dict[Path, float] = {}
        self._memory = footprint.Ceiling(worker.settings.worker_memory_mb)

    def run(self) -> None:
        """Work in small steps until the worker stops."""
        worker = self._worker
        while not worker.stopping.wait(TICK):
            if time.monotonic() - worker.last_request > worker.settings.worker_idle_minutes * 60:
                worker.leave()
                return
            if worker.active:
                continue
            if worker.model_state != "loading" and self._memory.exceeded():
                worker.leave()
                return
            for project in worker.projects.known():
                try:
                    self._step(project)
                except StoreCorruptError as error:
                    self._repair(project, error)
                except Exception as error:  # noqa: BLE001 - one project must not end the thread
                    self._quiet[project.database] = time.monotonic() + 5.0
                    log.say(f"background: {error!r}")
            worker.projects.drop_idle()

    def _step(self, project: Project) -> None:
        """One small step for a project; a project with nothing to do is left alone for a while."""
        worker = self._worker
        if time.monotonic() < self._quiet.get(project.database, 0.0):
            return
        if not project.database.exists():
            return
        chosen = settings.load(project.home)
        state = worker.projects.get(project)
        used = state.used
        with worker.memory(project, chosen, clock.now(), "maintenance") as mem:
            self._look_through(mem, state)
            busy = self._work(mem)
        state.used = used  # our own look does not keep a project from becoming idle
        if not busy:
            self._quiet[project.database] = time.monotonic() + QUIET

    def _look_through(self, mem: Memory, state: ProjectState) -> None:
        """Have SQLite check a database once when it is first looked after, whatever its size."""
        if state.checked:
            return
        why = rescue.faults(mem.conn)
        if why:
            raise StoreCorruptError(f"the memory is damaged ({mem.project.database}): {why}")
        state.checked = True

    def _repair(self, project: Project, error: StoreCorruptError) -> None:
        """What is damaged is put aside here, since nobody else may while we have it open."""
        done = False
        with contextlib.suppress(HelixError, sqlite3.Error):
            done = self._worker.repair(project)
        log.write(project.home, "error", f"{error}; {'put aside' if done else 'left as it is'}")
        if not done:
            self._quiet[project.database] = time.monotonic() + 5.0

    def _work(self, mem: Memory) -> bool:
        from helix_core.hooks import binding, events

        busy = events.take_in_spooled(mem) > 0
        busy = binding.bind_from_meta(mem) > 0 or busy
        busy = upkeep.reindex(mem, batch=8) > 0 or busy
        busy = upkeep.settle_feedback(mem) > 0 or busy
        busy = bool(upkeep.maintain(mem)) or busy
        return synthesis.step(mem) or busy
