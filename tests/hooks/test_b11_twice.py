"""B11: a hook that fires twice counts once; a new final message is a new result."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.core.text.transcript_lines import says, user
from tests.hooks import scene
from tests.hooks.fire import fire, together

LESSON = "When testing twice, count once because hooks fire twice"
KNOWN = "When the parser of the config file fails, look at its tabs first"
PROMPT = scene.task("Fix the parser of the config file")


class Cases:
    """The same with and without the worker."""

    def test_b11_an_end_told_three_times_counts_once(self, project: Path) -> None:
        (name,) = scene.store(project, KNOWN)
        self._started(project)
        message = f'DELIVERED: ok\nINSIGHT: {{"content": "{LESSON}"}}'
        scene.write_lines(project / "agent-a1.jsonl", user(PROMPT), says(message))
        together([("SubagentStop", project, {})] * 2)
        fire("SubagentStop", project, stop_hook_active=True)
        assert scene.outcomes(project) == [("a1", "delivered")]
        assert scene.one(project, "SELECT count(*) FROM session_log") == 1
        assert scene.one(project, "SELECT count(*) FROM agent_result") == 1
        assert scene.rows(
            project, "SELECT confirmations FROM insight WHERE content = ?", LESSON
        ) == [(0,)]
        uses = scene.one(project, "SELECT use_count FROM insight WHERE name = ?", name)
        assert uses == (1 if scene.with_worker() else 0)

    def test_b11_a_new_final_message_is_a_new_result_of_the_same_task(self, project: Path) -> None:
        (name,) = scene.store(project, KNOWN)
        self._started(project)
        first = "BLOCKED: the tokenizer of the config parser has no tests to run yet"
        fire("SubagentStop", project, last_assistant_message=first)
        fire("SubagentStart", project)  # resumed
        fire("SubagentStop", project, last_assistant_message="DELIVERED: now it works")
        assert scene.outcomes(project) == [("a1", "blocked"), ("a1", "delivered")]
        assert {line["task_id"] for line in scene.status(project)} == {"1"}
        assert scene.rows(project, "SELECT state, tool_use_id FROM agent_run") == [
            ("delivered", "toolu_1")
        ]
        assert scene.one(project, "SELECT count(*) FROM session_log") == 2
        if scene.with_worker():
            assert scene.rows(
                project,
                "SELECT f.outcome FROM feedback_event f JOIN insight i ON i.id = f.insight_id"
                " WHERE i.name = ? ORDER BY f.id",
                name,
            ) == [("blocked",), ("delivered",)]

    def test_b11_a_call_treated_twice_gets_the_same_text(self, project: Path) -> None:
        scene.store(project, KNOWN)
        fired = together([("PreToolUse", project, {"prompt": PROMPT})] * 2)
        fired.append(fire("PreToolUse", project, prompt=PROMPT))
        assert fired[0].answer is not None
        assert fired[0].answer == fired[1].answer == fired[2].answer
        treated = fired[0].specific("updatedInput")["prompt"]
        assert fire("PreToolUse", project, prompt=treated).out == ""  # it is in there already
        assert scene.one(project, "SELECT count(*) FROM injection") == 1

    def test_b11_a_second_start_of_an_agent_keeps_its_injection(self, project: Path) -> None:
        (name,) = scene.store(project, KNOWN)
        self._started(project)
        scene.store(project, "When a config file of the parser has no end, add a line break")
        assert fire("SubagentStart", project).out == ""
        assert scene.sideband(project)["a1"]["injected"] == [name]

    def _started(self, project: Path) -> None:
        assert fire("PreToolUse", project, prompt=PROMPT).answer
        fire("SubagentStart", project)
        fire("PostToolUse", project, prompt=PROMPT)


class TestByKeyword(Cases):
    """By keyword, each hook on its own."""


@pytest.mark.usefixtures("worker")
class TestWithWorker(Cases):
    """Through the worker."""
