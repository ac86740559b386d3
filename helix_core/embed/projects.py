"""What the worker holds of each project: connections and the matrix. Needs numpy."""

from __future__ import annotations

import contextlib
import os
import sqlite3
import threading
import time
from collections.abc import Iterator
from pathlib import Path

from helix_core.embed.index import MatrixIndex
from helix_core.paths import Project
from helix_core.profiles import ModelProfile
from helix_core.store.connection import open_store, still_fits

IDLE_SECONDS = 600.0


class ProjectState:
    """The open connections and the vector matrix of one database."""

    def __init__(self, project: Project) -> None:
        self.project = project
        self.used = time.monotonic()
        self.checked = False
        """Whether the database in use was looked through for damage."""
        self._lock = threading.Lock()
        self._free: list[sqlite3.Connection] = []
        self._index: MatrixIndex | None = None
        self._file = self._identity()

    def _identity(self) -> tuple[int, int] | None:
        try:
            found = os.stat(self.project.database)  # noqa: PTH116 - inode and device, not a path
        except OSError:
            return None
        return found.st_dev, found.st_ino

    @contextlib.contextmanager
    def connection(self, create: bool, wait_ms: int) -> Iterator[sqlite3.Connection]:
        """A connection for one request; a replaced or vanished file is noticed."""
        self.used = time.monotonic()
        with self._lock:
            if self._identity() != self._file:
                self._drop()
                self._file = None
            conn = self._free.pop() if self._free else None
        if conn is not None and not still_fits(conn):
            conn.close()
            conn = None
        if conn is None:
            conn = open_store(self.project.database, create=create, wait_ms=wait_ms)
            self._file = self._file or self._identity()
        file = self._file
        conn.execute(f"PRAGMA busy_timeout = {int(wait_ms)}")
        try:
            yield conn
        except BaseException:  # whatever went wrong: the next request starts with a fresh one
            conn.close()
            raise
        if conn.in_transaction:
            conn.execute("ROLLBACK")
        with self._lock:
            if file == self._file == self._identity():
                self._free.append(conn)
                return
        conn.close()  # of a file that was replaced while the request ran

    def index(self, profile: ModelProfile) -> MatrixIndex:
        """The matrix for a model; a new one where the model changed."""
        with self._lock:
            if self._index is None or self._index.profile.name != profile.name:
                self._index = MatrixIndex(profile)
            return self._index

    def _drop(self) -> None:
        for conn in self._free:
            conn.close()
        self._free.clear()
        self._index = None
        self.checked = False

    def close(self) -> None:
        """Close what is open; the state can be used again afterwards."""
        with self._lock:
            self._drop()


class Projects:
    """The states of all projects the worker serves, dropped when idle."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._states: dict[Path, ProjectState] = {}

    def get(self, project: Project) -> ProjectState:
        """The state of a project, by the resolved path of its database."""
        key = Path(os.path.realpath(project.database))  # never fails, whatever links lead to
        with self._lock:
            if key not in self._states:
                self._states[key] = ProjectState(project)
            return self._states[key]

    def known(self) -> list[Project]:
        """The projects served at the moment."""
        with self._lock:
            return [state.project for state in self._states.values()]

    def drop_idle(self, seconds: float = IDLE_SECONDS) -> None:
        """Close what nobody asked for lately."""
        before = time.monotonic() - seconds
        with self._lock:
            idle = [key for key, state in self._states.items() if state.used < before]
            gone = [self._states.pop(key) for key in idle]
        for state in gone:
            state.close()

    def close(self) -> None:
        """Close everything."""
        self.drop_idle(-1.0)
