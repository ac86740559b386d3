"""`helix dag` as the orchestrator types it: answers, exit codes, one line for what is wrong."""

from __future__ import annotations

import io
import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.core.command import helix
from tests.core.dag.crew import Crew, entry, plan_message
from tests.hooks import scene
from tests.hooks.fire import ROOT


@pytest.fixture
def crew(project: Path) -> Crew:
    (project / ".git").mkdir()
    return Crew(project)


def plan_file(project: Path, *entries: object) -> str:
    file = project / "plan.json"
    file.write_text(json.dumps(entries))
    return str(file)


def test_a_day_of_a_plan(crew: Crew, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CLAUDE_CODE_SESSION_ID", "s1")
    file = plan_file(crew.project, entry(1), entry(2, 1))
    checked = helix(crew.project, "dag", "plan", "--check", file, "--json").json
    assert (checked["status"], checked["tasks"]) == ("valid", 2)
    assert not scene.database(crew.project).exists()
    first = helix(crew.project, "dag", "plan", file, "--json").json
    assert (first["status"], first["run"], first["session_id"]) == ("recorded", 1, "s1")
    again = helix(crew.project, "dag", "plan", file, "--json").json
    assert (again["status"], again["run"]) == ("confirmed", 1)
    (task,) = helix(crew.project, "dag", "ready", "--json").json["tasks"]
    assert (task["seq"], task["verify"], task["description"]) == (
        *("1", "pytest tests/test_p.py", "Do part 1 of it"),
    )
    crew.build(1, "DELIVERED: the first part")
    assert helix(crew.project, "dag", "deliveries", "2").out == "- 1: the first part\n"
    told = helix(crew.project, "dag", "status").out
    for part in ("run 1 of session s1", "1 ready, 1 delivered", "ready: 2", "running: none"):
        assert part in told
    shown = helix(crew.project, "dag", "show", "--json").json
    assert shown["layers"] == [["1"], ["2"]]
    assert shown["tasks"][0]["tried"][0]["summary"] == "the first part"
    assert (
        helix(crew.project, "dag", "set", "2", "link", "17", "--json").json["tool_task_id"] == "17"
    )
    assert helix(crew.project, "dag", "set", "2", "skip", "--reason", "no").code == 0
    assert helix(crew.project, "dag", "status", "--json").json["ended_at"]


def test_a_planners_plan_is_confirmed_or_edited(crew: Crew) -> None:
    crew.plan(entry(1), entry(2, 1))
    assert crew.dag("status").json["confirmed_at"] is None
    assert crew.dag("plan").json["status"] == "confirmed"
    found = crew.dag("status").json
    assert found["confirmed_at"] and found["objective"] == "whole of it for planner"
    same = plan_file(crew.project, entry("01"), entry("002", "1"))
    recorded = crew.dag("plan", same).json
    assert (recorded["status"], recorded["run"]) == ("recorded", 2)  # the slugs differ
    edited = crew.dag("status").json
    assert (edited["replaces"], edited["objective"]) == (1, "whole of it for planner")


def test_a_plan_comes_from_a_file_inline_or_standard_input(
    crew: Crew, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("sys.stdin", io.StringIO(plan_message(entry(1))))
    assert crew.dag("plan", "-").json["tasks"] == 1
    assert crew.dag("plan", json.dumps([entry(1), entry(2)])).json["tasks"] == 2
    ran = crew.dag("plan", str(crew.project / "none.json"))
    assert ran.code == 2 and "cannot read" in ran.err and len(ran.err.splitlines()) == 1


def test_a_plan_with_errors_is_refused_and_not_recorded(crew: Crew) -> None:
    crew.plan(entry(1))
    ran = crew.dag("plan", json.dumps([entry(1, 2), entry(2, 1)]))
    assert ran.code == 1
    found = json.loads(ran.out)
    assert (found["status"], found["run"]) == ("refused", None)
    assert found["errors"] == ["tasks 1 -> 2 -> 1: each waits for the next"]
    assert scene.one(crew.project, "SELECT count(*) FROM run") == 1
    ran = helix(crew.project, "dag", "plan", "--check", json.dumps([entry(1, 1)]))
    assert ran.code == 1 and "error: tasks 1 -> 1" in ran.out


@pytest.mark.parametrize(
    ("arguments", "code", "words"),
    [
        (("status", "--run", "9"), 1, "there is no run 9"),
        (("status", "--session", "zz"), 1, "no plan is recorded for session zz"),
        (("deliveries", "9"), 1, "task 9 is not in the plan"),
        (("show", "9"), 1, "task 9 is not in the plan"),
        (("set", "9", "skip"), 1, "task 9 is not in the plan"),
        (("set", "1", "fly"), 2, "unknown action 'fly'"),
        (("set", "1", "link"), 2, "needs a value"),
        (("set", "1", "skip", "x"), 2, "takes no value"),
        (("set", "1", "replan", "-", "--reason", "-"), 2, "not both"),
        (("set", "1"), 2, "required"),
        (("wait",), 2, "required"),
        (("wait", "1", "--any", "--all"), 2, "not both"),
        (("wait", "1", "--timeout", "soon"), 2, "--timeout: takes a number"),
        (("status", "--run", "x"), 2, "--run: takes a whole number"),
        (("plan", "--check"), 2, "which plan?"),
        (("fly",), 2, "unknown action 'fly'"),
        ((), 2, "required"),
    ],
)
def test_what_is_wrong_is_one_line(
    crew: Crew, arguments: tuple[str, ...], code: int, words: str
) -> None:
    crew.plan(entry(1))
    ran = helix(crew.project, "dag", *arguments)
    assert (ran.code, ran.out) == (code, "")
    assert words in ran.err and len(ran.err.splitlines()) == 1


@pytest.mark.parametrize("action", [("status",), ("ready",), ("show",), ("wait", "1")])
def test_reading_creates_nothing(project: Path, action: tuple[str, ...]) -> None:
    ran = helix(project, "dag", *action)
    assert ran.code == 3 and "no memory yet" in ran.err
    assert not (project / ".helix").exists()


def test_a_session_has_to_be_named_for_a_new_plan(crew: Crew) -> None:
    ran = helix(crew.project, "dag", "plan", json.dumps([entry(1)]))
    assert ran.code == 2 and "--session" in ran.err


def test_without_a_session_the_newest_run_of_all_is_meant(crew: Crew) -> None:
    crew.plan(entry(1))
    Crew(crew.project, "s2").plan(entry(1), entry(2))
    assert helix(crew.project, "dag", "status", "--json").json["session_id"] == "s2"


def test_secrets_and_controls_reach_no_row(crew: Crew) -> None:
    secret = "AKIA" + "Z7QX3M5N8P2R4T6V"
    crew.plan(entry(1, description=f"Use {secret}\x1b[31m", slug=secret))
    crew.dag("set", "1", "skip", "--reason", f"because of {secret}\x07")
    everything = json.dumps(scene.rows(crew.project, "SELECT * FROM task"))
    assert secret not in everything and "u001b" not in everything and "u0007" not in everything
    assert "secret removed" in everything


def test_the_reason_may_come_from_standard_input(
    crew: Crew, monkeypatch: pytest.MonkeyPatch
) -> None:
    crew.plan(entry(1))
    monkeypatch.setattr("sys.stdin", io.StringIO("it's `not` $needed\n"))
    assert crew.dag("set", "1", "skip", "--reason", "-").json["reason"] == "it's `not` $needed"


def test_a_thousand_tasks_are_printed(crew: Crew) -> None:
    crew.plan(*(entry(n, *([n - 1] if n > 1 else [])) for n in range(1, 1001)))
    found = crew.dag("status").json
    assert found["counts"] == {"pending": 999, "ready": 1}
    assert len(crew.dag("status", json_out=False).out.splitlines()) > 2000


def test_the_real_command(crew: Crew) -> None:
    crew.plan(entry(1))
    done = subprocess.run(
        [sys.executable, "-m", "helix_core", "dag", "ready", "--json"],
        cwd=crew.project,
        env={**os.environ, "PYTHONPATH": str(ROOT), "CLAUDE_CODE_SESSION_ID": "s1"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert [task["seq"] for task in json.loads(done.stdout)["tasks"]] == ["1"]
