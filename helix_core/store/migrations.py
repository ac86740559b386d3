"""Schema migrations: decorated functions, each one transaction together with its own record.

May import the standard library, `schema`, `clock`, `errors` and the pure text modules. A migration
looks at the columns, never at the recorded version alone: databases of the earlier plugin miss
rows of `schema_version` for steps that did run. No migration drops a row.
"""

from __future__ import annotations

import json
import sqlite3
import zlib
from collections.abc import Callable, Mapping

from helix_core import clock
from helix_core.store import schema
from helix_core.text import terms

Step = Callable[[sqlite3.Connection], None]
MIGRATIONS: dict[int, Step] = {}


def migration(version: int) -> Callable[[Step], Step]:
    """Register the function that brings a database to `version`."""

    def register(step: Step) -> Step:
        if version in MIGRATIONS:
            raise ValueError(f"two migrations to version {version}")
        MIGRATIONS[version] = step
        return step

    return register


def recorded(conn: sqlite3.Connection) -> set[int]:
    """The versions recorded as applied; empty for a new file."""
    if not _tables(conn, "schema_version"):
        return set()
    return {int(row[0]) for row in conn.execute("SELECT version FROM schema_version")}


def migrate(conn: sqlite3.Connection) -> list[int]:
    """Bring a database to the latest version; returns the versions applied now.

    Two processes may race: each step checks its record again once it holds the write lock.
    """
    applied = []
    conn.execute("BEGIN IMMEDIATE")
    conn.execute(
        "CREATE TABLE IF NOT EXISTS schema_version"
        " (version INTEGER PRIMARY KEY, applied_at TEXT NOT NULL)"
    )
    conn.execute("COMMIT")
    for version in sorted(MIGRATIONS):
        conn.execute("BEGIN IMMEDIATE")
        try:
            if version not in recorded(conn):
                MIGRATIONS[version](conn)
                conn.execute(
                    "INSERT INTO schema_version(version, applied_at) VALUES (?, ?)",
                    (version, clock.iso(clock.now())),
                )
                applied.append(version)
            conn.execute("COMMIT")
        except BaseException:
            conn.execute("ROLLBACK")
            raise
    return applied


def _tables(conn: sqlite3.Connection, name: str) -> bool:
    return bool(conn.execute("SELECT 1 FROM sqlite_master WHERE name = ?", (name,)).fetchone())


def columns(conn: sqlite3.Connection, table: str) -> set[str]:
    """The column names of a table; empty where there is no such table."""
    return {str(row[1]) for row in conn.execute(f"PRAGMA table_info({table})")}


def _add_columns(conn: sqlite3.Connection, table: str, wanted: Mapping[str, str]) -> None:
    have = columns(conn, table)
    for name, declaration in wanted.items():
        if name not in have:
            conn.execute(f"ALTER TABLE {table} ADD COLUMN {name} {declaration}")


@migration(5)
def _insight(conn: sqlite3.Connection) -> None:
    conn.execute(schema.INSIGHT)


@migration(7)
def _causal(conn: sqlite3.Connection) -> None:
    _add_columns(conn, "insight", schema.INSIGHT_COLUMNS_7)


@migration(9)
def _legacy_memory(conn: sqlite3.Connection) -> None:
    """Texts of the oldest table become insights; the old tables stay as they are."""
    if not {"name", "content"} <= columns(conn, "memory"):
        return
    moment = clock.iso(clock.now())
    for name, content in conn.execute("SELECT name, content FROM memory").fetchall():
        if content:
            conn.execute(
                "INSERT OR IGNORE INTO insight(name, content, created_at) VALUES (?, ?, ?)",
                (
                    name or f"memory-{zlib.crc32(str(content).encode('utf-8', 'replace'))}",
                    content,
                    moment,
                ),
            )


@migration(10)
def _edges(conn: sqlite3.Connection) -> None:
    for statement in schema.EDGES:
        conn.execute(statement)


@migration(13)
def _session_log(conn: sqlite3.Connection) -> None:
    conn.execute(schema.SESSION_LOG)


@migration(14)
def _velocity_and_context(conn: sqlite3.Connection) -> None:
    _add_columns(conn, "insight", schema.INSIGHT_COLUMNS_14)


for _absorbed in (6, 8, 11, 12, 15):
    # Steps of the earlier plugin whose work the looking-at-columns steps above do; recorded, so
    # that a database born here has every version on record.
    migration(_absorbed)(lambda conn: None)


@migration(16)
def _helix(conn: sqlite3.Connection) -> None:
    """What this helix adds: provenance of every number, curation, the ledger, porter search.

    The steps before it only add what is missing, and run again: a version on record may lie.
    """
    for step in (_insight, _causal, _edges, _session_log, _velocity_and_context):
        step(conn)
    first_time = "context_count" not in columns(conn, "insight")
    _add_columns(conn, "insight", schema.INSIGHT_COLUMNS_16)
    _add_columns(conn, "session_log", schema.SESSION_LOG_COLUMNS_16)
    conn.execute("UPDATE insight SET updated_at = created_at WHERE updated_at IS NULL")
    conn.execute(
        "UPDATE insight SET source = 'user'"
        " WHERE tags LIKE '%\"user-provided\"%' AND source = 'agent'"
    )
    if first_time:  # means are not made of means
        _context_means(conn)
    for statement in (*schema.RUNS_16, *schema.CURATION_16):
        conn.execute(statement)
    _fill_terms(conn)
    _rebuild_search(conn)
    for statement in schema.VECTOR_CHANGE:
        conn.execute(statement)


@migration(17)
def _synthesis(conn: sqlite3.Connection) -> None:
    """The evidence of every pattern: which archived failures it was made or confirmed from."""
    for statement in schema.SYNTHESIS_17:
        conn.execute(statement)


@migration(18)
def _plans(conn: sqlite3.Connection) -> None:
    """What the task graph keeps about plans and decisions; every agent's run on its row."""
    _add_columns(conn, "run", schema.RUN_COLUMNS_18)
    _add_columns(conn, "task", schema.TASK_COLUMNS_18)
    for statement in schema.PLANS_18:
        conn.execute(statement)


@migration(19)
def _questions(conn: sqlite3.Connection) -> None:
    """What a question is about, whether several options may be chosen, what its answer stored."""
    _add_columns(conn, "question", schema.QUESTION_COLUMNS_19)
    for statement in schema.QUESTION_INDEXES_19:
        conn.execute(statement)
    conn.execute(
        "UPDATE question SET subject = json_extract(evidence, '$.pair') WHERE kind = 'conflict'"
        " AND json_valid(evidence) AND json_extract(evidence, '$.pair') IS NOT NULL"
    )


@migration(20)
def _outline(conn: sqlite3.Connection) -> None:
    """The same text is found without reading all of them."""
    conn.execute(schema.OUTLINE_20)


@migration(21)
def _holdout(conn: sqlite3.Connection) -> None:
    """With what probability an insight that was chosen could have been withheld."""
    _add_columns(conn, "injection", schema.INJECTION_COLUMNS_21)


def _fill_terms(conn: sqlite3.Connection) -> None:
    for row_id, content, tags in conn.execute("SELECT id, content, tags FROM insight").fetchall():
        conn.execute(
            "UPDATE insight SET terms = ? WHERE id = ?",
            (terms.index_terms(f"{content} {_tag_text(tags)}"), row_id),
        )


def _tag_text(tags: object) -> str:
    try:
        value = json.loads(str(tags or "[]"))
    except ValueError:
        return ""
    return " ".join(str(tag) for tag in value) if isinstance(value, list) else ""


def _context_means(conn: sqlite3.Connection) -> None:
    """Decision 10: an older row starts from m = centroid * (1 - spread), seen causal_hits times."""
    from helix_core.store import vectors

    rows = conn.execute(
        "SELECT id, context_centroid, context_spread, causal_hits FROM insight"
        " WHERE context_centroid IS NOT NULL"
    ).fetchall()
    for row_id, blob, spread, hits in rows:
        centroid = vectors.unpack(blob)
        if centroid is None:
            continue
        scale = 1.0 - min(1.0, max(0.0, float(spread or 0.0)))
        conn.execute(
            "UPDATE insight SET context_centroid = ?, context_count = ? WHERE id = ?",
            (vectors.pack([x * scale for x in centroid]), max(1, int(hits or 0)), row_id),
        )


def has_fts5(conn: sqlite3.Connection) -> bool:
    """Whether this SQLite can search full text; without it recall is by vector alone."""
    try:
        conn.execute("CREATE VIRTUAL TABLE temp.fts5_probe USING fts5(x)")
        conn.execute("DROP TABLE temp.fts5_probe")
    except sqlite3.OperationalError:
        return False
    return True


def _rebuild_search(conn: sqlite3.Connection) -> None:
    for table in schema.FTS_TABLES:
        for (trigger,) in conn.execute(
            "SELECT name FROM sqlite_master WHERE type = 'trigger' AND sql LIKE ?", (f"%{table}%",)
        ).fetchall():
            conn.execute(f'DROP TRIGGER "{trigger}"')
        conn.execute(f"DROP TABLE IF EXISTS {table}")
    if has_fts5(conn):
        for statement in (*schema.INSIGHT_FTS, *schema.SESSION_LOG_FTS):
            conn.execute(statement)
