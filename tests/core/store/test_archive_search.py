"""`sessions search`: the archive by its words, in any script, with and without FTS5 (B30)."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from helix_core import paths
from helix_core.store import archive, results, runs
from helix_core.store.connection import open_store, writing
from tests.core.command import helix
from tests.core.test_b30_queries import QUERIES

ENTRIES = (
    ("redis", "delivered", "the cache talks to redis through a pool", ""),
    ("oauth", "blocked", "tests/auth/test_oauth.py cannot reach the provider", ""),
    ("part", "partial", "the reader is done", "the tokenizer still drops surrogate pairs"),
    ("ja", "blocked", "設定ファイルの解析に失敗しました", ""),
    ("ru", "delivered", "Миграция базы данных применена", ""),
    ("rules", "delivered", "it works [CONSTRAINTS: never touch the ledger]", "it works"),
    ("pools", "blocked", "redis pools ran out of redis connections", ""),
    ("tries", "delivered", "all retries are capped", ""),
)


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """A memory with an archive of what agents said at their end."""
    folder = tmp_path / "project"
    folder.mkdir()
    database = paths.find_project(str(folder)).database
    with closing(open_store(database, create=True)) as conn, writing(conn):
        for number, (agent, outcome, summary, reason) in enumerate(ENTRIES):
            moment = f"2026-05-05T10:0{number}:00.000+00:00"
            run_id = runs.create(
                conn, f"s{number % 2}", "helix-builder", moment, agent_id=agent, tool_use_id=agent,
                state=outcome, task=f"task of {agent}", outcome_source="self",
            )  # fmt: skip
            results.archive(
                conn, agent_id=agent, agent_type="helix-builder", task_id=str(number),
                outcome=outcome, summary=summary, reason=reason or summary, mark=agent,
                session_id=f"s{number % 2}", agent_run_id=run_id, moment=moment,
            )  # fmt: skip
    return folder


@pytest.fixture
def conn(project: Path) -> Iterator[sqlite3.Connection]:
    found = open_store(paths.find_project(str(project)).database)
    yield found
    found.close()


def agents(conn: sqlite3.Connection, text: str, **options: object) -> list[str]:
    asked = {"limit": 20, **options}
    return [entry.agent_id for entry in archive.search(conn, text, **asked)]  # type: ignore[arg-type]


WANTED = [
    ("redis", ["pools", "redis"]),
    ("REDIS pool", ["pools", "redis"]),
    ("test_oauth.py", ["oauth"]),
    ("what about the provider?", ["oauth"]),
    ("surrogate", ["part"]),
    ("ファイル", ["ja"]),
    ("失敗", ["ja"]),
    ("МИГРАЦИЯ", ["ru"]),
    ("ledger", ["rules"]),
    ("retrying the retry", ["tries"]),
    ("elephants", []),
]


@pytest.mark.parametrize(("text", "found"), WANTED)
def test_what_an_agent_said_is_found(conn: sqlite3.Connection, text: str, found: list[str]) -> None:
    assert agents(conn, text) == found


@pytest.mark.parametrize(("text", "found"), WANTED)
def test_and_without_fts5_too(conn: sqlite3.Connection, text: str, found: list[str]) -> None:
    conn.execute("DROP TABLE session_log_fts")
    assert sorted(agents(conn, text)) == sorted(found)


@pytest.mark.parametrize("indexed", [True, False])
def test_what_an_agent_was_asked_is_found_after_what_agents_said(
    conn: sqlite3.Connection, indexed: bool
) -> None:
    conn.execute(
        "UPDATE agent_run SET task = 'Teach elephants to ask the provider' WHERE agent_id = 'redis'"
    )
    if not indexed:
        conn.execute("DROP TABLE session_log_fts")
    assert agents(conn, "elephant") == ["redis"]
    assert agents(conn, "provider") == ["oauth", "redis"]
    assert agents(conn, "provider", limit=1) == ["oauth"]
    assert agents(conn, "elephants", outcome="blocked") == []
    assert agents(conn, "elephants", session_id="s0") == ["redis"]


def test_filters_and_limits(conn: sqlite3.Connection) -> None:
    assert agents(conn, "redis", outcome="blocked") == ["pools"]
    assert agents(conn, "redis", session_id="s1") == []
    assert agents(conn, "surrogate", outcome="delivered") == []
    assert agents(conn, "redis", limit=1) == ["pools"]
    assert agents(conn, "redis", limit=0) == agents(conn, "redis", limit=-1) == []
    conn.execute("DROP TABLE session_log_fts")
    assert agents(conn, "redis", outcome="blocked") == ["pools"]


def test_an_entry_tells_who_when_and_how(conn: sqlite3.Connection) -> None:
    [entry] = archive.search(conn, "surrogate", 5)
    assert (entry.session_id, entry.task_id, entry.task) == ("s0", "2", "task of part")
    assert (entry.outcome, entry.source, entry.at[:16]) == ("partial", "self", "2026-05-05T10:02")
    assert (entry.summary, entry.reason) == (ENTRIES[2][2], ENTRIES[2][3])


@pytest.mark.parametrize("query", QUERIES, ids=lambda q: ascii(q)[:20])
def test_b30_no_query_is_an_error(project: Path, query: str) -> None:
    ran = helix(project, "sessions", "search", "--json", "--", query)
    assert isinstance(ran.json, list)


def test_text_for_people_and_wrong_usage(project: Path) -> None:
    said = helix(project, "sessions", "search", "surrogate").out
    assert "partial (self)  helix-builder task 2  session s0" in said
    assert "reason: the tokenizer still drops surrogate pairs" in said
    assert helix(project, "sessions", "search", "elephants").out == "nothing found\n"
    wrong = helix(project, "sessions", "search", "x", "--outcome", "splendid")
    assert wrong.code == 2 and "outcome must be one of" in wrong.err
    assert helix(project, "sessions", "look", "x").code == 2
    assert helix(project, "sessions", "search").code == 2


def test_looking_makes_no_memory(tmp_path: Path) -> None:
    for arguments in (("sessions", "search", "x"), ("session", "report")):
        said = helix(tmp_path, *arguments)
        assert said.code == 3 and "no memory yet" in said.err
    assert list(tmp_path.iterdir()) == []
