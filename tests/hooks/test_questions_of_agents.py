"""What the end of an agent puts to a person, and what the person's answer is worth afterwards."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.core.command import helix
from tests.core.text.transcript_lines import answers, says, user, uses
from tests.hooks import scene
from tests.hooks.fire import fire

TASK = "Fix the parser of the config file"
INSIGHT = "When the parser of the config file fails, look at its tabs first because they differ"
REASON = "the tokenizer needs a licence key that nobody here has"
PLAN = [
    {"seq": 1, "slug": "parser", "description": TASK, "relevant_files": ["src/parser.py"],
     "blocked_by": [], "verify": "pytest tests/test_parser.py"},
]  # fmt: skip


def ends(project: Path, message: str, output: str, agent: str = "a1") -> None:
    """A builder ends after a test run with this output."""
    scene.write_lines(
        project / f"agent-{agent}.jsonl",
        user(scene.task(TASK)),
        uses("Bash", "t1", {"command": "pytest"}),
        answers("t1", output, is_error="failed" in output),
        says(message),
    )
    fire("SubagentStop", project, agent_id=agent)


def started(project: Path, agent: str = "a1") -> None:
    call = {"tool_use_id": f"toolu_{agent}", "prompt": scene.task(TASK)}
    fire("PreToolUse", project, **call)
    fire("PostToolUse", project, agent=agent, **call)


def questions(project: Path) -> list[tuple[str, str]]:
    return scene.rows(project, "SELECT kind, state FROM question ORDER BY id")  # type: ignore[return-value]


def run_row(project: Path) -> tuple[str, ...]:
    return scene.rows(project, "SELECT state, outcome_source FROM agent_run")[0]


def test_a_persons_word_outlives_the_same_end_and_yields_to_a_new_one(project: Path) -> None:
    scene.store(project, INSIGHT)
    started(project)
    ends(project, "DELIVERED: it parses", "1 failed in 0.1s")
    assert questions(project) == [("contradicted", "open")]
    shown = helix(project, "learn", "show", "1", "--json").json
    assert [given["content"] for given in shown["evidence"]["injected"]] == [INSIGHT]
    assert shown["evidence"]["reason"] == "it parses" and shown["task_id"] == "1"
    told = helix(project, "learn", "answer", "1", "--option", "3", "--by", "chat")
    assert told.code == 0 and "counts as blocked" in told.out
    assert run_row(project) == ("blocked", "user")
    ends(project, "DELIVERED: it parses", "1 failed in 0.1s")
    assert run_row(project) == ("blocked", "user")
    assert questions(project) == [("contradicted", "answered")]
    ends(project, "DELIVERED: now it does", "2 failed in 0.1s")
    assert run_row(project) == ("delivered", "contradicted")
    assert questions(project) == [("contradicted", "answered"), ("contradicted", "open")]
    ends(project, "DELIVERED: now really", "2 passed in 0.1s")
    assert run_row(project) == ("delivered", "verified")
    assert questions(project)[1] == ("contradicted", "dismissed")


def test_a_lesson_thrown_out_and_derived_again_is_a_candidate(project: Path) -> None:
    for agent in ("a1", "a2", "a3"):
        started(project, agent)
        fire("SubagentStop", project, agent_id=agent, last_assistant_message=f"BLOCKED: {REASON}.")
        for (name,) in scene.rows(project, "SELECT name FROM insight"):
            assert helix(project, "trash", name).code == 0
    assert questions(project) == [("candidate", "open")]
    [line] = helix(project, "learn", "list", "--json").json
    assert REASON in line["question"] and line["session_id"] == "s1" and line["task_id"] == "1"
    assert helix(project, "learn", "answer", "1", "--option", "2").code == 0
    [(content, source, value)] = scene.rows(
        project, "SELECT content, source, effectiveness FROM insight"
    )
    assert REASON in content and (source, value) == ("user", 0.5)
    assert helix(project, "undo", "--json").json["undone"] == "answer"
    assert scene.one(project, "SELECT count(*) FROM insight") == 0
    assert scene.one(project, "SELECT count(*) FROM tombstone") == 1


def test_the_evidence_of_a_session_is_what_was_not_delivered(project: Path) -> None:
    plan = f"PLAN_SPEC:\n{json.dumps(PLAN)}\nPLAN_COMPLETE: 1 tasks specified"
    fire("SubagentStop", project, agent_id="p1", agent_type="helix:helix-planner",
         last_assistant_message=plan)  # fmt: skip
    [name] = scene.store(project, INSIGHT)
    scene.change(project, "UPDATE insight SET effectiveness = 0.6")
    [low] = scene.store(project, "When the moon is full, paint the fence blue because it shines")
    scene.change(project, "UPDATE insight SET effectiveness = 0.1 WHERE name = ?", low)
    scene.change(
        project,
        "INSERT INTO insight_edges(src_id, dst_id, weight, relation, created_at)"
        " VALUES (2, 1, 1.0, 'led_to', '2026-01-01T00:00:00+00:00')",
    )
    for agent, message in (("a1", f"BLOCKED: {REASON}"), ("a2", "DELIVERED: done")):
        started(project, agent)
        fire("SubagentStop", project, agent_id=agent, last_assistant_message=message)
    [found] = helix(project, "learn", "evidence", "--session", "s1", "--json").json
    assert (found["agent_id"], found["outcome"], found["reason"]) == ("a1", "blocked", REASON)
    assert found["files"] == ["src/parser.py"] and found["risky"] == [name]
    text = helix(project, "learn", "evidence", "--session", "s1").out
    assert f"low lineage: {name}: what it was led to by stands at 10% on average" in text
    assert helix(project, "learn", "evidence", "--session", "s2").out.startswith("every task")


@pytest.mark.usefixtures("worker")
def test_with_the_worker_a_verdict_counts_at_once_and_a_lesson_has_its_vector(
    project: Path,
) -> None:
    [name] = scene.store(project, INSIGHT)
    started(project)
    ends(project, "DELIVERED: it parses", "1 failed in 0.1s")
    assert scene.effectiveness(project, name) == 0.5
    mine = "When the config parser fails on tabs, run expand on the file because it hates tabs"
    told = helix(project, "learn", "answer", "1", "--option", "3", "--insight", mine, "--json").json
    assert [moved["name"] for moved in told["moved"]] == [name]
    assert scene.effectiveness(project, name) < 0.5
    assert scene.one(project, "SELECT embedding_model FROM insight WHERE content = ?", mine)
    undone = helix(project, "undo", "--json").json
    assert undone["undone"] == "answer"
    assert scene.rows(project, "SELECT effectiveness, use_count, last_used FROM insight") == [
        (0.5, 0, None)
    ]
    assert run_row(project) == ("delivered", "contradicted")
