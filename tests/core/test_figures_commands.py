"""health, stats, explain, synthesize and calibrate as a person meets them: the command line."""

from __future__ import annotations

import json
import re
import time
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from helix_core import clock, paths
from helix_core.cli.main import main
from helix_core.memory.report import NUMBERS
from helix_core.store import journal, results, runs
from helix_core.store.connection import open_store, writing

REASONS = {
    "migration": (
        "Migration 42 is not applied in CI so table orders_2 is missing",
        "CI fails since table orders_18 does not exist: migration 58 was not applied",
        "table orders is missing in CI, migration 61 was not applied before the tests",
        "migration 77 is not applied in the CI database, so table orders_9 is missing",
    ),
    "oauth": (
        "OAuth provider unreachable in tests/auth/test_oauth.py after 30s",
        "tests/auth/test_oauth.py times out because the OAuth provider cannot be reached",
        "tests/auth/test_oauth.py cannot reach the OAuth provider within 30s",
        "the OAuth provider is not reachable from tests/auth/test_oauth.py",
    ),
    "kafka": (
        "Kafka consumer lag after deploy",
        "consumer lags behind on the orders topic after each deploy of the Kafka service",
        "Kafka consumers fall behind after deployment",
        "Kafka consumer lag grows after the deploy of the order service",
    ),
    "alone": ("the licence header of the vendored parser was removed by the formatter",),
    "twice": (
        "the screenshot of the settings page differs by one pixel on the build agent",
        "settings page screenshot is one pixel off on the build machine",
    ),
}
Run = Callable[..., Any]


@pytest.fixture
def run(project: Path, capsys: pytest.CaptureFixture[str]) -> Run:
    """Run a command in the project; its JSON, or its text and exit code with `text=True`."""

    def call(*words: str, text: bool = False) -> Any:
        code = main([*words, "--project", str(project), *([] if text else ["--json"])])
        out, err = capsys.readouterr()
        return (code, out, err) if text else json.loads(out)

    return call


def archive(project: Path) -> Path:
    """A memory whose archive holds the failures above, each in a session that is over."""
    database = paths.find_project(str(project)).database
    moment = clock.iso(clock.now())
    with closing(open_store(database, create=True)) as conn, writing(conn):
        for subject, reasons in REASONS.items():
            for number, reason in enumerate(reasons):
                name = f"{subject}-{number}"
                run_id = runs.create(
                    conn, name, "helix-builder", moment, agent_id=name, tool_use_id=name,
                    state="blocked", ended_at=moment,
                )  # fmt: skip
                results.archive(
                    conn, agent_id=name, agent_type="helix-builder", task_id="1",
                    outcome="blocked", summary=reason, reason=reason, mark=name,
                    session_id=name, agent_run_id=run_id, moment=moment,
                )  # fmt: skip
                journal.close_session(conn, name, moment)
    return database


@pytest.mark.usefixtures("worker")
def test_the_worker_makes_the_expected_patterns_after_the_sessions(project: Path, run: Run) -> None:
    database = archive(project)
    planned = run("synthesize", "--dry-run")  # from now on the worker looks after this project
    assert {len(p["members"]) for p in planned["patterns"]} <= {4}
    deadline = time.monotonic() + 60
    with closing(open_store(database)) as conn:
        while journal.get_meta(conn, "last_synthesis") is None:
            assert time.monotonic() < deadline, "the worker did not get there"
            time.sleep(0.05)
        rows = conn.execute("SELECT action, members, name FROM synthesis ORDER BY id").fetchall()
        assert [(action, json.loads(members)) for action, members, _ in rows] == [
            ("created", [1, 2, 3, 4]),
            ("created", [5, 6, 7, 8]),
            ("created", [9, 10, 11, 12]),
        ]  # fmt: skip
    for _ in range(9):
        assert run("synthesize")["patterns"] == []
    found = run("recall", "why is the orders table missing in CI?")
    assert found[0]["name"] == rows[0][2] and found[0]["source"] == "synthesis"
    assert found[0]["effectiveness"] == 0.45
    assert run("stats")["synthesis"] == {"created": 3}
    history = run("history", rows[0][2])
    assert [(e["action"], e["members"]) for e in history["synthesis"]] == [
        ("created", [1, 2, 3, 4])
    ]
    assert (history["evidence"]["n"], history["evidence"]["high"]) == (0, 1.0)
    code, out, _ = run("synthesize", text=True)
    assert (code, out) == (0, "synthesize: nothing new\n")


@pytest.mark.usefixtures("worker")
def test_calibrating_the_packaged_model_finds_its_own_thresholds(run: Run) -> None:
    words = "cache lock parser index socket queue token schema cookie buffer"
    things = words.split()
    for number in range(32):
        thing, other = things[number % 10], things[(number * 7 + number // 10 + 1) % 10]
        run("store", f"When the {thing} breaks, look at the {other} first because of step {number}",
            "--tag", "user-provided")  # fmt: skip
    done = run("calibrate")
    assert done["derived"] == pytest.approx(done["before"], abs=0.01)
    assert done["insights"] >= 30 and not done["written"]
    _, out, _ = run("calibrate", text=True)
    assert "measured: nothing changes" in out
    found = run("explain", "the cache breaks", "--limit", "3")
    assert [c["_rank"] for c in found["candidates"][:4]] == [1, 2, 3, None]
    assert {"_rrf", "_evidence", "_value", "_activation", "_injection_rank"} <= set(
        found["candidates"][0]
    )
    _, out, _ = run("explain", "the cache breaks", "--limit", "3", text=True)
    assert "past the limit" in out and "90%" in out


def test_every_figure_prints_the_query_behind_it(project: Path, run: Run) -> None:
    archive(project)
    for name in ("health", "stats"):
        values = run(name)
        explained = run(name, "--explain")
        assert {item["name"] for item in explained} == set(values) - {"worker", "project"}
        _, out, _ = run(name, "--explain", text=True)
        assert out.count("    sql: ") == len(explained)
    assert NUMBERS["archived"] in run("health", "--explain", text=True)[1]
    assert run("health")["archived"] == 15
    _, out, _ = run("stats", text=True)
    assert re.search(r"^  blocked +15 ", out, re.MULTILINE)


def test_without_the_model_it_is_said_and_nothing_is_made(project: Path, run: Run) -> None:
    code, _, err = run("synthesize", text=True)
    assert code == 3 and "no memory yet" in err
    assert run("stats", text=True)[0] == 3
    assert not (project / ".helix").exists(), "a command that only looks made a memory"
    archive(project)
    code, _, err = run("synthesize", text=True)
    assert code == 1 and "needs the embedding model" in err
    code, _, err = run("calibrate", text=True)
    assert code == 1 and "needs the embedding model" in err
