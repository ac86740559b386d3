"""B03, B04, B05, B06: how an agent ended is read from its own last words, whatever lies around.

The readers themselves are tested in tests/core/text; here is what the whole hook makes of it.
"""

from __future__ import annotations

import json
import threading
import time
from pathlib import Path

import pytest

from helix_core.hooks import extraction, process
from tests.conftest import User
from tests.core.text.transcript_lines import record, says, user
from tests.hooks import scene
from tests.hooks.fire import PROMPT, fire, payload

DONE = "DELIVERED: from the transcript"


def respond(project: Path, **changes: object) -> None:
    """One SubagentStop in this process; the variants need no process of their own."""
    process.respond("SubagentStop", payload("SubagentStop", project, **changes), time.time())


def test_b03_the_payloads_message_counts_before_the_file(project: Path) -> None:
    scene.write_lines(project / "agent-a1.jsonl", user(PROMPT))
    fired = fire("SubagentStop", project, last_assistant_message="DELIVERED: from the payload")
    assert (fired.code, fired.out, fired.err) == (0, "", "")
    (line,) = scene.status(project)
    assert (line["outcome"], line["summary"]) == ("delivered", "from the payload")
    assert (line["task_id"], line["session_id"]) == ("7", "s1")


@pytest.mark.parametrize("missing", ["/nope.jsonl", "~/nope.jsonl", "~nobody-here/nope.jsonl"])
def test_b03_without_a_file_there_is_still_one_line(project: Path, missing: str) -> None:
    respond(project, agent_transcript_path=missing, last_assistant_message="PARTIAL: half")
    respond(project, agent_transcript_path=missing, agent_id="a2")
    assert scene.outcomes(project) == [("a1", "partial"), ("a2", "unknown")]


def test_b03_a_path_below_home_is_found(project: Path, user: User) -> None:
    scene.write_lines(user.home / "agent-a1.jsonl", says(DONE))
    respond(project, agent_transcript_path="~/agent-a1.jsonl")
    assert scene.outcomes(project) == [("a1", "delivered")]


def test_b03_the_parents_transcript_is_not_the_agents(project: Path) -> None:
    mine = json.loads(says("BLOCKED: the database has no such column"))
    other = {**json.loads(says("DELIVERED: another agent")), "agentId": "a9"}
    parent = {**json.loads(says("DELIVERED: all is well")), "isSidechain": False, "agentId": None}
    lines = [json.dumps(line) for line in (mine, other, parent)]
    parent_file = scene.write_lines(project / "main.jsonl", *lines)
    respond(project, agent_transcript_path=str(parent_file))
    assert scene.outcomes(project) == [("a1", "blocked")]


@pytest.mark.parametrize("there", [True, False], ids=["not-in-it", "no-file"])
def test_b03_a_message_that_comes_late_is_waited_for(project: Path, there: bool) -> None:
    file = project / "agent-a1.jsonl"
    if there:
        scene.write_lines(file, user(PROMPT))
    late = threading.Timer(0.2, scene.write_lines, (file, user(PROMPT), says(DONE)))
    late.start()
    respond(project)
    late.join()
    assert scene.outcomes(project) == [("a1", "delivered")]


def test_b03_the_wait_is_short(project: Path) -> None:
    scene.write_lines(project / "agent-a1.jsonl", user(PROMPT))
    began = time.monotonic()
    respond(project)
    assert time.monotonic() - began < 5.0
    assert 0 < extraction.MESSAGE_WAIT_SECONDS < 3
    assert scene.outcomes(project) == [("a1", "unknown")]


def test_b03_of_a_huge_message_the_end_counts(project: Path) -> None:
    respond(project, last_assistant_message="x" * 600_000 + "\nDELIVERED: after all")
    assert scene.outcomes(project) == [("a1", "delivered")]


ODD = [
    '"massive error"',
    "42",
    "[1]",
    "null",
    '{"type":"user","message":"error"}',
    '{"type":"user","message":null}',
    '{"type":"assistant","message":{"role":"assistant","content":["wow error"]}}',
    json.dumps(record("assistant", "")),
    json.dumps(record("assistant", None)),
    json.dumps(record("assistant", 7)),
    json.dumps(record("assistant", [None, {"type": "text"}, {"type": "text", "text": 5}])),
]


def test_b04_lines_of_another_shape_cost_nothing(project: Path) -> None:
    scene.write_lines(project / "agent-a1.jsonl", user(PROMPT), *ODD, says(DONE))
    fired = fire("SubagentStop", project)
    assert (fired.code, fired.out, fired.err) == (0, "", "")
    assert scene.outcomes(project) == [("a1", "delivered")]


@pytest.mark.parametrize("odd", ODD)
def test_b04_an_odd_last_line_is_no_message(project: Path, odd: str) -> None:
    scene.write_lines(project / "agent-a1.jsonl", user(PROMPT), says(DONE), odd)
    respond(project)
    assert [outcome for _, outcome in scene.outcomes(project)] in (["delivered"], ["unknown"])
    if "wow" not in odd:
        assert scene.outcomes(project) == [("a1", "delivered")]


def test_b05_a_damaged_transcript_gives_its_last_good_message(project: Path) -> None:
    file = scene.write_lines(project / "agent-a1.jsonl", user(PROMPT), says(DONE))
    with file.open("ab") as stream:
        stream.write(b'\0\0\0\n\xff\xfe bad\r\n{"type":"assis')
    fired = fire("SubagentStop", project)
    assert (fired.code, fired.err) == (0, "")
    joined = project / "agent-a2.jsonl"
    joined.write_text("\ufeff" + user(PROMPT) + says("PARTIAL: joined") + "\n", encoding="utf-8")
    respond(project, agent_id="a2")
    assert scene.outcomes(project) == [("a1", "delivered"), ("a2", "partial")]


TEMPLATE = (
    "TASK_ID: t1\nTASK: read transcripts\nOBJECTIVE: y\n"
    "End with DELIVERED or BLOCKED. Example:\n"
    'INSIGHT: {"content": "When X happens do Y because Z (template)"}\n'
    "BLOCKED: what stands in the way of the whole example task here\n"
)
LESSON = "When parsing transcripts prefer the last message because prompts echo"


class EndingCases:
    """The same with and without the worker."""

    def test_b06_only_the_last_own_words_count(self, project: Path) -> None:
        message = (
            "**DELIVERED:** done\nEarlier state was BLOCKED: db missing, now fixed.\n"
            f'INSIGHT: {{"content": "{LESSON}"}}'
        )
        tool_output = json.dumps(
            record(
                "user",
                [{"type": "tool_result", "content": "BLOCKED: a test\nINSIGHT: {}"}],
            )
        )
        earlier = says("BLOCKED: the database of the tests is missing on this machine")
        lines = (user(TEMPLATE), earlier, tool_output, says(message))
        scene.write_lines(project / "agent-a1.jsonl", *lines)
        fire("SubagentStop", project)
        assert scene.outcomes(project) == [("a1", "delivered")]
        assert scene.rows(project, "SELECT content, source FROM insight") == [(LESSON, "agent")]

    def test_b06_the_last_marker_line_wins(self, project: Path) -> None:
        for agent, message, outcome in (
            ("a1", "BLOCKED: no key yet, asked for it\n\n## DELIVERED: it works", "delivered"),
            ("a2", "- DELIVERED: nearly\n**BLOCKED**: the licence key is refused", "blocked"),
            ("a3", "I have delivered it. DELIVERED: not at the start", "unknown"),
            ("a4", "Undelivered: 0\ndelivered: lower case", "unknown"),
            ("a5", "The log said:\n```\nBLOCKED: x\n```\nDELIVERED: anyway", "delivered"),
        ):
            fire("SubagentStop", project, agent_id=agent, last_assistant_message=message)
            assert scene.outcomes(project)[-1] == (agent, outcome)


class TestEndingsByKeyword(EndingCases):
    """By keyword, each hook on its own."""


@pytest.mark.usefixtures("worker")
class TestEndingsWithWorker(EndingCases):
    """Through the worker."""
