"""B08, B10: sessions share a project, start over, and end without a word; nothing is lost by it."""

from __future__ import annotations

import json
import os
import sqlite3
import time
from contextlib import closing
from datetime import datetime, timedelta, timezone
from pathlib import Path

import pytest

from tests.core.text.transcript_lines import says, user
from tests.hooks import scene
from tests.hooks.fire import PROMPT, fire

DAY = 86_400.0


def running_session(project: Path, session: str = "A", agent: str = "a1") -> None:
    """A session with a running builder, an explorer's findings, a status line and a synthesis."""
    fire("SessionStart", project, session_id=session)
    call = {"session_id": session, "tool_use_id": f"toolu_{agent}"}
    fire("PreToolUse", project, **call, prompt=scene.task("Fix the parser"))
    fire("PostToolUse", project, **call, agent=agent, prompt=scene.task("Fix the parser"))
    fire(
        "SubagentStop",
        project,
        session_id=session,
        agent_id=f"x{agent}",
        agent_type="helix:helix-explorer",
        last_assistant_message='{"scope": "src", "findings": [{"file": "a.py", "what": "x"}]}',
    )
    (project / ".helix" / "recall_synthesis.json").write_text(json.dumps({"session_id": session}))


def files(project: Path) -> set[str]:
    """The hand-over files there are."""
    home = project / ".helix"
    kinds = ("injected/*", "explorer-results/*", "task-status.jsonl", "recall_synthesis.json")
    return {str(file.relative_to(home)) for kind in kinds for file in home.glob(kind)}


OF_A = {
    "injected/a1.json",
    "explorer-results/xa1.json",
    "task-status.jsonl",
    "recall_synthesis.json",
}


@pytest.fixture
def shared(project: Path) -> Path:
    """A project with a running session A."""
    (project / ".helix").mkdir()
    running_session(project)
    assert files(project) == OF_A
    return project


@pytest.mark.parametrize("source", ["compact", "resume", "startup", "clear"])
def test_b08_another_sessions_start_touches_nothing(shared: Path, source: str) -> None:
    fire("SessionStart", shared, session_id="B", source=source)
    fire("SessionEnd", shared, session_id="B")
    assert files(shared) == OF_A
    assert scene.outcomes(shared) == [("xa1", "done")]
    assert scene.rows(shared, "SELECT state FROM agent_run WHERE agent_id = 'a1'") == [("running",)]


@pytest.mark.parametrize("source", ["compact", "resume"])
def test_b08_going_on_keeps_the_sessions_own_state(shared: Path, source: str) -> None:
    fire("SessionStart", shared, session_id="A", source=source)
    assert files(shared) == OF_A


@pytest.mark.parametrize("source", ["startup", "clear"])
def test_b08_starting_over_clears_the_sessions_own_state(shared: Path, source: str) -> None:
    other = {"session_id": "B", "agent_id": "b1", "last_assistant_message": "DELIVERED: b"}
    fire("SubagentStop", shared, **other)
    fire("SessionStart", shared, session_id="A", source=source)
    assert files(shared) == {"task-status.jsonl"}
    assert scene.outcomes(shared) == [("b1", "delivered")]


def test_b08_the_end_of_another_session_leaves_what_runs(shared: Path) -> None:
    fire("SessionEnd", shared, session_id="OTHER")
    assert files(shared) == OF_A
    fire("SubagentStop", shared, session_id="A", last_assistant_message="DELIVERED: ok")
    assert scene.outcomes(shared) == [("xa1", "done"), ("a1", "delivered")]


def test_b08_old_files_go_once_their_session_is_over(shared: Path) -> None:
    old = time.time() - 2 * DAY
    for name in OF_A:
        os.utime(shared / ".helix" / name, (old, old))
    fire("SessionStart", shared, session_id="B")
    assert files(shared) == OF_A  # A has not ended, however old its files are
    fire("SessionEnd", shared, session_id="A")
    stray = shared / ".helix" / "injected" / "stray.json"
    stray.write_text("{}")  # nobody's
    os.utime(stray, (old, old))
    for name in files(shared):
        os.utime(shared / ".helix" / name, (old, old))
    fire("SessionStart", shared, session_id="B")
    assert files(shared) - {"task-status.jsonl"} == set()
    assert scene.status(shared) == []


def integrity(project: Path) -> None:
    """The database is whole and nobody holds its lock."""
    with closing(sqlite3.connect(scene.database(project), timeout=0, isolation_level=None)) as conn:
        assert conn.execute("PRAGMA integrity_check").fetchone() == ("ok",)
        scene.wait_for(lambda: _locks(conn))


def _locks(conn: sqlite3.Connection) -> bool:
    try:
        conn.execute("BEGIN IMMEDIATE")
    except sqlite3.OperationalError:
        return False
    conn.execute("ROLLBACK")
    return True


def _dormant(project: Path, count: int = 60) -> None:
    """Insights that decay when a session in which an agent finished is over."""
    contents = (f"When case {n}{n * 7919} of area fails check log {n}" for n in range(count))
    scene.store(project, *contents)
    scene.change(
        project, "UPDATE insight SET effectiveness = 0.9, created_at = datetime('now', '-40 days')"
    )


def test_b10_an_end_that_is_killed_anywhere_is_made_up_for(project: Path) -> None:
    _dormant(project)
    fire("SubagentStop", project, last_assistant_message="DELIVERED: ok")
    for seconds in (0.02, 0.1, 0.2, 0.4, 1.5):
        fired = fire("SessionEnd", project, timeout=seconds)
        assert fired.out == ""
        integrity(project)
    fire("SessionEnd", project)
    fire("SessionStart", project, session_id="s2")
    values = scene.rows(project, "SELECT DISTINCT round(effectiveness, 6) FROM insight")
    assert values == [(0.86,)]  # decayed once: 0.9 - 0.1 * (0.9 - 0.5)
    integrity(project)


def test_b10_nothing_depends_on_an_end(project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """SessionEnd never fires; the start of a later session finds what was left to do."""
    _dormant(project, 3)
    fire("SubagentStop", project, last_assistant_message="DELIVERED: ok")
    fire("SessionStart", project, session_id="s2")
    assert scene.rows(project, "SELECT DISTINCT effectiveness FROM insight") == [(0.9,)]
    later = datetime.now(timezone.utc) + timedelta(days=2)
    monkeypatch.setenv("HELIX_NOW", later.isoformat())
    for session in ("s3", "s4"):  # twice makes no second decay
        fire("SessionStart", project, session_id=session)
    assert scene.rows(project, "SELECT DISTINCT round(effectiveness, 6) FROM insight") == [(0.86,)]


@pytest.mark.parametrize("seconds", [0.15, 0.25, 0.3, 0.35, 0.4, 0.5])
def test_b10_an_agents_end_that_is_killed_is_done_by_the_next_try(
    project: Path, seconds: float
) -> None:
    (project / ".helix").mkdir()
    lesson = "When a hook is killed half-way, do the missing half because parts are marked"
    message = f'DELIVERED: ok\nINSIGHT: {{"content": "{lesson}"}}'
    scene.write_lines(project / "agent-a1.jsonl", user(PROMPT), says(message))
    fire("SubagentStop", project, timeout=seconds)
    fire("SubagentStop", project)
    integrity(project)
    assert scene.rows(project, "SELECT content, confirmations FROM insight") == [(lesson, 0)]
    assert scene.one(project, "SELECT count(*) FROM session_log") == 1
    # Between a line and its transaction's end lies an instant in which a kill repeats the line.
    assert set(scene.outcomes(project)) == {("a1", "delivered")}
