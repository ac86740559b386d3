"""Several processes write one memory at once: nothing is lost, every count is exact."""

from __future__ import annotations

import sqlite3
import subprocess
import sys
from contextlib import closing
from pathlib import Path

import pytest

from helix_core import formulas, local, paths

ROOT = Path(__file__).parents[2]
ROUNDS = 500
WRITER = """
import sys
from helix_core import clock, paths, profiles, settings
from helix_core.memory import feedback, remember
from helix_core.memory.context import Memory
from helix_core.store.connection import open_store

kind, number, rounds, folder = sys.argv[1], int(sys.argv[2]), int(sys.argv[3]), sys.argv[4]
project = paths.find_project(folder)
conn = open_store(project.database, create=True, wait_ms=60_000)
sys.stdin.readline()
for n in range(rounds):
    mem = Memory(conn, project, settings.Settings(), clock.now())
    if kind == "store":
        word = "".join(chr(97 + int(d)) for d in f"{number}{n * 7919 + 104729}")
        done = remember.store(mem, f"When {word} breaks, restart {word[::-1]} first")
        assert done.status == "added", done
    else:
        moved = feedback.by_hand(mem, [sys.argv[5]], sys.argv[6], {}, profiles.ARCTIC)
        assert len(moved) == 1
conn.close()
"""


def run_together(*arguments: list[str]) -> None:
    """Start one writer for each list of arguments, let them go at once, and wait for all."""
    running = [
        subprocess.Popen(
            [sys.executable, "-c", WRITER, *each],
            cwd=ROOT,
            stdin=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        for each in arguments
    ]
    for process in running:
        assert process.stdin is not None
        process.stdin.write("go\n")
        process.stdin.flush()
    for process in running:
        _, errors = process.communicate(timeout=240)
        assert process.returncode == 0, errors


@pytest.mark.long
@pytest.mark.parametrize("outcomes", [("partial", "partial"), ("delivered", "blocked")])
def test_two_that_store_and_two_that_judge(project: Path, outcomes: tuple[str, str]) -> None:
    """500 rounds each equal the same 2,000 steps in some sequence."""
    place = paths.find_project(project)
    name = local.run(place, "store", {"content": "When judged often, count each time"})["name"]
    run_together(
        *(["store", str(n), str(ROUNDS), str(project)] for n in (1, 2)),
        *(["judge", "0", str(ROUNDS), str(project), name, outcome] for outcome in outcomes),
    )
    with closing(sqlite3.connect(place.database)) as conn:
        assert conn.execute("PRAGMA integrity_check").fetchone() == ("ok",)
        assert conn.execute("SELECT count(*), count(DISTINCT name) FROM insight").fetchone() == (
            2 * ROUNDS + 1,
            2 * ROUNDS + 1,
        )
        found = conn.execute("SELECT count(*) FROM insight_fts WHERE insight_fts MATCH 'restart'")
        assert found.fetchone() == (2 * ROUNDS,)
        counts = conn.execute(
            "SELECT use_count, causal_hits, effectiveness FROM insight WHERE name = ?", (name,)
        ).fetchone()
        events = conn.execute("SELECT outcome, before, after FROM feedback_event ORDER BY id")
        history = events.fetchall()
    assert counts[:2] == (2 * ROUNDS, 2 * ROUNDS)
    assert len(history) == 2 * ROUNDS
    value = 0.5
    for outcome, before, after in history:  # each step began where the one before it ended
        assert before == value
        value = formulas.ema(before, 1.0, formulas.OUTCOME_VALUES[outcome])
        assert after == value
    assert counts[2] == value


def test_many_processes_make_one_database(project: Path) -> None:
    """Twelve that come to a project without a memory create and fill it together."""
    run_together(*(["store", str(n), "1", str(project)] for n in range(12)))
    with closing(sqlite3.connect(paths.find_project(project).database)) as conn:
        assert conn.execute("SELECT count(*) FROM insight").fetchone() == (12,)
        versions = conn.execute("SELECT version FROM schema_version ORDER BY version").fetchall()
    assert versions == sorted(set(versions))
