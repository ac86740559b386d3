"""helix on the real client: four waves of six builders, with and without the worker."""

from __future__ import annotations

import itertools
from dataclasses import replace

import pytest

from tests.e2e import scenario
from tests.e2e.checks import faults_of_injection, given_twice, injected_lines
from tests.e2e.memory import number, rows
from tests.e2e.stage import Scene
from tests.e2e.world import TASKS, TWINS, with_derived, with_feedback

pytestmark = [
    pytest.mark.e2e,
    pytest.mark.model,
    pytest.mark.timeout(900),
    pytest.mark.xdist_group("real-client"),
]

OUTCOME_VALUES = {"delivered": 1.0, "partial": 0.3, "blocked": 0.0}
# MiniLM's causal threshold and ramp, and the learning rate: the figures of the specification.
THRESHOLD, RAMP, RATE = 0.35, 0.35, 0.2


def test_the_session_runs_to_its_end(scene: Scene) -> None:
    assert scene.run.returncode == 0, scene.run.stderr
    # In the background the client may leave as soon as its last agent has ended, before it has
    # told the model so: then the last words are those of waiting, and the rows say who ended.
    last_words = {scenario.FINISHED, *([scenario.WAITING] if scene.background else [])}
    assert scene.run.result["result"] in last_words
    assert len(scene.builders) == len(TASKS)
    ended = "SELECT count(*) FROM agent_run WHERE ended_at IS NOT NULL AND state <> 'running'"
    assert number(scene.db, ended) == len(TASKS)


def test_every_first_message_holds_its_own_insight_and_no_other(scene: Scene) -> None:
    assert faults_of_injection(scene.builders) == []


def test_two_swapped_prompts_do_not_go_unnoticed(scene: Scene) -> None:
    for one, other in itertools.pairwise(scene.builders):
        swapped = [replace(one, text=other.text), replace(other, text=one.text)]
        rest = [b for b in scene.builders if b not in (one, other)]
        assert len(faults_of_injection([*rest, *swapped])) >= 4


def test_the_prompt_itself_arrives_unchanged(scene: Scene) -> None:
    given = {builder.tool_use_id: builder.text for builder in scene.builders}
    for task in TASKS:
        assert scenario.prompt_of(task).rstrip() in given[scenario.call_id(task)]


def test_the_rows_say_what_was_shown_to_whom(scene: Scene) -> None:
    shown = rows(
        scene.db,
        """SELECT r.tool_use_id, r.agent_id, r.task_id, i.content, j.withheld FROM injection j
        JOIN agent_run r ON r.id = j.agent_run_id JOIN insight i ON i.id = j.insight_id
        ORDER BY r.tool_use_id, j.rank""",
    )
    assert not any(row["withheld"] for row in shown)
    for builder, task in zip(scene.builders, TASKS, strict=True):
        mine = [row for row in shown if row["tool_use_id"] == builder.tool_use_id]
        assert [row["content"] for row in mine] == injected_lines(builder.text)
        assert {row["agent_id"] for row in mine} == {builder.agent_id}
        assert {row["task_id"] for row in mine} == {str(task.seq)}


def test_every_outcome_is_right(scene: Scene) -> None:
    found = {
        row["tool_use_id"]: (row["state"], row["outcome_source"] or "self")
        for row in rows(scene.db, "SELECT tool_use_id, state, outcome_source FROM agent_run")
    }
    assert found == {scenario.call_id(t): (t.ending, t.source) for t in TASKS}


def test_feedback_events_carry_the_whole_story(scene: Scene) -> None:
    events = rows(
        scene.db,
        """SELECT e.*, i.content, r.tool_use_id FROM feedback_event e
        JOIN insight i ON i.id = e.insight_id JOIN agent_run r ON r.id = e.agent_run_id""",
    )
    own = {(row["tool_use_id"], row["content"]): row for row in events}
    assert set(own) == {(scenario.call_id(t), t.insight) for t in with_feedback()}
    assert len(events) == len(own)
    agents = {builder.tool_use_id: builder.agent_id for builder in scene.builders}
    for task in with_feedback():
        event = own[scenario.call_id(task), task.insight]
        weight = min(1.0, (event["similarity"] - THRESHOLD) / RAMP)
        moved = RATE * weight * (OUTCOME_VALUES[task.ending] - event["before"])
        assert event["agent_id"] == agents[event["tool_use_id"]]
        assert event["session_id"] == scene.run.session_id
        assert (event["task_id"], event["task"]) == (str(task.seq), task.text)
        assert (event["outcome"], event["source"]) == (task.ending, task.source)
        assert THRESHOLD < event["similarity"] <= 1
        assert event["causal"] == 1
        assert event["before"] == 0.5
        assert event["weight"] == pytest.approx(weight, abs=1e-6)
        assert event["after"] == pytest.approx(0.5 + moved, abs=1e-6)


def test_only_insights_with_feedback_have_moved(scene: Scene) -> None:
    after = {
        row["content"]: row["after"]
        for row in rows(
            scene.db,
            "SELECT i.content, e.after FROM feedback_event e JOIN insight i ON i.id = e.insight_id",
        )
    }
    used = {task.insight for task in with_feedback()}
    for row in rows(scene.db, "SELECT * FROM insight WHERE source NOT IN ('derived', 'synthesis')"):
        assert row["effectiveness"] == pytest.approx(after.get(row["content"], 0.5))
        times = int(row["content"] in used)
        assert (row["use_count"], row["causal_hits"]) == (times, times)


def test_without_a_worker_feedback_waits_for_one(scene: Scene) -> None:
    expected = (0, len(with_feedback())) if scene.worker else (len(with_feedback()), 0)
    assert (scene.pending_at_end, scene.events_at_end) == expected


def test_fake_markers_are_never_taken(scene: Scene) -> None:
    fakes = (scenario.FAKE_INSIGHT, scenario.FAKE_TEMPLATE, scenario.FAKE_OUTCOME)
    for table, column in (
        ("insight", "content"),
        ("trash", "content"),
        ("agent_run", "summary"),
        ("session_log", "summary"),
        ("session_log", "reason"),
        ("question", "question"),
    ):
        texts = [row[0] or "" for row in rows(scene.db, f"SELECT {column} FROM {table}")]
        assert not [text for text in texts for fake in fakes if fake in text], table
    status = scene.place.project / ".helix" / "task-status.jsonl"
    if status.exists():
        assert not [fake for fake in fakes if fake in status.read_text(encoding="utf-8")]


def test_a_blocked_task_makes_one_derived_insight(scene: Scene) -> None:
    derived = rows(scene.db, "SELECT * FROM insight WHERE source = 'derived'")
    assert len(derived) == len(with_derived())
    for task in with_derived():
        (row,) = [row for row in derived if task.reason in row["content"]]
        assert row["effectiveness"] == 0.35
        assert task.text[1:] in row["content"]
        assert _parents(scene, row["id"]) == [task.insight]


def test_what_a_builder_learned_is_stored_with_its_parent(scene: Scene) -> None:
    for task in TASKS:
        if not task.learned:
            continue
        (row,) = rows(scene.db, "SELECT * FROM insight WHERE content = ?", task.learned)
        assert (row["source"], row["effectiveness"]) == ("agent", 0.5)
        if task in with_feedback():
            assert _parents(scene, row["id"]) == [task.insight]


def test_a_contradicted_outcome_asks_instead_of_teaching(scene: Scene) -> None:
    contradicted = {scenario.call_id(t) for t in TASKS if t.source == "contradicted"}
    asked = rows(
        scene.db,
        """SELECT r.tool_use_id FROM question q JOIN agent_run r ON r.id = q.agent_run_id
        WHERE q.state = 'open'""",
    )
    assert contradicted <= {row["tool_use_id"] for row in asked}


def test_each_bound_agent_had_its_file_and_none_is_left(scene: Scene) -> None:
    assert scene.bound == {builder.agent_id for builder in scene.builders}
    assert scene.left_over == ()


def test_every_hook_did_its_work_in_the_expected_mode(scene: Scene) -> None:
    calls = rows(scene.db, "SELECT event, mode, ok, error FROM hook_call")
    assert [tuple(row) for row in calls if not row["ok"] or row["error"]] == []
    recalled = {row["mode"] == "keyword" for row in calls if row["event"] == "PreToolUse"}
    assert recalled == {not scene.worker}


def test_the_project_holds_nothing_new_but_the_memory(scene: Scene) -> None:
    names = {path.name for path in scene.place.project.iterdir()}
    assert names == {".helix", "NOTES.txt", "checks"}
    assert rows(scene.db, "PRAGMA integrity_check")[0][0] == "ok"


def test_builders_with_one_and_the_same_task_get_different_insights(twins: Scene) -> None:
    texts = [builder.text for builder in twins.builders]
    assert len(texts) == len(TWINS)
    assert all(injected_lines(text) for text in texts)
    assert given_twice(texts) == []
    relevance = rows(twins.db, "SELECT relevance FROM injection WHERE relevance IS NOT NULL")
    assert all(row[0] >= THRESHOLD for row in relevance)


def test_session_archive_holds_every_ended_builder(scene: Scene) -> None:
    logged = rows(scene.db, "SELECT agent_id, task_id, outcome FROM session_log")
    expected = [
        (builder.agent_id, str(task.seq), task.ending)
        for builder, task in zip(scene.builders, TASKS, strict=True)
    ]
    assert sorted(map(tuple, logged)) == sorted(expected)
    assert number(scene.db, "SELECT count(*) FROM agent_run") == len(TASKS)


def _parents(scene: Scene, insight_id: int) -> list[str]:
    """The contents of the insights a `led_to` edge leads from."""
    found = rows(
        scene.db,
        """SELECT i.content FROM insight_edges e JOIN insight i ON i.id = e.src_id
        WHERE e.relation = 'led_to' AND e.dst_id = ?""",
        insight_id,
    )
    return [row["content"] for row in found]
