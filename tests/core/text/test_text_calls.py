"""Tool calls in transcripts: B02 (which agents are open) and the commands an agent ran."""

from __future__ import annotations

import json
import time
from pathlib import Path

import pytest
from transcript_lines import answers, progress, record, says, user, uses

from helix_core.text.transcript import Call, commands, open_calls

TASK = {"subagent_type": "helix:helix-builder", "description": "d", "prompt": "OBJECTIVE: parser"}


@pytest.fixture
def parent(tmp_path: Path) -> Path:
    return tmp_path / "main.jsonl"


def write(path: Path, *lines: str) -> Path:
    path.write_text("".join(line + "\n" for line in lines), encoding="utf-8")
    return path


@pytest.mark.parametrize("name", ["Agent", "Task"])
def test_b02_both_names_of_the_tool(parent: Path, name: str) -> None:
    write(parent, user("go"), uses(name, "t1", TASK))
    assert open_calls(parent) == [Call("t1", "helix:helix-builder", "OBJECTIVE: parser")]


@pytest.mark.parametrize(
    "name", ["TaskCreate", "TaskOutput", "TaskUpdate", "AgentX", "task", "Bash"]
)
def test_b02_other_tools_are_ignored(parent: Path, name: str) -> None:
    write(parent, uses(name, "t1", {**TASK, "note": '"Agent" "Task"'}))
    assert open_calls(parent) == []


def test_b02_a_call_far_back_behind_progress(parent: Path) -> None:
    write(parent, uses("Task", "t1", TASK), *[progress(50_000)] * 80)
    began = time.process_time()
    assert [call.tool_use_id for call in open_calls(parent)] == ["t1"]
    assert time.process_time() - began < 0.5


def test_answered_calls_are_closed(parent: Path) -> None:
    write(
        parent,
        uses("Agent", "t1", TASK),
        uses("Agent", "t2", {**TASK, "prompt": "OBJECTIVE: docs"}),
        answers("t1", [{"type": "text", "text": "launched"}], None),
        user('a text that says "tool_use_id": "t2" is no answer'),
    )
    assert [call.tool_use_id for call in open_calls(parent)] == ["t2"]


def test_b02_several_calls_in_one_message(parent: Path) -> None:
    blocks = [
        {"type": "tool_use", "id": f"t{n}", "name": "Agent", "input": {**TASK, "prompt": f"p{n}"}}
        for n in range(3)
    ]
    write(parent, json.dumps(record("assistant", blocks)))
    assert [call.prompt for call in open_calls(parent)] == ["p0", "p1", "p2"]


def test_odd_inputs_cost_nothing(parent: Path) -> None:
    nameless = json.dumps(record("assistant", [{"type": "tool_use", "name": "Agent"}, "x", None]))
    write(parent, "42", nameless, uses("Agent", "t1", TASK).replace('"OBJECTIVE: parser"', "null"))
    assert open_calls(parent) == [Call("t1", "helix:helix-builder", "")]
    assert open_calls("/nope") == open_calls(None) == []


def bash(key: str, command: str, **extra: object) -> str:
    return uses("Bash", key, {"command": command, "description": "Run", **extra})


def test_commands_with_their_results(parent: Path) -> None:
    write(
        parent,
        bash("t1", "pytest"),
        answers("t1", "Exit code 1\n2 failed", True),
        says("fixing"),
        bash("t2", "pytest -q"),
        answers("t2", [{"type": "text", "text": "2 passed"}], False),
        bash("t3", "sleep 9"),
    )
    first, second = commands(parent)
    assert (first.command, first.is_error, first.exit_code) == ("pytest", True, 1)
    assert (second.command, second.is_error, second.exit_code) == ("pytest -q", False, 0)
    assert second.output == "2 passed"


@pytest.mark.parametrize(
    "line",
    [
        answers("t1", "<tool_use_error>Error: no such tool</tool_use_error>", True),
        answers("t1", "Permission to use Bash has been denied.", True),
        answers("t1", "refused", True, permissionDecision={"decision": "deny"}),
        answers("t1", "Command running in background with ID: b1"),
    ],
)
def test_a_command_that_never_ran_is_no_evidence(parent: Path, line: str) -> None:
    assert commands(write(parent, bash("t1", "pytest"), line)) == []


def test_background_commands_are_left_out(parent: Path) -> None:
    path = write(parent, bash("t1", "pytest", run_in_background=True), answers("t1", "started"))
    assert commands(path) == []


def test_a_failure_without_a_stated_status(parent: Path) -> None:
    (run,) = commands(write(parent, bash("t1", "x"), answers("t1", "boom", True)))
    assert (run.is_error, run.exit_code) == (True, None)


def test_output_that_merely_speaks_of_an_exit_code(parent: Path) -> None:
    (run,) = commands(write(parent, bash("t1", "x"), answers("t1", "Exit code 3", False)))
    assert run.exit_code == 0


def test_only_the_end_of_a_long_output_is_kept(parent: Path) -> None:
    (run,) = commands(write(parent, bash("t1", "x"), answers("t1", "x" * 90_000 + "\x1b[0mend")))
    assert len(run.output) == 4_000
    assert run.output.endswith("[0mend")
