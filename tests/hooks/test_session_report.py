"""The report of a session says what the rows say: tasks, what was stored, what moved, the loop."""

from __future__ import annotations

import json
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from helix_core import paths
from helix_core.store import view_report
from helix_core.store.connection import open_store
from tests.core.text.transcript_lines import answers, says, user, uses
from tests.hooks import scene
from tests.hooks.fire import fire
from tests.hooks.shell import helix

TASK = "Fix the parser of the config file"
LESSON = "When the parser of a config file fails, look at its tabs first"
PLAN = [
    {"seq": 1, "slug": "fix-parser", "description": TASK, "blocked_by": [], "verify": "pytest"},
    {"seq": 2, "slug": "speed-up", "description": "Speed it up", "blocked_by": [1], "verify": "x"},
    {"seq": 3, "slug": "document", "description": "Document it", "blocked_by": [2], "verify": "x"},
]
REASON = "the tokenizer needs a licence key that nobody here has"


def plan(project: Path, session: str = "s1", agent: str = "p1") -> None:
    """A planner that ended with a plan of three tasks, in words of its own."""
    role = "helix:helix-planner"
    tasks = [{**task, "description": f"{task['description']} ({agent})"} for task in PLAN]
    call = {
        "tool_use_id": f"toolu_{agent}",
        "prompt": "OBJECTIVE: a parser that works",
        "role": role,
        "session_id": session,
    }
    fire("PreToolUse", project, **call)
    fire("PostToolUse", project, agent=agent, **call)
    message = f"PLAN_SPEC:\n{json.dumps(tasks)}\nPLAN_COMPLETE: 3 tasks specified"
    stop(project, agent, message, agent_type=role, session_id=session)


def start(project: Path, agent: str, task: str = TASK, number: int = 1, session: str = "s1") -> str:
    """A builder that was called and bound; its prompt."""
    prompt = scene.task(task, number)
    call = {"tool_use_id": f"toolu_{agent}", "prompt": prompt, "session_id": session}
    fire("PreToolUse", project, **call)
    fire("PostToolUse", project, agent=agent, **call)
    return prompt


def stop(project: Path, agent: str, message: str, **more: Any) -> None:
    fire("SubagentStop", project, agent_id=agent, last_assistant_message=message, **more)


def report(project: Path, *arguments: str, session: str | None = "s1") -> dict[str, Any]:
    found = helix(project, "session", "report", "--json", *arguments, session=session).json
    assert isinstance(found, dict)
    return found


def contradicted(project: Path, agent: str, number: int = 1) -> None:
    """A builder that says DELIVERED after its check failed."""
    prompt = start(project, agent, number=number)
    scene.write_lines(
        project / f"agent-{agent}.jsonl",
        user(prompt),
        uses("Bash", "t1", {"command": "pytest"}),
        answers("t1", "1 failed in 0.1s", is_error=True),
        says("DELIVERED: it works"),
    )
    stop(project, agent, "DELIVERED: it works")


def test_tasks_stand_as_their_newest_agent_left_them(project: Path) -> None:
    scene.store(project, "When the moon is full, paint the fence in blue")
    plan(project)
    start(project, "a1")
    stop(project, "a1", f"BLOCKED: {REASON}")
    start(project, "a2")
    stop(project, "a2", "DELIVERED: the parser reads tabs")
    start(project, "a3", "Speed it up", 2)
    stop(project, "a3", f"PARTIAL: twice as fast\nREMAINING: {REASON}")
    start(project, "a9", "Something else", 9)
    found = report(project)
    (run,) = found["runs"]
    assert (run["run_id"], run["objective"]) == (1, "a parser that works")
    assert [(t["seq"], t["slug"], t["state"], t["attempts"]) for t in run["tasks"]] == [
        ("1", "fix-parser", "delivered", 2),
        ("2", "speed-up", "partial", 1),
        ("3", "document", "pending", 0),
        ("9", "", "running", 1),
    ]
    assert [(t["summary"], t["reason"]) for t in run["tasks"][:2]] == [
        ("the parser reads tabs", ""),
        ("twice as fast", REASON),
    ]
    helix(project, "dag", "set", "3", "skip", "--reason", "nobody reads it")
    skipped = report(project)["runs"][0]["tasks"][2]
    assert (skipped["state"], skipped["reason"]) == ("skipped", "nobody reads it")
    assert skipped["decided_by"]
    assert found["outcomes"] == {"blocked": 1, "delivered": 1, "partial": 1, "running": 1}
    assert found["sources"] == {"self": 3}
    text = helix(project, "session", "report").out
    assert "delivered (self)  1 fix-parser, 2 attempts" in text
    assert REASON in text


def test_what_was_stored_and_by_whom(project: Path) -> None:
    scene.store(project, LESSON)  # before the session
    fire("SessionStart", project)
    start(project, "a1")
    own = {"content": "When a stream ends early, flush the writer because it buffers"}
    stop(project, "a1", f"BLOCKED: {REASON}\nINSIGHT: {json.dumps(own)}")
    start(project, "b1", session="s2")
    other = {"content": "When the moon is full, paint the fence because it dries"}
    stop(project, "b1", f"DELIVERED: x\nINSIGHT: {json.dumps(other)}", session_id="s2")
    said = "When a release is cut, ask the owner because of the embargo"
    helix(project, "store", "--tag", "user-provided", said)
    helix(project, "store", "When a mail is sent, log its id because support asks for it")
    stored = report(project)["stored"]
    assert {(one["source"], one["by"], one["task_id"]) for one in stored} == {
        ("agent", "helix-builder a1", "1"),
        ("derived", "helix-builder a1", "1"),
        ("user", "a person", ""),
        ("agent", "the command line", ""),
    }
    (derived,) = [one for one in stored if one["source"] == "derived"]
    assert REASON in derived["content"] and derived["effectiveness"] == 0.35
    helix(project, "trash", derived["name"])
    (gone,) = [one for one in report(project)["stored"] if one["source"] == "derived"]
    assert gone["gone"] and gone["name"] == derived["name"]
    of_other = report(project, "--session", "s2")["stored"]
    assert [one["content"] for one in of_other if one["task_id"]] == [other["content"]]


def test_by_keyword_the_loop_waits_and_the_hooks_say_so(project: Path) -> None:
    (name,) = scene.store(project, LESSON)
    start(project, "a1")
    found = report(project)["loop"]
    assert (found["closed"], found["open"][0]["why"]) == (False, "it is still running")
    stop(project, "a1", "DELIVERED: ok")
    found = report(project)
    (end,) = found["loop"]["open"]
    assert (end["agent_id"], end["injected"]) == ("a1", [name])
    assert "waits for the embedding worker" in end["why"]
    assert (found["loop"]["given"], found["loop"]["applied"]) == (1, 0)
    assert found["moved"] == []
    hooks = found["hooks"]
    assert (hooks["calls"], hooks["failed"]) == (3, 0)
    assert hooks["degraded"] == hooks["calls"]
    assert "loop not closed: 0 of 1" in helix(project, "session", "report").out


def test_a_crash_is_no_feedback_and_keeps_nothing_open(project: Path) -> None:
    scene.store(project, LESSON)
    start(project, "a1")
    fire("StopFailure", project)
    loop = report(project)["loop"]
    assert (loop["closed"], loop["open"]) == (True, [])
    assert [(end["state"], end["agent_id"]) for end in loop["exempt"]] == [("crashed", "a1")]


def test_a_contradicted_end_keeps_the_loop_open_until_somebody_has_decided(project: Path) -> None:
    scene.store(project, LESSON)
    contradicted(project, "a1")
    found = report(project)
    assert found["sources"] == {"contradicted": 1}
    (question,) = found["questions"]
    assert (question["kind"], question["state"]) == ("contradicted", "open")
    assert f"question {question['id']}" in found["loop"]["open"][0]["why"]
    scene.change(project, "UPDATE question SET state = 'dismissed'")
    loop = report(project)["loop"]
    assert (loop["closed"], loop["exempt"][0]["state"]) == (True, "delivered")


@pytest.mark.usefixtures("worker")
class TestWithWorker:
    """What needs a vector to move."""

    def test_what_moved_by_how_much_and_why(self, project: Path) -> None:
        (name,) = scene.store(project, LESSON)
        before = scene.effectiveness(project, name)
        start(project, "a1")
        stop(project, "a1", "DELIVERED: ok")
        helix(project, "feedback", name, "--outcome", "blocked")
        found = report(project)
        (moved,) = found["moved"]
        assert (moved["name"], moved["before"]) == (name, before)
        assert moved["after"] == scene.effectiveness(project, name)
        assert [(m["outcome"], m["source"]) for m in moved["moves"]] == [
            ("delivered", "self"),
            ("blocked", "user"),
        ]
        assert moved["moves"][0]["why"].startswith("delivered (self) by task 1, similarity 0.")
        assert found["loop"] == {
            "closed": True, "given": 1, "applied": 1, "open": [], "exempt": [],
        }  # fmt: skip
        assert found["hooks"]["degraded"] == 0
        text = helix(project, "session", "report").out
        assert "loop closed: 1 of 1 agent fed back" in text
        assert f"{moved['before']:.3f} -> {moved['after']:.3f}  {name}" in text

    def test_an_event_that_is_missing_keeps_the_loop_open(self, project: Path) -> None:
        (name,) = scene.store(project, LESSON)
        start(project, "a1")
        stop(project, "a1", "DELIVERED: ok")
        scene.change(project, "DELETE FROM feedback_event")
        assert report(project)["loop"]["open"][0]["why"] == f"no event for {name}"


def test_a_run_of_several_is_told_alone(project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    scene.store(project, "When the moon is full, paint the fence in blue")
    for number in (1, 2):
        monkeypatch.setenv("HELIX_NOW", f"2026-05-05T1{number}:00:00+00:00")
        plan(project, agent=f"p{number}")
        monkeypatch.setenv("HELIX_NOW", f"2026-05-05T1{number}:30:00+00:00")
        start(project, f"a{number}")
        insight = {"content": f"When stage {number * 7919} ends do {number} because it leaks"}
        stop(project, f"a{number}", f"DELIVERED: run {number}\nINSIGHT: {json.dumps(insight)}")
    assert [run["run_id"] for run in report(project)["runs"]] == [1, 2]
    for number in (1, 2):
        found = report(project, "--run", str(number), session=None)
        assert [run["run_id"] for run in found["runs"]] == [number]
        assert found["runs"][0]["tasks"][0]["summary"] == f"run {number}"
        assert [str(number * 7919) in one["content"] for one in found["stored"]] == [True]
        assert found["outcomes"] == {"delivered": 1}
    refused = helix(project, "session", "report", "--run", "2", "--session", "s2")
    assert refused.code == 1 and "no run 2 in session s2" in refused.refusal


def test_which_session(project: Path) -> None:
    scene.store(project, LESSON)
    nothing = helix(project, "session", "report", session=None)
    assert nothing.code == 1 and "no session of agents" in nothing.refusal
    for session in ("s1", "s2"):
        start(project, f"a-{session}", session=session)
    assert report(project, session=None)["session_id"] == "s2"  # the newest
    assert report(project, session="s1")["session_id"] == "s1"
    assert report(project, "--session", "s2", session="s1")["session_id"] == "s2"
    for arguments in (("--session", "nobody"), ("--run", "99")):
        refused = helix(project, "session", "report", *arguments)
        assert refused.code == 1 and refused.refusal.startswith("helix: ")
    assert helix(project, "session", "report", "--run", "first").code == 2


def test_the_dashboard_reads_the_same_and_changes_nothing(project: Path) -> None:
    plan(project)
    start(project, "a1")
    stop(project, "a1", f"BLOCKED: {REASON}")
    place = paths.find_project(str(project))
    with closing(open_store(place.database, readonly=True)) as conn:
        found = view_report.report(conn, "s1")
        assert found is not None and view_report.report(conn, "s9") is None
        assert view_report.newest_session(conn) == "s1"
    assert [task.state for task in found.runs[0].tasks] == ["blocked", "pending", "pending"]
    hash(found.runs)  # frozen to its leaves
    with pytest.raises(AttributeError):
        found.session_id = "other"  # type: ignore[misc]
