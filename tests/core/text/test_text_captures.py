"""The three recorded sessions, read end to end with nothing changed."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from helix_core.text.fields import read_prompt
from helix_core.text.markers import read_findings, read_insights, read_outcome, read_plan
from helix_core.text.roles import agent_role
from helix_core.text.transcript import (
    commands,
    final_message,
    first_prompt,
    meta_path,
    open_calls,
    read_meta,
)
from helix_core.text.verify import check_outcome

CAPTURES = Path(__file__).parents[2] / "fixtures" / "claude-code"
VERSIONS = ("2.1.197", "2.1.332-background", "2.1.332-foreground")


def payloads(version: str, pattern: str) -> list[dict[str, Any]]:
    files = sorted((CAPTURES / version / "payloads").glob(pattern))
    return [json.loads(file.read_text(encoding="utf-8")) for file in files]


def local(version: str, recorded: str) -> Path:
    """Where the fixture of a transcript lies that the payload names by its recorded path."""
    return CAPTURES / version / "transcripts" / recorded.split("/projects/-home-dev-shop/")[1]


@pytest.mark.parametrize("version", VERSIONS)
def test_the_transcript_says_what_the_payload_says(version: str) -> None:
    stops = payloads(version, "SubagentStop-*.json")
    assert len(stops) == 8
    for stop in stops:
        path = local(version, stop["agent_transcript_path"])
        assert final_message(path) == stop["last_assistant_message"]
        assert read_meta(meta_path(str(path))) == {}


@pytest.mark.parametrize("version", VERSIONS)
def test_outcomes_and_lessons_of_the_builders(version: str) -> None:
    found = {}
    for stop in payloads(version, "SubagentStop-builder*.json"):
        path = local(version, stop["agent_transcript_path"])
        prompt = read_prompt(first_prompt(path))
        message = stop["last_assistant_message"]
        outcome = read_outcome(message, stop["agent_type"])
        lessons, refused = read_insights(message)
        found[prompt.task_id] = (outcome.kind, len(lessons), len(refused))
        assert prompt.injected == ("when-tests-talk-to-redis-start-it-through-the-comp",)
        assert prompt.has_insights
        assert prompt.query == prompt.task
    assert found == {
        "1": ("delivered", 1, 0),
        "2": ("partial", 0, 0),
        "3": ("blocked", 0, 0),
        "4": ("unknown", 0, 0),
    }


@pytest.mark.parametrize("version", VERSIONS)
def test_pitfall_tool_output_never_counts_and_commands_are_seen(version: str) -> None:
    for stop in payloads(version, "SubagentStop-builder*.json"):
        path = local(version, stop["agent_transcript_path"])
        read, check = commands(path)
        assert read.command.startswith("printf")
        assert "DELIVERED: fake marker from a file" in read.output
        blocked = stop["last_assistant_message"].startswith("BLOCKED")
        assert (check.command, check.exit_code) == (
            ("exit 3", 3) if blocked else ("echo 4 passed", 0)
        )
        assert check.is_error is blocked
        # The scripted agent ran another command than the VERIFY it was given.
        kind = read_outcome(stop["last_assistant_message"], stop["agent_type"]).kind
        assert check_outcome(kind, read_prompt(first_prompt(path)).verify, [read, check]) == "self"
        assert check_outcome(kind, check.command, [read, check]) in ("verified", "self")


@pytest.mark.parametrize("version", VERSIONS)
def test_planner_and_explorers(version: str) -> None:
    (planner,) = payloads(version, "SubagentStop-planner.json")
    plan, reason = read_plan(planner["last_assistant_message"])
    assert reason == ""
    assert plan is not None
    assert [task["seq"] for task in plan] == ["001", "002", "003", "004", "005"]
    outcome = read_outcome(planner["last_assistant_message"], planner["agent_type"])
    assert (outcome.kind, outcome.summary) == ("plan_complete", "5 tasks specified")
    explorers = payloads(version, "SubagentStop-explorer*.json")
    reports = [read_findings(stop["last_assistant_message"]) for stop in explorers]
    assert {report["scope"] for report in reports if report} == {"src", "tests", "docs"}
    assert all(report and len(report["findings"]) == 1 for report in reports)


@pytest.mark.parametrize("version", VERSIONS)
def test_prompts_of_the_calls(version: str) -> None:
    (planner,) = payloads(version, "PreToolUse-Agent-planner.json")
    prompt = read_prompt(planner["tool_input"]["prompt"])
    assert prompt.constraints == "- Keep auth middleware changes atomic [82%]"
    assert prompt.risk_areas == "- Redis backed tests blocked 3 of 4 attempts [35%]"
    assert prompt.query == "add refresh tokens to the auth service"
    for call in payloads(version, "PreToolUse-Agent-explorer*.json"):
        explorer = read_prompt(call["tool_input"]["prompt"])
        assert explorer.query == f"{explorer.scope} auth add refresh tokens to the auth service"


@pytest.mark.parametrize("version", VERSIONS)
def test_the_crashed_agent_has_no_marker(version: str) -> None:
    (failure,) = payloads(version, "StopFailure-builder.json")
    parent = local(version, failure["transcript_path"])
    path = parent.with_suffix("") / "subagents" / f"agent-{failure['agent_id']}.jsonl"
    message = final_message(path)
    assert message == failure["last_assistant_message"]
    assert read_outcome(message, failure["agent_type"]).kind == "unknown"


@pytest.mark.parametrize("version", VERSIONS)
def test_the_parent_has_no_open_call_and_no_final_message(version: str) -> None:
    (start,) = payloads(version, "SessionStart.json")
    parent = local(version, start["transcript_path"])
    assert open_calls(parent) == []
    assert final_message(parent) is None


@pytest.mark.parametrize("version", VERSIONS)
def test_open_calls_of_a_wave_before_its_answers(version: str, tmp_path: Path) -> None:
    """Cut the parent's file right after the second builder wave was asked for."""
    (start,) = payloads(version, "SessionStart.json")
    lines = local(version, start["transcript_path"]).read_text(encoding="utf-8").splitlines()
    last = max(n for n, line in enumerate(lines) if '"TASK_ID: 5' in line and '"tool_use"' in line)
    early = tmp_path / "main.jsonl"
    early.write_text("\n".join(lines[: last + 1]) + "\n", encoding="utf-8")
    calls = open_calls(early)
    answered = {"2", "4", "5"} - {read_prompt(call.prompt).task_id for call in calls}
    assert {call.subagent_type for call in calls} == {"helix:helix-builder"}
    # In the background each call is answered at once, so only the last one is sure to be open.
    assert "5" in {read_prompt(call.prompt).task_id for call in calls}
    assert not answered or version == "2.1.332-background"


@pytest.mark.parametrize(
    ("agent_type", "role"),
    [
        ("helix:helix-builder", "builder"),
        ("helix-builder", "builder"),
        ("helix:helix-planner", "planner"),
        ("helix-explorer", "explorer"),
        ("other:helix-builder", None),
        ("helix:helix-builder-v2", None),
        ("general-purpose", None),
        (":helix-builder", None),
        ("", None),
        (None, None),
    ],
)
def test_b19_own_and_foreign_agent_types(agent_type: object, role: str | None) -> None:
    assert agent_role(agent_type) == role
