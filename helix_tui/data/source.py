"""Reading the memory: one long-lived read-only connection, and what it means when it fails.

Used by the feed's thread alone. May import helix_core's store and `state`.
"""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Callable
from pathlib import Path
from typing import TypeVar

from helix_core import folders
from helix_core.errors import (
    StoreCorruptError,
    StoreError,
    StoreLockedError,
    StoreMissingError,
)
from helix_core.paths import Project, looks
from helix_core.store import views
from helix_core.store.connection import Connection, as_store_error, open_store
from helix_tui.data.part import Desk
from helix_tui.state import Counts, Problem

WAIT_MS = 250
Version = tuple[int, ...]
T = TypeVar("T")


class Source:
    """The connection, and the identity of the file behind it."""

    def __init__(self, project: Project) -> None:
        self.project = project
        self._conn: Connection | None = None
        self._file: tuple[int, int] | None = None
        self._read_at: Version = ()

    def version(self) -> Version:
        """What changes whenever the rows may have; opens or reopens the database as needed.

        Raises the StoreError that fits. A file that was replaced is another database; one of an
        older helix is read as a copy, and again whenever somebody wrote to it.
        """
        try:
            stat = self.project.database.stat()
        except PermissionError as error:
            self.close()
            place = short_place(self.project.home)
            raise StoreError(f"nobody here may look into {place}") from error
        except OSError as error:
            self.close()
            raise StoreMissingError(f"there is no memory yet at {error.filename}") from error
        if self._file != (stat.st_dev, stat.st_ino):
            self.close()
        if self._conn is not None and self._conn.copied and self._read_at != self._written():
            self.close()
        if self._conn is None:
            written = self._written()
            self._conn = open_store(self.project.database, readonly=True, wait_ms=WAIT_MS)
            stat = self.project.database.stat()
            self._file = (stat.st_dev, stat.st_ino)
            self._read_at = written if self._conn.copied else ()
        try:
            data = views.data_version(self._conn)
            return (*self._file, *self._read_at, data) if self._file else ()
        except sqlite3.Error as error:
            raise self._failed(error) from error

    def _written(self) -> Version:
        """When the database and its log were written last, and their sizes.

        An empty log says nothing: reading makes one.
        """
        database = self.project.database
        found: list[int] = []
        for path in (database, database.with_name(f"{database.name}-wal")):
            try:
                stat = path.stat()
            except OSError:
                continue
            if stat.st_size:
                found += [stat.st_mtime_ns, stat.st_size]
        return tuple(found)

    @property
    def too_new(self) -> bool:
        """Whether a newer helix wrote what is being read."""
        return self._conn is not None and self._conn.too_new

    @property
    def read_only(self) -> bool:
        """Whether what is being read cannot be written by this user."""
        if self._conn is None or self._conn.frozen:
            return self._conn is not None
        places = (self.project.database, self.project.database.parent)
        return not all(os.access(place, os.W_OK) for place in places)

    def counts(self) -> Counts:
        """The memory in figures."""
        return self.read(lambda desk: views.counts(desk.conn))

    def read(self, reader: Callable[[Desk], T]) -> T:
        """Whatever a part reads, in one consistent read that ends with it."""
        conn = self._begin()
        try:
            return reader(Desk(conn, self.project))
        except sqlite3.Error as error:
            raise self._failed(error) from error
        finally:
            _end(conn)

    def _begin(self) -> Connection:
        if self._conn is None:
            raise StoreMissingError("the memory is not open")
        try:
            self._conn.execute("BEGIN")
        except sqlite3.Error as error:
            raise self._failed(error) from error
        return self._conn

    def _failed(self, error: sqlite3.Error) -> StoreError:
        found = as_store_error(error, self.project.database)
        if not isinstance(found, StoreLockedError):
            self.close()
        return found

    def close(self) -> None:
        """Let go of the file."""
        if self._conn is not None:
            self._conn.close()
        self._conn = self._file = None


def _end(conn: Connection) -> None:
    try:
        if conn.in_transaction:
            conn.execute("ROLLBACK")
    except sqlite3.Error:
        pass  # closed already: nothing is left open


def problem_of(error: Exception, project: Project) -> Problem:
    """What a person is told about a failure, and what they can do."""
    place = short_place(project.database)
    if not looks(project.root, Path.is_dir):
        return Problem(
            "gone",
            "The project folder is gone",
            f"{short_place(project.root)} is not there any more.",
            "When it comes back, this view comes back too. Press q to leave.",
        )
    if isinstance(error, StoreMissingError):
        return _misplaced(project) or Problem(
            "missing",
            "No memory here yet",
            f"There is no database at {place}.",
            "It appears with the first helix agent of a session in this project, or by"
            ' `helix store "When ..."`. This view attaches by itself.',
        )
    if isinstance(error, StoreLockedError):
        return Problem(
            "locked",
            "The memory is locked",
            f"Another process holds {place}.",
            "It is tried again by itself, ever more slowly; the last good picture stays.",
            blocking=False,
        )
    if isinstance(error, StoreCorruptError):
        return Problem(
            "corrupt",
            "The memory is damaged",
            f"{place} cannot be read: {_first_line(error).rpartition(': ')[2]}.",
            "Nothing is written to it from here. `helix restore-backup` brings back the newest copy"
            f" from {short_place(project.home / 'backups')}.",
        )
    return Problem(
        "unreadable",
        "The memory cannot be read",
        _first_line(error),
        f"Check who may read {place} and its -wal and -shm files. It is tried again by itself.",
    )


def _misplaced(project: Project) -> Problem | None:
    """What stands where the memory should be and cannot be one; None where nothing does."""
    home, database = folders.obstacle(project.home), folders.obstacle(project.database)
    if home:
        what = f"{short_place(project.home)} is {home}, not a folder."
    elif database and database != "a file":
        what = f"{short_place(project.database)} is {database}, no database."
    else:
        return None
    return Problem(
        "misplaced",
        "The memory cannot be where it should",
        what,
        "Move it away, or bring back what it leads to. This view attaches by itself.",
    )


def lesser(source: Source) -> Problem | None:
    """What keeps nobody from reading, for the line above the view; None where all is well."""
    place = short_place(source.project.database)
    if source.too_new:
        return Problem(
            "too new",
            "Written by a newer helix: reading only",
            f"{place} has a newer schema than this helix knows.",
            "Update the plugin to change anything.",
            blocking=False,
        )
    if source.read_only:
        return Problem(
            "read only",
            "The memory cannot be written: reading only",
            f"{place} or its folder may not be written by you.",
            "Nothing is learnt until it may: see `helix doctor`.",
            blocking=False,
        )
    return None


def _first_line(error: Exception) -> str:
    text = (str(error).splitlines() or [type(error).__name__])[0][:300]
    return text.replace(f"{Path.home()}/", "~/")


def short_place(path: Path) -> str:
    """A path with the home folder as `~`."""
    try:
        return f"~/{path.relative_to(Path.home())}"
    except (ValueError, RuntimeError):
        return str(path)
