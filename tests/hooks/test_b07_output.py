"""B07: what a hook prints is one JSON object in the documented form, small enough to be seen."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.core.text.transcript_lines import uses
from tests.hooks import scene
from tests.hooks.fire import BUILDER, fire

SEEN = 10_000  # more than that the client replaces by a preview
TASK = "fixing the parser case"
WORDS = ("alpha", "beta", "gamma", "delta", "epsilon")


def long_insights(project: Path, length: int) -> None:
    """Five insights for one task, each proven, so that more than one is wanted."""
    contents = [
        f"When fixing parser case {word} then {word * (length // len(word))} end" for word in WORDS
    ]
    scene.store(project, *contents)
    scene.change(project, "UPDATE insight SET effectiveness = 0.9, use_count = 6, causal_hits = 6")


class Cases:
    """The same with and without the worker."""

    def test_b07_the_fallbacks_answer_has_the_documented_form(self, project: Path) -> None:
        long_insights(project, 3000)
        call = {"subagent_type": BUILDER, "prompt": f"OBJECTIVE: {TASK}"}
        scene.write_lines(project / "main.jsonl", uses("Agent", "toolu_9", call))
        fired = fire("SubagentStart", project)
        assert fired.err == ""
        assert fired.answer is not None
        assert set(fired.answer) == {"hookSpecificOutput"}
        specific = fired.answer["hookSpecificOutput"]
        assert set(specific) == {"hookEventName", "additionalContext"}
        assert specific["hookEventName"] == "SubagentStart"
        self._check_block(project, specific["additionalContext"])

    def test_b07_the_prompts_answer_changes_nothing_but_the_prompt(self, project: Path) -> None:
        long_insights(project, 3000)
        prompt = f"OBJECTIVE: {TASK}"
        given = {"subagent_type": BUILDER, "prompt": prompt, "model": "haiku", "new": [1, {}]}
        fired = fire("PreToolUse", project, tool_input=given)
        assert fired.answer is not None
        specific = fired.answer["hookSpecificOutput"]
        assert set(specific) == {"hookEventName", "updatedInput"}
        changed = specific["updatedInput"]
        assert {**changed, "prompt": None} == {**given, "prompt": None}
        assert changed["prompt"].startswith(prompt)
        self._check_block(project, changed["prompt"].removeprefix(prompt))

    def _check_block(self, project: Path, block: str) -> None:
        assert 1000 < len(block) < SEEN
        lines = [line for line in block.splitlines() if line.startswith("  - [")]
        names = json.loads(block.splitlines()[-1].removeprefix("INJECTED: "))
        assert 1 <= len(lines) == len(names) <= 3
        # What has no room is left out as a whole; what is longer than a line may be says so.
        assert all(line.endswith(("end", "…")) for line in lines)
        recorded = scene.rows(project, "SELECT name FROM injection ORDER BY rank")
        assert [name for (name,) in recorded] == names


class TestByKeyword(Cases):
    """By keyword, each hook on its own."""

    @pytest.mark.parametrize("room", [400, 900, 2500])
    def test_b07_the_cut_is_at_a_whole_insight(
        self, project: Path, monkeypatch: pytest.MonkeyPatch, room: int
    ) -> None:
        long_insights(project, 300)
        monkeypatch.setenv("HELIX_MAX_CHARS", str(room))
        fired = fire("PreToolUse", project, prompt=f"OBJECTIVE: {TASK}")
        recorded = scene.rows(project, "SELECT name FROM injection")
        if fired.answer is None:
            assert recorded == []
            return
        block = fired.specific("updatedInput")["prompt"].removeprefix(f"OBJECTIVE: {TASK}")
        assert len(block) <= room + 2
        lines = [line for line in block.splitlines() if line.startswith("  - [")]
        assert len(lines) == len(recorded)
        assert all(line.endswith(" end") for line in lines)

    @pytest.mark.parametrize("event", ["PostToolUse", "SubagentStop", "StopFailure", "SessionEnd"])
    def test_b07_events_without_an_answer_print_nothing(self, project: Path, event: str) -> None:
        (project / ".helix").mkdir()
        fired = fire(event, project)
        assert (fired.code, fired.out, fired.err) == (0, "", "")


@pytest.mark.usefixtures("worker")
class TestWithWorker(Cases):
    """Through the worker."""
