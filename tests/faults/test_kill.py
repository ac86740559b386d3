"""kill -9 in the middle of store, feedback, edit, prune, reindex and migration, at 100 points.

Afterwards the database opens, is whole, and holds all of the operation or nothing of it. An edit
and a reindex are more than one step by design: an edited text waits for its vector, and every
vector is a step of its own; the states in between are the only other ones allowed.
"""

from __future__ import annotations

import json
import os
import random
import shutil
import signal
import sqlite3
import subprocess
import sys
from collections.abc import Iterator
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path

import pytest

from helix_core.store.connection import open_store, writing
from tests.faults import doomed

ROOT = Path(__file__).parents[2]
DATABASES = ROOT / "tests" / "fixtures" / "databases"
# One thread, since a process with several is not forked.
SURROUNDINGS = {"HELIX_NOW": "2026-03-01T12:00:00+00:00", "OPENBLAS_NUM_THREADS": "1"}
POINTS = 14
STEPS = {"store": 1, "feedback": 1, "edit": 2, "prune": 1, "reindex": 5}
OLD = ("v5", "v9", "v12")
MIGRATION_POINTS = 10


@dataclass(frozen=True)
class Whole:
    """A folder as it is before an operation, and what the undisturbed operation does to it."""

    folder: Path
    statements: int
    states: tuple[str, ...]


class Doomed:
    """The process whose children carry operations out, each a process of its own."""

    def __init__(self, process: subprocess.Popen[str]) -> None:
        self._process = process

    def run(self, operation: str, folder: Path, death: int) -> tuple[int, str]:
        """The exit code of one operation (negative: the signal it died of), and what it told."""
        assert self._process.stdin is not None and self._process.stdout is not None
        self._process.stdin.write(json.dumps([operation, str(folder), death]) + "\n")
        self._process.stdin.flush()
        done = json.loads(self._process.stdout.readline())
        return done["code"], done["told"]


@pytest.fixture(scope="module")
def doom() -> Iterator[Doomed]:
    """What is slow about a process, its imports, is done once for all hundred of them."""
    with subprocess.Popen(
        [sys.executable, "-m", "tests.faults.doomed"],
        cwd=ROOT,
        env={**os.environ, **SURROUNDINGS},
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    ) as process:
        yield Doomed(process)
        assert process.stdin is not None
        process.stdin.close()


def undisturbed(doom: Doomed, operation: str, folder: Path, copy: Path) -> Whole:
    """Let the operation run to its end on a copy."""
    shutil.copytree(folder, copy)
    code, told = doom.run(operation, copy, 0)
    assert code == 0, told
    found = json.loads(told)
    return Whole(folder, found["statements"], tuple(found["states"]))


def deaths(operation: str, whole: Whole, count: int) -> list[int]:
    """Statements to die at: the first, the last, and others by chance, the same in every run."""
    chance = random.Random(f"{operation} {whole.statements}")
    inner = chance.sample(range(2, whole.statements), min(count - 2, whole.statements - 2))
    return [1, *sorted(inner), whole.statements]


def die(doom: Doomed, operation: str, whole: Whole, scratch: Path, death: int) -> Path:
    """Carry the operation out on a copy and die; the database that is left."""
    folder = scratch / f"{operation}-{death}"
    shutil.copytree(whole.folder, folder)
    code, told = doom.run(operation, folder, death)
    assert code == -signal.SIGKILL, (code, told)
    return folder / ".helix" / "helix.db"


def integrity(database: Path) -> str:
    with closing(sqlite3.connect(database)) as conn:
        conn.execute("INSERT INTO insight_fts(insight_fts, rank) VALUES ('integrity-check', 1)")
        return str(conn.execute("PRAGMA integrity_check").fetchone()[0])


@pytest.mark.long
@pytest.mark.parametrize("operation", sorted(STEPS))
def test_all_or_nothing_of_each_operation(doom: Doomed, operation: str, tmp_path: Path) -> None:
    folder = tmp_path / "before"
    folder.mkdir()
    mem = doomed.prepare(folder)
    if operation == "reindex":
        with writing(mem.conn):
            mem.conn.execute("UPDATE insight SET embedding = NULL, embedding_model = NULL")
            mem.conn.execute("DELETE FROM insight_edges")
    mem.conn.close()
    whole = undisturbed(doom, operation, folder, tmp_path / "whole")
    assert len(whole.states) == STEPS[operation] + 1
    seen = set()
    for death in deaths(operation, whole, POINTS):
        database = die(doom, operation, whole, tmp_path, death)
        left = doomed.state(database)
        assert left in whole.states, f"died at statement {death} of {whole.statements}"
        seen.add(left)
        assert integrity(database) == "ok"
    assert whole.states[0] in seen


@pytest.mark.long
@pytest.mark.parametrize("version", OLD)
def test_a_migration_that_died_is_finished_by_the_next(
    doom: Doomed, version: str, tmp_path: Path
) -> None:
    folder = tmp_path / "before"
    (folder / ".helix").mkdir(parents=True)
    shutil.copy(DATABASES / f"{version}.db", folder / ".helix" / "helix.db")
    whole = undisturbed(doom, "migrate", folder, tmp_path / "whole")
    assert whole.statements > MIGRATION_POINTS
    for death in deaths("migrate", whole, MIGRATION_POINTS):
        database = die(doom, "migrate", whole, tmp_path, death)
        assert set(_texts(database)) >= set(_texts(folder / ".helix" / "helix.db"))
        open_store(database).close()
        assert _texts(database) == _texts(tmp_path / "whole" / ".helix" / "helix.db")
        assert _shape(database) == _shape(tmp_path / "whole" / ".helix" / "helix.db")
        assert integrity(database) == "ok"


def _texts(database: Path) -> list[tuple[object, ...]]:
    with closing(sqlite3.connect(database)) as conn:
        return conn.execute("SELECT name, content, tags, effectiveness FROM insight").fetchall()


def _shape(database: Path) -> list[tuple[object, ...]]:
    with closing(sqlite3.connect(database)) as conn:
        tables = conn.execute("SELECT type, name, sql FROM sqlite_schema ORDER BY name").fetchall()
        return tables + conn.execute("SELECT version FROM schema_version ORDER BY 1").fetchall()
