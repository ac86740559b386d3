"""The filter language: what is typed, and which rows it lets through."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from helix_core.store import filters, insights, measures
from helix_core.store.connection import open_store

MOMENT = "2026-03-01T12:00:00.000+00:00"


@pytest.fixture
def conn(tmp_path: Path) -> Iterator[sqlite3.Connection]:
    """Eleven insights: number n has effectiveness n/10, n uses, every second of them causal."""
    found = open_store(tmp_path / "helix.db", create=True)
    for n in range(11):
        insight_id, _ = insights.insert(
            found,
            content=f"When part {n} fails, look at rule {n * 7919} because it says so",
            tags=[f"t{n % 3}"],
            effectiveness=n / 10,
            source="agent" if n % 2 else "user",
            moment=MOMENT,
            embedding=None,
            embedding_model=None,
        )
        found.execute(
            "UPDATE insight SET use_count = ?, causal_hits = ?, context_count = ?,"
            " context_spread = ? WHERE id = ?",
            (n, n // 2, n, n / 20, insight_id),
        )
    yield found
    found.close()


def matching(conn: sqlite3.Connection, text: str) -> list[int]:
    """The numbers of the insights that a filter lets through."""
    where, values = filters.where(text)
    rows = conn.execute(f"SELECT id FROM insight WHERE {where} ORDER BY id", values)
    return [int(row[0]) - 1 for row in rows]


@pytest.mark.parametrize(
    ("text", "numbers"),
    [
        ("eff:0.7-0.8", [7]),
        ("eff:70-80", [7]),
        ("eff:0.9-1.0", [9, 10]),
        ("eff:.9-", [9, 10]),
        ("eff:-0.2", [0, 1]),
        ("eff:0.3", [3]),
        ("eff:0.2-0.5 eff:0.3-0.9", [3, 4]),
        ("uses:3", [3]),
        ("uses:3-5", [3, 4, 5]),
        ("uses:9-", [9, 10]),
        ("uses:-1", [0, 1]),
        ("is:unused", [0]),
        ("is:used uses:-2", [1, 2]),
        ("is:causal uses:-3", [2, 3]),
        ("causal:0.5-", [2, 4, 6, 8, 10]),
        ("causal:-1 uses:-1", [1]),
        ("gen:0.30-", [6, 7, 8, 9, 10]),
        ("gen:0-1", [3, 4, 5, 6, 7, 8, 9, 10]),
        ("vel:0", list(range(11))),
        ("vel:1-", []),
        ("given:builder", []),
        ("tag:t1 source:user", [4, 10]),
        ("rule tag:t2 eff:0.5-", [5, 8]),
    ],
)
def test_terms(conn: sqlite3.Connection, text: str, numbers: list[int]) -> None:
    assert matching(conn, text) == numbers


@pytest.mark.parametrize(
    "text", ["eff:", "eff:x", "eff:1-2-3", "eff:--", "is:odd", "uses:1e9", "vel:-"]
)
def test_what_is_no_term_is_a_word(conn: sqlite3.Connection, text: str) -> None:
    assert matching(conn, text) == []


@pytest.fixture(scope="module")
def empty(tmp_path_factory: pytest.TempPathFactory) -> Iterator[sqlite3.Connection]:
    """A memory without a row."""
    found = open_store(tmp_path_factory.mktemp("empty") / "helix.db", create=True)
    yield found
    found.close()


@given(text=st.text(alphabet="efgivn:usdtaghocml.-0123456789 %_'\\\";()", max_size=40))
def test_whatever_is_typed_is_a_statement(empty: sqlite3.Connection, text: str) -> None:
    where, values = filters.where(text)
    rows = empty.execute(f"SELECT count(*) FROM insight WHERE {where}", values).fetchall()
    assert rows == [(0,)]


def test_the_tenths_of_a_histogram_are_the_ranges_of_the_filter(conn: sqlite3.Connection) -> None:
    tenth = measures.tenth(measures.EFFECTIVENESS)
    for n, count in conn.execute(f"SELECT {tenth}, count(*) FROM insight GROUP BY 1"):
        assert len(matching(conn, f"eff:{n / 10:.1f}-{(n + 1) / 10:.1f}")) == count


def test_a_hair_under_a_limit_is_above_it(conn: sqlite3.Connection) -> None:
    conn.execute("UPDATE insight SET effectiveness = 0.5999999999999999 WHERE id = 1")
    assert matching(conn, "eff:0.6-0.7") == [0, 6]
    assert matching(conn, "eff:0.5-0.6") == [5]
