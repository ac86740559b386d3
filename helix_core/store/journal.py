"""SQL for what helix keeps about itself: hook calls, sessions, rejections, meta values."""

from __future__ import annotations

import sqlite3

HOOK_CALLS_KEPT = 5000


def record_hook(
    conn: sqlite3.Connection,
    *,
    event: str,
    session_id: str | None,
    agent_id: str | None,
    ms: float,
    mode: str,
    ok: bool,
    error: str,
    moment: str,
) -> None:
    """Record one hook call and drop the oldest beyond 5,000. Call inside a write transaction."""
    cursor = conn.execute(
        "INSERT INTO hook_call(event, session_id, agent_id, ms, mode, ok, error, created_at)"
        " VALUES (?,?,?,?,?,?,?,?)",
        (event, session_id, agent_id, ms, mode, int(ok), error[:500], moment),
    )
    newest = int(cursor.lastrowid or 0)
    if newest % 100 == 0:
        conn.execute("DELETE FROM hook_call WHERE id <= ?", (newest - HOOK_CALLS_KEPT,))


def open_session(
    conn: sqlite3.Connection, session_id: str, source: str, transcript: str, moment: str
) -> None:
    """Note that a session started or went on."""
    conn.execute(
        "INSERT INTO session(session_id, source, transcript_path, started_at) VALUES (?,?,?,?)"
        " ON CONFLICT(session_id) DO UPDATE SET source = excluded.source, ended_at = NULL",
        (session_id, source, transcript, moment),
    )


def close_session(conn: sqlite3.Connection, session_id: str, moment: str) -> None:
    """Note that a session ended; it may never have been seen to start."""
    conn.execute(
        "INSERT INTO session(session_id, started_at, ended_at) VALUES (?,?,?)"
        " ON CONFLICT(session_id) DO UPDATE SET ended_at = excluded.ended_at",
        (session_id, moment, moment),
    )


def sessions_to_maintain(conn: sqlite3.Connection, stale_before: str) -> list[str]:
    """Sessions in which a helix agent finished, that are over and not yet maintained.

    A session whose SessionEnd never came counts as over once its last agent ended before
    `stale_before`.
    """
    rows = conn.execute(
        "SELECT a.session_id, max(a.ended_at) AS last, s.ended_at FROM agent_run a"
        " LEFT JOIN session s ON s.session_id = a.session_id"
        " WHERE a.ended_at IS NOT NULL AND s.maintained_at IS NULL GROUP BY a.session_id"
        " HAVING s.ended_at IS NOT NULL OR last < ?",
        (stale_before,),
    )
    return [str(row[0]) for row in rows]


def mark_maintained(conn: sqlite3.Connection, session_id: str, moment: str) -> bool:
    """Claim a session's maintenance; False where somebody did it already."""
    conn.execute(
        "INSERT OR IGNORE INTO session(session_id, started_at, ended_at) VALUES (?,?,?)",
        (session_id, moment, moment),
    )
    return (
        conn.execute(
            "UPDATE session SET maintained_at = ? WHERE session_id = ? AND maintained_at IS NULL",
            (moment, session_id),
        ).rowcount
        > 0
    )


def count_rejection(conn: sqlite3.Connection, rule: str, moment: str) -> None:
    """Count a refused text by the rule that refused it; the text itself is not kept."""
    conn.execute(
        "INSERT INTO rejection(rule, count, last_at) VALUES (?, 1, ?)"
        " ON CONFLICT(rule) DO UPDATE SET count = count + 1, last_at = excluded.last_at",
        (rule, moment),
    )


def get_meta(conn: sqlite3.Connection, key: str) -> str | None:
    """One value helix keeps for itself."""
    row = conn.execute("SELECT value FROM meta WHERE key = ?", (key,)).fetchone()
    return str(row[0]) if row else None


def set_meta(conn: sqlite3.Connection, key: str, value: str) -> None:
    """Keep one value. Call inside a write transaction."""
    conn.execute(
        "INSERT INTO meta(key, value) VALUES (?, ?)"
        " ON CONFLICT(key) DO UPDATE SET value = excluded.value",
        (key, value),
    )
