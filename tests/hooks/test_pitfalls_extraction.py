"""What the end of an agent gets wrong easily, each point as a test of the whole hook.

one malformed value never costs the status line:
    test_b03_b06_endings.py
    test_one_failing_part_costs_no_other
the outcome comes from the agent's own text only:
    test_words_around_the_agent_are_not_its_own
a derived insight is about this task; an id with a line break is none:
    test_a_block_becomes_a_lesson_about_its_own_task
    test_a_task_id_with_a_break_is_none
an explorer's JSON: braces in strings, several objects, one file twice:
    test_an_explorers_findings_are_merged
the sideband goes only after its feedback is committed:
    test_the_sideband_stays_until_feedback_is_committed

The readers are tested in tests/core/text (test_text_outcome, _lessons, _handoff, _transcript).
"""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.core.text.transcript_lines import answers, says, user, uses
from tests.hooks import scene
from tests.hooks.fire import fire

TASK = "Fix the parser of the config file"
INSIGHT = "When the parser of a config file fails, look at its tabs first"
EVERY_PART = {
    *("status", "findings", "plan", "insights", "derived", "question"),
    *("feedback", "provenance", "archive"),
}
REASON = "the tokenizer needs a licence key that nobody here has"


def started(project: Path, prompt: str, agent: str = "a1") -> None:
    """A builder that was called, treated and bound."""
    call = {"tool_use_id": f"toolu_{agent}", "prompt": prompt}
    fire("PreToolUse", project, **call)
    fire("PostToolUse", project, agent=agent, **call)


def test_words_around_the_agent_are_not_its_own(project: Path) -> None:
    """Parents' deliveries, a YAML sample, a counter and an insight all speak of BLOCKED."""
    scene.store(project, f"{INSIGHT}. BLOCKED: this is what it says then")
    prompt = (
        f"{scene.task(TASK)}\nPARENT_DELIVERIES:\n  BLOCKED: {REASON}\n"
        "End with:\n```yaml\nBLOCKED: reason\n```"
    )
    started(project, prompt)
    treated = f"{prompt}\n\nINSIGHTS (from past experience):\n  - [50%] BLOCKED: x"
    message = (
        f"The parent said:\n> BLOCKED: {REASON}\n\n```yaml\nstatus:\nBLOCKED: sample\n```\n"
        "Undelivered: 0\nDELIVERED: the parser reads tabs"
    )
    output = answers("t1", "BLOCKED: from the tests' output", is_error=True)
    scene.write_lines(
        project / "agent-a1.jsonl",
        user(treated),
        uses("Bash", "t1", {"command": "make check"}),
        output,
        says(message),
    )
    fire("SubagentStop", project)
    assert scene.outcomes(project) == [("a1", "delivered")]
    assert scene.status(project)[0]["summary"] == "the parser reads tabs"
    assert scene.one(project, "SELECT count(*) FROM insight") == 1  # nothing was derived


def test_a_block_becomes_a_lesson_about_its_own_task(project: Path) -> None:
    prompt = (
        f"{scene.task(TASK)}\nPARENT_DELIVERIES:\nTASK: Another one altogether\nOBJECTIVE: other"
    )
    started(project, prompt)
    fire("SubagentStop", project, last_assistant_message=f"BLOCKED: {REASON}.")
    assert scene.rows(project, "SELECT content, effectiveness, source, tags FROM insight") == [
        (
            f'When working on "{TASK}", be aware that "{REASON}" can block progress.',
            0.35,
            "derived",
            '["derived", "blocked"]',
        )
    ]
    (child,) = json.loads(scene.one(project, "SELECT children FROM agent_result"))
    assert child == scene.one(project, "SELECT id FROM insight")


@pytest.mark.parametrize(
    "message",
    [
        "BLOCKED: timeout",
        "BLOCKED: an unexpected error occurred during the task",
        "PARTIAL: half of it is there\nREMAINING: rest",
        "DELIVERED: everything, although the licence key of the tokenizer was missing",
        "I could not go on because the licence key of the tokenizer was missing",
    ],
)
def test_what_would_help_nobody_becomes_no_lesson(project: Path, message: str) -> None:
    started(project, scene.task(TASK))
    fire("SubagentStop", project, last_assistant_message=message)
    assert scene.one(project, "SELECT count(*) FROM insight") == 0
    assert len(scene.status(project)) == 1


def test_what_remains_becomes_the_lesson_of_a_partial_end(project: Path) -> None:
    started(project, scene.task(TASK))
    message = f"PARTIAL: the reader is done\nREMAINING: {REASON}"
    fire("SubagentStop", project, last_assistant_message=message)
    content = scene.one(project, "SELECT content FROM insight")
    assert REASON in content
    assert "reader is done" not in content
    assert scene.status(project)[0]["remaining"] == REASON


def test_a_contradicted_end_teaches_nothing(project: Path) -> None:
    """BLOCKED after a check that passed: the record says so, and nobody learns from it."""
    started(project, scene.task(TASK))
    message = f"BLOCKED: {REASON}"
    scene.write_lines(
        project / "agent-a1.jsonl",
        user(scene.task(TASK)),
        uses("Bash", "t1", {"command": "pytest"}),
        answers("t1", "3 passed in 0.1s"),
        says(message),
    )
    fire("SubagentStop", project)
    assert scene.rows(project, "SELECT state, outcome_source, feedback FROM agent_run") == [
        ("blocked", "contradicted", "none")
    ]
    assert scene.one(project, "SELECT count(*) FROM insight") == 0
    assert scene.status(project)[0]["source"] == "contradicted"
    assert scene.rows(project, "SELECT kind, state FROM question") == [("contradicted", "open")]


@pytest.mark.parametrize("prompt", ["TASK_ID:\nTASK: x y z", "TASK_ID: \n\nTASK: x y z"])
def test_a_task_id_with_a_break_is_none(project: Path, prompt: str) -> None:
    started(project, prompt)
    fire("SubagentStop", project, last_assistant_message="DELIVERED: ok")
    assert scene.status(project)[0]["task_id"] is None
    assert scene.rows(project, "SELECT task_id, task FROM agent_run") == [(None, "x y z")]


def test_an_explorers_findings_are_merged(project: Path) -> None:
    message = (
        'First {"scope": "src", "findings": []} and then:\n```json\n'
        + json.dumps(
            {
                "scope": "src",
                "focus": 'the { brace } of "it"',
                "status": "complete",
                "findings": [
                    {"file": "a.py", "what": "opens { and never closes"},
                    {"file": "b.py", "what": "password = hunter2hunter2hunter2"},
                    {"file": "a.py", "what": "is 900 lines long"},
                ],
            }
        )
        + '\n```\nThat is all. {"not": "it"}'
    )
    role = {"agent_type": "helix:helix-explorer", "agent_id": "x1"}
    fire("SubagentStop", project, last_assistant_message=message, **role)
    file = project / ".helix" / "explorer-results" / "x1.json"
    found = json.loads(file.read_text())
    assert (found["scope"], found["session_id"]) == ("src", "s1")
    assert found["focus"] == 'the { brace } of "it"'
    assert [item["file"] for item in found["findings"]] == ["a.py", "b.py"]
    assert "opens {" in found["findings"][0]["what"]
    assert "900 lines" in found["findings"][0]["what"]
    assert "hunter2" not in file.read_text()
    assert scene.outcomes(project) == [("x1", "done")]


def test_an_explorer_without_findings_is_not_done(project: Path) -> None:
    role = {"agent_type": "helix:helix-explorer", "agent_id": "x1"}
    fire("SubagentStop", project, last_assistant_message="I found nothing to report", **role)
    assert scene.outcomes(project) == [("x1", "unknown")]
    assert not (project / ".helix" / "explorer-results").exists()


def test_a_planners_plan_is_recorded_once(project: Path) -> None:
    tasks = [
        {"seq": 1, "slug": "a", "description": "first", "relevant_files": ["a.py"], "verify": "x"},
        {"seq": 2, "slug": "b", "description": "second", "blocked_by": [1]},
    ]
    message = f"PLAN_SPEC:\n```json\n{json.dumps(tasks)}\n```\nPLAN_COMPLETE: 2 tasks specified"
    for _ in range(2):
        role = {"agent_type": "helix:helix-planner", "agent_id": "p1"}
        fire("SubagentStop", project, last_assistant_message=message, **role)
    assert scene.rows(project, "SELECT run_id, seq, slug, blocked_by FROM task ORDER BY seq") == [
        (1, "1", "a", "[]"),
        (1, "2", "b", '["1"]'),
    ]
    assert scene.outcomes(project) == [("p1", "plan_complete")]


def test_a_crash_is_no_feedback_and_no_lesson(project: Path) -> None:
    (name,) = scene.store(project, INSIGHT)
    started(project, scene.task(TASK))
    fire("StopFailure", project, last_assistant_message="BLOCKED: API Error 529 from the service")
    assert scene.outcomes(project) == [("a1", "crashed")]
    assert scene.effectiveness(project, name) == 0.5
    assert scene.one(project, "SELECT count(*) FROM insight") == 1
    assert scene.sideband(project) == {}


def test_b23_no_secret_reaches_a_file(project: Path) -> None:
    secret = "AKIA" + "Z7QX3M5N8P2R4T6V"
    message = f"BLOCKED: the upload wants {secret} as its key and refuses it, with an error"
    started(project, scene.task(TASK))
    fire("SubagentStop", project, last_assistant_message=message)
    assert scene.outcomes(project) == [("a1", "blocked")]
    with_it = [
        file
        for file in (project / ".helix").rglob("*")
        if file.is_file() and secret.encode() in file.read_bytes()
    ]
    assert with_it == []


def test_an_agent_cannot_speak_as_a_person(project: Path) -> None:
    lesson = {"content": INSIGHT, "tags": ["user-provided", "User Preference", "parser", 7, None]}
    message = f"DELIVERED: ok\nINSIGHT: {json.dumps(lesson)}"
    fire("SubagentStop", project, last_assistant_message=message)
    assert scene.rows(project, "SELECT source, tags FROM insight") == [("agent", '["parser"]')]


@pytest.mark.parametrize(
    ("table", "lost"),
    [("insight", "insights"), ("session_log", "archive")],
)
def test_one_failing_part_costs_no_other(project: Path, table: str, lost: str) -> None:
    """Each part has a transaction of its own; the one that failed is done by the next try."""
    started(project, scene.task(TASK))
    scene.change(
        project,
        f"CREATE TRIGGER broken BEFORE INSERT ON {table} BEGIN SELECT RAISE(ABORT, 'broken'); END",
    )
    message = f'DELIVERED: ok\nINSIGHT: {{"content": "{INSIGHT}"}}'
    fired = fire("SubagentStop", project, last_assistant_message=message)
    assert (fired.code, fired.out) == (0, "")
    assert scene.outcomes(project) == [("a1", "delivered")]
    assert f"not done: {lost}" in scene.log(project)
    parts = set(scene.one(project, "SELECT parts FROM agent_result").split())
    assert parts == EVERY_PART - {lost}
    scene.change(project, "DROP TRIGGER broken")
    fire("SubagentStop", project, last_assistant_message=message)
    assert scene.one(project, "SELECT count(*) FROM insight") == 1
    assert scene.one(project, "SELECT count(*) FROM session_log") == 1
    assert scene.outcomes(project) == [("a1", "delivered")]


@pytest.mark.usefixtures("worker")
class TestWithWorker:
    """What needs a vector: the feedback itself."""

    def test_the_sideband_stays_until_feedback_is_committed(self, project: Path) -> None:
        (name,) = scene.store(project, INSIGHT)
        started(project, scene.task(TASK))
        assert scene.sideband(project)["a1"]["injected"] == [name]
        scene.change(
            project,
            "CREATE TRIGGER broken BEFORE INSERT ON feedback_event"
            " BEGIN SELECT RAISE(ABORT, 'broken'); END",
        )
        fire("SubagentStop", project, last_assistant_message="DELIVERED: ok")
        assert scene.outcomes(project) == [("a1", "delivered")]
        assert scene.effectiveness(project, name) == 0.5
        assert scene.sideband(project)["a1"]["injected"] == [name]
        scene.change(project, "DROP TRIGGER broken")
        fire("SubagentStop", project, last_assistant_message="DELIVERED: ok")
        assert scene.effectiveness(project, name) > 0.5
        assert scene.sideband(project) == {}
        assert scene.outcomes(project) == [("a1", "delivered")]

    def test_a_lesson_knows_what_led_to_it(self, project: Path) -> None:
        (name,) = scene.store(project, INSIGHT)
        started(project, scene.task(TASK))
        fire("SubagentStop", project, last_assistant_message=f"BLOCKED: {REASON}")
        assert scene.effectiveness(project, name) < 0.5
        assert scene.rows(
            project,
            "SELECT a.name, b.source FROM insight_edges e JOIN insight a ON a.id = e.src_id"
            " JOIN insight b ON b.id = e.dst_id WHERE e.relation = 'led_to'",
        ) == [(name, "derived")]

    @pytest.mark.parametrize("message", ["no marker here", "DELIVERED: ok"])
    def test_no_marker_is_no_feedback(self, project: Path, message: str) -> None:
        (name,) = scene.store(project, INSIGHT)
        started(project, scene.task(TASK))
        fire("SubagentStop", project, last_assistant_message=message)
        assert (scene.effectiveness(project, name) != 0.5) == message.startswith("DELIVERED")
