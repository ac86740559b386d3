"""SQL for the end of an agent: the guard against counting twice, feedback events, the archive."""

from __future__ import annotations

import hashlib
import json
import sqlite3

from helix_core.store.runs import AgentRun

LINEAGE = "lineage"
"""The kind of an event that a child's outcome passed back: a move, but no use and no evidence."""
DECAY = "decay"
"""The kind of an event of maintenance: nobody used the insight."""
NO_USES = (DECAY, LINEAGE)
"""Kinds of events that are no use of an insight."""
NO_USE = str(NO_USES)
"""The same as an SQL list."""


def message_hash(message: str) -> str:
    """The identity of a final message: the same message twice is one result."""
    return hashlib.sha256(message.encode("utf-8", "replace")).hexdigest()[:32]


def open_result(
    conn: sqlite3.Connection,
    agent_id: str,
    mark: str,
    session_id: str,
    outcome: str,
    moment: str,
) -> set[str]:
    """Begin (or find) the result of one final message; returns the parts already done."""
    conn.execute(
        "INSERT OR IGNORE INTO agent_result(agent_id, message_hash, session_id, outcome,"
        " created_at) VALUES (?,?,?,?,?)",
        (agent_id, mark, session_id, outcome, moment),
    )
    return parts_done(conn, agent_id, mark)


def drop(conn: sqlite3.Connection, agent_id: str, mark: str) -> None:
    """Forget a result, with its guard: a person's verdict that was taken back."""
    conn.execute(
        "DELETE FROM agent_result WHERE agent_id = ? AND message_hash = ?", (agent_id, mark)
    )


def parts_done(conn: sqlite3.Connection, agent_id: str, mark: str) -> set[str]:
    """The parts of the pipeline already done for this result."""
    row = conn.execute(
        "SELECT parts FROM agent_result WHERE agent_id = ? AND message_hash = ?", (agent_id, mark)
    ).fetchone()
    return set(str(row[0]).split()) if row else set()


def finish_part(conn: sqlite3.Connection, agent_id: str, mark: str, part: str) -> bool:
    """Mark a part as done; False where it was already. Call inside the part's transaction."""
    done = parts_done(conn, agent_id, mark)
    if part in done:
        return False
    conn.execute(
        "UPDATE agent_result SET parts = ? WHERE agent_id = ? AND message_hash = ?",
        (" ".join(sorted(done | {part})), agent_id, mark),
    )
    return True


def add_child(conn: sqlite3.Connection, agent_id: str, mark: str, insight_id: int) -> None:
    """Remember that an insight came out of a result."""
    known = children_of(conn, agent_id, mark)
    if insight_id not in known:
        conn.execute(
            "UPDATE agent_result SET children = ? WHERE agent_id = ? AND message_hash = ?",
            (json.dumps([*known, insight_id]), agent_id, mark),
        )


def children_of(conn: sqlite3.Connection, agent_id: str, mark: str) -> list[int]:
    """The insights that came out of a result."""
    row = conn.execute(
        "SELECT children FROM agent_result WHERE agent_id = ? AND message_hash = ?",
        (agent_id, mark),
    ).fetchone()
    return [int(child) for child in json.loads(row[0])] if row else []


def add_event(
    conn: sqlite3.Connection,
    *,
    insight_id: int,
    kind: str,
    agent_id: str,
    message_hash: str,
    outcome: str,
    source: str,
    similarity: float | None,
    weight: float,
    causal: bool,
    before: float,
    after: float,
    moment: str,
    run: AgentRun | None = None,
    baseline: float | None = None,
) -> bool:
    """Record one insight moved by one ended agent; False where it was recorded before."""
    cursor = conn.execute(
        "INSERT OR IGNORE INTO feedback_event(insight_id, kind, agent_run_id, agent_id, session_id,"
        " task_id, task, outcome, source, similarity, weight, causal, before, after, baseline,"
        " message_hash, created_at) VALUES (?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?)",
        (
            insight_id,
            kind,
            run.id if run else None,
            agent_id,
            run.session_id if run else None,
            run.task_id if run else None,
            run.task if run else None,
            outcome,
            source,
            similarity,
            weight,
            int(causal),
            before,
            after,
            baseline,
            message_hash,
            moment,
        ),
    )
    return cursor.rowcount > 0


def causal_insights(conn: sqlite3.Connection, agent_id: str, mark: str) -> list[int]:
    """Ids of insights that were causal for this result: the parents of what derives from it."""
    rows = conn.execute(
        "SELECT insight_id FROM feedback_event WHERE agent_id = ? AND message_hash = ?"
        " AND causal = 1 AND undone_by IS NULL ORDER BY weight DESC",
        (agent_id, mark),
    )
    return [int(row[0]) for row in rows]


def recent_causal(conn: sqlite3.Connection, ids: list[int], since: str) -> dict[int, int]:
    """Causal events since a time, by insight (decision 9); one without any event is absent."""
    counts: dict[int, int] = {}
    for start in range(0, len(ids), 500):
        part = ids[start : start + 500]
        marks = ",".join("?" * len(part))
        for row in conn.execute(
            "SELECT insight_id, sum(causal = 1 AND created_at >= ?) FROM feedback_event"
            f" WHERE insight_id IN ({marks}) AND undone_by IS NULL AND kind NOT IN {NO_USE}"
            " GROUP BY insight_id",
            [since, *part],
        ):
            counts[int(row[0])] = int(row[1] or 0)
    return counts


def archive(
    conn: sqlite3.Connection,
    *,
    agent_id: str,
    agent_type: str,
    task_id: str | None,
    outcome: str,
    summary: str,
    reason: str,
    mark: str,
    session_id: str,
    agent_run_id: int | None,
    moment: str,
) -> None:
    """Add one line to the searchable archive."""
    conn.execute(
        "INSERT INTO session_log(agent_id, agent_type, task_id, outcome, summary, reason,"
        " transcript_hash, session_id, agent_run_id, created_at) VALUES (?,?,?,?,?,?,?,?,?,?)",
        (
            agent_id,
            agent_type,
            task_id,
            outcome,
            summary,
            reason,
            mark,
            session_id,
            agent_run_id,
            moment,
        ),
    )
