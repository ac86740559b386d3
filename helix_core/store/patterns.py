"""SQL for synthesis: failures in the archive, and which of them were made into which insight.

Standard library only. A row of `synthesis` is the evidence that its failures were used, which makes
synthesis idempotent; only whose evidence it is changes, with a merge (`merging.FOLLOWS`).
"""

from __future__ import annotations

import json
import re
import sqlite3
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

FAILED = ("blocked", "partial", "crashed")
# Archives of the earlier plugin have what the orchestrator said appended to the summary.
_APPENDED = re.compile(r"\s*\[(?:CONSTRAINTS|RISK_AREAS):.*", re.DOTALL)


@dataclass(frozen=True)
class Failure:
    """One archived failure. `session` is the day for a row that does not know its session."""

    id: int
    reason: str
    outcome: str
    session: str
    agent_run_id: int | None
    task: str
    vector: bytes | None
    embedding_model: str | None


@dataclass(frozen=True)
class Used:
    """Evidence of one pattern: its insight (None: refused), its failures, the newest of them.

    `created` is the insight's name where this use made it.
    """

    insight_id: int | None
    created: str | None
    members: frozenset[int]
    newest: int


def failures(conn: sqlite3.Connection, limit: int) -> list[Failure]:
    """The newest failures, oldest first."""
    marks = ",".join("?" * len(FAILED))
    rows = conn.execute(
        "SELECT l.id, coalesce(nullif(trim(l.reason), ''), l.summary, ''), l.outcome,"
        " coalesce(l.session_id, substr(l.created_at, 1, 10)), l.agent_run_id,"
        " coalesce(a.task, ''), l.reason_vector, l.embedding_model FROM session_log l"
        f" LEFT JOIN agent_run a ON a.id = l.agent_run_id WHERE l.outcome IN ({marks})"
        " ORDER BY l.id DESC LIMIT ?",
        (*FAILED, limit),
    ).fetchall()
    return [
        Failure(int(r[0]), _APPENDED.sub("", str(r[1])), str(r[2]), str(r[3]), r[4], str(r[5]),
                r[6], r[7])
        for r in reversed(rows)
    ]  # fmt: skip


def keep_vector(conn: sqlite3.Connection, log_id: int, vector: bytes, model: str) -> None:
    """Store the vector of a failure's reason. Call inside a write transaction."""
    conn.execute(
        "UPDATE session_log SET reason_vector = ?, embedding_model = ? WHERE id = ?",
        (vector, model, log_id),
    )


def used(conn: sqlite3.Connection) -> list[Used]:
    """All evidence, oldest first."""
    rows = conn.execute(
        "SELECT insight_id, CASE WHEN action = 'created' THEN name END, members, newest"
        " FROM synthesis ORDER BY id"
    )
    return [Used(r[0], r[1], frozenset(json.loads(r[2])), int(r[3])) for r in rows]


def record(
    conn: sqlite3.Connection,
    *,
    insight_id: int | None,
    name: str | None,
    action: str,
    reason: str,
    summary: str,
    members: Sequence[int],
    sessions: int,
    tightness: float,
    confidence: float,
    moment: str,
) -> int:
    """Write what became of a pattern; returns the row's id. Call inside a write transaction."""
    cursor = conn.execute(
        "INSERT INTO synthesis(insight_id, name, action, reason, summary, members, newest,"
        " sessions, tightness, confidence, created_at) VALUES (?,?,?,?,?,?,?,?,?,?,?)",
        (
            insight_id,
            name,
            action,
            reason,
            summary,
            json.dumps(sorted(members)),
            max(members),
            sessions,
            tightness,
            confidence,
            moment,
        ),
    )
    return int(cursor.lastrowid or 0)


def rejected(conn: sqlite3.Connection, earlier: Iterable[Used]) -> bool:
    """Whether a person threw out an insight that one of these uses made."""
    return any(
        conn.execute("SELECT 1 FROM tombstone WHERE name = ?", (use.created,)).fetchone()
        for use in earlier
        if use.created is not None
    )


def living(conn: sqlite3.Connection, insight_id: int) -> int | None:
    """The insight, or the one it was merged into; None where it is gone."""
    seen: set[int] = set()
    current: int | None = insight_id
    while current is not None and current not in seen:
        seen.add(current)
        if conn.execute("SELECT 1 FROM insight WHERE id = ?", (current,)).fetchone():
            return current
        row = conn.execute(
            "SELECT merged_into FROM trash WHERE insight_id = ?", (current,)
        ).fetchone()
        current = row[0] if row else None
    return None


def of_insight(conn: sqlite3.Connection, insight_id: int) -> list[dict[str, object]]:
    """The failures an insight was made or confirmed from, oldest first; `members` are their ids."""
    rows = conn.execute(
        "SELECT created_at, action, reason, summary, members, sessions, confidence FROM synthesis"
        " WHERE insight_id = ? ORDER BY id",
        (insight_id,),
    )
    names = [column[0] for column in rows.description]
    found = [dict(zip(names, row, strict=True)) for row in rows.fetchall()]
    return [{**row, "members": json.loads(str(row["members"]))} for row in found]


def shown_to(conn: sqlite3.Connection, insight_id: int, runs: Iterable[int]) -> set[int]:
    """Those of the agent runs that were given the insight."""
    wanted = set(runs)
    rows = conn.execute(
        "SELECT agent_run_id FROM injection WHERE insight_id = ? AND withheld = 0", (insight_id,)
    )
    return {int(row[0]) for row in rows} & wanted
