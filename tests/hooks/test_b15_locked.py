"""B15: another process holds the write lock; nothing is lost, and nobody waits long."""

from __future__ import annotations

import json
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from tests.core.text.transcript_lines import says, user
from tests.hooks import scene
from tests.hooks.fire import PROMPT, fire, together

LESSON = "When the db is locked keep the insight because it matters"
MESSAGE = f'DELIVERED: ok\nINSIGHT: {{"content": "{LESSON}"}}'
KNOWN = "When the parser of the config file fails, look at its tabs first"
HOLD = """
import sqlite3, sys, time
conn = sqlite3.connect(sys.argv[1], isolation_level=None)
conn.execute("BEGIN IMMEDIATE")
print("held", flush=True)
time.sleep(float(sys.argv[2]))
"""


@contextmanager
def locked(project: Path, seconds: float = 120.0) -> Iterator[None]:
    """Another process holds the write lock, at most for so long; it is let go at the end."""
    command = [sys.executable, "-c", HOLD, str(scene.database(project)), str(seconds)]
    with subprocess.Popen(command, stdout=subprocess.PIPE) as holder:
        assert holder.stdout is not None
        try:
            assert holder.stdout.readline() == b"held\n"
            yield
        finally:
            holder.kill()


@pytest.fixture
def known(project: Path) -> Path:
    """A project with an insight and the transcript of a finished agent."""
    scene.store(project, KNOWN)
    scene.write_lines(project / "agent-a1.jsonl", user(PROMPT), says(MESSAGE))
    return project


def lessons(project: Path) -> list[str]:
    return [row[0] for row in scene.rows(project, "SELECT content FROM insight ORDER BY id")]


class Cases:
    """The same with and without the worker."""

    def test_b15_the_event_is_spooled_and_the_line_is_written_at_once(self, known: Path) -> None:
        with locked(known):
            fired = fire("SubagentStop", known)
            assert (fired.code, fired.out, fired.err) == (0, "", "")
            (line,) = scene.status(known)
            assert (line["agent_id"], line["outcome"], line["task_id"]) == ("a1", "delivered", "7")
            assert "locked" in scene.log(known)
            assert lessons(known) == [KNOWN]
        fire("SessionStart", known, session_id="s2")
        scene.wait_for(lambda: not scene.spooled(known))
        assert lessons(known) == [KNOWN, LESSON]
        assert scene.outcomes(known) == [("a1", "delivered")]  # and not a second time
        assert scene.rows(known, "SELECT state, summary FROM agent_run") == [("delivered", "ok")]

    def test_b15_an_agent_is_not_held_up(self, known: Path) -> None:
        with locked(known):
            fired = fire("PreToolUse", known, prompt=scene.task("Fix the config parser"))
            assert (fired.code, fired.out) == (0, "")
            assert len(fired.err.splitlines()) <= 1
        assert scene.one(known, "SELECT count(*) FROM injection") == 0


class TestByKeyword(Cases):
    """By keyword, each hook on its own."""

    def test_b15_a_lock_of_twelve_seconds_costs_nothing(self, known: Path) -> None:
        began = time.monotonic()
        with locked(known):
            fire("SubagentStop", known)
            fire("StopFailure", known, agent_id="a2")
            fire("SubagentStart", known, agent_id="a3")
            fire("SessionEnd", known)
            assert scene.outcomes(known) == [("a1", "delivered"), ("a2", "crashed")]
            assert len(scene.spooled(known)) == 4
            scene.wait_for(lambda: time.monotonic() - began > 12.0)
        fire("SessionStart", known, session_id="s2")
        assert scene.spooled(known) == []
        assert lessons(known) == [KNOWN, LESSON]
        assert scene.outcomes(known) == [("a1", "delivered"), ("a2", "crashed")]
        states = scene.rows(known, "SELECT agent_id, state FROM agent_run ORDER BY agent_id")
        assert states[:2] == [("a1", "delivered"), ("a2", "crashed")]
        assert scene.one(known, "SELECT ended_at IS NULL FROM session WHERE session_id = 's1'") == 0

    def test_b15_fired_twice_under_a_lock_is_still_one_line(self, known: Path) -> None:
        with locked(known):
            together([("SubagentStop", known, {})] * 2)
        fire("SessionStart", known, session_id="s2")
        assert scene.outcomes(known) == [("a1", "delivered")]
        assert lessons(known) == [KNOWN, LESSON]

    def test_b15_what_nobody_can_take_in_is_set_aside(self, known: Path) -> None:
        folder = known / ".helix" / "spool"
        folder.mkdir()
        bad = {
            "1.json": "not json",
            "2.json": "[]",
            "3.json": json.dumps({"version": 1, "event": "NoSuchEvent", "payload": {}}),
            "4.json": json.dumps({"version": 1, "event": "SubagentStop", "payload": 7}),
            "5.json": "\udcff".encode("utf-8", "surrogateescape").decode("latin-1"),
        }
        for name, text in bad.items():
            (folder / name).write_text(text)
        good = {"session_id": "s1", "agent_id": "a9", "agent_type": "helix-builder"}
        good["last_assistant_message"] = "BLOCKED: the licence of the compiler ran out yesterday"
        event = {"version": 1, "event": "SubagentStop", "payload": good}
        (folder / "6.json").write_text(json.dumps(event))
        fired = fire("SubagentStop", known)
        assert (fired.code, fired.err) == (0, "")
        assert scene.outcomes(known) == [("a9", "blocked"), ("a1", "delivered")]
        assert sorted(file.suffix for file in folder.glob("[1-6].*")) == [".bad"] * 5
        assert scene.log(known).count("set aside") == 5

    def test_b15_a_spool_does_not_grow_without_end(self, known: Path) -> None:
        folder = known / ".helix" / "spool"
        folder.mkdir()
        for number in range(1000):
            (folder / f"{number:020d}.json").write_text("{}")
        with locked(known):
            fired = fire("SessionEnd", known)
        assert fired.code == 0
        assert len(scene.spooled(known)) == 1000

    @pytest.mark.parametrize("event", ["SubagentStop", "StopFailure"])
    def test_a_database_of_a_newer_helix_still_gets_its_line(self, known: Path, event: str) -> None:
        """Reading only: the orchestrator has its line, the rest waits for the newer helix."""
        scene.change(known, "INSERT INTO schema_version VALUES (99, '2030-01-01')")
        fired = fire(event, known)
        assert (fired.code, fired.out) == (0, "")
        assert [agent for agent, _ in scene.outcomes(known)] == ["a1"]
        assert len(scene.spooled(known)) == 1
        scene.change(known, "DELETE FROM schema_version WHERE version = 99")
        fire("SessionStart", known, session_id="s2")
        assert scene.one(known, "SELECT count(*) FROM agent_result") == 1
        assert len(scene.outcomes(known)) == 1

    def test_a_file_that_is_no_database_still_gets_its_line(self, project: Path) -> None:
        (project / ".helix").mkdir()
        scene.database(project).write_bytes(b"\x13not a database\x37" * 400)
        fired = fire("SubagentStop", project, last_assistant_message="DELIVERED: ok")
        assert (fired.code, fired.out) == (0, "")
        assert scene.outcomes(project) == [("a1", "delivered")]
        assert "not a database" in scene.log(project)

    def test_a_fault_of_the_hook_itself_still_gets_its_line(self, known: Path) -> None:
        """A table that is not as expected stands for whatever goes wrong on our side."""
        scene.change(known, "ALTER TABLE agent_result RENAME TO elsewhere")
        fired = fire("SubagentStop", known)
        assert (fired.code, fired.out) == (0, "")
        assert scene.outcomes(known) == [("a1", "delivered")]
        assert len(scene.spooled(known)) == 1
        scene.change(known, "ALTER TABLE elsewhere RENAME TO agent_result")
        fire("SessionStart", known, session_id="s2")
        assert lessons(known) == [KNOWN, LESSON]
        assert scene.outcomes(known) == [("a1", "delivered")]

    def test_a_wrong_configuration_still_gets_its_line(self, known: Path) -> None:
        config = known / ".helix" / "config.toml"
        config.write_text("no_such_key = 1\n")
        fired = fire("SubagentStop", known)
        assert (fired.code, fired.out) == (0, "")
        assert scene.outcomes(known) == [("a1", "delivered")]
        assert "no_such_key" in scene.log(known)
        config.unlink()
        fire("SessionStart", known, session_id="s2")
        assert lessons(known) == [KNOWN, LESSON]
        assert scene.outcomes(known) == [("a1", "delivered")]

    def test_an_error_of_the_database_costs_one_line(self, known: Path) -> None:
        scene.change(
            known,
            "CREATE TRIGGER no_runs BEFORE INSERT ON agent_run"
            " BEGIN SELECT RAISE(ABORT, 'disk I/O error'); END",
        )
        fired = fire("PreToolUse", known, prompt=scene.task("Fix the config parser"))
        assert (fired.code, fired.out) == (0, "")
        assert len(fired.err.splitlines()) == 1
        assert "disk I/O error" in scene.log(known)


@pytest.mark.usefixtures("worker")
class TestWithWorker(Cases):
    """Through the worker."""
