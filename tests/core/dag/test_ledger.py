"""Plans and their tasks from the hooks' side: recorded, followed, ended, replaced."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from helix_core import local, paths
from tests.core.command import helix
from tests.core.dag.crew import Crew, entry, plan_message
from tests.hooks import scene
from tests.hooks.test_b15_locked import locked


@pytest.fixture
def crew(project: Path) -> Crew:
    (project / ".git").mkdir()
    return Crew(project)


def runs(crew: Crew) -> list[tuple[Any, ...]]:
    return scene.rows(crew.project, "SELECT run_id, ended_at IS NOT NULL FROM run ORDER BY 1")


def test_a_planners_end_records_and_the_states_follow(crew: Crew) -> None:
    crew.plan(entry(1), entry("002", 1), entry(3, 1, 2))
    assert crew.states() == {"1": "ready", "002": "pending", "3": "pending"}
    first = crew.call(task="01")
    assert crew.states() == {"1": "running", "002": "pending", "3": "pending"}
    crew.end(first, "DELIVERED: one")
    assert crew.states() == {"1": "delivered", "002": "ready", "3": "pending"}
    crew.build(2, "BLOCKED: the service is not there and nobody has its key")
    assert crew.states() == {"1": "delivered", "002": "blocked", "3": "pending"}
    crew.crash(crew.call(task="2"))
    assert crew.states()["002"] == "crashed"
    crew.build(2, "PARTIAL: half\nREMAINING: the other half")
    assert crew.states()["002"] == "partial"
    assert runs(crew) == [(1, 0)]
    crew.build(2)
    crew.build(3)
    assert set(crew.states().values()) == {"delivered"}
    assert runs(crew) == [(1, 1)]
    found = crew.dag("show", "2").json
    assert [one["state"] for one in found["tried"]] == [
        "blocked",
        "crashed",
        "partial",
        "delivered",
    ]
    assert len({one["agent_id"] for one in found["tried"]}) == 4


def test_every_agent_names_its_run(crew: Crew) -> None:
    crew.end(crew.call("explorer"), '{"findings": []}', "explorer")
    crew.plan(entry(1))
    crew.build(1)
    assert scene.rows(crew.project, "SELECT DISTINCT run_id FROM agent_run") == [(1,)]
    crew.end(crew.call("explorer"), '{"findings": []}', "explorer")  # for what comes next
    crew.plan(entry(1))
    crew.build(1)
    assert scene.rows(
        crew.project, "SELECT run_id, count(*) FROM agent_run GROUP BY 1 ORDER BY 1"
    ) == [(1, 3), (2, 3)]


def test_an_agent_whose_call_no_hook_saw_is_counted_too(crew: Crew) -> None:
    crew.plan(entry(1), entry(2))
    file = crew.project / "agent-lost.jsonl"
    from tests.core.text.transcript_lines import user

    scene.write_lines(file, user("TASK_ID: 2\nTASK: Do part 2 of it\nOBJECTIVE: it\nVERIFY: x"))
    crew.end("lost", "DELIVERED: two", agent_transcript_path=str(file))
    assert crew.states() == {"1": "ready", "2": "delivered"}


def test_the_same_plan_twice_is_one_run(crew: Crew) -> None:
    message = plan_message(entry(1), entry(2, 1))
    planner = crew.plan(message=message)
    crew.end(planner, message, "planner")
    assert runs(crew) == [(1, 0)]
    crew.plan(message=message)  # another planner, the same answer
    assert runs(crew) == [(1, 0)]


def test_a_second_plan_takes_the_place_of_one_nobody_began(crew: Crew) -> None:
    crew.plan(entry(1))
    crew.plan(entry(1), entry(2))
    assert runs(crew) == [(1, 1), (2, 0)]
    assert crew.dag("status").json["replaces"] == 1
    crew.build(2)
    crew.plan(entry(7))
    assert runs(crew) == [(1, 1), (2, 0), (3, 0)]  # the second was begun: it goes on
    assert crew.dag("status", "--run", "2").json["counts"] == {"ready": 1, "delivered": 1}


@pytest.mark.parametrize(
    ("entries", "words"),
    [
        ([entry(1, 2), entry(2, 1)], "tasks 1 -> 2 -> 1: each waits for the next"),
        ([entry(1, 9)], "task 1: waits for 9, not in the plan"),
        ([entry(1), entry("01")], "task 01: another task has this number"),
        ([entry(1, verify="")], "task 1: has no verify command"),
        ([], "the plan has no task"),
    ],
)
def test_a_plan_with_errors_is_kept_with_them(
    crew: Crew, entries: list[dict[str, Any]], words: str
) -> None:
    crew.plan(*entries)
    found = crew.dag("status").json
    assert (found["valid"], found["errors"], found["ready"]) == (False, [words], [])
    assert len(found["tasks"]) == len({str(e["seq"]).lstrip("0") for e in entries})
    ran = crew.dag("ready")
    assert ran.code == 1 and words in ran.out
    assert crew.dag("plan").code == 1  # it cannot be confirmed as it is
    assert words in scene.log(crew.project)
    crew.plan(entry(1))
    found = crew.dag("status").json
    assert (found["run"], found["replaces"], found["valid"], found["ready"]) == (2, 1, True, ["1"])


def test_a_plan_nobody_can_read_is_kept_as_such(crew: Crew) -> None:
    crew.plan(message='PLAN_SPEC:\n[{"seq": 1, \nPLAN_COMPLETE: 1 tasks specified')
    found = crew.dag("status").json
    assert found["errors"] == ["the text after PLAN_SPEC is no readable JSON array"]
    assert (found["tasks"], found["ended_at"]) == ([], None)


def test_without_an_outcome_a_task_runs_until_it_is_decided(crew: Crew) -> None:
    crew.plan(entry(1), entry(2, 1))
    crew.build(1, "I think it works")
    found = crew.dag("status").json
    (stalled, behind) = found["stalled"]
    assert crew.states() == {"1": "running", "2": "pending"}
    assert (stalled["seq"], stalled["kind"]) == ("1", "undecided")
    assert stalled["why"] == "its agent ended without an outcome"
    assert (behind["seq"], behind["by"]) == ("2", ["1"])
    assert crew.dag("set", "1", "delivered", "--reason", "its check passes").code == 0
    assert crew.states() == {"1": "delivered", "2": "ready"}
    told = crew.dag("deliveries", "2").json["parents"]
    assert [(one["seq"], one["summary"], one["source"]) for one in told] == [
        ("1", "its check passes", "decided")
    ]


def test_the_newest_of_decision_and_attempt_counts(crew: Crew) -> None:
    crew.plan(entry(1), entry(2, 1))
    crew.build(1, "BLOCKED: the service is not there and nobody has its key")
    assert crew.dag("set", "1", "skip", "--reason", "not needed").json["state"] == "skipped"
    assert crew.states() == {"1": "skipped", "2": "ready"}
    assert crew.dag("set", "1", "skip").code == 1
    assert crew.dag("set", "1", "retry").json["state"] == "ready"
    assert crew.states() == {"1": "ready", "2": "pending"}
    agent = crew.call(task=1)
    assert crew.states()["1"] == "running"
    crew.end(agent, "DELIVERED: after all")
    assert crew.states() == {"1": "delivered", "2": "ready"}


def test_an_agent_that_is_given_up_may_still_end(crew: Crew) -> None:
    crew.plan(entry(1))
    agent = crew.call(task=1)
    assert crew.dag("set", "1", "retry").json["state"] == "ready"
    state = "SELECT state, note FROM agent_run WHERE agent_id = ?"
    assert scene.rows(crew.project, state, agent) == [
        ("unknown", "given up: its task was set to retry")
    ]
    crew.end(agent, "DELIVERED: late")
    assert scene.rows(crew.project, state, agent)[0][0] == "delivered"
    assert crew.states() == {"1": "ready"}  # it was decided to do it again


def test_a_run_ends_when_all_is_settled_and_goes_on_if_it_is_not(crew: Crew) -> None:
    crew.plan(entry(1), entry(2, 1))
    crew.build(1)
    crew.build(2, "BLOCKED: the service is not there and nobody has its key")
    assert runs(crew) == [(1, 0)]
    assert crew.dag("set", "2", "blocked").code == 0  # left as it is
    assert runs(crew) == [(1, 1)]
    assert crew.dag("status").json["stalled"] == []
    crew.call(task=2)
    assert runs(crew) == [(1, 0)]
    assert crew.states() == {"1": "delivered", "2": "running"}


def test_a_plan_corrected_under_way_keeps_what_was_done(crew: Crew) -> None:
    crew.plan(entry(1), entry(2, 1), entry(3, 1), entry(4))
    crew.build(1, "DELIVERED: the first")
    working = crew.call(task=2)
    crew.dag("set", "4", "skip", "--reason", "not needed")
    other = entry(3, 1, 2, description="Do it otherwise")
    corrected = json.dumps([entry("1"), entry(2, 1), other, entry(4), entry(5, 3)])
    assert crew.dag("plan", corrected).json["run"] == 2
    assert crew.states() == {
        "1": "delivered",
        "2": "running",
        "3": "pending",
        "4": "skipped",
        "5": "pending",
    }
    assert runs(crew) == [(1, 1), (2, 0)]
    assert crew.dag("status").json["replaces"] == 1
    crew.end(working, "DELIVERED: the second")
    assert crew.dag("deliveries", "3").json["parents"][1]["summary"] == "the second"
    assert crew.states()["3"] == "ready"


def test_a_session_that_ends_takes_its_runs_along(crew: Crew) -> None:
    crew.plan(entry(1))
    agent = crew.call(task=1)
    crew.hook("SessionEnd", reason="exit")
    assert runs(crew) == [(1, 1)]
    crew.end(agent, "PARTIAL: half\nREMAINING: the rest of it")
    assert runs(crew) == [(1, 1)]  # late, and no reason to take the run up again
    crew.hook("SessionStart", source="resume")
    crew.call(task=1)
    assert runs(crew) == [(1, 0)]


def test_replanning_a_part(crew: Crew) -> None:
    crew.plan(entry(1), entry(2, 1), entry(3, 2), entry(4))
    crew.build(1)
    crew.build(2, "PARTIAL: half\nREMAINING: the other half of it")
    file = crew.project / "part.json"
    file.write_text('[{"seq": "2b", "slug": "rest", "description": "Rest", "verify": "pytest"}]')
    done = crew.dag("set", "2", "replan", str(file), "--reason", "too big").json
    assert (done["new"], done["gone"], done["moved"]) == (["2b"], ["2"], ["3"])
    assert (done["state"], done["reason"]) == ("partial", "replaced by 2b: too big")
    assert crew.states() == {
        "1": "delivered",
        "2": "partial",
        "2b": "ready",
        "3": "pending",
        "4": "ready",
    }
    found = crew.dag("status").json
    assert [one["kind"] for one in found["stalled"]] == []
    for seq in ("2b", "3", "4"):
        crew.build(seq)
    assert runs(crew) == [(1, 1)]


def test_a_replaced_task_is_not_handed_out_again(crew: Crew) -> None:
    crew.plan(entry(1), entry(2, 1))
    assert crew.dag("set", "1", "replan", json.dumps([entry(10)])).code == 0
    for decision in ("retry", "delivered", "skip"):
        refused = crew.dag("set", "1", decision)
        assert refused.code == 1
        assert "replaced by 10" in refused.err
    assert crew.states()["10"] == "ready"
    assert crew.states()["1"] == "skipped"


def test_replanning_can_mend_a_plan_with_errors(crew: Crew) -> None:
    crew.plan(entry(1), entry(2, 9))
    assert crew.dag("set", "2", "replan", '[{"seq": 2, "verify": "pytest"}]').code == 0
    found = crew.dag("status").json
    assert (found["valid"], found["ready"]) == (True, ["1", "2"])


@pytest.mark.parametrize(
    ("file", "words"),
    [
        ("[]", "the plan has no task"),
        ("nonsense", "no readable JSON array"),
        ('[{"seq": 9}]', "task 9: has no verify command"),
        ('[{"seq": 9, "verify": "pytest", "blocked_by": [77]}]', "waits for 77, not in the plan"),
        ('[{"seq": 1, "verify": "pytest"}]', "task 1: is delivered"),
        ('[{"seq": 9, "verify": "pytest"}, {"seq": "09", "verify": "pytest"}]', "another task"),
    ],
)
def test_a_replacement_with_errors_changes_nothing(crew: Crew, file: str, words: str) -> None:
    crew.plan(entry(1), entry(2, 1))
    crew.build(1)
    before = scene.rows(crew.project, "SELECT * FROM task ORDER BY seq")
    place = crew.project / "part.json"
    place.write_text(file)
    ran = crew.dag("set", "2", "replan", str(place))
    assert ran.code == 1 and words in ran.err and words in json.loads(ran.out)["error"]
    assert scene.rows(crew.project, "SELECT * FROM task ORDER BY seq") == before


def test_a_plan_that_comes_late_finds_its_builders(crew: Crew) -> None:
    """The planner's end was spooled, since the database was locked; builders were quicker."""
    planner = crew.call("planner")
    builder = crew.call(task=1)
    crew.end(planner, plan_message(entry(1)), "planner")
    assert crew.states() == {"1": "running"}
    crew.end(builder, "DELIVERED: one")
    assert runs(crew) == [(1, 1)]


def test_two_sessions_do_not_share_a_plan(crew: Crew) -> None:
    other = Crew(crew.project, "s2")
    crew.plan(entry(1))
    other.plan(entry(1), entry(2))
    other.build(1)
    assert crew.states() == {"1": "ready"}
    assert other.states() == {"1": "delivered", "2": "ready"}


def test_a_lock_is_told_and_changes_nothing(crew: Crew, monkeypatch: pytest.MonkeyPatch) -> None:
    crew.plan(entry(1))
    monkeypatch.setenv("HELIX_LOCK_WAIT_MS", "100")
    with locked(crew.project):
        assert crew.dag("status").code == 0
        ran = crew.dag("set", "1", "skip")
    assert ran.code == 3 and "locked" in ran.err
    assert crew.states() == {"1": "ready"}


def test_a_contradicted_outcome_frees_nobody(crew: Crew) -> None:
    from tests.core.text.transcript_lines import answers, user, uses

    crew.plan(entry(1), entry(2, 1))
    agent = crew.call(task=1)
    file = scene.write_lines(
        crew.project / "agent-x.jsonl",
        user("TASK_ID: 1"),
        uses("Bash", "t1", {"command": "pytest tests/test_p.py"}),
        answers("t1", "Exit code 1\n1 failed", is_error=True),
    )
    crew.end(agent, "DELIVERED: it works", agent_transcript_path=str(file))
    found = crew.dag("status").json
    assert crew.states() == {"1": "running", "2": "pending"}
    assert found["tasks"][0]["source"] == "contradicted"
    assert "its last VERIFY run says otherwise" in found["stalled"][0]["why"]
    assert scene.one(crew.project, "SELECT count(*) FROM question WHERE kind = 'contradicted'") == 1
    assert local.run(paths.find_project(crew.project), "count", {}) == {"count": 0}


def test_stats_show_what_outcomes_rest_on(crew: Crew) -> None:
    from tests.core.text.transcript_lines import answers, user, uses

    for task, text, is_error in ((1, "2 passed", False), (2, "Exit code 1\n1 failed", True)):
        file = scene.write_lines(
            crew.project / f"agent-{task}.jsonl",
            user("TASK_ID: 1"),
            uses("Bash", "t1", {"command": "pytest tests/test_p.py"}),
            answers("t1", text, is_error=is_error),
        )
        crew.build(task, agent_transcript_path=str(file))
    crew.build(3)
    crew.build(4, "PARTIAL: half\nREMAINING: the other half of it")
    crew.build(5, "I think it works")
    crew.crash(crew.call(task=6))
    found = helix(crew.project, "stats", "--json").json["checked_outcomes"]
    assert {row["source"]: (row["ended"], row["share"]) for row in found} == {
        "self": (2, 0.5),
        "verified": (1, 0.25),
        "contradicted": (1, 0.25),
    }
    assert (found[0]["delivered"], found[0]["partial"], found[0]["blocked"]) == (1, 1, 0)
