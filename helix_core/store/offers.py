"""SQL for what batch-inject handed out: only such names are believed in a prompt."""

from __future__ import annotations

import sqlite3
from typing import NamedTuple

from helix_core.dag.tasks import task_key
from helix_core.model import Given


class Offer(NamedTuple):
    """One insight as it was offered for a task."""

    relevance: float | None
    effectiveness: float
    score: float


def add(conn: sqlite3.Connection, session_id: str, task_id: str, given: Given, moment: str) -> None:
    """Record an offer; a task that asks again keeps its earlier ones. Inside a transaction."""
    conn.execute(
        "INSERT OR REPLACE INTO offer(session_id, insight_id, task_id, relevance, effectiveness,"
        " score, created_at) VALUES (?,?,?,?,?,?,?)",
        (
            session_id,
            given.insight_id,
            task_key(task_id),
            given.relevance,
            given.effectiveness,
            given.score,
            moment,
        ),
    )


def find(
    conn: sqlite3.Connection, session_id: str, insight_id: int, task_id: str | None
) -> Offer | None:
    """The newest offer of an insight for a task of a session, or for any task of it."""
    row = conn.execute(
        "SELECT relevance, effectiveness, score FROM offer WHERE session_id = ?"
        " AND insight_id = ? AND task_id IN ('', ?) ORDER BY created_at DESC LIMIT 1",
        (session_id, insight_id, task_key(task_id or "")),
    ).fetchone()
    return Offer(row[0], float(row[1]), float(row[2])) if row else None
