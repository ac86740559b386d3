"""Bringing a backup back in place of the present memory. Standard library only.

The present state is backed up first (a damaged one is put aside), the backup is checked and
upgraded in a copy, and only then does its content replace that of the live file, in one step that
other processes see as one commit: their connections stay good.
"""

from __future__ import annotations

import contextlib
import os
import sqlite3
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

from helix_core.errors import RefusedError, StoreCorruptError, StoreTooNewError
from helix_core.store import backups, migrations, rescue, revisions, schema
from helix_core.store.connection import as_store_error, is_empty, open_store, writing
from helix_core.text.wording import counted

GAP = 1000
"""Room in the order of vector changes for what is written while a backup comes back."""


@dataclass(frozen=True)
class Restored:
    """What was brought back, how many insights it holds, and where the state before it is kept."""

    source: Path
    insights: int
    before: Path | None


def find(database: Path, name: str) -> Path:
    """The backup of that name (in `backups/`) or path. Raises RefusedError where there is none."""
    for candidate in (database.parent / backups.FOLDER / name, Path(name).expanduser()):
        if candidate.is_file():
            return candidate.absolute()
    raise RefusedError(f"there is no backup {name!r}; helix backup --list shows them")


def restore(
    database: Path, source: Path, *, actor: str, moment: datetime, wait_seconds: float = 5.0
) -> Restored:
    """Make the memory what it was in a backup of any schema up to ours.

    Raises StoreCorruptError or StoreTooNewError for a file that cannot serve, StoreLockedError
    where the present memory stays locked, StoreError where there is no room: nothing is changed
    then. `undo` does not go back beyond it; the backup made before it is the way back.
    """
    if source == database.absolute():
        raise RefusedError("this is the memory itself, not a backup of it")
    folder = database.parent / backups.FOLDER
    folder.mkdir(parents=True, exist_ok=True)
    part = folder / f".restore-{os.getpid()}.part"
    try:
        with contextlib.closing(sqlite3.connect(part, isolation_level=None)) as copy:
            _prepare(source, copy, wait_seconds)
            before = _keep_present(database, copy)
            count = int(copy.execute("SELECT count(*) FROM insight").fetchone()[0])
            with writing(copy):
                revisions.record(
                    copy,
                    revisions.RESTORED,
                    actor,
                    [],
                    moment,
                    detail={"before": before.name if before else None},
                    reason=f"{source.name}, {counted(count, 'insight')}",
                )
            with contextlib.closing(open_store(database, create=True)) as live:
                backups.copy_into(copy, live, wait_seconds)
    except sqlite3.Error as error:
        raise as_store_error(error, source) from error
    finally:
        for tail in ("", "-journal", *schema.TAILS[1:]):
            with contextlib.suppress(OSError):
                part.with_name(part.name + tail).unlink()
    return Restored(source, count, before)


def _prepare(source: Path, copy: sqlite3.Connection, wait_seconds: float) -> None:
    """A checked copy of the backup, at the present schema."""
    log = source.with_name(f"{source.name}-wal")
    still = "" if log.exists() else "&immutable=1"  # reading leaves nothing beside it then
    target = f"{source.as_uri()}?mode=ro{still}"
    with contextlib.closing(sqlite3.connect(target, uri=True)) as old:
        why = rescue.faults(old)
        if why:
            raise StoreCorruptError(f"this backup is damaged ({source}): {why}")
        if not migrations.columns(old, "insight"):
            raise RefusedError(f"{source} is no backup of a memory: it has no insights")
        if max(migrations.recorded(old), default=0) > schema.LATEST:
            raise StoreTooNewError(f"this backup was written by a newer helix ({source})")
        backups.copy_into(old, copy, wait_seconds)
    migrations.migrate(copy)


def _keep_present(database: Path, copy: sqlite3.Connection) -> Path | None:
    """Back up what is there now, and tell the copy which vectors a running worker knows of."""
    try:
        if is_empty(database):
            return None
        with contextlib.closing(open_store(database)) as live:
            if live.too_new:
                raise StoreTooNewError(
                    "the present memory was written by a newer helix; move it away to restore"
                )
            before = backups.make(database, "before-restore")
            newest = live.execute("SELECT max(seq) FROM vector_change").fetchone()[0] or 0
            ids = [int(row[0]) for row in live.execute("SELECT id FROM insight")]
    except StoreCorruptError:
        if not rescue.repair(database):
            raise
        return max((database.parent / backups.FOLDER).glob("damaged-*.db"), default=None)
    _announce(copy, int(newest), ids)
    return before


def _announce(copy: sqlite3.Connection, newest: int, ids: list[int]) -> None:
    """Let every vector, there or gone, count as changed since all that the live file has seen."""
    with writing(copy):
        seen = copy.execute("SELECT max(seq) FROM vector_change").fetchone()[0] or 0
        copy.execute(
            "INSERT INTO vector_change(seq, insight_id) VALUES (?, 0)", (max(newest, seen) + GAP,)
        )
        known = {int(row[0]) for row in copy.execute("SELECT id FROM insight")}
        copy.executemany(
            "INSERT INTO vector_change(insight_id) VALUES (?)", [(i,) for i in known | set(ids)]
        )
