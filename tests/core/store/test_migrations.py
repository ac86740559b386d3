"""Old databases open and upgrade in place, and nothing is lost."""

from __future__ import annotations

import json
import multiprocessing
import shutil
import sqlite3
from dataclasses import replace
from pathlib import Path

import pytest

from helix_core.errors import (
    HelixError,
    StoreCorruptError,
    StoreLockedError,
    StoreMissingError,
)
from helix_core.store import insights, migrations, schema
from helix_core.store.connection import open_store

DATABASES = Path(__file__).parents[2] / "fixtures" / "databases"
OLD = sorted(path.stem for path in DATABASES.glob("v*.db"))
KEPT = ("name", "content", "effectiveness", "use_count", "created_at", "last_used", "tags",
        "causal_hits", "last_feedback_at", "recent_uses")  # fmt: skip


def copy(version: str, folder: Path) -> Path:
    target = folder / ".helix" / "helix.db"
    target.parent.mkdir(parents=True)
    shutil.copyfile(DATABASES / f"{version}.db", target)
    return target


def rows(database: Path, table: str, columns: list[str]) -> list[tuple[object, ...]]:
    conn = sqlite3.connect(f"{database.as_uri()}?mode=ro", uri=True)
    try:
        return conn.execute(f"SELECT {', '.join(columns)} FROM {table} ORDER BY 1, 2").fetchall()
    finally:
        conn.close()


@pytest.mark.parametrize("version", OLD)
def test_every_row_is_still_there(version: str, tmp_path: Path) -> None:
    manifest = json.loads((DATABASES / f"{version}.json").read_text())
    database = copy(version, tmp_path)
    columns = [c for c in KEPT if c in manifest["columns"]["insight"]]
    old = rows(database, "insight", columns)
    tables = [t for t in ("insight_edges", "session_log") if t in manifest["row_counts"]]
    kept = {t: rows(database, t, manifest["columns"][t]) for t in tables}
    conn = open_store(database)
    try:
        assert max(migrations.recorded(conn)) == schema.LATEST
        new = rows(database, "insight", columns)
        assert set(old) <= set(new)
        assert len(new) == len(old) + manifest["row_counts"].get("memory", 0)
        assert {t: rows(database, t, manifest["columns"][t]) for t in tables} == kept
        for query, ids in manifest.get("fts_queries", {}).items():
            found = {i for i, _ in insights.search_keywords(conn, query, 500)}
            assert set(ids) <= found
        assert conn.execute("PRAGMA integrity_check").fetchone()[0] == "ok"
        assert len(insights.all_insights(conn)) == len(new)
    finally:
        conn.close()
    [backup] = (database.parent / "backups").glob("*.db")
    assert rows(backup, "insight", columns) == old


@pytest.mark.parametrize("version", OLD)
def test_upgrading_twice_changes_nothing(version: str, tmp_path: Path) -> None:
    database = copy(version, tmp_path)
    open_store(database).close()
    first = sqlite3.connect(database).execute("SELECT sql FROM sqlite_master ORDER BY 1").fetchall()
    conn = open_store(database)
    assert migrations.migrate(conn) == []
    assert conn.execute("SELECT sql FROM sqlite_master ORDER BY 1").fetchall() == first
    conn.close()


def test_the_search_index_follows_every_kind_of_write(tmp_path: Path) -> None:
    conn = open_store(copy("v15", tmp_path))
    conn.execute("UPDATE insight SET content = 'When zyxwv happens do q because r' WHERE id = 1")
    assert [i for i, _ in insights.search_keywords(conn, '"zyxwv"', 5)] == [1]
    conn.execute("DELETE FROM insight WHERE id = 1")
    assert insights.search_keywords(conn, '"zyxwv"', 5) == []
    conn.execute("UPDATE session_log SET summary = 'zyxwv' WHERE id = 1")
    found = conn.execute("SELECT rowid FROM session_log_fts WHERE session_log_fts MATCH 'zyxwv'")
    assert found.fetchall() == [(1,)]
    conn.close()


def test_a_database_born_now_has_every_version_on_record(tmp_path: Path) -> None:
    conn = open_store(tmp_path / ".helix" / "helix.db", create=True)
    assert migrations.recorded(conn) == set(migrations.MIGRATIONS)
    assert max(migrations.MIGRATIONS) == schema.LATEST
    assert (tmp_path / ".helix" / ".gitignore").read_text() == "*\n"
    assert conn.execute("PRAGMA journal_mode").fetchone()[0] == "wal"
    conn.close()


def test_a_migration_that_fails_leaves_the_step_before(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    database = copy("v13", tmp_path)

    def broken(conn: sqlite3.Connection) -> None:
        conn.execute("ALTER TABLE insight ADD COLUMN half TEXT")
        raise RuntimeError("power cut")

    monkeypatch.setitem(migrations.MIGRATIONS, 16, broken)
    with pytest.raises(RuntimeError):
        open_store(database)
    monkeypatch.undo()
    conn = open_store(database)
    assert "half" not in migrations.columns(conn, "insight")
    assert max(migrations.recorded(conn)) == schema.LATEST
    conn.close()


def _open(path: str) -> str:
    try:
        open_store(Path(path), create=True, wait_ms=20_000).close()
    except HelixError as error:
        return repr(error)
    return "ok"


@pytest.mark.parametrize("version", [None, "v5", "v15"])
def test_many_processes_upgrade_at_once(version: str | None, tmp_path: Path) -> None:
    database = copy(version, tmp_path) if version else tmp_path / ".helix" / "helix.db"
    with multiprocessing.get_context("spawn").Pool(6) as pool:
        assert pool.map(_open, [str(database)] * 6) == ["ok"] * 6
    conn = open_store(database)
    assert conn.execute("PRAGMA integrity_check").fetchone()[0] == "ok"
    assert max(migrations.recorded(conn)) == schema.LATEST
    conn.close()


def test_reading_never_creates_and_damage_is_told_apart(tmp_path: Path) -> None:
    with pytest.raises(StoreMissingError):
        open_store(tmp_path / ".helix" / "helix.db")
    assert not (tmp_path / ".helix").exists()
    damaged = tmp_path / "damaged.db"
    damaged.write_bytes(bytes(range(256)) * 40)
    with pytest.raises(StoreCorruptError):
        open_store(damaged)
    assert damaged.read_bytes() == bytes(range(256)) * 40


@pytest.mark.parametrize("version", OLD)
def test_reading_an_older_database_changes_no_file(version: str, tmp_path: Path) -> None:
    database = copy(version, tmp_path)
    before = database.read_bytes()
    read = open_store(database, readonly=True)
    assert read.copied and max(migrations.recorded(read)) == schema.LATEST
    assert database.read_bytes() == before and not (database.parent / "backups").exists()
    with pytest.raises(sqlite3.OperationalError):
        read.execute("DELETE FROM insight")
    upgraded = open_store(database)
    try:
        # The oldest table knows no times: its texts begin when they are read.
        same = [[replace(row, created_at="", updated_at="") for row in insights.all_insights(conn)]
                for conn in (read, upgraded)]  # fmt: skip
        assert same[0] == same[1] and len(same[0]) >= 50
        for table in ("insight_edges", "session_log"):
            query = f"SELECT * FROM {table} ORDER BY 1, 2, 3"
            assert read.execute(query).fetchall() == upgraded.execute(query).fetchall()
        again = open_store(database, readonly=True)
        assert not again.copied
        again.close()
    finally:
        upgraded.close()
        read.close()


def test_a_locked_older_database_is_reported_to_a_reader(tmp_path: Path) -> None:
    database = copy("v9", tmp_path)
    holder = sqlite3.connect(database, isolation_level=None)
    holder.execute("PRAGMA journal_mode = DELETE")
    holder.execute("BEGIN EXCLUSIVE")
    with pytest.raises(StoreLockedError):
        open_store(database, readonly=True, wait_ms=50)
    holder.close()


def test_an_older_context_mean_starts_from_the_centroid(tmp_path: Path) -> None:
    from helix_core.store import vectors

    database = copy("v15", tmp_path)
    [(row_id, blob, spread)] = (
        sqlite3.connect(database)
        .execute(
            "SELECT id, context_centroid, context_spread FROM insight"
            " WHERE context_spread > 0.01 ORDER BY id LIMIT 1"
        )
        .fetchall()
    )
    conn = open_store(database)
    [(mean, count)] = conn.execute(
        "SELECT context_centroid, context_count FROM insight WHERE id = ?", (row_id,)
    ).fetchall()
    old, new = vectors.unpack(blob), vectors.unpack(mean)
    assert old and new and count >= 1
    assert new == pytest.approx([x * (1 - spread) for x in old], abs=1e-6)
    conn.close()
