"""B21: transcripts of 110 MB, messages of 50, odd bytes in both, and a journal that stays small."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from helix_core.embed import lifecycle, protocol
from helix_core.store import journal
from tests.core.text.transcript_lines import says, user
from tests.hooks import scene
from tests.hooks.conftest import Light
from tests.hooks.fire import PROMPT, fire, payload

MEGABYTE = 1 << 20


def padding(size: int) -> str:
    """A progress line as the client writes them, of about `size` bytes."""
    return json.dumps({"type": "progress", "data": "x" * size})


def test_b21_the_end_of_a_huge_transcript_is_found(project: Path) -> None:
    transcript = project / "agent-a1.jsonl"
    with transcript.open("w", encoding="utf-8") as out:
        out.write(user(PROMPT) + "\n")
        for _ in range(22):
            out.write(padding(5 * MEGABYTE) + "\n")
        out.write(says("DELIVERED: at the end of it all") + "\n")
    assert transcript.stat().st_size > 110 * MEGABYTE
    done = fire("SubagentStop", project)
    assert (done.code, done.out) == (0, "")
    assert scene.outcomes(project) == [("a1", "delivered")]
    assert scene.one(project, "SELECT task_id FROM agent_run") == "7"


def test_b21_many_long_lines(project: Path) -> None:
    lines = [padding(170_000)] * 60
    transcript = project / "agent-a1.jsonl"
    scene.write_lines(transcript, user(PROMPT), *lines, says("BLOCKED: no way through"), *lines)
    fire("SubagentStop", project)
    assert scene.outcomes(project) == [("a1", "blocked")]


HUGE = 50 * MEGABYTE


@pytest.mark.parametrize("kind", ["lines", "one line", "odd bytes"])
def test_b21_a_final_message_of_50_mb(project: Path, kind: str) -> None:
    filling = {
        "lines": "the words of a long report go on and on\n",
        "one line": "x",
        "odd bytes": "\x00\ud83d\x1b[31m\n",
    }[kind]
    count = HUGE // (len(json.dumps(filling)) - 2)  # as long as it is in the payload
    message = f"{filling * count}\nDELIVERED: at \ud83d the \x00 end of it all"
    raw = payload("SubagentStop", project, last_assistant_message=message)
    done = fire("SubagentStop", project, raw=json.dumps(raw).encode(), timeout=60)
    assert (done.code, done.out) == (0, "")
    assert scene.outcomes(project) == [("a1", "delivered")]
    [summary] = [line["summary"] for line in scene.status(project)]
    assert "at \ufffd the" in summary and summary.endswith("end of it all")
    assert not any(ord(c) < 32 for c in summary)


def test_b21_what_no_worker_takes_is_handled_without_it(light: Light, project: Path) -> None:
    scene.store_directly(project, "When a message is huge, look at its end because that counts")
    assert lifecycle.start()
    pid = light.wait_for_one()
    message = f"{'y' * (protocol.MAX_FRAME + MEGABYTE)}\nDELIVERED: past what it takes"
    raw = payload("SubagentStop", project, last_assistant_message=message)
    done = fire("SubagentStop", project, raw=json.dumps(raw).encode(), timeout=60)
    assert (done.code, done.out) == (0, "")
    assert scene.outcomes(project) == [("a1", "delivered")]
    assert scene.rows(project, "SELECT mode, ok FROM hook_call") == [("keyword", 1)]
    assert light.wait_for_one() == pid


def test_b21_bytes_that_are_no_text_cost_themselves_only(project: Path) -> None:
    """In the payload, and in a transcript of 20 MB that is read because the message is missing."""
    raw = json.dumps(
        payload("SubagentStop", project, last_assistant_message="BYTES\nDELIVERED: ok")
    )
    for number, odd in enumerate((b"\xff\xfe", b"\xed\xa0\xbd", b"\xc3")):
        data = raw.replace('"a1"', f'"a{number}"').encode().replace(b"BYTES", odd)
        assert fire("SubagentStop", project, raw=data).code == 0
    transcript = project / "agent-b1.jsonl"
    with transcript.open("wb") as out:
        out.write(user(PROMPT).encode() + b"\n")
        out.write((b"\x00" * MEGABYTE + b"\xff\xfe\n") * 20)
        out.write(
            says("DELIVERED: behind it all").encode().replace(b"behind", b"be\xffhind") + b"\n"
        )
    assert fire("SubagentStop", project, agent_id="b1").code == 0
    assert sorted(scene.outcomes(project)) == [
        *((f"a{number}", "delivered") for number in range(3)),
        ("b1", "delivered"),
    ]


def test_b21_the_rows_about_hook_calls_are_trimmed(project: Path) -> None:
    scene.store(project, "When a journal grows, trim it because nobody reads its beginning")
    many = journal.HOOK_CALLS_KEPT + 598  # every hundredth call trims
    scene.change(
        project,
        "INSERT INTO hook_call(event, ms, mode, ok, created_at)"
        " WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ?)"
        " SELECT 'SubagentStop', 1.0, 'worker', 1, '2026-01-01T00:00:00+00:00' FROM n",
        many,
    )
    for _ in range(2):
        fire("SessionStart", project)
    assert scene.one(project, "SELECT count(*) FROM hook_call") <= journal.HOOK_CALLS_KEPT + 100
