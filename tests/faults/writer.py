"""One of eight processes that write a memory at once.

Role: `python -m tests.faults.writer KIND NUMBER ROUNDS FOLDER NAME`; starts at a line on standard
input. Every round is one operation through the same functions hooks and commands use.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path

from helix_core import clock, profiles
from helix_core.hooks import events
from helix_core.memory import curate, feedback, remember
from helix_core.memory.context import Memory
from helix_core.paths import Project
from helix_core.settings import Settings
from helix_core.store import curation
from helix_core.store.connection import open_store

Round = Callable[[Memory, int], object]


def letters(number: int) -> str:
    """A word of its own for each number; texts that differ in a numeral alone would be guarded."""
    return "".join(chr(97 + int(digit)) for digit in str(number * 7919 + 104729))


def rounds_of(kind: str, number: int, name: str) -> Round:
    """What one process of a kind does in a round."""

    def store(mem: Memory, n: int) -> object:
        word = letters(number * 10_000 + n)
        return remember.store(mem, f"When {word} breaks, restart {word[::-1]} first")

    def judge(mem: Memory, n: int) -> object:
        return feedback.by_hand(mem, [name], "partial", {}, profiles.ARCTIC)

    def edit(mem: Memory, n: int) -> object:
        word = letters(number * 10_000 + n)
        return curate.edit(mem, name, f"When {word} is edited, keep every revision of it")

    def trash(mem: Memory, n: int) -> object:
        if n % 2:
            return curation.restore(mem.conn, name, actor="cli", moment=mem.now)
        return curation.discard(mem.conn, [name], actor="cli", moment=mem.now, keep_days=90)

    def agent(mem: Memory, n: int) -> object:
        payload = {
            "session_id": f"s{number}",
            "agent_id": f"agent-{number}-{n}",
            "agent_type": "helix:helix-builder",
            "cwd": str(mem.project.root),
            "last_assistant_message": f"DELIVERED: round {n}",
        }
        events.handle(mem, "SubagentStart", {"payload": payload})
        return events.handle(mem, "SubagentStop", {"payload": payload})

    return {"store": store, "judge": judge, "edit": edit, "trash": trash, "agent": agent}[kind]


def main(kind: str, number: str, rounds: str, folder: str, name: str) -> None:
    """Do all rounds; any failure ends the process with a traceback."""
    home = Path(folder) / ".helix"
    project = Project(Path(folder), home, home / "helix.db", "test")
    conn = open_store(project.database, create=True, wait_ms=120_000)
    work = rounds_of(kind, int(number), name)
    sys.stdin.readline()
    for n in range(int(rounds)):
        work(Memory(conn, project, Settings(), clock.now(), actor="cli"), n)
    conn.close()


if __name__ == "__main__":
    main(*sys.argv[1:])
