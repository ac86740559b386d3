"""B21: a transcript of 110 MB, a line of 5 MB in it, and a journal that does not grow for ever."""

from __future__ import annotations

import json
from pathlib import Path

from helix_core.store import journal
from tests.core.text.transcript_lines import says, user
from tests.hooks import scene
from tests.hooks.fire import PROMPT, fire

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
