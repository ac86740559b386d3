"""SQL for what waits for a person's judgement. Standard library only."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Mapping, Sequence
from typing import Any


def ask(
    conn: sqlite3.Connection,
    *,
    kind: str,
    header: str,
    question: str,
    options: Sequence[str],
    evidence: Mapping[str, Any],
    session_id: str | None,
    agent_run_id: int | None,
    moment: str,
) -> int:
    """Open a question; returns its id. Call inside a write transaction."""
    cursor = conn.execute(
        "INSERT INTO question(kind, session_id, agent_run_id, header, question, options, evidence,"
        " created_at) VALUES (?,?,?,?,?,?,?,?)",
        (
            kind,
            session_id,
            agent_run_id,
            header,
            question,
            json.dumps(list(options), ensure_ascii=False),
            json.dumps(dict(evidence), ensure_ascii=False),
            moment,
        ),
    )
    return int(cursor.lastrowid or 0)


def asked_before(conn: sqlite3.Connection, kind: str, pair: str) -> bool:
    """Whether a question of this kind was ever asked about a pair, whatever became of it.

    `pair` is what such a question keeps under that key in its evidence.
    """
    return bool(
        conn.execute(
            "SELECT 1 FROM question WHERE kind = ? AND json_valid(evidence)"
            " AND json_extract(evidence, '$.pair') = ?",
            (kind, pair),
        ).fetchone()
    )
