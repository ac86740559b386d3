"""Carrying out a request in this process: open the memory, run the operation, close it.

What a hook does when no worker answers, and what the command line does with writes that need no
vector. Standard library only.
"""

from __future__ import annotations

import sqlite3
from typing import Any

from helix_core import atomic, clock, dispatch, settings
from helix_core.embed import holder
from helix_core.errors import StoreCorruptError
from helix_core.memory.context import Memory
from helix_core.paths import Project
from helix_core.store.connection import as_store_error, open_store

SESSION_END_WAIT_MS = 300  # the client kills that hook after 1.4 s: what is locked is spooled


def run(project: Project, op: str, args: dict[str, Any], *, actor: str = "cli") -> Any:
    """One operation without model or vectors; raises the HelixError that fits.

    The start of a session puts a damaged database aside and goes on with a fresh one, unless a
    worker runs, which may have it open and does so itself; everybody else reports the damage.
    """
    try:
        return _run(project, op, args, actor)
    except StoreCorruptError:
        if op not in dispatch.REPAIRING:
            raise
        from helix_core.store import rescue

        lock = holder.lock_file()
        with atomic.exclusive(lock) as no_worker:
            if not no_worker or not rescue.repair(project.database):
                raise
        return _run(project, op, args, actor)


def _run(project: Project, op: str, args: dict[str, Any], actor: str) -> Any:
    chosen = settings.load(project.home)
    reading = op in dispatch.READING
    wait_ms = SESSION_END_WAIT_MS if op == "hook:SessionEnd" else chosen.lock_wait_ms
    conn = open_store(project.database, create=not reading, readonly=False, wait_ms=wait_ms)
    try:
        mem = Memory(conn=conn, project=project, settings=chosen, now=clock.now(), actor=actor)
        return dispatch.run(mem, op, args)
    except sqlite3.Error as error:
        raise as_store_error(error, project.database) from error
    finally:
        conn.close()
