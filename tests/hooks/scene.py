"""A scratch project's memory from outside: what is put in, and what the hooks left behind.

Role: set-up and evidence for the tests of the hooks. May import helix_core, standard library.
"""

from __future__ import annotations

import json
import os
import sqlite3
import time
from collections.abc import Callable, Iterable
from contextlib import closing
from pathlib import Path
from typing import Any

from helix_core import local, paths
from helix_core.embed import client
from tests import blank

PATIENCE_MS = 60_000.0
"""How long a busy machine's worker may take to give a sign of life."""


def database(project: Path) -> Path:
    """The database of a scratch project."""
    return project / ".helix" / "helix.db"


def store(project: Path, *contents: str, tags: Iterable[str] = ()) -> list[str]:
    """Store insights, with vectors where the test has a worker; each becomes a row of its own."""
    if not with_worker():
        return store_directly(project, *contents, tags=tags)
    place = paths.find_project(project)
    args = {"tags": list(tags)}
    return [
        _added(client.request("store", {"content": text, **args}, place, first_ms=PATIENCE_MS))
        for text in contents
    ]


def store_directly(project: Path, *contents: str, tags: Iterable[str] = ()) -> list[str]:
    """Store insights without vectors, whether or not there is a worker. Their names."""
    place = paths.find_project(project)
    blank.lay(place.database)
    args = {"tags": list(tags)}
    return [_added(local.run(place, "store", {"content": text, **args})) for text in contents]


def _added(done: dict[str, Any]) -> str:
    assert done["status"] == "added", done
    return str(done["name"])


def with_worker() -> bool:
    """Whether this test runs with the real worker."""
    return os.environ["HELIX_WORKER"] != "off"


def rows(project: Path, sql: str, *values: object) -> list[tuple[Any, ...]]:
    """All rows of one read-only query."""
    target = f"{database(project).as_uri()}?mode=ro"
    with closing(sqlite3.connect(target, uri=True, timeout=10)) as conn:
        return conn.execute(sql, values).fetchall()


def one(project: Path, sql: str, *values: object) -> Any:
    """The single value a query answers."""
    return rows(project, sql, *values)[0][0]


def change(project: Path, sql: str, *values: object) -> None:
    """Change the database behind helix's back."""
    with closing(sqlite3.connect(database(project), timeout=10)) as conn, conn:
        conn.execute(sql, values)


def effectiveness(project: Path, name: str) -> float:
    """The stored effectiveness of one insight."""
    return float(one(project, "SELECT effectiveness FROM insight WHERE name = ?", name))


def status(project: Path) -> list[dict[str, Any]]:
    """The lines of `task-status.jsonl`, each a whole JSON object."""
    file = project / ".helix" / "task-status.jsonl"
    if not file.exists():
        return []
    return [json.loads(line) for line in file.read_text(encoding="utf-8").splitlines()]


def outcomes(project: Path) -> list[tuple[str, str]]:
    """(agent, outcome) of every status line, in order."""
    return [(line["agent_id"], line["outcome"]) for line in status(project)]


def sideband(project: Path) -> dict[str, dict[str, Any]]:
    """The hand-over files of running agents, by agent id."""
    folder = project / ".helix" / "injected"
    return {file.stem: json.loads(file.read_text()) for file in sorted(folder.glob("*.json"))}


def log(project: Path) -> str:
    """The project's log; empty where there is none."""
    file = project / ".helix" / "helix.log"
    return file.read_text(encoding="utf-8") if file.exists() else ""


def spooled(project: Path) -> list[Path]:
    """The events that wait in the spool."""
    return sorted((project / ".helix" / "spool").glob("*.json"))


def write_lines(file: Path, *lines: str) -> Path:
    """A transcript of these lines."""
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
    return file


def write_meta(project: Path, agent_id: str, tool_use_id: str) -> None:
    """The particulars the client writes beside an agent's transcript."""
    file = project / f"agent-{agent_id}.meta.json"
    file.write_text(json.dumps({"agentType": "helix:helix-builder", "toolUseId": tool_use_id}))


def task(text: str, number: int = 1) -> str:
    """A builder's prompt for one task."""
    return f"TASK_ID: {number}\nTASK: {text}\nOBJECTIVE: {text}\nVERIFY: pytest"


def wait_for(condition: Callable[[], Any], seconds: float = 60.0) -> Any:
    """Wait until a condition holds; its value. AssertionError if it never does."""
    deadline = time.monotonic() + seconds
    while True:
        value = condition()
        if value:
            return value
        assert time.monotonic() < deadline, f"not within {seconds} s: {condition}"
        time.sleep(0.02)
