"""B22: a builder is killed, or the status file is damaged: a wait names who is missing and ends."""

from __future__ import annotations

import json
import os
import sqlite3
import subprocess
import sys
import time
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from tests.core.command import Ran
from tests.core.dag.crew import Crew, entry
from tests.core.text.transcript_lines import PROMPT, says, user
from tests.hooks import scene
from tests.hooks.fire import ROOT
from tests.hooks.test_b15_locked import locked

DAMAGE = '{"task_id":"1","outcome":"delivered"}\n[1]\n"x"\n42\nnull\n{"task_id":"2","outc'


@pytest.fixture
def crew(project: Path) -> Crew:
    (project / ".git").mkdir()
    crew = Crew(project)
    crew.plan(entry(1), entry("002"), entry(3))
    return crew


def silent(crew: Crew, agent: str, seconds: float) -> None:
    """The transcript of an agent, last written so long ago; the agent was called before that."""
    folder = crew.parent.with_suffix("") / "subagents"
    file = scene.write_lines(folder / f"agent-{agent}.jsonl", user(PROMPT), says("I begin"))
    then = time.time() - seconds
    os.utime(file, (then, then))
    scene.change(
        crew.project,
        "UPDATE agent_run SET started_at = '2020-01-01T00:00:00.000+00:00' WHERE agent_id = ?",
        agent,
    )


def waiting(crew: Crew, *arguments: str) -> subprocess.Popen[str]:
    """A wait in a process of its own."""
    return subprocess.Popen(
        [sys.executable, "-m", "helix_core", "dag", "wait", *arguments, "--json"],
        cwd=crew.project,
        env={**os.environ, "PYTHONPATH": str(ROOT), "CLAUDE_CODE_SESSION_ID": "s1"},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def over(process: subprocess.Popen[str]) -> tuple[int, dict[str, Any]]:
    out, err = process.communicate(timeout=60)
    assert err == ""
    return process.returncode, json.loads(out)


def missing(ran: Ran) -> dict[str, str]:
    assert (ran.code, ran.err) == (1, "")
    return {one["seq"]: one["why"] for one in json.loads(ran.out)["missing"]}


def test_b22_all_have_ended(crew: Crew) -> None:
    crew.build(1)
    crew.build(2, "BLOCKED: the service is not there and nobody has its key")
    crew.crash(crew.call(task=3))
    found = crew.dag("wait", "1", "2", "3").json
    assert {one["seq"]: one["state"] for one in found["ended"]} == {
        "1": "delivered",
        "002": "blocked",
        "3": "crashed",
    }
    assert (found["done"], found["missing"]) == (True, [])


def test_b22_a_wait_returns_when_the_last_one_ends(crew: Crew) -> None:
    crew.build(1)
    agent = crew.call(task=2)
    process = waiting(crew, "1", "2", "--timeout", "50")
    crew.end(agent, "DELIVERED: two")
    code, found = over(process)
    assert (code, found["done"], len(found["ended"])) == (0, True, 2)


def test_b22_any_returns_at_the_first(crew: Crew) -> None:
    one, two = crew.call(task=1), crew.call(task=2)
    process = waiting(crew, "1", "2", "--any", "--timeout", "50")
    crew.end(two, "PARTIAL: half\nREMAINING: the other half")
    code, found = over(process)
    assert code == 0
    assert [e["seq"] for e in found["ended"]] == ["002"]
    assert [m["agent_id"] for m in found["missing"]] == [one]


def test_b22_time_is_up(crew: Crew) -> None:
    crew.build(1)
    crew.call(task=2)
    ran = crew.dag("wait", "1", "2", "--timeout", "0.3")
    assert missing(ran) == {"002": "its agent is at work"}
    assert json.loads(ran.out)["reason"] == "timeout"


def test_b22_a_killed_agent_is_named_when_its_transcript_stands_still(crew: Crew) -> None:
    crew.build(1)
    agent = crew.call(task=2)
    silent(crew, agent, 900)
    ran = crew.dag("wait", "1", "2", "--timeout", "50", "--stall", "60")
    assert "its agent's transcript has stood still for 9" in missing(ran)["002"]
    found = json.loads(ran.out)
    assert (found["reason"], found["missing"][0]["stuck"]) == ("stalled", True)
    assert found["seconds"] < 20
    (stalled,) = crew.dag("status").json["stalled"]
    assert (stalled["seq"], stalled["kind"]) == ("002", "still")
    assert crew.dag("set", "2", "retry").json["state"] == "ready"


def test_b22_a_transcript_that_moves_is_no_stall(crew: Crew) -> None:
    silent(crew, crew.call(task=2), 1)
    ran = crew.dag("wait", "2", "--timeout", "0.5", "--stall", "60")
    assert missing(ran) == {"002": "its agent is at work"}


def test_b22_any_goes_on_while_another_one_moves(crew: Crew) -> None:
    silent(crew, crew.call(task=1), 900)
    silent(crew, crew.call(task=2), 1)
    ran = crew.dag("wait", "1", "2", "--any", "--timeout", "0.5", "--stall", "60")
    assert json.loads(ran.out)["reason"] == "timeout"


def test_b22_nobody_was_sent(crew: Crew) -> None:
    ran = crew.dag("wait", "3", "--timeout", "0.3")
    assert missing(ran) == {"3": "nobody was sent to it"}


def test_b22_unknown_ids_are_named_and_the_others_awaited(crew: Crew) -> None:
    agent = crew.call(task=1)
    process = waiting(crew, "1", "zz", "--timeout", "50")
    time.sleep(0.5)
    assert process.poll() is None
    crew.end(agent, "DELIVERED: one")
    code, found = over(process)
    assert (code, found["reason"]) == (1, "unknown")
    assert [one["seq"] for one in found["ended"]] == ["1"]
    assert [(one["seq"], one["why"]) for one in found["missing"]] == [("zz", "not in the plan")]
    ran = crew.dag("wait", "77", "--timeout", "50")
    assert missing(ran) == {"77": "not in the plan"} and json.loads(ran.out)["seconds"] < 20


@pytest.mark.parametrize("seqs", [("2",), ("002",), ("02",), ("1,2",), ("1", "2", "02")])
def test_b22_ids_are_numbers_or_texts(crew: Crew, seqs: tuple[str, ...]) -> None:
    crew.build("001")
    crew.build(2)
    assert crew.dag("wait", *seqs).json["done"]


def test_b22_an_agent_without_outcome_has_ended(crew: Crew) -> None:
    crew.build(1, "I think it works")
    (one,) = crew.dag("wait", "1").json["ended"]
    assert (one["seq"], one["state"]) == ("1", "running")
    assert "its agent ended without an outcome; decide: helix dag set 1" in one["note"]


def test_b22_a_damaged_status_file_ends_nothing_and_stops_nothing(crew: Crew) -> None:
    (crew.project / ".helix" / "task-status.jsonl").write_bytes(DAMAGE.encode() + b"\xff\x00")
    crew.build(1)
    crew.call(task=2)
    ran = crew.dag("wait", "1", "2", "--timeout", "0.3")
    assert missing(ran) == {"002": "its agent is at work"}
    assert [one["seq"] for one in json.loads(ran.out)["ended"]] == ["1"]


def test_b22_lines_of_an_earlier_wave_end_nothing(crew: Crew) -> None:
    crew.build(1, "BLOCKED: the service is not there and nobody has its key")
    assert scene.outcomes(crew.project)[-1][1] == "blocked"
    crew.dag("set", "1", "retry")
    crew.call(task=1)
    ran = crew.dag("wait", "1", "--timeout", "0.3")
    assert missing(ran) == {"1": "its agent is at work"}
    file = crew.project / ".helix" / "task-status.jsonl"
    file.write_text(
        '{"task_id": "3", "agent_id": "old", "outcome": "delivered", "session_id": "s1"}'
    )
    assert missing(crew.dag("wait", "3", "--timeout", "0.3")) == {"3": "nobody was sent to it"}


def test_b22_an_end_that_is_still_in_the_spool_counts(crew: Crew) -> None:
    from tests.hooks.fire import fire

    agent = crew.call(task=1)
    with locked(crew.project):
        fire("SubagentStop", crew.project, agent_id=agent, last_assistant_message="DELIVERED: one")
        found = crew.dag("wait", "1", "--timeout", "20").json
    assert found["done"]
    (one,) = found["ended"]
    assert one["state"] == "delivered" and "status line" in one["note"]


def test_b22_builders_without_a_plan_can_be_waited_for(project: Path) -> None:
    (project / ".git").mkdir()
    crew = Crew(project)
    crew.build("t1")
    crew.call(task="t2")
    ran = crew.dag("wait", "t1", "t2", "--timeout", "0.3")
    assert missing(ran) == {"t2": "its agent is at work"}


@pytest.mark.parametrize("payload", [None, {}, {"task": None}, {"task": {"id": None}}, "text", []])
def test_b22_null_metadata_of_the_clients_tasks_is_harmless(crew: Crew, payload: object) -> None:
    tool_input = {"subject": "001: x", "metadata": None}
    call = {"tool_name": "TaskCreate", "tool_input": tool_input, "tool_response": payload}
    crew.hook("PostToolUse", **call, tool_use_id="t1")
    crew.build(1)
    assert crew.dag("wait", "1").json["done"]


def test_b22_the_database_is_not_held_open_for_writers(crew: Crew) -> None:
    """A wait only looks: it stops neither writers nor the log's checkpoint."""
    crew.call(task=1)
    process = waiting(crew, "1", "--timeout", "50")
    time.sleep(1.0)
    for number in range(30):
        crew.dag("set", "2", "retry", "--reason", "x" * 900 + str(number))
    with closing(sqlite3.connect(scene.database(crew.project))) as conn:
        assert conn.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone() == (0, 0, 0)
    assert crew.dag("set", "1", "delivered").code == 0
    code, found = over(process)
    assert (code, found["done"]) == (0, True)
