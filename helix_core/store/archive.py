"""Searching the archive of ended agents. Standard library only.

The search index holds the summaries as FTS5 cuts them. It does not hold what remained to be done
nor what the agents were asked to do, and of a text in a script without spaces it knows only whole
runs: those are looked through row by row, and so is everything where SQLite has no FTS5. The terms
are those of recall (`text/terms.py`).
"""

from __future__ import annotations

import sqlite3
from collections.abc import Sequence
from dataclasses import dataclass

from helix_core.store import cells
from helix_core.text import terms, tokens

LOOKED_THROUGH = 50_000
"""Rows looked through one by one at most, the newest: about a second."""


@dataclass(frozen=True)
class Looked:
    """What is looked through row by row: columns, and the rows they stand in."""

    texts: str
    rows: str


REASONS = Looked("l.reason", "session_log l WHERE l.outcome = 'partial'")
"""What remained of partial tasks: the index does not hold it."""
TEXTS = Looked("l.summary, l.reason", "session_log l WHERE l.id IS NOT NULL")
TASKS = Looked(
    "a.task",
    "session_log l JOIN agent_run a ON a.id = l.agent_run_id WHERE a.task <> ''",
)
"""What the agents were asked to do."""


@dataclass(frozen=True)
class Entry:
    """One ended agent as the archive tells it."""

    id: int
    at: str
    session_id: str
    agent_id: str
    agent_type: str
    task_id: str
    task: str
    outcome: str
    source: str
    """Where the outcome comes from; empty for what an older helix archived."""
    summary: str
    reason: str


def search(
    conn: sqlite3.Connection,
    text: str,
    limit: int,
    outcome: str | None = None,
    session_id: str | None = None,
) -> list[Entry]:
    """The entries for a text, best first, at most `limit`; none for a text without any term.

    `outcome` and `session_id` restrict them. No text is an error.
    """
    words = terms.query_terms(text).words[: terms.MAX_QUERY_TERMS]
    expression = terms.match_expression(text)
    if not words or expression is None or limit <= 0:
        return []
    indexed = _by_index(conn, expression, limit, outcome, session_id)
    spaced = not any(True for _ in tokens.unspaced(tokens.normalise(text)))
    if indexed is not None and spaced:
        found = [*indexed, *_by_hand(conn, words, limit, outcome, session_id, REASONS)]
    else:
        found = [*_by_hand(conn, words, limit, outcome, session_id, TEXTS), *(indexed or ())]
    if len(set(found)) < limit:
        found += _by_hand(conn, words, limit, outcome, session_id, TASKS)
    ids = list(dict.fromkeys(found))[:limit]
    rows = {entry.id: entry for entry in _entries(conn, ids)}
    return [rows[i] for i in ids if i in rows]


def _filter(outcome: str | None, session_id: str | None) -> tuple[str, list[str]]:
    pairs = [("l.outcome", outcome), ("l.session_id", session_id)]
    wanted = [(column, value) for column, value in pairs if value is not None]
    return "".join(f" AND {column} = ?" for column, _ in wanted), [v for _, v in wanted]


def _by_index(
    conn: sqlite3.Connection,
    expression: str,
    limit: int,
    outcome: str | None,
    session_id: str | None,
) -> list[int] | None:
    """Ids by BM25, best first; None without FTS5."""
    extra, values = _filter(outcome, session_id)
    try:
        rows = conn.execute(
            "SELECT l.id FROM session_log_fts f JOIN session_log l ON l.id = f.rowid"
            f" WHERE session_log_fts MATCH ?{extra} ORDER BY bm25(session_log_fts), l.id DESC"
            " LIMIT ?",
            (f"summary : ({expression})", *values, limit),
        ).fetchall()
    except sqlite3.OperationalError as error:
        if "no such" in str(error):
            return None
        raise
    return [int(row[0]) for row in rows]


def _by_hand(
    conn: sqlite3.Connection,
    words: Sequence[str],
    limit: int,
    outcome: str | None,
    session_id: str | None,
    where: Looked,
) -> list[int]:
    """Ids of the rows that hold the most terms, the newest first among equals."""
    extra, values = _filter(outcome, session_id)
    asked = {tokens.stem(word) for word in words}
    # Cutting a text into words is the work: only where the beginning of a term stands in it. A stem
    # differs from the words it stands for in its last letter at most.
    begun = {stem[:-1] if len(stem) > 3 else stem for stem in asked}
    scored = []
    for row in conn.execute(
        f"SELECT l.id, {where.texts} FROM {where.rows}{extra}"
        f" ORDER BY l.id DESC LIMIT {LOOKED_THROUGH}",
        values,
    ):
        text = tokens.normalise(" ".join(map(cells.text, row[1:])))
        lower = text.lower()
        if not any(start in lower for start in begun):
            continue
        held = {tokens.stem(word) for word in tokens.words(text)}
        hits = len(asked & held)
        if hits:
            scored.append((-hits, -int(row[0])))
    return [-number for _, number in sorted(scored)[:limit]]


def _entries(conn: sqlite3.Connection, ids: Sequence[int]) -> list[Entry]:
    marks = ",".join("?" * len(ids))
    rows = conn.execute(
        "SELECT l.id, l.created_at, l.session_id, l.agent_id, l.agent_type, l.task_id, a.task,"
        " l.outcome, a.outcome_source, l.summary, l.reason FROM session_log l"
        f" LEFT JOIN agent_run a ON a.id = l.agent_run_id WHERE l.id IN ({marks})",
        list(ids),
    ).fetchall()
    return [Entry(int(row[0]), *(cells.text(cell) for cell in row[1:])) for row in rows]
