"""SQL for insights and their search index. Standard library only; no rule of the memory here."""

from __future__ import annotations

import hashlib
import json
import re
import sqlite3
from collections.abc import Collection, Iterable, Sequence
from typing import Any

from helix_core.model import Insight
from helix_core.store import cells, schema
from helix_core.text import terms

COLUMNS = (
    "id, name, content, tags, effectiveness, use_count, causal_hits, recent_uses, context_spread,"
    " context_count, created_at, last_used, last_feedback_at, pinned, source, embedding_model,"
    " row_version, updated_at, confirmations, decayed_on"
)
# BM25 weights of content, tags and terms. An identifier counts in the content by its parts
# already; benchmarks/retrieval favours half a weight for it as a whole over a full one.
COLUMN_WEIGHTS = "1.0, 0.5, 0.5"
CHUNK = 500  # SQLite takes a limited number of variables in one statement


def read_tags(text: object) -> tuple[str, ...]:
    """The tags of a stored JSON list; empty for anything else."""
    return cells.names(text)


def from_row(row: Sequence[Any]) -> Insight:
    """An insight from a row of `COLUMNS`; an odd cell costs its value, never the row."""
    return Insight(
        id=int(row[0]),
        name=cells.text(row[1]),
        content=cells.text(row[2]),
        tags=read_tags(row[3]),
        effectiveness=cells.share(row[4]),
        use_count=cells.whole(row[5]),
        causal_hits=cells.whole(row[6]),
        recent_uses=cells.whole(row[7]),
        context_spread=cells.maybe(row[8]),
        context_count=cells.whole(row[9]),
        created_at=cells.text(row[10]),
        last_used=_maybe(row[11]),
        last_feedback_at=_maybe(row[12]),
        pinned=bool(cells.whole(row[13])),
        source=cells.text(row[14]),
        embedding_model=_maybe(row[15]),
        row_version=cells.whole(row[16]),
        updated_at=_maybe(row[17]),
        confirmations=cells.whole(row[18]),
        decayed_on=_maybe(row[19]),
    )


def _maybe(value: object) -> str | None:
    return None if value is None else cells.text(value)


def get(conn: sqlite3.Connection, name: str) -> Insight | None:
    """The insight of that name, or None."""
    row = conn.execute(f"SELECT {COLUMNS} FROM insight WHERE name = ?", (name,)).fetchone()
    return from_row(row) if row else None


def by_ids(conn: sqlite3.Connection, ids: Iterable[int]) -> dict[int, Insight]:
    """Insights by id; ids that are not there are left out."""
    found = {}
    wanted = list(ids)
    for start in range(0, len(wanted), CHUNK):
        part = wanted[start : start + CHUNK]
        marks = ",".join("?" * len(part))
        for row in _fetch(conn, f"SELECT {COLUMNS} FROM insight WHERE id IN ({marks})", part):
            insight = from_row(row)
            found[insight.id] = insight
    return found


def _fetch(conn: sqlite3.Connection, statement: str, values: Sequence[int]) -> list[Any]:
    """All rows of a SELECT, with the connection's lenient decoding only where a cell needs it.

    SQLite's own takes half the time, and a recall reads hundreds of cells.
    """
    lenient = conn.text_factory
    conn.text_factory = str
    try:
        return conn.execute(statement, values).fetchall()
    except sqlite3.OperationalError:  # broken UTF-8, or something the second try raises as well
        conn.text_factory = lenient
        return conn.execute(statement, values).fetchall()
    finally:
        conn.text_factory = lenient


def all_insights(conn: sqlite3.Connection) -> list[Insight]:
    """Every insight, oldest first."""
    return [from_row(row) for row in conn.execute(f"SELECT {COLUMNS} FROM insight ORDER BY id")]


def count(conn: sqlite3.Connection) -> int:
    """How many insights there are."""
    return int(conn.execute("SELECT count(*) FROM insight").fetchone()[0])


def names_of(conn: sqlite3.Connection, ids: Sequence[int]) -> dict[int, str]:
    """Names by id; ids that are not there are left out."""
    found: dict[int, str] = {}
    for start in range(0, len(ids), CHUNK):
        part = ids[start : start + CHUNK]
        marks = ",".join("?" * len(part))
        rows = conn.execute(f"SELECT id, name FROM insight WHERE id IN ({marks})", part)
        found.update((int(row[0]), cells.text(row[1])) for row in rows)
    return found


def content_key(content: str) -> str:
    """A hash that is equal for texts that differ in case and white space only."""
    return hashlib.sha256(" ".join(content.split()).casefold().encode("utf-8")).hexdigest()


def find_same_text(conn: sqlite3.Connection, content: str) -> Insight | None:
    """The insight with the same words, whatever their case and spacing; the oldest of several."""
    key = content_key(content)
    rows = conn.execute(
        f"SELECT id, content FROM insight WHERE {schema.outline('content')}"
        f" = {schema.outline('?1')} ORDER BY id",
        (content,),
    )
    same = next((int(i) for i, text in rows if content_key(cells.text(text)) == key), None)
    return None if same is None else by_ids(conn, [same]).get(same)


def unique_name(conn: sqlite3.Connection, content: str) -> str:
    """A readable name nobody has: the first words, and a hash where that is taken.

    Works for any script; a text without a single letter is named by its hash.
    """
    words = re.sub(r"[^\w]+", "-", content.casefold()[:120], flags=re.UNICODE).strip("-")
    base = words[:50].rstrip("-") or "insight"
    name, number = base, 0
    while conn.execute("SELECT 1 FROM insight WHERE name = ?", (name,)).fetchone() or (
        conn.execute("SELECT 1 FROM trash WHERE name = ?", (name,)).fetchone()
    ):
        mark = hashlib.sha256(f"{content}\0{number}".encode()).hexdigest()[:8]
        name, number = f"{base[:41]}-{mark}", number + 1
    return name


def insert(
    conn: sqlite3.Connection,
    *,
    content: str,
    tags: Sequence[str],
    effectiveness: float,
    source: str,
    moment: str,
    embedding: bytes | None,
    embedding_model: str | None,
) -> tuple[int, str]:
    """Insert one insight; returns its id and name. Call inside a write transaction."""
    name = unique_name(conn, content)
    cursor = conn.execute(
        "INSERT INTO insight(name, content, tags, effectiveness, source, created_at, updated_at,"
        " embedding, embedding_model, terms) VALUES (?,?,?,?,?,?,?,?,?,?)",
        (
            name,
            content,
            json.dumps(list(tags), ensure_ascii=False),
            effectiveness,
            source,
            moment,
            moment,
            embedding,
            embedding_model,
            search_terms(content, tags),
        ),
    )
    return int(cursor.lastrowid or 0), name


def search_terms(content: str, tags: Iterable[str]) -> str:
    """What the search index holds beside the text: identifiers whole and in parts."""
    return terms.index_terms(f"{content} {' '.join(tags)}")


def update(conn: sqlite3.Connection, insight_id: int, moment: str, **values: object) -> None:
    """Change columns of one insight; raises `row_version`. Call inside a write transaction."""
    names = [*values, "updated_at"]
    sets = ", ".join(f"{name} = ?" for name in names)
    conn.execute(
        f"UPDATE insight SET {sets}, row_version = row_version + 1 WHERE id = ?",
        (*values.values(), moment, insight_id),
    )


def set_vector(
    conn: sqlite3.Connection, insight_id: int, vector: bytes, model: str, moment: str
) -> None:
    """Give an insight its vector. It follows from the text, so that `row_version` stays: an edit
    that is based on this text must not be refused for it."""
    conn.execute(
        "UPDATE insight SET embedding = ?, embedding_model = ?, updated_at = ? WHERE id = ?",
        (vector, model, moment, insight_id),
    )


def search_keywords(
    conn: sqlite3.Connection,
    expression: str | None,
    depth: int,
    among: Collection[int] | None = None,
) -> list[tuple[int, float]]:
    """Ids with their BM25 (lower is better), best first; empty without FTS5 or a query.

    `among` restricts the answer to these ids, and the work of scoring with it.
    """
    if not expression or depth <= 0:
        return []
    # "+" keeps SQLite from asking the index once for every id.
    within = "" if among is None else " AND +rowid IN (SELECT value FROM json_each(?))"
    chosen = [] if among is None else [json.dumps(sorted(among))]  # the set is built faster so
    try:
        rows = conn.execute(
            f"SELECT rowid, bm25(insight_fts, {COLUMN_WEIGHTS}) AS score FROM insight_fts"
            f" WHERE insight_fts MATCH ?{within} ORDER BY score, rowid LIMIT ?",
            (expression, *chosen, depth),
        ).fetchall()
    except sqlite3.OperationalError as error:
        if "no such" in str(error):  # SQLite without FTS5: recall goes by vector alone
            return []
        raise
    return [(int(row[0]), float(row[1])) for row in rows]


def vector_of(conn: sqlite3.Connection, insight_id: int) -> tuple[bytes | None, str | None]:
    """The stored vector and the model it belongs to."""
    row = conn.execute(
        "SELECT embedding, embedding_model FROM insight WHERE id = ?", (insight_id,)
    ).fetchone()
    return (row[0], row[1]) if row else (None, None)


def without_vector(conn: sqlite3.Connection, model: str, limit: int) -> list[tuple[int, str]]:
    """Ids and texts whose vector is missing or of another model, oldest first."""
    return [
        (int(row[0]), str(row[1]))
        for row in conn.execute(
            "SELECT id, content FROM insight WHERE embedding IS NULL"
            " OR embedding_model IS NULL OR embedding_model <> ? ORDER BY id LIMIT ?",
            (model, limit),
        )
    ]
