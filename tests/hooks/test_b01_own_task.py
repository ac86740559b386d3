"""B01: each agent is known by its own task, or plainly as unknown; credit never goes astray."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.core.text.transcript_lines import says, user, uses
from tests.hooks import scene
from tests.hooks.fire import BUILDER, fire, together

TASKS = {
    "toolu_a": "Fix the parser of the config file",
    "toolu_b": "Write the docs of the export command",
    "toolu_c": "Align the css grid of the landing page",
}
INSIGHTS = {
    "toolu_a": "When the parser meets a config file with tabs, expand them first",
    "toolu_b": "When the docs name an export command, run the command once to copy its output",
    "toolu_c": "When a css grid of a landing page collapses, set the min width of its columns",
}
AGENTS = {"a": "toolu_b", "b": "toolu_c", "c": "toolu_a"}  # started in another order than called


class Cases:
    """The same with and without the worker."""

    def test_b01_three_calls_in_one_message_are_not_guessed_at(self, project: Path) -> None:
        scene.store(project, *INSIGHTS.values())
        blocks = [
            uses("Agent", key, {"subagent_type": BUILDER, "prompt": scene.task(text)})
            for key, text in TASKS.items()
        ]
        scene.write_lines(project / "main.jsonl", *blocks)
        fired = [fire("SubagentStart", project, agent_id=agent) for agent in AGENTS]
        assert [f.out for f in fired] == ["", "", ""]
        assert {
            agent: s["objective"] for agent, s in scene.sideband(project).items()
        } == dict.fromkeys(AGENTS, "objective unknown")
        assert all(s["injected"] == [] for s in scene.sideband(project).values())

    def test_b01_each_agent_is_bound_to_its_own_call(self, project: Path) -> None:
        names = dict(zip(INSIGHTS, scene.store(project, *INSIGHTS.values()), strict=True))
        self._called(project)
        together([("SubagentStart", project, {"agent_id": agent}) for agent in AGENTS])
        for agent, key in AGENTS.items():
            fire("PostToolUse", project, tool_use_id=key, agent=agent)
        found = scene.sideband(project)
        assert {agent: side["objective"] for agent, side in found.items()} == {
            agent: TASKS[key] for agent, key in AGENTS.items()
        }
        assert {agent: side["injected"] for agent, side in found.items()} == {
            agent: [names[key]] for agent, key in AGENTS.items()
        }

    def test_b01_the_clients_own_file_binds_at_the_end(self, project: Path) -> None:
        """In the foreground PostToolUse comes after the end: `meta.json` has to do."""
        names = dict(zip(INSIGHTS, scene.store(project, *INSIGHTS.values()), strict=True))
        self._called(project)
        for agent in AGENTS:
            fire("SubagentStart", project, agent_id=agent)
        for agent, key in AGENTS.items():
            scene.write_meta(project, agent, key)
            fire("SubagentStop", project, agent_id=agent, last_assistant_message="DELIVERED: ok")
        bound = scene.rows(project, "SELECT agent_id, tool_use_id FROM agent_run ORDER BY agent_id")
        assert dict(bound) == AGENTS
        lines = {line["agent_id"]: line["task_id"] for line in scene.status(project)}
        assert lines == {agent: str([*TASKS].index(key) + 1) for agent, key in AGENTS.items()}
        self._check_credit(project, names)

    def _check_credit(self, project: Path, names: dict[str, str]) -> None:
        given = scene.rows(
            project,
            "SELECT a.agent_id, j.name FROM injection j JOIN agent_run a ON a.id = j.agent_run_id",
        )
        assert sorted(given) == sorted((agent, names[key]) for agent, key in AGENTS.items())
        credited = scene.rows(
            project,
            "SELECT f.agent_id, i.name FROM feedback_event f JOIN insight i ON i.id = f.insight_id",
        )
        if scene.with_worker():
            assert sorted(credited) == sorted(given)
        else:  # unknown is not non-causal: credit waits for a vector
            assert credited == []
            assert scene.rows(project, "SELECT DISTINCT feedback FROM agent_run") == [("pending",)]

    def _called(self, project: Path) -> None:
        for number, (key, text) in enumerate(TASKS.items(), 1):
            prompt = scene.task(text, number)
            assert fire("PreToolUse", project, tool_use_id=key, prompt=prompt).answer

    def test_b01_a_wrong_guess_is_overruled_before_credit(self, project: Path) -> None:
        """One call was treated, the other one's hook never ran: the first agent is the other's."""
        (name,) = scene.store(project, INSIGHTS["toolu_a"])
        fire("PreToolUse", project, tool_use_id="toolu_a", prompt=scene.task(TASKS["toolu_a"]))
        fire("SubagentStart", project, agent_id="b")  # the only call it can be, as it seems
        scene.write_meta(project, "b", "toolu_b")
        prompt = scene.task(TASKS["toolu_b"], 2)
        transcript = scene.write_lines(project / "agent-b.jsonl", user(prompt))
        fire(
            "SubagentStop",
            project,
            agent_id="b",
            agent_transcript_path=str(transcript),
            last_assistant_message="BLOCKED: the export command needs a licence key",
        )
        assert scene.effectiveness(project, name) == 0.5
        assert scene.one(project, "SELECT count(*) FROM feedback_event") == 0
        assert [line["task_id"] for line in scene.status(project)] == ["2"]
        assert scene.rows(
            project, "SELECT tool_use_id, agent_id, task, state FROM agent_run ORDER BY id"
        ) == [
            ("toolu_a", None, TASKS["toolu_a"], "running"),
            ("toolu_b", "b", TASKS["toolu_b"], "blocked"),
        ]

    def test_b01_an_agent_put_out_of_a_guessed_call_goes_on_as_unknown(self, project: Path) -> None:
        scene.store(project, INSIGHTS["toolu_a"])
        fire("PreToolUse", project, tool_use_id="toolu_a", prompt=scene.task(TASKS["toolu_a"]))
        fire("SubagentStart", project, agent_id="b")
        fire("PostToolUse", project, tool_use_id="toolu_a", agent="a")
        objectives = {k: v["objective"] for k, v in scene.sideband(project).items()}
        assert objectives == {"a": TASKS["toolu_a"], "b": "objective unknown"}
        fire(
            "PostToolUse",
            project,
            tool_use_id="toolu_b",
            agent="b",
            prompt=scene.task(TASKS["toolu_b"]),
        )
        objectives = {k: v["objective"] for k, v in scene.sideband(project).items()}
        assert objectives == {"a": TASKS["toolu_a"], "b": TASKS["toolu_b"]}


class TestByKeyword(Cases):
    """By keyword, each hook on its own."""

    def test_b01_the_first_message_tells_whose_agent_it_is(self, project: Path) -> None:
        """No PostToolUse and no `meta.json`: the prompt an agent got is as good as an id."""
        scene.store(project, *INSIGHTS.values())
        treated = {}
        for number, (key, text) in enumerate(TASKS.items(), 1):
            prompt = scene.task(text, number)
            fired = fire("PreToolUse", project, tool_use_id=key, prompt=prompt)
            treated[key] = fired.specific("updatedInput")["prompt"]
        for agent, key in AGENTS.items():
            lines = (user(treated[key]), says("DELIVERED: done"))
            scene.write_lines(project / f"agent-{agent}.jsonl", *lines)
            fire("SubagentStop", project, agent_id=agent)
        bound = scene.rows(project, "SELECT agent_id, tool_use_id FROM agent_run ORDER BY agent_id")
        assert dict(bound) == AGENTS

    def test_b01_late_knowledge_of_the_call_lets_credit_be_given(self, project: Path) -> None:
        """The agent ends before anything binds it; PostToolUse then says what it had been given."""
        scene.store(project, *INSIGHTS.values())
        self._called(project)
        fire("SubagentStop", project, agent_id="a", last_assistant_message="DELIVERED: ok")
        assert scene.one(project, "SELECT feedback FROM agent_run WHERE agent_id = 'a'") == "none"
        fire("PostToolUse", project, tool_use_id="toolu_b", agent="a")
        assert scene.rows(
            project, "SELECT tool_use_id, state, feedback FROM agent_run WHERE agent_id = 'a'"
        ) == [("toolu_b", "delivered", "pending")]


@pytest.mark.usefixtures("worker")
class TestWithWorker(Cases):
    """Through the worker."""
