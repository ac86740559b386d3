"""Checks of one project: which it is and why, its database, its files, the room that is left.

Standard library only. The database is opened for reading; the one lock that is tried is given back
at once.
"""

from __future__ import annotations

import os
import shutil
import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

from helix_core import clock, folders, paths
from helix_core.doctor.finding import Finding, Place, check
from helix_core.errors import StoreCorruptError, StoreError
from helix_core.hooks import spool
from helix_core.store import backups, migrations, rescue, schema
from helix_core.store.connection import as_store_error, is_empty

MIB = 1024 * 1024
WAL_WARN = 32 * MIB
DISK_FAIL, DISK_WARN = 20 * MIB, 200 * MIB
LOCK_SECONDS = 0.5
RESTORE = "run: helix restore-backup (it lists the backups), or start a session to begin anew"


@check("project")
def project(place: Place) -> Iterator[Finding]:
    """Which project this is, and by what rule it was found."""
    if place.project is None:
        yield Finding(
            "project", "warn", place.why_none, "go into a project, or name one: --project"
        )
        return
    by = place.project.reason
    yield Finding("project", "ok", f"{place.project.root} (found by: {by})")


@check("permissions")
def permissions(place: Place) -> Iterator[Finding]:
    """What must be writable by this user is."""
    wrong = [*_unwritable(place), *_open_to_others(place)]
    yield from wrong
    if not wrong:
        yield Finding("permissions", "ok", "all that helix writes can be written, by you alone")


def _open_to_others(place: Place) -> Iterator[Finding]:
    """What other users of this machine may read or change of what helix keeps."""
    data = paths.data_dir(place.environ)
    kept = [(data, list(folders.exposed(data, deep=False)))]
    if place.project is not None:
        kept.append((place.project.home, list(folders.exposed(place.project.home))))
    for folder, found in kept:
        if found:
            first, mode = found[0]
            more = f" and {len(found) - 1} more" if len(found) > 1 else ""
            yield Finding("permissions", "warn", f"open to other users: {first} ({mode:04o}){more}",
                          f"run: chmod -R go= '{folder}' (the next hook or command that writes"
                          " does it too)")  # fmt: skip


def _unwritable(place: Place) -> Iterator[Finding]:
    if place.project is not None:
        home, database = place.project.home, place.project.database
        for folder in dict.fromkeys((home, database.parent)):
            what = folders.obstacle(folder)
            if what:
                yield Finding("permissions", "fail", f"{folder} is {what}, not a folder",
                              "move it away")  # fmt: skip
                return
        for path in (home, database.parent, database, *_beside(database)):
            if path.exists() and not os.access(path, os.W_OK | (os.X_OK if path.is_dir() else 0)):
                yield Finding("permissions", "fail", f"{path} is read-only for this user",
                              f"run: chmod -R u+rwX '{home}' (as its owner)")  # fmt: skip
                return
    data = paths.data_dir(place.environ)
    if data.exists() and not os.access(data, os.W_OK | os.X_OK):
        yield Finding("permissions", "fail", f"{data} is read-only for this user",
                      f"run: chmod u+rwX '{data}'")  # fmt: skip
    folder = paths.socket_path(place.environ).parent
    if folder.exists() and folder.stat().st_uid != os.getuid():
        yield Finding("permissions", "fail", f"{folder} belongs to another user", "remove it")


def _beside(database: Path) -> list[Path]:
    return [database.with_name(database.name + tail) for tail in schema.TAILS[1:]]


@check("disk")
def disk(place: Place) -> Iterator[Finding]:
    """The room left where the project and the user's data lie."""
    need = _size(place.project.database) if place.project else 0
    seen: set[int] = set()
    folders = [place.project.root] if place.project else []
    for folder in (*folders, paths.data_dir(place.environ)):
        there = next(path for path in (folder, *folder.parents) if path.exists())
        device = there.stat().st_dev
        if device not in seen:
            seen.add(device)
            yield room(there, shutil.disk_usage(there).free, need if folder in folders else 0)


def room(folder: Path, free: int, need: int) -> Finding:
    """What so many free bytes mean, where a backup of `need` bytes may have to be made."""
    says = f"{free / MIB:,.0f} MiB free at {folder}"
    remedy = "free some space there (old backups lie in .helix/backups/)"
    if free < max(DISK_FAIL, need):
        return Finding("disk", "fail", f"{says}: nearly full", remedy)
    if free < max(DISK_WARN, 3 * need):
        return Finding("disk", "warn", says, remedy)
    return Finding("disk", "ok", says)


def _size(path: Path) -> int:
    try:
        return path.stat().st_size
    except OSError:
        return 0


@check("database")
def database(place: Place) -> Iterator[Finding]:
    """The file itself: there, sound, of a schema we know, free to be written."""
    if place.project is None:
        return
    file = place.project.database
    try:
        if is_empty(file):
            yield Finding("database", "ok", f"none yet at {file}; the first insight begins it")
            return
        why = rescue.damage(file)
    except StoreCorruptError as error:
        why = str(error)
    except StoreError as error:
        aside = folders.obstacle(file.parent) or (file.exists() and not file.is_file())
        remedy = "move it away" if aside else f"run: chmod -R u+rwX '{file.parent}'"
        yield Finding("database", "fail", str(error), remedy)
        return
    if why:
        yield Finding("database", "fail", f"damaged ({file}): {why}", RESTORE)
        return
    try:
        with closing(_read(file)) as conn:
            yield from _known(place, conn, file)
    except sqlite3.Error as error:
        yield Finding("database", "fail", str(as_store_error(error, file)),
                      f"run: chmod -R u+rwX '{file.parent}'")  # fmt: skip


def _read(file: Path) -> sqlite3.Connection:
    return sqlite3.connect(f"{file.absolute().as_uri()}?mode=ro", uri=True, timeout=LOCK_SECONDS)


def _known(place: Place, conn: sqlite3.Connection, file: Path) -> Iterator[Finding]:
    known = migrations.recorded(conn)
    newest = max(known, default=0)
    size = f"{_size(file) / MIB:.1f} MiB"
    if newest > schema.LATEST:
        yield Finding("database", "fail", f"schema {newest} is newer than ours ({schema.LATEST}):"
                      " it is only read, nothing is learned", "update helix")  # fmt: skip
    elif known.issuperset(migrations.MIGRATIONS):
        yield Finding("database", "ok", f"sound, {size}, schema {newest} ({file})")
    else:
        yield Finding("database", "ok", f"sound, {size}, schema {newest or 'unknown'}; upgraded to"
                      f" {schema.LATEST} at the next use, after a backup")  # fmt: skip
    yield _lock(file)
    yield _log(file)
    if newest <= schema.LATEST and known.issuperset(migrations.MIGRATIONS):
        yield vectors(conn, place.notes.get("model"))
        yield from calls(conn)


def _lock(file: Path) -> Finding:
    if not os.access(file, os.W_OK):
        return Finding("lock", "warn", "not tried: the file is read-only", "see permissions")
    target = f"{file.absolute().as_uri()}?mode=rw"
    with closing(
        sqlite3.connect(target, uri=True, timeout=LOCK_SECONDS, isolation_level=None)
    ) as conn:
        try:
            conn.execute("BEGIN IMMEDIATE")
            conn.execute("ROLLBACK")
        except sqlite3.OperationalError as error:
            who = _holders(file)
            return Finding("lock", "fail", f"another process holds the write lock{who}: {error}",
                           "wait for it, or end it; what hooks learn is spooled until then",
                           )  # fmt: skip
    return Finding("lock", "ok", "free to be written")


def _holders(file: Path) -> str:
    """The processes that have a file open, where the system tells (Linux)."""
    found = []
    for folder in Path("/proc").glob("[0-9]*/fd"):
        try:
            if any(link.readlink() == file for link in folder.iterdir()):
                found.append(folder.parent.name)
        except OSError:
            continue
    others = [pid for pid in found if pid != str(os.getpid())]
    return f" (open in process {', '.join(others)})" if others else ""


def _log(file: Path) -> Finding:
    size = _size(_beside(file)[0])
    if size > WAL_WARN:
        return Finding("log", "warn", f"{size / MIB:.0f} MiB of write-ahead log{_holders(file)}:"
                       " something keeps an old read open",
                       "close the dashboard and run: helix worker stop; the last one to leave"
                       " folds it in")  # fmt: skip
    return Finding("log", "ok", f"{size / MIB:.1f} MiB of write-ahead log")


def vectors(conn: sqlite3.Connection, model: str | None) -> Finding:
    """How many insights have a vector of the present model, and of another one."""
    counts = {
        None if name is None else str(name): int(count)
        for name, count in conn.execute(
            "SELECT CASE WHEN embedding IS NULL THEN NULL ELSE embedding_model END, count(*)"
            " FROM insight GROUP BY 1"
        )
    }
    total, without = sum(counts.values()), counts.pop(None, 0)
    present = model or max(counts, key=lambda name: counts[name], default=None)
    other = {name: count for name, count in counts.items() if name != present}
    if other:
        listed = ", ".join(f"{count} of {name}" for name, count in sorted(other.items()))
        return Finding("vectors", "warn", f"{sum(other.values())} of {total} are of another model"
                       f" ({listed}): found by keyword until then", "run: helix reindex",
                       )  # fmt: skip
    if without:
        return Finding("vectors", "warn", f"{without} of {total} insights have none yet: found by"
                       " keyword until then", "run: helix reindex")  # fmt: skip
    return Finding("vectors", "ok", f"{total} of {present}" if total else "no insight yet")


def calls(conn: sqlite3.Connection) -> Iterator[Finding]:
    """When each hook last went well, and which one failed since."""
    rows = conn.execute(
        "SELECT event, max(CASE WHEN ok THEN created_at END), max(created_at),"
        " (SELECT error FROM hook_call l WHERE l.event = h.event ORDER BY id DESC LIMIT 1)"
        " FROM hook_call h GROUP BY event ORDER BY event"
    ).fetchall()
    if not rows:
        yield Finding("last hooks", "ok", "no hook has run in this project yet")
    fine = []
    for event, good, _, error in rows:
        if error:
            yield Finding("last hooks", "warn", f"{event} failed the last time: {error}; last well"
                          f" {good or 'never'}", "see .helix/helix.log")  # fmt: skip
        else:
            fine.append(f"{event} {ago(good)}")
    if fine:
        yield Finding("last hooks", "ok", ", ".join(fine))


def ago(moment: str | None) -> str:
    """A stored time as the age it has now."""
    days = clock.days_since(moment, clock.now())
    if days is None:
        return "never"
    minutes = days * 1440
    if minutes < 120:
        return f"{minutes:.0f} min ago"
    return f"{minutes / 60:.0f} h ago" if days < 2 else f"{days:.0f} days ago"


@check("spool")
def waiting(place: Place) -> Iterator[Finding]:
    """Events that wait to be taken in, and those nobody could read; damage that was put aside."""
    if place.project is None:
        return
    home = place.project.home
    count = len(spool.waiting(home))
    bad = len(list((home / spool.FOLDER).glob("*.bad")))
    if count:
        yield Finding("spool", "warn", f"{count} events wait to be taken in",
                      "the next hook or the worker does it: helix worker start")  # fmt: skip
    if bad:
        yield Finding("spool", "warn", f"{bad} events could not be read and were set aside",
                      f"see .helix/helix.log; remove {home / spool.FOLDER}/*.bad")  # fmt: skip
    aside = sorted((place.project.database.parent / backups.FOLDER).glob("damaged-*.db"))
    if aside:
        yield Finding("spool", "warn", f"an earlier, damaged memory is kept: {aside[-1]}",
                      "restore a backup from before it, or remove it")  # fmt: skip
    if not (count or bad or aside):
        yield Finding("spool", "ok", "nothing waits")
