"""Whether the learning loop has closed: which agents' insights have got their outcome.

Standard library and `reportrows` only; read from `injection`, `agent_run` and `feedback_event`.
"""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Sequence

from helix_core.reportrows import Loop, LoopEnd
from helix_core.store import cells
from helix_core.viewrows import AgentLine

EXEMPT = {
    "crashed": "it crashed, which says nothing about its insights",
    "unknown": "it ended without an outcome, which is no feedback",
    "done": "it has no outcome, which is no feedback",
}
GIVEN_SQL = (
    "SELECT j.agent_run_id, j.name, i.id IS NOT NULL,"
    " EXISTS (SELECT 1 FROM feedback_event f WHERE f.agent_run_id = j.agent_run_id"
    " AND f.insight_id = j.insight_id AND f.undone_by IS NULL)"
    " FROM injection j LEFT JOIN insight i ON i.id = j.insight_id"
    " WHERE j.withheld = 0 AND j.agent_run_id IN (SELECT value FROM json_each(?))"
    " ORDER BY j.agent_run_id, j.rank"
)
"""What each agent was shown: whether the insight still exists, and whether an event tells of it."""


def loop(conn: sqlite3.Connection, agents: Sequence[AgentLine]) -> Loop:
    """The loop over some agents; those that were shown nothing have nothing to feed back."""
    given: dict[int, list[str]] = {}
    missing: dict[int, list[str]] = {}
    rows = conn.execute(GIVEN_SQL, (json.dumps([a.id for a in agents]),)).fetchall()
    for run_id, name, there, told in rows:
        given.setdefault(int(run_id), []).append(cells.text(name))
        if there and not told:
            missing.setdefault(int(run_id), []).append(cells.text(name))
    asked = _asked(conn)
    left: list[LoopEnd] = []
    exempt: list[LoopEnd] = []
    applied = 0
    for agent in agents:
        if agent.id not in given:
            continue
        why, by_rule = _why(agent, missing.get(agent.id, []), asked.get(agent.id))
        if not why:
            applied += 1
            continue
        end = LoopEnd(
            agent_id=agent.agent_id,
            agent_type=agent.agent_type,
            task_id=agent.task_id,
            state=agent.state,
            injected=tuple(given[agent.id]),
            why=why,
        )
        (exempt if by_rule else left).append(end)
    return Loop(not left, len(given), applied, tuple(left), tuple(exempt))


def _asked(conn: sqlite3.Connection) -> dict[int, int]:
    """Agents of which a person is still asked how they ended, with the question's id."""
    rows = conn.execute(
        "SELECT agent_run_id, id FROM question WHERE kind = 'contradicted' AND state = 'open'"
        " AND agent_run_id IS NOT NULL"
    ).fetchall()
    return {int(row[0]): int(row[1]) for row in rows}


def _why(agent: AgentLine, missing: Sequence[str], question: int | None) -> tuple[str, bool]:
    """Why an agent has not fed back, and whether that is so by rule; empty where it has.

    `missing`: insights no event tells of; `question`: the open one about its outcome.
    """
    if agent.state == "running":
        return "it is still running", False
    if agent.feedback == "pending":
        return "its feedback waits for the embedding worker", False
    if agent.feedback == "applied" and not missing:
        return "", False
    if agent.feedback == "applied":
        return f"no event for {', '.join(missing)}", False
    if agent.source == "contradicted" and question is not None:
        return f"its check contradicts it: question {question} waits for a person", False
    if agent.source == "contradicted":
        return "its check contradicts it, which is no feedback", True
    if agent.state in EXEMPT:
        return EXEMPT[agent.state], True
    return "its feedback was not applied", False
