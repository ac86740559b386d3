"""B02: an agent's call is found in a big parent transcript, under the tool's both names only."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.core.text.transcript_lines import progress, uses
from tests.hooks import scene
from tests.hooks.fire import BUILDER, fire

INSIGHT = "When fixing the parser, run the tokenizer tests first"
OBJECTIVE = "OBJECTIVE: fix the parser"


def called(project: Path, tool: str, prompt: str, *more: str, role: str = BUILDER) -> None:
    call = uses(tool, "toolu_9", {"subagent_type": role, "description": "d", "prompt": prompt})
    scene.write_lines(project / "main.jsonl", call, *more)


@pytest.mark.parametrize("tool", ["Task", "Agent"])
def test_b02_the_call_is_found_behind_a_megabyte(project: Path, tool: str) -> None:
    (name,) = scene.store(project, INSIGHT)
    called(project, tool, OBJECTIVE, *(progress(100_000) for _ in range(11)))
    fired = fire("SubagentStart", project)
    assert fired.answer == {
        "hookSpecificOutput": {
            "hookEventName": "SubagentStart",
            "additionalContext": fired.specific("additionalContext"),
        }
    }
    assert INSIGHT in fired.specific("additionalContext")
    assert scene.sideband(project)["a1"]["objective"] == "fix the parser"
    assert scene.sideband(project)["a1"]["injected"] == [name]


@pytest.mark.parametrize("tool", ["TaskCreate", "TaskOutput", "AgentX", "task"])
def test_b02_other_tools_are_no_calls_of_agents(project: Path, tool: str) -> None:
    scene.store(project, INSIGHT)
    called(project, tool, "OBJECTIVE: the parser of another tool")
    assert fire("SubagentStart", project).out == ""
    assert scene.sideband(project)["a1"]["objective"] == "objective unknown"


@pytest.mark.parametrize("role", ["other:helix-builder", "helix:helix-planner", "general-purpose"])
def test_b02_the_call_of_another_agent_is_not_taken(project: Path, role: str) -> None:
    scene.store(project, INSIGHT)
    called(project, "Agent", OBJECTIVE, role=role)
    assert fire("SubagentStart", project).out == ""
    assert scene.sideband(project)["a1"]["injected"] == []
