"""The dashboard's read model of helix itself: hooks, errors, refusals, the database.

Standard library only; like `views`, every function reads all its rows at once. Nothing here reads
more than the rows it counts: an integrity check, which reads every page, is asked for apart.
"""

from __future__ import annotations

import sqlite3

from helix_core.store import cells, rescue
from helix_core.viewfigures import ErrorLine, Health, HookLine, Refusal

ERRORS = 50
SHORT = 400

HOOKS_SQL = (
    "SELECT event, count(*), sum(mode = 'keyword'), sum(ok = 0), max(ms),"
    " max(CASE WHEN ok THEN created_at END),"
    # Nearest rank: the smallest value that at least that share of the calls does not exceed.
    " min(CASE WHEN place * 2 >= calls THEN ms END),"
    " min(CASE WHEN place * 20 >= calls * 19 THEN ms END)"
    " FROM (SELECT event, mode, ok, ms, created_at,"
    " row_number() OVER (PARTITION BY event ORDER BY ms) AS place,"
    " count(*) OVER (PARTITION BY event) AS calls FROM hook_call) GROUP BY event ORDER BY event"
)
NUMBERS_SQL = (
    "SELECT (SELECT count(*) FROM insight WHERE embedding_model IS NULL),"
    " (SELECT count(*) FROM agent_run WHERE feedback = 'pending'),"
    " (SELECT value FROM meta WHERE key = 'last_maintenance'),"
    " (SELECT max(version) FROM schema_version)"
)


def health(conn: sqlite3.Connection) -> Health:
    """Everything of the health view that rows tell."""
    numbers = conn.execute(NUMBERS_SQL).fetchone()
    models = conn.execute(
        "SELECT DISTINCT embedding_model FROM insight WHERE embedding_model <> '' ORDER BY 1"
    ).fetchall()
    return Health(
        hooks=hooks(conn),
        errors=errors(conn),
        refusals=refusals(conn),
        without_vector=cells.whole(numbers[0]),
        pending=cells.whole(numbers[1]),
        last_maintenance=cells.text(numbers[2]),
        models=tuple(cells.text(row[0]) for row in models),
        schema=cells.whole(numbers[3]),
        pages=_pragma(conn, "page_count"),
        page_size=_pragma(conn, "page_size"),
        free_pages=_pragma(conn, "freelist_count"),
        set_aside=_set_aside(conn),
    )


def hooks(conn: sqlite3.Connection) -> tuple[HookLine, ...]:
    """How each event has been doing, over the calls that are kept."""
    return tuple(
        HookLine(
            event=cells.text(row[0]),
            calls=cells.whole(row[1]),
            keyword_only=cells.whole(row[2]),
            failed=cells.whole(row[3]),
            slowest=cells.number(row[4]),
            last_ok=cells.text(row[5]),
            p50=cells.number(row[6]),
            p95=cells.number(row[7]),
        )
        for row in conn.execute(HOOKS_SQL).fetchall()
    )


def errors(conn: sqlite3.Connection, limit: int = ERRORS) -> tuple[ErrorLine, ...]:
    """The newest hook calls that failed or noted an error, newest first."""
    rows = conn.execute(
        "SELECT created_at, event, error, mode FROM hook_call WHERE ok = 0 OR error <> ''"
        " ORDER BY id DESC LIMIT ?",
        (limit,),
    ).fetchall()
    return tuple(
        ErrorLine(
            at=cells.text(row[0]),
            source=cells.text(row[1]),
            text=(cells.text(row[2]) or "failed without a word")[:SHORT],
        )
        for row in rows
    )


def refusals(conn: sqlite3.Connection) -> tuple[Refusal, ...]:
    """Refused texts by the rule that refused them, most first."""
    rows = conn.execute("SELECT rule, count, last_at FROM rejection ORDER BY count DESC, rule")
    return tuple(
        Refusal(cells.text(row[0]), cells.whole(row[1]), cells.text(row[2]))
        for row in rows.fetchall()
    )


def _set_aside(conn: sqlite3.Connection) -> tuple[str, str, str] | None:
    try:
        note = rescue.noted(conn)
    except (ValueError, TypeError):  # an odd note is no reason to show nothing
        return None
    if not note:
        return None
    return tuple(cells.text(note.get(key)) for key in ("file", "at", "reason"))  # type: ignore[return-value]


def _pragma(conn: sqlite3.Connection, name: str) -> int:
    return cells.whole(conn.execute(f"PRAGMA {name}").fetchone()[0])
