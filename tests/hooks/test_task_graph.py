"""What a task graph gets wrong easily, and outcomes held against the transcripts, by real hooks.

skipped counts as resolved for dependents:
    tests/core/dag/test_states.py: test_pitfall_skipped_resolves_for_dependents
    test_a_plan_is_followed_from_the_hooks_alone
unknown blockers, running blockers and cycles are told apart in the stall report:
    tests/core/dag/test_graph.py: test_pitfall_unknown_blockers_circles_and_running_ones,
    test_pitfall_reasons_are_told_apart
2,000 tasks in a chain:
    tests/core/dag/test_states.py: test_pitfall_two_thousand_tasks_in_a_chain
    tests/core/dag/test_graph.py: test_pitfall_two_thousand_tasks
    test_two_thousand_tasks_are_recorded_by_a_hook
ids as numbers:
    tests/core/dag/test_states.py: test_pitfall_ids_are_compared_as_numbers
    tests/hooks/test_b22_wait.py: test_b22_ids_are_numbers_or_texts
null metadata:
    tests/hooks/test_b22_wait.py: test_b22_null_metadata_of_the_clients_tasks_is_harmless
old files of an earlier wave never satisfy a wait:
    tests/hooks/test_b22_wait.py: test_b22_lines_of_an_earlier_wave_end_nothing
"""

from __future__ import annotations

import re
import shutil
from pathlib import Path
from typing import Any

import pytest

from tests.core.command import helix
from tests.core.dag.crew import entry, plan_message
from tests.core.text.transcript_lines import answers, user, uses
from tests.hooks import scene
from tests.hooks.fire import fire

CAPTURES = Path(__file__).parents[1] / "fixtures" / "claude-code"
VERSIONS = ("2.1.197", "2.1.332-background", "2.1.332-foreground")
PLANNER = {"agent_id": "p1", "agent_type": "helix:helix-planner"}


def planned(project: Path, *entries: dict[str, Any]) -> None:
    """A planner was called and ended with this plan."""
    call = {"role": "helix:helix-planner", "prompt": "OBJECTIVE: all of it", "agent": "p1"}
    fire("PreToolUse", project, tool_use_id="toolu_p", **call)
    fire("PostToolUse", project, tool_use_id="toolu_p", **call)
    message = plan_message(*entries)
    fired = fire("SubagentStop", project, last_assistant_message=message, **PLANNER)
    assert (fired.code, fired.out, fired.err) == (0, "", "")


def built(project: Path, number: int, message: str) -> None:
    """A builder was called for a task and ended so."""
    call = {"tool_use_id": f"toolu_{number}", "prompt": scene.task(f"Part {number}", number)}
    fire("PreToolUse", project, **call)
    fire("PostToolUse", project, agent=f"a{number}", **call)
    fire("SubagentStop", project, agent_id=f"a{number}", last_assistant_message=message)


def states(project: Path) -> dict[str, str]:
    found = helix(project, "dag", "status", "--json").json
    return {task["seq"]: task["state"] for task in found["tasks"]}


class Cases:
    """The same with and without the worker."""

    def test_a_plan_is_followed_from_the_hooks_alone(self, project: Path) -> None:
        planned(project, entry(1), entry(2, 1), entry(3, 2))
        built(project, 1, "DELIVERED: the first part")
        assert states(project) == {"1": "delivered", "2": "ready", "3": "pending"}
        assert helix(project, "dag", "set", "2", "skip").code == 0
        assert states(project) == {"1": "delivered", "2": "skipped", "3": "ready"}
        built(project, 3, "DELIVERED: the third part")
        assert scene.one(project, "SELECT ended_at IS NOT NULL FROM run") == 1
        assert scene.rows(project, "SELECT DISTINCT run_id FROM agent_run") == [(1,)]

    def test_a_plan_with_a_circle_is_kept_and_named(self, project: Path) -> None:
        planned(project, entry(1, 2), entry(2, 1))
        ran = helix(project, "dag", "ready")
        assert ran.code == 1 and "tasks 1 -> 2 -> 1: each waits for the next" in ran.out
        assert scene.outcomes(project) == [("p1", "plan_complete")]

    def test_the_last_task_delivered_before_its_binding_ends_the_run(self, project: Path) -> None:
        """In the foreground PostToolUse, which binds, comes after SubagentStop."""
        planned(project, entry(1))
        call = {"tool_use_id": "toolu_1", "prompt": scene.task("Part 1", 1)}
        fire("PreToolUse", project, **call)
        fire("PreToolUse", project, tool_use_id="toolu_2", prompt=scene.task("Other", 9))
        fire("SubagentStart", project, agent_id="a1")
        fire("SubagentStop", project, agent_id="a1", last_assistant_message="DELIVERED: it")
        fire("PostToolUse", project, agent="a1", **call)
        assert states(project) == {"1": "delivered"}
        assert scene.one(project, "SELECT ended_at IS NOT NULL FROM run") == 1


class TestByKeyword(Cases):
    """Every hook does its own work, with the standard library alone."""


@pytest.mark.usefixtures("worker")
class TestWithWorker(Cases):
    """The worker does it."""


def test_two_thousand_tasks_are_recorded_by_a_hook(project: Path) -> None:
    planned(project, *(entry(n, *([n - 1] if n > 1 else [])) for n in range(1, 2001)))
    found = helix(project, "dag", "status", "--json").json
    assert (found["counts"], found["errors"]) == ({"pending": 1999, "ready": 1}, [])
    assert len(found["waiting"]) == 1999


def agents_of(version: str, folder: Path) -> dict[str, Path]:
    """The recorded builders' transcripts, copied, by the number of their task."""
    found = {}
    for file in (CAPTURES / version / "transcripts").glob("*/subagents/agent-*.jsonl"):
        number = re.search(r"TASK_ID: (\d+)", file.read_text(encoding="utf-8"))
        if number:
            target = folder / file.name
            shutil.copyfile(file, target)
            found.setdefault(number[1], target)
    return found


@pytest.mark.parametrize("version", VERSIONS)
@pytest.mark.parametrize(
    ("task", "verify", "message", "state", "source"),
    [
        ("1", "echo 4 passed", "DELIVERED: it works", "delivered", "verified"),
        ("3", "exit 3", "BLOCKED: it does not", "blocked", "verified"),
        ("3", "exit 3", "DELIVERED: it works", "delivered", "contradicted"),
        ("1", "echo 4 passed", "BLOCKED: it does not", "blocked", "contradicted"),
        ("1", "pytest tests/test_token.py", "DELIVERED: it works", "delivered", "self"),
        ("2", "exit 3", "PARTIAL: half\nREMAINING: the rest", "partial", "self"),
    ],
)
def test_the_recorded_transcripts_check_the_word(
    project: Path, version: str, task: str, verify: str, message: str, state: str, source: str
) -> None:
    """Exit codes and `is_error` as each client writes them; VERIFY and the last word differ."""
    file = agents_of(version, project)[task]
    prompt = f"TASK_ID: {task}\nTASK: Do the work of it\nOBJECTIVE: o\nVERIFY: {verify}"
    call = {"tool_use_id": "toolu_1", "prompt": prompt}
    fire("PreToolUse", project, **call)
    fire("PostToolUse", project, agent="a1", **call)
    fire("SubagentStop", project, agent_transcript_path=str(file), last_assistant_message=message)
    assert scene.rows(project, "SELECT state, outcome_source FROM agent_run") == [(state, source)]
    assert [line["source"] for line in scene.status(project)] == [source]
    asked = scene.one(project, "SELECT count(*) FROM question WHERE kind = 'contradicted'")
    assert asked == (source == "contradicted")
    (share,) = helix(project, "stats", "--json").json["checked_outcomes"]
    assert (share["source"], share["ended"], share["share"]) == (source, 1, 1.0)


def test_a_damaged_transcript_still_checks_the_word(project: Path) -> None:
    """B05: NUL bytes, a torn line and two records on one line around the check's result."""
    prompt = scene.task("Part 1", 1)
    fire("PreToolUse", project, prompt=prompt)
    fire("PostToolUse", project, prompt=prompt)
    check = uses("Bash", "t1", {"command": "pytest"})
    result = answers("t1", "Exit code 2\n2 failed", is_error=True)
    scene.write_lines(
        project / "agent-a1.jsonl",
        user(prompt),
        "\0\0\0" + check + result,
        "\ufffd bad",
        '{"type": "assis',
    )
    fire("SubagentStop", project, last_assistant_message="DELIVERED: it works")
    assert scene.one(project, "SELECT outcome_source FROM agent_run") == "contradicted"


@pytest.mark.usefixtures("worker")
def test_the_source_stands_on_every_event(project: Path) -> None:
    task = "The parser of the config file fails in CI"
    (name,) = scene.store(project, "When the parser of a config file fails, look at its tabs first")
    prompt = scene.task(task)
    fire("PreToolUse", project, prompt=prompt)
    fire("PostToolUse", project, prompt=prompt)
    assert scene.one(project, "SELECT name FROM injection") == name
    check = uses("Bash", "t1", {"command": "pytest"})
    scene.write_lines(project / "agent-a1.jsonl", user(prompt), check, answers("t1", "2 passed"))
    fire("SubagentStop", project, last_assistant_message="DELIVERED: it")
    assert scene.rows(project, "SELECT source FROM feedback_event") == [("verified",)]
