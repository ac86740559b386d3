"""Eight processes, 200 operations each, on one memory: every count is exact afterwards."""

from __future__ import annotations

import itertools
import json
import sqlite3
import subprocess
import sys
from contextlib import closing
from pathlib import Path

import pytest

from helix_core import local, paths

ROOT = Path(__file__).parents[2]
ROUNDS = 200
KINDS = ("store", "store", "judge", "judge", "edit", "trash", "agent", "agent")


@pytest.mark.long
def test_eight_processes_lose_nothing(project: Path) -> None:
    place = paths.find_project(project)
    names = {
        kind: local.run(place, "store", {"content": f"When {kind} is named, this one is meant"})[
            "name"
        ]
        for kind in ("judge", "edit", "trash")
    }
    running = [
        subprocess.Popen(
            [sys.executable, "-m", "tests.faults.writer", kind, str(number), str(ROUNDS),
             str(project), names.get(kind, "")],
            cwd=ROOT, stdin=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
        )
        for number, kind in enumerate(KINDS)
    ]  # fmt: skip
    for process in running:
        assert process.stdin is not None
        process.stdin.write("go\n")
        process.stdin.flush()
    for process in running:
        _, errors = process.communicate(timeout=280)
        assert process.returncode == 0, errors
    with closing(sqlite3.connect(place.database)) as conn:
        one = conn.execute
        assert one("SELECT count(*) FROM insight").fetchone()[0] == 3 + 2 * ROUNDS
        assert one("SELECT count(*) FROM trash").fetchone()[0] == 0
        uses, version = one(
            "SELECT use_count, row_version FROM insight WHERE name = ?", (names["judge"],)
        ).fetchone()
        assert uses == 2 * ROUNDS
        assert version == 1 + 2 * ROUNDS
        moves = one("SELECT before, after FROM feedback_event ORDER BY id").fetchall()
        assert len(moves) == 2 * ROUNDS
        assert all(a[1] == b[0] for a, b in itertools.pairwise(moves))
        edited = one("SELECT id FROM insight WHERE name = ?", (names["edit"],)).fetchone()[0]
        revisions = "SELECT count(*) FROM revision WHERE insight_id = ?"
        assert one(revisions, (edited,)).fetchone()[0] == ROUNDS
        changes = dict(one("SELECT action, count(*) FROM curation_event GROUP BY 1").fetchall())
        assert changes == {
            "store": len(names),
            "feedback": 2 * ROUNDS,
            "edit": ROUNDS,
            "trash": ROUNDS // 2,
            "restore": ROUNDS // 2,
        }
        ends = "SELECT count(*) FROM agent_run WHERE state = 'delivered'"
        assert one(ends).fetchone()[0] == 2 * ROUNDS
        assert one("SELECT count(*) FROM session_log").fetchone()[0] == 2 * ROUNDS
        assert one("SELECT count(*) FROM hook_call WHERE ok").fetchone()[0] == 4 * ROUNDS
        assert one("PRAGMA integrity_check").fetchone()[0] == "ok"
    status = (project / ".helix" / "task-status.jsonl").read_text(encoding="utf-8")
    lines = [json.loads(line) for line in status.splitlines()]
    assert len({line["agent_id"] for line in lines}) == len(lines) == 2 * ROUNDS
