"""Backups: whole copies of a database in `backups/` beside it. Standard library only.

One is made before every upgrade of the schema, before every change of many rows at once, and by
hand. A copy appears under its name only once it is whole. Of each kind the newest five are kept, so
that many small prunings never push out the copy of the time before an upgrade.
"""

from __future__ import annotations

import contextlib
import os
import sqlite3
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from helix_core import clock
from helix_core.errors import StoreError, StoreLockedError

FOLDER = "backups"
KEPT = 5
BY_HAND = "by-hand"
PAGES_AT_ONCE = 2000
PAUSE_SECONDS = 0.05


@dataclass(frozen=True)
class Backup:
    """One whole copy: its file, its size in bytes, and what it was made for."""

    file: Path
    size: int
    label: str


def make(database: Path, label: str, *, wait_seconds: float = 10.0) -> Path:
    """Copy the whole database, as last committed, into `backups/`; returns the copy's path.

    It is read by a connection of its own: the caller's may be inside a write transaction. Raises
    StoreError where it cannot be written (nothing half-written stays) or where the
    database stays locked for longer than `wait_seconds`.
    """
    folder = database.parent / FOLDER
    part = folder / f".{database.stem}-{os.getpid()}-{time.monotonic_ns()}.part"
    try:
        folder.mkdir(parents=True, exist_ok=True)
        source = f"{database.absolute().as_uri()}?mode=ro"
        with (
            contextlib.closing(sqlite3.connect(source, uri=True)) as conn,
            contextlib.closing(sqlite3.connect(part)) as copy,
        ):
            copy_into(conn, copy, wait_seconds)
            copy.execute("PRAGMA journal_mode = DELETE")  # one file, whole without a log
        target = _name(folder, database, label)
        part.rename(target)
    except (OSError, sqlite3.Error) as error:
        why = error.strerror if isinstance(error, OSError) else str(error)
        raise StoreError(f"no backup can be made in {folder}: {why}; nothing was changed") from None
    finally:
        for tail in ("", "-journal", "-wal", "-shm"):
            with contextlib.suppress(OSError):
                part.with_name(part.name + tail).unlink()
    _rotate(folder, database, label)
    return target


def copy_into(source: sqlite3.Connection, target: sqlite3.Connection, wait_seconds: float) -> None:
    """Make `target` a copy of `source`, whole or not at all; StoreLockedError where it must wait.

    SQLite waits for a lock without end here, hence the own limit on standing still.
    """
    target.execute("PRAGMA busy_timeout = 0")
    source.backup(
        target, pages=PAGES_AT_ONCE, progress=_patience(wait_seconds), sleep=PAUSE_SECONDS
    )


def _patience(seconds: float) -> Callable[[int, int, int], None]:
    last: list[float] = [-1.0, time.monotonic()]

    def look(status: int, remaining: int, total: int) -> None:
        if remaining != last[0]:
            last[:] = remaining, time.monotonic()
        elif time.monotonic() - last[1] > seconds:
            raise StoreLockedError("the memory is locked by another process; nothing was changed")

    return look


def _name(folder: Path, database: Path, label: str) -> Path:
    stamp = clock.now().strftime("%Y%m%dT%H%M%S%f")
    target, number = folder / f"{database.stem}-{stamp}-{label}.db", 1
    while target.exists():  # a frozen clock, or two in one microsecond
        target = folder / f"{database.stem}-{stamp}.{number}-{label}.db"
        number += 1
    return target


def listed(database: Path) -> list[Backup]:
    """The backups of a database, newest first."""
    found = []
    for file in (database.parent / FOLDER).glob(f"{database.stem}-*.db"):
        with contextlib.suppress(OSError):
            stamp, _, label = file.stem.removeprefix(f"{database.stem}-").partition("-")
            moment, _, number = stamp.partition(".")
            age = (moment, int(number) if number.isdigit() else 0)
            found.append((age, Backup(file, file.stat().st_size, label)))
    return [one for _, one in sorted(found, key=lambda pair: pair[0], reverse=True)]


def _kind(label: str) -> str:
    if label == BY_HAND:
        return label
    return "upgrade" if label.startswith("before-schema") else "bulk"


def _rotate(folder: Path, database: Path, label: str) -> None:
    same = [one for one in listed(database) if _kind(one.label) == _kind(label)]
    for old in same[KEPT:]:
        with contextlib.suppress(OSError):
            old.file.unlink()
