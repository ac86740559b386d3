"""B24: twelve agents end at the same moment in a project that has no database yet."""

from __future__ import annotations

from pathlib import Path

from tests.core.text.transcript_lines import says, user
from tests.hooks import scene
from tests.hooks.fire import together

AGENTS = 12
TRADES = (
    "bakers masons tailors brewers weavers smiths tanners millers coopers potters dyers glaziers"
)


def test_b24_twelve_first_ends_make_one_whole_memory(project: Path) -> None:
    ends = []
    for number, trade in enumerate(TRADES.split(), 1):
        lesson = f"When {trade} strike, ask for their terms because {trade} rarely bargain twice"
        message = f'DELIVERED: part {number}\nINSIGHT: {{"content": "{lesson}"}}'
        prompt = f"TASK_ID: {number}\nTASK: part {number}\nOBJECTIVE: all of it"
        scene.write_lines(project / f"agent-a{number}.jsonl", user(prompt), says(message))
        ends.append(("SubagentStop", project, {"agent_id": f"a{number}"}))
    fired = together(ends)
    assert [(done.code, done.out) for done in fired] == [(0, "")] * AGENTS
    assert not [done.err for done in fired if "already exists" in done.err]
    # What could not be written in time waits in the spool for the next hook.
    for _ in range(AGENTS):
        if scene.spooled(project):
            together([("SubagentStart", project, {"agent_id": "next"})])
    assert scene.spooled(project) == []
    named = {line["agent_id"] for line in scene.status(project)}
    assert named == {f"a{n}" for n in range(1, AGENTS + 1)}
    assert len(scene.status(project)) == AGENTS
    assert scene.one(project, "SELECT count(*) FROM insight") == AGENTS
    assert scene.one(project, "SELECT count(*) FROM session_log") == AGENTS
    assert scene.one(project, "PRAGMA integrity_check") == "ok"
    assert "error" not in scene.log(project)
