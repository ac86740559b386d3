"""Opening the database, and the one way to write to it. Standard library only.

Reading commands never create a file. Writers take the write lock at once (`BEGIN IMMEDIATE`), so
that a transaction never fails half-way for having been upgraded from a stale read.
"""

from __future__ import annotations

import contextlib
import sqlite3
import time
from collections.abc import Iterator
from pathlib import Path

from helix_core import clock
from helix_core.errors import (
    StoreCorruptError,
    StoreError,
    StoreLockedError,
    StoreMissingError,
    StoreTooNewError,
)
from helix_core.store import migrations, schema

BACKUPS_KEPT = 5
DAMAGED = ("not a database", "disk image is malformed", "malformed database schema")
"""What SQLite says of a damaged file; "malformed JSON" in one cell is none."""


class Connection(sqlite3.Connection):
    """A connection that knows whether it may write, and whether it reads the file itself."""

    too_new: bool = False
    copied: bool = False
    """Reading an upgraded copy in memory of an older file: what others write is not seen."""


def open_store(
    database: Path, *, create: bool = False, readonly: bool = False, wait_ms: int = 1500
) -> Connection:
    """Open a project's database, upgrading it first where it is older (with a backup).

    In: its path; whether it may be created; whether it is only read, which changes no file: of an
    older one an upgraded copy in memory is read; how long to wait for a lock.
    Out: a connection in autocommit mode. Raises the StoreError that fits.
    """
    if not create and is_empty(database):
        raise StoreMissingError(f"there is no memory yet at {database}")
    if create:
        is_empty(database)  # an empty file is begun anew, unless its log says it has lost something
        _make_home(database)
    try:
        conn = _connect(database, readonly, wait_ms)
        known = migrations.recorded(conn)
        version = max(known, default=0)
        if version > schema.LATEST:
            conn.too_new = True
            conn.execute("PRAGMA query_only = ON")
        elif not known.issuperset(migrations.MIGRATIONS):
            if readonly:
                return _read_through(conn)
            _upgrade(conn, database, version, wait_ms)
        return conn
    except sqlite3.Error as error:
        raise as_store_error(error, database) from error


def still_fits(conn: sqlite3.Connection) -> bool:
    """Whether a connection kept open still knows rightly whether a newer helix owns the file."""
    try:
        newest = conn.execute("SELECT max(version) FROM schema_version").fetchone()[0]
    except sqlite3.Error:
        return False
    return bool(newest and newest > schema.LATEST) == bool(getattr(conn, "too_new", False))


def is_empty(database: Path) -> bool:
    """Whether there is no file, or one without a byte: then there is nothing to read.

    An empty file beside a log that is not empty has lost its pages: StoreCorruptError.
    """
    try:
        if database.stat().st_size:
            return False
        log = database.with_name(f"{database.name}-wal")
        lost = log.exists() and log.stat().st_size > 0 and not database.stat().st_size
    except OSError:
        return not database.exists()
    if lost:
        raise StoreCorruptError(f"the memory is damaged ({database}): empty, but its log is not")
    return True


def _make_home(database: Path) -> None:
    try:
        database.parent.mkdir(parents=True, exist_ok=True)
        ignore = database.parent / ".gitignore"
        if database.parent.name == ".helix" and not ignore.exists():
            ignore.write_text("*\n", encoding="utf-8")
    except OSError as error:
        raise StoreError(f"cannot create {database.parent}: {error.strerror}") from error


def _connect(database: Path, readonly: bool, wait_ms: int) -> Connection:
    target = f"{database.absolute().as_uri()}?mode={'ro' if readonly else 'rwc'}"
    return _opened(target, wait_ms)


def _opened(target: str, wait_ms: int = 0) -> Connection:
    conn = sqlite3.connect(
        target,
        uri=True,
        timeout=wait_ms / 1000,
        isolation_level=None,
        check_same_thread=False,
        factory=Connection,
    )
    # One cell with broken UTF-8 must cost that cell, not every SELECT over the table.
    conn.text_factory = lambda data: data.decode("utf-8", "replace")
    conn.execute("PRAGMA synchronous = NORMAL")
    return conn


def _read_through(conn: Connection) -> Connection:
    """A copy in memory of an older file as it would be after its upgrade; closes `conn`."""
    copy = _opened(":memory:")
    try:
        conn.execute("BEGIN")
        conn.execute("SELECT 1 FROM sqlite_master")  # a lock is met here, not waited for below
        conn.backup(copy)
        migrations.migrate(copy)
    except BaseException:
        copy.close()
        raise
    finally:
        conn.close()
    copy.execute("PRAGMA query_only = ON")
    copy.copied = True
    return copy


def _upgrade(conn: Connection, database: Path, version: int, wait_ms: int) -> None:
    if migrations.columns(conn, "insight"):
        backup(conn, database, f"before-schema-{schema.LATEST}-from-{version}")
    _enter_wal(conn, wait_ms)
    migrations.migrate(conn)


def _enter_wal(conn: sqlite3.Connection, wait_ms: int) -> None:
    """Switch to WAL. SQLite does not wait for this lock by itself when others do the same."""
    deadline = time.monotonic() + wait_ms / 1000
    while True:
        try:
            conn.execute("PRAGMA journal_mode = WAL")
            return
        except sqlite3.OperationalError:
            if time.monotonic() > deadline:
                raise
            time.sleep(0.01)


def backup(conn: sqlite3.Connection, database: Path, label: str) -> Path:
    """Copy the whole database beside itself into `backups/`; the oldest beyond five go."""
    folder = database.parent / "backups"
    folder.mkdir(parents=True, exist_ok=True)
    stamp = clock.now().strftime("%Y%m%dT%H%M%S%f")
    target = folder / f"{database.stem}-{stamp}-{label}.db"
    copy = sqlite3.connect(target)
    try:
        conn.backup(copy)
    finally:
        copy.close()
    for old in sorted(folder.glob(f"{database.stem}-*.db"))[:-BACKUPS_KEPT]:
        old.unlink(missing_ok=True)
    return target


@contextlib.contextmanager
def writing(conn: sqlite3.Connection) -> Iterator[sqlite3.Connection]:
    """One write transaction: all of it or nothing. Nested use joins the outer one."""
    if getattr(conn, "too_new", False):
        raise StoreTooNewError("this memory was written by a newer helix: reading only")
    if conn.in_transaction:
        yield conn
        return
    try:
        conn.execute("BEGIN IMMEDIATE")
    except sqlite3.Error as error:
        raise as_store_error(error, None) from error
    try:
        yield conn
    except BaseException:
        with contextlib.suppress(sqlite3.Error):
            conn.execute("ROLLBACK")
        raise
    try:
        conn.execute("COMMIT")
    except sqlite3.Error as error:
        with contextlib.suppress(sqlite3.Error):
            conn.execute("ROLLBACK")
        raise as_store_error(error, None) from error


def as_store_error(error: sqlite3.Error, database: Path | None) -> StoreError:
    """The StoreError that says in one line what a sqlite3 error means."""
    text = str(error)
    where = f" ({database})" if database else ""
    if "locked" in text or "busy" in text:
        return StoreLockedError(f"the memory is locked by another process{where}")
    if any(words in text for words in DAMAGED):
        return StoreCorruptError(f"the memory is damaged or not a database{where}: {text}")
    return StoreError(f"the memory cannot be used{where}: {text}")
