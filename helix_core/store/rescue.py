"""A damaged database: put aside whole, with a fresh one in its place. Standard library only.

Only the worker and the start of a session do this, and only they call it; every other reader or
writer reports the damage and touches nothing. The damaged file is moved, never written to.
"""

from __future__ import annotations

import contextlib
import json
import sqlite3
import time
from pathlib import Path

from helix_core import atomic, clock
from helix_core.errors import StoreCorruptError, StoreError
from helix_core.store import journal, schema
from helix_core.store.connection import is_empty, open_store, writing

NOTED = "set_aside"
LOCK_SECONDS = 2.0
SMALL = 16 * 1024 * 1024


def repair(database: Path) -> bool:
    """Make a database usable that SQLite called damaged; whether it is worth another try.

    A damaged file goes to `backups/`, and a fresh one begins that remembers it. Where the file is
    sound, the search index is made anew: everything in it can be derived. Nobody of this process
    may have the file open. Raises StoreError where the files cannot be moved.
    """
    folder = database.parent / "backups"
    deadline = time.monotonic() + LOCK_SECONDS
    try:
        while True:
            with atomic.exclusive(folder / ".lock") as mine:
                if mine:  # another process may have been quicker: look again
                    why = damage(database)
                    return _set_aside(database, folder, why) if why else _search_again(database)
            if time.monotonic() > deadline:
                return False
            time.sleep(0.05)
    except OSError as error:
        raise StoreError(f"the damaged memory cannot be put aside: {error.strerror}") from error


def _set_aside(database: Path, folder: Path, why: str) -> bool:
    stamp = clock.now().strftime("%Y%m%dT%H%M%S%f")
    target = folder / f"damaged-{stamp}-{database.name}"
    for tail in schema.TAILS:  # the log may hold what the file has lost
        with contextlib.suppress(FileNotFoundError):
            database.with_name(database.name + tail).rename(target.with_name(target.name + tail))
    conn = open_store(database, create=True)
    try:
        with writing(conn):
            note = {"file": target.name, "at": clock.iso(clock.now()), "reason": why}
            journal.set_meta(conn, NOTED, json.dumps(note))
    finally:
        conn.close()
    return True


def _search_again(database: Path) -> bool:
    try:
        conn = open_store(database)
        try:
            with writing(conn):
                for table in schema.FTS_TABLES:
                    conn.execute(f"INSERT INTO {table}({table}) VALUES ('rebuild')")
        finally:
            conn.close()
    except (StoreError, sqlite3.Error):
        return False
    return True


def damage(database: Path) -> str:
    """What is wrong with a database, in a line; empty where SQLite finds nothing."""
    try:
        if is_empty(database):
            return ""
        conn = sqlite3.connect(f"{database.absolute().as_uri()}?mode=ro", uri=True)
        try:
            return faults(conn)
        finally:
            conn.close()
    except StoreCorruptError as error:
        return str(error)
    except sqlite3.OperationalError:
        return ""


def faults(conn: sqlite3.Connection) -> str:
    """What SQLite's own check of an open database finds; empty for nothing.

    A search index that fails is no damage: it is derived. Reads every page once.
    """
    try:
        found = [str(row[0]) for row in conn.execute("PRAGMA quick_check(20)").fetchall()]
    except sqlite3.OperationalError:  # locked, or not ours to open: nothing to call damage
        return ""
    except sqlite3.DatabaseError as error:  # too broken even to be looked through
        return str(error)
    return next((" ".join(f.split()) for f in found if f != "ok" and "FTS5" not in f), "")


def check_small(conn: sqlite3.Connection, database: Path) -> None:
    """Look a database of up to 16 MiB through; StoreCorruptError where it is damaged.

    An index may answer for a long time what the table it belongs to has lost.
    """
    if database.exists() and database.stat().st_size <= SMALL:
        why = faults(conn)
        if why:
            raise StoreCorruptError(f"the memory is damaged ({database}): {why}")


def noted(conn: sqlite3.Connection) -> dict[str, str] | None:
    """What was put aside before this memory began: `file` in `backups/`, `at`, `reason`."""
    note = journal.get_meta(conn, NOTED)
    return dict(json.loads(note)) if note else None


def tell_once(conn: sqlite3.Connection) -> dict[str, str] | None:
    """`noted`, the first time it is asked for by somebody who tells a person; None from then on."""
    note = noted(conn)
    if note is None or note.get("told"):
        return None
    with writing(conn):
        journal.set_meta(conn, NOTED, json.dumps({**note, "told": clock.iso(clock.now())}))
    return note
