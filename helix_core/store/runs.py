"""SQL for agent runs, what was injected into them, and how they ended. Standard library only."""

from __future__ import annotations

import sqlite3
from dataclasses import dataclass
from datetime import datetime, timedelta

from helix_core import clock
from helix_core.model import Given
from helix_core.store import plans

CLAIM_MINUTES = 30.0  # a claim lapses with its agent, or after this long
COLUMNS = (
    "id, session_id, tool_use_id, agent_id, agent_type, task_id, task, query, query_vector,"
    " embedding_model, prompt_hash, constraints, risk_areas, mode, note, state, feedback, summary,"
    " created_at, ended_at, verify, run_id"
)


@dataclass(frozen=True)
class AgentRun:
    """One subagent: where it stands and what its task is."""

    id: int
    session_id: str
    tool_use_id: str | None
    agent_id: str | None
    agent_type: str
    task_id: str | None
    task: str | None
    query: str | None
    query_vector: bytes | None
    embedding_model: str | None
    prompt_hash: str | None
    constraints: str | None
    risk_areas: str | None
    mode: str | None
    note: str | None
    state: str
    feedback: str
    summary: str | None
    created_at: str
    ended_at: str | None
    verify: str | None
    run_id: int | None
    """The plan it was started for."""


def _one(conn: sqlite3.Connection, where: str, values: tuple[object, ...]) -> AgentRun | None:
    row = conn.execute(f"SELECT {COLUMNS} FROM agent_run WHERE {where}", values).fetchone()
    return AgentRun(*row) if row else None


def by_id(conn: sqlite3.Connection, run_id: int) -> AgentRun | None:
    """The agent run of that row id."""
    return _one(conn, "id = ?", (run_id,))


def by_agent(conn: sqlite3.Connection, agent_id: str) -> AgentRun | None:
    """The agent run bound to an agent id."""
    return _one(conn, "agent_id = ?", (agent_id,))


def by_tool_use(conn: sqlite3.Connection, session_id: str, tool_use_id: str) -> AgentRun | None:
    """The agent run of one Agent call."""
    return _one(conn, "session_id = ? AND tool_use_id = ?", (session_id, tool_use_id))


def create(
    conn: sqlite3.Connection, session_id: str, agent_type: str, moment: str, **values: object
) -> int:
    """Insert an agent run; returns its row id. Call inside a write transaction.

    It belongs to the plan its session is carrying out; a plan that had ended goes on with it.
    """
    task_id = values.get("task_id")
    plan = plans.run_for(conn, session_id, task_id if isinstance(task_id, str) else None)
    if plan is not None:
        plans.set_ended(conn, plan, None)
    values = {"run_id": plan, **values}
    names = ["session_id", "agent_type", "created_at", *values]
    marks = ",".join("?" * len(names))
    cursor = conn.execute(
        f"INSERT INTO agent_run({', '.join(names)}) VALUES ({marks})",
        (session_id, agent_type, moment, *values.values()),
    )
    return int(cursor.lastrowid or 0)


def update(conn: sqlite3.Connection, run_id: int, **values: object) -> None:
    """Set columns of one agent run. Call inside a write transaction."""
    sets = ", ".join(f"{name} = ?" for name in values)
    conn.execute(f"UPDATE agent_run SET {sets} WHERE id = ?", (*values.values(), run_id))


def outcome_source(conn: sqlite3.Connection, run_id: int) -> str:
    """Who says how an agent run ended: verified, self, contradicted or user; empty before."""
    row = conn.execute("SELECT outcome_source FROM agent_run WHERE id = ?", (run_id,)).fetchone()
    return str(row[0] or "") if row else ""


def unbound(conn: sqlite3.Connection, session_id: str, agent_type: str) -> list[AgentRun]:
    """Calls of a session and type that are open and not yet bound to an agent id."""
    rows = conn.execute(
        f"SELECT {COLUMNS} FROM agent_run WHERE session_id = ? AND agent_type = ?"
        " AND agent_id IS NULL AND state = 'running' AND tool_use_id IS NOT NULL",
        (session_id, agent_type),
    )
    return [AgentRun(*row) for row in rows]


def merge_into(conn: sqlite3.Connection, keep: int, drop: int) -> None:
    """Fold a provisional run (registered by agent id alone) into the run of its call."""
    conn.execute(
        "UPDATE OR IGNORE injection SET agent_run_id = ?, tool_use_id ="
        " (SELECT tool_use_id FROM agent_run WHERE id = ?) WHERE agent_run_id = ?",
        (keep, keep, drop),
    )
    conn.execute("DELETE FROM injection WHERE agent_run_id = ?", (drop,))
    for table in ("feedback_event", "question"):
        conn.execute(f"UPDATE {table} SET agent_run_id = ? WHERE agent_run_id = ?", (keep, drop))
    conn.execute("DELETE FROM agent_run WHERE id = ?", (drop,))


def injections(conn: sqlite3.Connection, run_id: int) -> list[Given]:
    """What was shown to an agent run, in the order shown; withheld insights are left out."""
    rows = conn.execute(
        "SELECT j.insight_id, j.name, coalesce(i.content, ''), coalesce(i.tags, '[]'),"
        " j.effectiveness, j.relevance, j.score, j.hop FROM injection j"
        " LEFT JOIN insight i ON i.id = j.insight_id"
        " WHERE j.agent_run_id = ? AND j.withheld = 0 ORDER BY j.rank",
        (run_id,),
    )
    from helix_core.store.insights import read_tags

    return [
        Given(int(r[0]), r[1], r[2], read_tags(r[3]), float(r[4]), r[5], float(r[6]), int(r[7]))
        for r in rows
    ]


def add_injection(
    conn: sqlite3.Connection,
    run: AgentRun,
    given: Given,
    *,
    rank: int,
    value: float | None,
    chars: int,
    source: str,
    moment: str,
    withheld: bool = False,
    probability: float | None = None,
) -> None:
    """Record one insight shown to, or withheld from, an agent run. Inside a write transaction.

    `probability`: with which it could have been withheld; None where no coin was tossed.
    """
    conn.execute(
        "INSERT OR IGNORE INTO injection(agent_run_id, session_id, tool_use_id, insight_id, name,"
        " rank, relevance, effectiveness, value, score, hop, chars, source, created_at,"
        " withheld, holdout) VALUES (?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?)",
        (
            run.id,
            run.session_id,
            run.tool_use_id or f"agent:{run.agent_id}",
            given.insight_id,
            given.name,
            rank,
            given.relevance,
            given.effectiveness,
            value,
            given.score,
            given.hop,
            chars,
            source,
            moment,
            int(withheld),
            probability,
        ),
    )


def claimed(conn: sqlite3.Connection, session_id: str, now: datetime) -> set[int]:
    """Insights given to siblings: agent runs of this session that have not ended (model: wave)."""
    since = clock.iso(now - timedelta(minutes=CLAIM_MINUTES))
    rows = conn.execute(
        "SELECT j.insight_id FROM injection j JOIN agent_run a ON a.id = j.agent_run_id"
        " WHERE a.session_id = ? AND a.state = 'running' AND j.created_at >= ?"
        " AND j.withheld = 0",
        (session_id, since),
    )
    return {int(row[0]) for row in rows}


def running_session(conn: sqlite3.Connection) -> str | None:
    """The session of the newest agent that runs; None while nobody does."""
    row = conn.execute(
        "SELECT session_id FROM agent_run WHERE state = 'running' ORDER BY id DESC LIMIT 1"
    ).fetchone()
    return str(row[0]) if row else None


def pending_feedback(conn: sqlite3.Connection, limit: int = 50) -> list[AgentRun]:
    """Ended runs whose attribution waits for a vector, oldest first."""
    rows = conn.execute(
        f"SELECT {COLUMNS} FROM agent_run WHERE feedback = 'pending' ORDER BY id LIMIT ?", (limit,)
    )
    return [AgentRun(*row) for row in rows]
