"""A whole /helix session on the real client, from the objective to a lesson that is used."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import pytest

from tests.e2e import story
from tests.e2e.checks import injected_lines
from tests.e2e.memory import number, rows
from tests.e2e.orchestra import WAITING
from tests.e2e.stage import House
from tests.e2e.told import Told, answers, first_words, told

pytestmark = [
    pytest.mark.e2e,
    pytest.mark.model,
    pytest.mark.timeout(900),
    pytest.mark.xdist_group("real-client"),
]


@pytest.fixture(scope="module", params=["background", "foreground"])
def tale(request: pytest.FixtureRequest, house: House) -> Iterator[Told]:
    """Both sessions, over."""
    with told(house, background=request.param == "background") as finished:
        yield finished


def document(tale: Told, name: str) -> Any:
    """The JSON document that a command of the first session printed."""
    text = answers(tale.first)[name]
    try:
        return json.loads(text)
    except ValueError:
        raise AssertionError(f"{name} printed {text!r}") from None


def states(document: dict[str, Any]) -> dict[str, str]:
    return {str(task["seq"]): task["state"] for task in document["tasks"]}


def test_both_sessions_run_to_their_end(tale: Told) -> None:
    for run, words in ((tale.first, "The objective is reached."), (tale.second, "Done.")):
        assert run.returncode == 0, run.stderr
        assert run.result["result"] in {words, WAITING}
    assert number(tale.db, "SELECT count(*) FROM hook_call WHERE NOT ok OR error <> ''") == 0


def test_recall_gives_insights_and_their_summary(tale: Told) -> None:
    found = document(tale, "recall")
    contents = {item["content"] for item in found["insights"]}
    assert contents & set(story.INSIGHTS)
    assert found["summary"]["recalled"] == len(found["insights"])
    assert found["summary"]["in_system"] == len(story.INSIGHTS)


def test_the_explorers_reports_lie_where_the_orchestrator_finds_them(tale: Told) -> None:
    explorers = rows(tale.db, "SELECT state FROM agent_run WHERE agent_type LIKE '%explorer'")
    assert [row["state"] for row in explorers] == ["done"] * len(story.SCOPES)


def test_the_plan_was_recorded_before_anybody_confirmed_it(tale: Told) -> None:
    assert states(document(tale, "plan_status")) == {
        "1": "ready",
        "2": "ready",
        "3": "pending",
        "4": "pending",
        "5": "pending",
    }


def test_the_clients_own_task_list_is_linked_where_it_exists(tale: Told) -> None:
    """And nothing else differs: every other test here holds with those tools and without."""
    links = rows(
        tale.db,
        "SELECT t.seq, t.tool_task_id FROM task t JOIN run r USING (run_id)"
        " WHERE r.session_id = ? AND t.tool_task_id IS NOT NULL",
        tale.first.session_id,
    )
    found = answers(tale.first).get("listed")
    assert bool(found) == tale.task_tools
    assert [row["seq"] for row in links] == ([str(story.BUCKET.seq)] if found else [])
    assert all(f"#{row['tool_task_id']}" in str(found) for row in links)


def test_what_is_ready_follows_what_was_delivered(tale: Told) -> None:
    ready = {
        n: sorted(str(task["seq"]) for task in document(tale, f"ready_{n}")["tasks"])
        for n in (1, 2, 3, 4)
    }
    assert ready == {1: ["1", "2"], 2: ["3", "6"], 3: ["4", "7"], 4: ["4"]}


def test_a_dead_builder_is_seen_and_one_more_is_sent(tale: Told) -> None:
    assert states(document(tale, "stalled"))["4"] == "crashed"
    runs = rows(
        tale.db,
        "SELECT state FROM agent_run WHERE session_id = ? AND task_id = '4' ORDER BY id",
        tale.first.session_id,
    )
    assert [row["state"] for row in runs] == ["crashed", "delivered"]


def test_a_task_is_told_what_its_parents_delivered(tale: Told) -> None:
    text = json.dumps(document(tale, "parents"))
    assert story.REFUSAL.report in text
    assert story.IN_DATABASE.report in text
    assert story.BUCKET.report not in text


def test_the_graph_in_the_database_matches_the_run(tale: Told) -> None:
    assert states(document(tale, "status")) == story.EXPECTED_STATES
    tasks = rows(
        tale.db,
        "SELECT t.* FROM task t JOIN run r USING (run_id) WHERE r.session_id = ?",
        tale.first.session_id,
    )
    assert {row["seq"] for row in tasks} == set(story.EXPECTED_STATES)
    builders = rows(
        tale.db,
        "SELECT task_id, run_id FROM agent_run WHERE agent_type LIKE '%builder' AND session_id = ?",
        tale.first.session_id,
    )
    assert sorted(row["task_id"] for row in builders) == ["1", "2", "3", "4", "4", "5", "6", "7"]
    assert {row["run_id"] for row in builders} == {row["run_id"] for row in tasks}


def test_constraints_of_the_prompt_are_in_the_archive(tale: Told) -> None:
    (planner, *_) = rows(
        tale.db,
        "SELECT summary FROM session_log WHERE agent_type LIKE '%planner' ORDER BY id",
    )
    assert story.CONSTRAINTS[0] in planner["summary"]
    assert story.RISK_AREAS[0] in planner["summary"]


def test_a_question_is_answered_elsewhere_and_the_session_hears_it(tale: Told) -> None:
    assert "answered: Use the database" in tale.answered
    heard = json.dumps(document(tale, "answer"))
    assert "Use the database" in heard
    assert '"answered"' in heard
    (question,) = rows(tale.db, "SELECT * FROM question WHERE kind = 'asked'")
    assert (question["state"], question["answered_by"]) == ("answered", "tui")
    assert story.BLOCK in question["evidence"]


def test_the_answer_is_an_insight_of_the_user_that_must_prove_itself(tale: Told) -> None:
    row = tale.lesson_before
    assert (row["source"], row["effectiveness"], row["use_count"]) == ("user", 0.5, 0)
    assert "user-provided" in row["tags"]


def test_the_report_says_what_happened(tale: Told) -> None:
    text = json.dumps(document(tale, "report"))
    for task in (story.BUCKET, story.REFUSAL, story.LOAD, story.TRIALS, story.IN_DATABASE):
        assert task.report in text
    assert story.BLOCK in text
    assert story.LESSON in text


def test_the_next_session_has_the_lesson_where_it_is_needed(tale: Told) -> None:
    given = first_words(tale.second, f"TASK: {story.LATER.text}")
    assert story.LESSON in injected_lines(given)
    assert tale.lesson["use_count"] == 1
    assert tale.lesson["causal_hits"] == 1
    assert tale.lesson["effectiveness"] > tale.lesson_before["effectiveness"]
    (event,) = rows(tale.db, "SELECT * FROM feedback_event WHERE insight_id = ?", tale.lesson["id"])
    assert (event["before"], event["outcome"], event["source"]) == (0.5, "delivered", "verified")


def test_nothing_of_the_run_is_left_over(tale: Told) -> None:
    assert not list((tale.place.project / ".helix" / "injected").glob("*.json"))
    assert rows(tale.db, "PRAGMA integrity_check")[0][0] == "ok"
