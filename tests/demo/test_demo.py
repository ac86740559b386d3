"""What the demonstration shows with the real model, and that its report is what the rows say."""

from __future__ import annotations

import json
import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from helix_core.demo import lessons, script
from helix_core.demo.show import show
from tests.demo.conftest import Shown

HOOK_EVENTS = {
    "SessionStart",
    "PreToolUse",
    "PostToolUse",
    "SubagentStart",
    "SubagentStop",
    "StopFailure",
    "SessionEnd",
}


def agents(shown: Shown) -> list[tuple[int, dict[str, Any]]]:
    """Every agent of the report with the number of its session."""
    sessions = shown.report["sessions"]
    return [(n, agent) for n, one in enumerate(sessions, 1) for agent in one["agents"]]


def rows(shown: Shown, query: str) -> list[tuple[Any, ...]]:
    """Rows of the scratch project's own database."""
    with closing(sqlite3.connect(Path(shown.report["project"]) / ".helix/helix.db")) as conn:
        return conn.execute(query).fetchall()


def test_it_ends_well_and_every_hook_exits_with_0(shown: Shown) -> None:
    hooks = shown.report["hooks"]
    assert shown.returncode == 0, shown.stderr
    assert (hooks["nonzero_exits"], hooks["failed"], hooks["errors"]) == (0, 0, [])
    assert set(hooks["events"]) == HOOK_EVENTS
    # Four hooks for each agent, and two for each session.
    assert hooks["calls"] == 4 * len(agents(shown)) + 2 * len(shown.report["sessions"])
    assert rows(shown, "SELECT count(*) FROM hook_call") == [(hooks["calls"],)]


def test_the_cast_and_every_kind_of_outcome(shown: Shown) -> None:
    kinds = [agent["type"] for _, agent in agents(shown)]
    assert kinds.count("helix-builder") >= 8
    assert kinds.count("helix-planner") >= 1
    assert kinds.count("helix-explorer") == 2
    assert len(shown.report["sessions"]) == 3
    ended = {agent["outcome"] for _, agent in agents(shown) if agent["type"] == "helix-builder"}
    assert ended == {"delivered", "partial", "blocked", "crashed", "unknown"}
    sources = {agent["outcome_source"] for _, agent in agents(shown)}
    assert {"verified", "contradicted", "self"} <= sources


def test_each_task_ended_as_the_script_says(shown: Shown) -> None:
    ended = {
        (session, agent["task"]): agent["outcome"]
        for session, agent in agents(shown)
        if agent["type"] == "helix-builder"
    }
    told = {
        (number, task.text): {"unmarked": "unknown"}.get(task.ending, task.ending)
        for number, session in enumerate(script.SESSIONS, 1)
        for task in session.tasks
    }
    assert ended == told


def test_every_agent_is_bound_to_its_own_call(shown: Shown) -> None:
    bound = dict(rows(shown, "SELECT agent_id, tool_use_id FROM agent_run"))
    files = list(Path(shown.report["transcripts"]).glob("*/subagents/agent-*.meta.json"))
    called = {
        file.name.removeprefix("agent-").removesuffix(".meta.json"): json.loads(
            file.read_text(encoding="utf-8")
        )["toolUseId"]
        for file in files
    }
    assert bound == called
    assert len(called) == len(agents(shown))


def test_recall_went_by_vectors_of_the_real_model(shown: Shown) -> None:
    report = shown.report
    assert report["vectors"] is True
    assert report["embedding_models"] == ["sentence-transformers/all-MiniLM-L6-v2"]
    assert report["embedding_models"][0] in report["recall"]
    assert report["waiting"] == 0
    assert all(
        item["relevance"] is not None for _, agent in agents(shown) for item in agent["given"]
    )


def test_insights_rose_and_fell_as_the_rows_say(shown: Shown) -> None:
    moves = shown.report["insights"]
    assert any(item["end"] > item["start"] and item["n"] for item in moves)
    assert any(item["end"] < item["start"] and item["n"] for item in moves)
    stored = rows(
        shown,
        "SELECT i.name, i.effectiveness, i.use_count, count(f.id) FROM insight i"
        " LEFT JOIN feedback_event f ON f.insight_id = i.id GROUP BY i.id",
    )
    assert {(name, end, n, n) for name, end, n in _ends(moves)} == set(stored)
    begun = {item["content"]: item["start"] for item in moves}
    assert {one.content: begun[one.content] for one in lessons.LESSONS} == {
        one.content: one.effectiveness for one in lessons.LESSONS
    }


def _ends(moves: list[dict[str, Any]]) -> list[tuple[str, float, int]]:
    return [(item["name"], item["end"], item["n"]) for item in moves]


def test_an_outcome_moves_what_its_agent_was_given(shown: Shown) -> None:
    values = {"delivered": 1.0, "partial": 0.3, "blocked": 0.0, "plan_complete": 1.0}
    for _, agent in agents(shown):
        silent = agent["outcome"] not in values or agent["outcome_source"] == "contradicted"
        for item in agent["given"]:
            if silent:
                assert item["before"] is None, agent
            else:
                target = values[agent["outcome"]]
                assert abs(target - item["after"]) < abs(target - item["before"]), agent


def test_later_sessions_profit_from_earlier_ones(shown: Shown) -> None:
    learned = {
        item["name"]: (item["learned_in"], item["source"])
        for item in shown.report["insights"]
        if item["learned_in"] is not None
    }
    used = {
        learned[item["name"]]
        for session, agent in agents(shown)
        for item in agent["given"]
        if item["name"] in learned and learned[item["name"]][0] < session
    }
    # One a builder wrote down, and one made of another builder's reason for being blocked.
    assert {source for _, source in used} == {"agent", "derived"}
    derived = [item for item in shown.report["insights"] if item["source"] == "derived"]
    assert any(item["end"] > item["start"] == 0.35 for item in derived)
    assert shown.report["edges"]["led_to"] >= 1


def test_no_insight_goes_to_two_agents_of_a_wave(shown: Shown) -> None:
    given = [
        (session, agent["wave"], item["name"])
        for session, agent in agents(shown)
        for item in agent["given"]
    ]
    assert given
    assert all(wave is not None for _, wave, _ in given)
    assert len(set(given)) == len(given)


def test_the_plan_of_each_session_is_recorded(shown: Shown) -> None:
    planned = rows(
        shown,
        "SELECT r.session_id, t.description FROM task t JOIN run r USING (run_id)"
        " WHERE r.planner_run_id IS NOT NULL",
    )
    told = [
        (played["session_id"], task.text)
        for played, session in zip(shown.report["sessions"], script.SESSIONS, strict=True)
        for task in session.tasks
    ]
    assert sorted(planned) == sorted(told)


def test_the_users_own_memory_is_left_alone(shown: Shown) -> None:
    assert list(shown.elsewhere.iterdir()) == []
    assert Path(shown.report["project"]).is_relative_to(shown.elsewhere.parent / "tmp")


def test_the_text_tells_the_same(shown: Shown, capsys: pytest.CaptureFixture[str]) -> None:
    show(shown.report)
    text = capsys.readouterr().out
    for item in shown.report["insights"]:
        line = next(line for line in text.splitlines() if line.endswith(f"  {item['name']}"))
        assert line.startswith(f"{item['start']:.3f}  {item['end']:.3f}")
    for _, agent in agents(shown):
        for item in agent["given"]:
            moved = item["before"] is not None
            told = f"{item['before']:.3f} -> {item['after']:.3f}" if moved else "no feedback"
            assert told in text
    assert "12 builders: 7 delivered, 2 blocked, 1 partial, 1 crashed, 1 unknown." in text
