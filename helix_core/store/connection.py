"""Opening the database, and the one way to write to it. Standard library only.

Reading commands never create a file. Writers take the write lock at once (`BEGIN IMMEDIATE`), so
that a transaction never fails half-way for having been upgraded from a stale read.
"""

from __future__ import annotations

import contextlib
import os
import sqlite3
import stat
import time
from collections.abc import Iterator
from pathlib import Path

from helix_core import folders
from helix_core.errors import (
    StoreCorruptError,
    StoreError,
    StoreLockedError,
    StoreMissingError,
    StoreTooNewError,
)
from helix_core.store import backups, migrations, schema

HOME = ".helix"
DAMAGED = ("not a database", "disk image is malformed", "malformed database schema")
"""What SQLite says of a damaged file; "malformed JSON" in one cell is none."""
LOG_KEPT = 4 * 1024 * 1024
"""Bytes of write-ahead log that stay on disk once all of it is folded in."""
CAUSES = {
    "disk is full": "the memory cannot be written, the disk is full",
    "readonly database": "the memory is read-only, no permission to write it",
    "unable to open": "the memory cannot be opened, no permission for it or its folder",
    "disk I/O error": "the memory cannot be read or written, the disk is full or failing",
}
"""What SQLite says of the place a database lies in, and what that means."""


class Connection(sqlite3.Connection):
    """A connection that knows whether it may write, and whether it reads the file itself."""

    too_new: bool = False
    copied: bool = False
    """Reading an upgraded copy in memory of an older file, or one that cannot be written: what
    others write is not seen."""
    frozen: str = ""
    """Why this file, or its folder, cannot be written by us; empty where it can."""


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
        conn, known = _look(database, create, readonly, wait_ms)
        if create:
            _keep_private(database)
        version = max(known, default=0)
        if version > schema.LATEST:
            conn.too_new = True
            conn.execute("PRAGMA query_only = ON")
        elif not known.issuperset(migrations.MIGRATIONS):
            if readonly or conn.frozen:
                return _read_through(conn)
            _upgrade(conn, database, version, wait_ms)
        return conn
    except sqlite3.Error as error:
        raise as_store_error(error, database) from error


def _look(
    database: Path, create: bool, readonly: bool, wait_ms: int
) -> tuple[Connection, set[int]]:
    """A connection, and the schema versions on record.

    In a folder that cannot be written SQLite finds no place for its shared memory. Where no log is
    waiting either, the file stands still and can be read without.
    """
    try:
        return _opened(database, "ro" if readonly else "rwc", wait_ms)
    except sqlite3.OperationalError:
        if create or not _stands_still(database):
            raise
    conn, known = _opened(database, "ro&immutable=1", wait_ms)
    conn.frozen = f"the memory is read-only ({database}): no permission to write there"
    conn.copied = True
    return conn, known


def _opened(database: Path, mode: str, wait_ms: int) -> tuple[Connection, set[int]]:
    conn = _connect(f"{database.absolute().as_uri()}?mode={mode}", wait_ms)
    try:
        conn.execute(f"PRAGMA journal_size_limit = {LOG_KEPT}")
        return conn, migrations.recorded(conn)
    except sqlite3.Error:
        conn.close()
        raise


def _stands_still(database: Path) -> bool:
    """Whether nobody of this user can write the database, and no log holds what it lacks."""
    if os.access(database.parent, os.W_OK) or not os.access(database, os.R_OK):
        return False
    try:
        return not database.with_name(f"{database.name}-wal").stat().st_size
    except OSError:
        return True


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
        found = database.stat()
        if not stat.S_ISREG(found.st_mode):
            what = "a folder" if stat.S_ISDIR(found.st_mode) else "a pipe or device"
            raise StoreError(f"the memory cannot be opened: {database} is {what}, no database")
        if found.st_size:
            return False
        log = database.with_name(f"{database.name}-wal")
        lost = log.exists() and log.stat().st_size > 0 and not database.stat().st_size
    except PermissionError:
        raise StoreError(
            f"the memory cannot be opened, no permission for it or its folder ({database})"
        ) from None
    except OSError:
        what = folders.obstacle(database.parent)
        if what:
            raise StoreError(f"{database.parent} is {what}, not a folder: move it away") from None
        return not database.exists()
    if lost:
        raise StoreCorruptError(f"the memory is damaged ({database}): empty, but its log is not")
    return True


def _make_home(database: Path) -> None:
    try:
        database.parent.mkdir(parents=True, exist_ok=True)
        ignore = database.parent / ".gitignore"
        if database.parent.name == HOME and not ignore.exists():
            ignore.write_text("*\n", encoding="utf-8")
    except OSError as error:
        raise StoreError(f"cannot create {database.parent}: {error.strerror}") from error


def _keep_private(database: Path) -> None:
    """What lies in `.helix/` is nobody else's; of a database elsewhere only its own files are."""
    if database.parent.name == HOME:
        folders.tighten(database.parent)
        return
    for tail in schema.TAILS:
        folders.tighten_file(database.with_name(database.name + tail))
    folders.tighten(database.parent / backups.FOLDER)


def _connect(target: str, wait_ms: int = 0) -> Connection:
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
    try:
        conn.execute("PRAGMA synchronous = NORMAL")
    except sqlite3.Error:
        conn.close()
        raise
    return conn


def _read_through(conn: Connection) -> Connection:
    """A copy in memory of an older file as it would be after its upgrade; closes `conn`."""
    copy = _connect(":memory:")
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
    copy.copied, copy.frozen = True, conn.frozen
    return copy


def _upgrade(conn: Connection, database: Path, version: int, wait_ms: int) -> None:
    if migrations.columns(conn, "insight"):
        backups.make(database, f"before-schema-{schema.LATEST}-from-{version}")
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


@contextlib.contextmanager
def writing(conn: sqlite3.Connection) -> Iterator[sqlite3.Connection]:
    """One write transaction: all of it or nothing. Nested use joins the outer one."""
    if getattr(conn, "too_new", False):
        raise StoreTooNewError("this memory was written by a newer helix: reading only")
    if getattr(conn, "frozen", ""):
        raise StoreError(str(getattr(conn, "frozen", "")))
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


class _Rehearsed(Exception):  # noqa: N818 - no error
    """Ends the transaction of a dry run."""


@contextlib.contextmanager
def rehearsed(conn: sqlite3.Connection, dry_run: bool) -> Iterator[None]:
    """`writing`; a dry run does everything and takes it back, so that it tells what would be."""
    try:
        with writing(conn):
            yield
            if dry_run:
                raise _Rehearsed
    except _Rehearsed:
        pass


def as_store_error(error: sqlite3.Error, database: Path | None) -> StoreError:
    """The StoreError that says in one line what a sqlite3 error means."""
    text = str(error)
    where = f" ({database})" if database else ""
    if "locked" in text or "busy" in text:
        return StoreLockedError(f"the memory is locked by another process{where}")
    if any(words in text for words in DAMAGED):
        return StoreCorruptError(f"the memory is damaged or not a database{where}: {text}")
    for words, meaning in CAUSES.items():
        if words in text:
            return StoreError(f"{meaning}{where}: {text}")
    return StoreError(f"the memory cannot be used{where}: {text}")
