"""One operation on a memory that dies at a chosen statement, or runs to its end and is watched.

Role: `python -m tests.faults.doomed` reads lines of standard input, each a JSON list OPERATION,
FOLDER, DEATH, where DEATH counts SQL statements from 1 and 0 stands for none. Each is carried out
by a process of its own, forked once everything is imported; what came of it is one line of JSON,
its exit code and what it told. Run to its end it tells a JSON document: how many statements there
were, and the states of the file that another process could have seen meanwhile, in their order.
"""

from __future__ import annotations

import hashlib
import json
import os
import signal
import sqlite3
import sys
import traceback
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

from helix_core import formulas
from helix_core.memory import curate, feedback, remember, upkeep
from helix_core.memory.context import Memory
from helix_core.store.connection import open_store, writing
from tests.core.memory import geometry

KEPT = "When the build breaks, read the first error because the rest follows from it"
OTHER = "When the tests hang, look for a lock because nothing else waits that long"
WORST = [f"When topic {word} comes up, do as before" for word in ("alpha", "beta", "gamma")]
NEW = "When a release is cut, tag it first because the notes are made from tags"
EDITED = "When the build breaks, read the last error because it names the cause"
DIRECTIONS = {KEPT: 0.0, OTHER: 45.0, NEW: 40.0, EDITED: 42.0, WORST[0]: 50.0}
DIRECTIONS |= {WORST[1]: 95.0, WORST[2]: 140.0}


def prepare(folder: Path) -> Memory:
    """A memory with five insights; three of them have served badly."""
    mem = geometry.open_memory(folder)
    geometry.directions(mem).update({text: geometry.at(d) for text, d in DIRECTIONS.items()})
    for text in (KEPT, OTHER, *WORST):
        assert remember.store(mem, text).status == "added"
    with writing(mem.conn):
        mem.conn.execute(
            "UPDATE insight SET effectiveness = 0.05, use_count = 5, causal_hits = 5"
            " WHERE content LIKE 'When topic%'"
        )
    return mem


def reopened(folder: Path) -> Memory:
    """The memory as a new process finds it."""
    mem = geometry.open_memory(folder)
    geometry.directions(mem).update({text: geometry.at(d) for text, d in DIRECTIONS.items()})
    return mem


def _name(mem: Memory, text: str) -> str:
    (row,) = mem.conn.execute("SELECT name FROM insight WHERE content = ?", (text,)).fetchall()
    return str(row[0])


def _feedback(mem: Memory) -> None:
    outcome = next(iter(formulas.OUTCOME_VALUES))
    feedback.by_hand(mem, [_name(mem, KEPT), _name(mem, OTHER)], outcome, {}, geometry.PROFILE)


OPERATIONS: dict[str, Callable[[Memory], object]] = {
    "store": lambda mem: remember.store(mem, NEW),
    "feedback": _feedback,
    "edit": lambda mem: curate.edit(mem, _name(mem, KEPT), EDITED),
    "prune": lambda mem: upkeep.prune(mem),
    "reindex": lambda mem: upkeep.reindex(mem),
}


def state(database: Path) -> str:
    """A fingerprint of everything committed in a database, its search tables apart."""
    digest = hashlib.sha256()
    with closing(sqlite3.connect(f"{database.as_uri()}?mode=ro", uri=True)) as conn:
        tables = conn.execute(
            "SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE '%_fts%'"
            " AND name NOT LIKE 'sqlite_%' ORDER BY name"
        ).fetchall()
        for (table,) in tables:
            digest.update(table.encode())
            for row in conn.execute(f'SELECT * FROM "{table}" ORDER BY rowid'):
                digest.update(repr(row).encode())
    return digest.hexdigest()


class Fate:
    """Counts the statements of every connection that is opened, and strikes at one of them."""

    def __init__(self, database: Path, death: int) -> None:
        self.statements = 0
        self.states: list[str] = []
        self._database, self._death = database, death

    def watch(self, conn: sqlite3.Connection) -> None:
        """Count what this connection does from now on."""
        conn.set_trace_callback(self._count)

    def look(self) -> None:
        """Keep the present state where it differs from the last one."""
        seen = state(self._database)
        if not self.states or self.states[-1] != seen:
            self.states.append(seen)

    def _count(self, statement: str) -> None:
        self.statements += 1
        if self.statements == self._death:
            os.kill(os.getpid(), signal.SIGKILL)
        if not self._death:
            self.look()


def carry_out(operation: str, folder: str, death: int) -> str:
    """Carry it out and tell of it, or die of it."""
    database = Path(folder) / ".helix" / "helix.db"
    fate = Fate(database, death)
    if operation == "migrate":
        connect = sqlite3.connect

        def connected(*args: object, **options: object) -> sqlite3.Connection:
            conn = connect(*args, **options)  # type: ignore[call-overload]
            if "uri" in options and "mode=rwc" in str(args[0]):
                fate.watch(conn)
            return conn  # type: ignore[no-any-return]

        sqlite3.connect = connected  # type: ignore[assignment]
        open_store(database).close()
    else:
        mem = reopened(Path(folder))
        fate.watch(mem.conn)
        OPERATIONS[operation](mem)
        mem.conn.close()
    fate.look()
    return json.dumps({"statements": fate.statements, "states": fate.states})


def in_a_child(operation: str, folder: str, death: int) -> dict[str, object]:
    """Carry it out in a child process; its exit code (negative: the signal), and what it told."""
    reader, writer = os.pipe()
    child = os.fork()
    if not child:
        code = 1
        try:
            os.close(reader)
            os.write(writer, carry_out(operation, folder, death).encode())
            code = 0
        except BaseException:  # noqa: BLE001 - told through the pipe, as its only end but a signal
            os.write(writer, traceback.format_exc().encode())
        finally:
            os._exit(code)
    os.close(writer)
    with os.fdopen(reader, encoding="utf-8") as stream:
        told = stream.read()
    _, status = os.waitpid(child, 0)
    return {"code": os.waitstatus_to_exitcode(status), "told": told}


def main() -> None:
    """One line of answer for each line of standard input."""
    for line in sys.stdin:
        print(json.dumps(in_a_child(*json.loads(line))), flush=True)


if __name__ == "__main__":
    main()
