"""Finding the same words again by an index gives what reading every row would give."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from helix_core.store import insights, schema
from helix_core.store.connection import Connection, open_store

MOMENT = "2026-03-01T12:00:00.000+00:00"
SPELLINGS = (str, str.upper, str.lower, str.title, lambda t: t.replace(" ", " \n\u2003"),
             lambda t: t.replace("ss", "ß").replace("k", "\u212a").replace("i", "ı"))  # fmt: skip
TEXT = st.text(st.sampled_from("eord cumpgkKsßI\u00a0 ()éÉ.\u212a"), min_size=1, max_size=12)


@pytest.fixture
def conn(tmp_path: Path) -> Iterator[Connection]:
    found = open_store(tmp_path / ".helix" / "helix.db", create=True)
    yield found
    found.close()


def add(conn: Connection, text: str) -> None:
    insights.insert(
        conn, content=text, tags=[], effectiveness=0.5, source="agent", moment=MOMENT,
        embedding=None, embedding_model=None,
    )  # fmt: skip


def slowly(conn: Connection, text: str) -> int | None:
    key = insights.content_key(text)
    rows = insights.all_insights(conn)
    return next((row.id for row in rows if insights.content_key(row.content) == key), None)


@settings(
    max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(st.lists(TEXT, min_size=1, max_size=25), st.sampled_from(SPELLINGS), TEXT)
def test_the_index_finds_what_reading_all_rows_finds(
    conn: Connection, texts: list[str], spell: type[str], other: str
) -> None:
    conn.execute("DELETE FROM insight")
    for text in texts:
        add(conn, text)
    for wanted in [*map(spell, texts), other]:
        found = insights.find_same_text(conn, wanted)
        assert (found.id if found else None) == slowly(conn, wanted)


def test_no_other_letter_becomes_a_firm_one() -> None:
    firm = set(schema.FIRM_LETTERS)
    assert not [c for c in range(128, sys.maxunicode + 1) if firm & set(chr(c).casefold())]


def test_one_row_is_read_for_one_text(conn: Connection) -> None:
    """The index is used, and it tells ordinary texts apart."""
    plan = conn.execute(
        f"EXPLAIN QUERY PLAN SELECT id FROM insight WHERE {schema.outline('content')}"
        f" = {schema.outline('?1')}",
        ("x",),
    ).fetchall()
    assert "idx_insight_outline" in plan[0][3]
    nouns = ("cache", "queue", "parser", "socket", "index", "broker", "ledger", "router", "mailer")
    for first in nouns:
        for second in nouns:
            add(conn, f"When the {first} hangs, restart the {second} because it leaks")
    [most] = conn.execute(
        "SELECT max(n) FROM (SELECT count(*) AS n FROM insight"
        f" GROUP BY {schema.outline('content')})"
    ).fetchone()
    assert most <= 4
