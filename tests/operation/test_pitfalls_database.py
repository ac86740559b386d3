"""What database, paths and processes get wrong easily, each clause with the test that holds it.

a migration is recorded if and only if it ran:
    ../core/store/test_migrations.py: test_a_migration_that_fails_leaves_the_step_before
    test_a_lock_between_two_steps_leaves_a_whole_number_of_them
half-done ones complete:
    test_steps_done_in_part_without_a_record_are_completed
    ../core/store/test_plans.py: test_a_half_done_upgrade_is_completed
two processes migrate at once:
    ../core/store/test_migrations.py: test_many_processes_upgrade_at_once
    ../core/test_concurrency.py: test_many_processes_make_one_database
a lock in the middle:
    test_a_lock_between_two_steps_leaves_a_whole_number_of_them
    ../core/store/test_migrations.py: test_a_locked_older_database_is_reported_to_a_reader
a database born at the newest version has every version recorded:
    ../core/store/test_migrations.py: test_a_database_born_now_has_every_version_on_record
an older database whose embeddings are stale re-embeds, and nothing is pruned for it:
    test_upgrade.py: test_vectors_are_made_anew_also_by_a_second_worker
    ../core/memory/test_pitfalls_learning.py: test_a_row_of_another_model_is_embedded_before_*
    test_stale_vectors_are_no_reason_to_prune
schema_version lies, rows missing or too many: look at the columns:
    test_steps_done_in_part_without_a_record_are_completed
    test_versions_on_record_that_never_ran_are_made_good
every full-text table keeps in step on update too:
    test_every_search_table_keeps_in_step
    ../core/store/test_migrations.py: test_the_search_index_follows_every_kind_of_write
more names than SQLite takes variables:
    test_more_names_than_sqlite_takes_variables
a NaN, short or foreign-dimension vector costs its row only:
    ../hooks/test_b28_vectors.py: test_b28_a_broken_vector_costs_nothing
    ../hooks/test_b28_vectors.py: test_b28_vectors_of_another_model_are_not_compared
reading commands never create a .helix/:
    test_reading_makes_nothing
    test_every_reading_operation_makes_nothing
    ../core/store/test_migrations.py: test_reading_never_creates_and_damage_is_told_apart
~/.helix does not capture every project under home:
    test_identity.py: test_home_is_no_project_whatever_lies_in_it
hooks, command line and dashboard resolve the same database:
    test_hook_command_and_dashboard_resolve_the_same_database
    test_identity.py: test_hooks_command_line_and_doctor_agree
the model is loaded once per process whatever the import path; a replaced stdout is harmless:
    test_one_worker_loads_one_model_whatever_standard_output_is
a replaced stdout does not switch the memory off:
    test_a_hook_without_standard_output_still_learns
a missing cache without network gives up in a second:
    ../core/embed/test_model.py: test_no_network_is_noticed_quickly
    ../core/embed/test_model.py: test_without_cache_or_hub_the_packaged_model_serves
    ../hooks/test_b27_no_network.py: test_b27_no_hook_asks_the_network
a half-made environment is noticed and repaired:
    test_setup.py: test_an_environment_cut_short_is_made_anew
    test_setup.py: test_killed_at_any_moment_it_is_whole_in_the_end
    test_doctor.py: test_a_planted_fault_is_found_with_its_remedy
"""

from __future__ import annotations

import json
import os
import shutil
import sqlite3
import subprocess
import sys
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from helix_core import clock, dispatch, local, paths, service, settings
from helix_core.embed import client, lifecycle
from helix_core.errors import HelixError
from helix_core.memory.context import Memory
from helix_core.store import migrations, schema
from helix_core.store.connection import open_store
from tests.core.command import helix
from tests.hooks import scene, shell
from tests.hooks.fire import ROOT, commands, fire, payload
from tests.operation.test_identity import repository

DATABASES = Path(__file__).parents[1] / "fixtures" / "databases"
LESSON = "When a schema lies, look at the columns because they cannot"
OLD = ["v5", "v9", "v13", "v15"]


def placed(project: Path, version: str) -> Path:
    """An older database in a project."""
    scene.database(project).parent.mkdir(exist_ok=True)
    return Path(shutil.copyfile(DATABASES / f"{version}.db", scene.database(project)))


def shape(database: Path) -> dict[str, set[str]]:
    """Every table with its columns."""
    with closing(sqlite3.connect(database)) as conn:
        names = [r[0] for r in conn.execute("SELECT name FROM sqlite_master WHERE type = 'table'")]
        return {name: migrations.columns(conn, name) for name in names}


def texts(database: Path) -> list[tuple[Any, ...]]:
    """What must not get lost."""
    with closing(sqlite3.connect(database)) as conn:
        return conn.execute(
            "SELECT id, name, content, effectiveness, use_count FROM insight ORDER BY id"
        ).fetchall()


def means(database: Path) -> list[tuple[Any, ...]]:
    """The mean contexts of what was causal."""
    with closing(sqlite3.connect(database)) as conn:
        return conn.execute("SELECT id, context_centroid, context_count FROM insight").fetchall()


# -- migrations ------------------------------------------------------------------------------------


@pytest.mark.parametrize("version", OLD)
def test_steps_done_in_part_without_a_record_are_completed(
    project: Path, new_project: Any, version: str
) -> None:
    """Columns and tables of later versions are there, their record is not."""
    whole = placed(new_project("whole"), version)
    open_store(whole).close()
    for lost in sorted(migrations.MIGRATIONS):
        database = placed(project, version)
        for tail in schema.TAILS[1:]:
            database.with_name(database.name + tail).unlink(missing_ok=True)
        before = texts(database)
        open_store(database).close()
        with closing(sqlite3.connect(database)) as conn, conn:
            conn.execute("DELETE FROM schema_version WHERE version >= ?", (lost,))
            if lost % 2:  # and of the first lost step only one half was done
                conn.execute("DROP TABLE IF EXISTS synthesis")
        with closing(open_store(database)) as again:
            assert migrations.recorded(again) >= set(migrations.MIGRATIONS)
            assert again.execute("PRAGMA integrity_check").fetchone() == ("ok",)
        found, wanted = shape(database), shape(whole)
        if lost > 17:
            wanted.pop("synthesis"), found.pop("synthesis", None)
        assert found == wanted, lost
        assert set(before) <= set(texts(database))
        assert len(texts(database)) == len(texts(whole))
        assert means(database) == means(whole)


@pytest.mark.parametrize("version", OLD[:-1])
def test_versions_on_record_that_never_ran_are_made_good(project: Path, version: str) -> None:
    database = placed(project, version)
    before = texts(database)
    with closing(sqlite3.connect(database)) as conn, conn:
        for claimed in range(1, 16):
            conn.execute(
                "INSERT OR IGNORE INTO schema_version(version, applied_at) VALUES (?, ?)",
                (claimed, "2026-01-01T00:00:00+00:00"),
            )
    open_store(database).close()
    assert shape(database)["insight"] >= {
        *("causal_hits", "recent_uses", "context_centroid", "context_spread", "row_version"),
        *("pinned", "source"),
    }
    assert {"insight_edges", "session_log", "agent_run", "question"} <= shape(database).keys()
    assert set(before) <= set(texts(database))
    assert helix(project, "store", LESSON).code == 0
    assert helix(project, "recall", "a schema that lies about its columns").code == 0


class Interrupted(sqlite3.Connection):
    """A connection beside which another one takes the write lock before a certain step."""

    other: sqlite3.Connection
    before_step = 0
    begun = 0

    def execute(self, sql: str, *values: Any) -> sqlite3.Cursor:
        if sql == "BEGIN IMMEDIATE":
            self.begun += 1
            if self.begun == self.before_step:
                self.other.execute("BEGIN IMMEDIATE")
        return super().execute(sql, *values)


@pytest.mark.parametrize("before_step", [1, 2, 8, 12, 14])
def test_a_lock_between_two_steps_leaves_a_whole_number_of_them(
    project: Path, new_project: Any, before_step: int
) -> None:
    whole = placed(new_project("whole"), "v5")
    open_store(whole).close()
    database = placed(project, "v5")
    with closing(sqlite3.connect(database, isolation_level=None)) as other:
        other.execute("PRAGMA journal_mode = WAL")
        known = migrations.recorded(other)
        conn = sqlite3.connect(database, factory=Interrupted, timeout=0.1, isolation_level=None)
        conn.other, conn.before_step = other, before_step
        with closing(conn), pytest.raises(sqlite3.OperationalError, match="locked"):
            migrations.migrate(conn)
        other.execute("ROLLBACK")
        done = migrations.recorded(other)
    steps = sorted(migrations.MIGRATIONS)[: max(0, before_step - 2)]
    assert done == known | set(steps)  # each before the lock, none after it
    assert ("agent_run" in shape(database)) is (16 in done)
    open_store(database).close()
    assert shape(database) == shape(whole)


def test_stale_vectors_are_no_reason_to_prune(project: Path) -> None:
    """Nobody could find them: that they were never used says nothing of them."""
    database = placed(project, "v15")
    open_store(database).close()
    scene.change(
        project,
        "UPDATE insight SET use_count = 0, causal_hits = 0,"
        " created_at = '2020-01-01T00:00:00+00:00', last_used = NULL",
    )
    count = scene.one(project, "SELECT count(*) FROM insight WHERE embedding IS NOT NULL")
    assert count > 100
    count = scene.one(project, "SELECT count(*) FROM insight")
    assert helix(project, "prune").code == 0
    assert scene.one(project, "SELECT count(*) FROM insight") == count


# -- search tables, variables ----------------------------------------------------------------------


def in_step(conn: sqlite3.Connection, table: str) -> None:
    """SQLite compares the index with what it was made from; raises where they differ."""
    conn.execute(f"INSERT INTO {table}({table}, rank) VALUES ('integrity-check', 1)")


def test_every_search_table_keeps_in_step(project: Path) -> None:
    placed(project, "v15")
    with closing(open_store(scene.database(project))) as conn:
        for number, table in enumerate(schema.FTS_TABLES):
            base = table.removesuffix("_fts")
            indexed = sorted(migrations.columns(conn, table) & migrations.columns(conn, base))
            assert indexed
            in_step(conn, table)
            for column in indexed:
                conn.execute(f"UPDATE {base} SET {column} = 'zyx{number}{column}' WHERE id = 2")
                in_step(conn, table)
                query = f"SELECT rowid FROM {table} WHERE {table} MATCH ?"
                found = conn.execute(query, (f"zyx{number}{column}",)).fetchall()
                assert found == [(2,)], (table, column)
            conn.execute(f"DELETE FROM {base} WHERE id = 2")
            in_step(conn, table)
            assert conn.execute(query, (f"zyx{number}{column}",)).fetchall() == []
        with pytest.raises(sqlite3.DatabaseError):  # and this does notice one that is not
            conn.execute("INSERT INTO insight_fts(rowid, content) VALUES (999999, 'nobody')")
            in_step(conn, "insight_fts")


@pytest.fixture
def narrow(project: Path) -> Iterator[Memory]:
    """A memory of 1,500 insights whose SQLite takes 999 variables, as the older ones do."""
    conn = open_store(scene.database(project), create=True)
    if not hasattr(conn, "setlimit"):
        pytest.skip("this Python cannot narrow its SQLite")
    for n in range(1500):
        conn.execute(
            "INSERT INTO insight(name, content, created_at) VALUES (?, ?, ?)",
            (f"n{n}", f"When case {n} arises, do {n * 7} about it", clock.iso(clock.now())),
        )
    conn.execute(
        "INSERT INTO insight_edges(src_id, dst_id, relation, weight, created_at)"
        " SELECT id, id + 1, 'similar', 0.7, created_at FROM insight WHERE id < 1500"
    )
    conn.setlimit(sqlite3.SQLITE_LIMIT_VARIABLE_NUMBER, 999)
    found = paths.find_project(project)
    yield Memory(conn=conn, project=found, settings=settings.load(found.home), now=clock.now())
    conn.close()


def test_more_names_than_sqlite_takes_variables(narrow: Memory) -> None:
    names = [f"n{n}" for n in range(1500)]
    with pytest.raises(sqlite3.OperationalError, match="too many SQL variables"):
        narrow.conn.execute(f"SELECT {','.join('?' * 1000)}", names[:1000])
    query = {"query": "case arises do about it", "limit": 1200}
    assert len(service.run(narrow, "recall", query)["results"]) > 999
    assert service.run(narrow, "recall", {**query, "suppress": names[:-1]})["results"]
    service.run(narrow, "explain", query)
    service.run(narrow, "strategic-recall", query)
    for op in ("stats", "health", "export", "trash-list"):
        service.run(narrow, op, {})
    moved = {"names": names, "outcome": "delivered"}
    service.run(narrow, "feedback", moved)
    used = narrow.conn.execute("SELECT count(*) FROM insight WHERE use_count = 1").fetchone()
    assert used == (1500,)
    service.run(narrow, "prune", {"dry_run": True})
    service.run(narrow, "decay", {})
    service.run(narrow, "trash", {"names": names})
    assert narrow.conn.execute("SELECT count(*) FROM insight").fetchone() == (0,)
    service.run(narrow, "undo", {})
    assert narrow.conn.execute("SELECT count(*) FROM insight").fetchone() == (1500,)


# -- paths -----------------------------------------------------------------------------------------

READING = [
    *(["count"], ["recall", "x"], ["explain", "x"], ["get", "n"], ["history", "n"]),
    *(["neighbors", "n"], ["health"], ["stats"], ["strategic-recall", "x"], ["export"]),
    *(["promote", "n"], ["backup"], ["restore-backup"], ["dag", "status"], ["dag", "ready"]),
    *(["dag", "show"], ["dag", "wait", "1", "--timeout", "1"], ["dag", "deliveries", "1"]),
    *(["learn", "list"], ["learn", "show", "1"], ["session", "report"], ["config"]),
    *(["sessions", "search", "x"], ["recall-synthesis", "get"], ["calibrate"]),
    *(["worker", "status"], ["doctor", "--quick"], ["setup", "--remove"]),
]


@pytest.mark.parametrize("command", READING, ids=" ".join)
def test_reading_makes_nothing(
    project: Path, command: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CLAUDE_CODE_SESSION_ID", "s1")
    ran = helix(project, *command)
    assert ran.code in (0, 1, 3), ran.err
    assert list(project.iterdir()) == []


@pytest.mark.parametrize("op", sorted(dispatch.READING))
def test_every_reading_operation_makes_nothing(project: Path, op: str) -> None:
    with pytest.raises(HelixError):
        local.run(paths.find_project(project), op, {"name": "n", "query": "x", "id": 1})
    assert list(project.iterdir()) == []


def test_hook_command_and_dashboard_resolve_the_same_database(tmp_path: Path) -> None:
    root = repository(tmp_path / "repo")
    inside = root / "packages" / "one"
    inside.mkdir(parents=True)
    (root / "packages" / ".helix").mkdir()  # nearer, but not the repository's
    away = tmp_path / "link"
    away.symlink_to(inside)
    for folder in (root, inside, away):
        assert shell.helix(folder, "store", f"{LESSON}, as {folder.name} does").code == 0
        fire("PreToolUse", folder, prompt=scene.task("Look at the columns of a schema that lies"),
             tool_use_id=f"toolu_{folder.name}")  # fmt: skip
        shown = subprocess.run(
            [ROOT / "bin" / "helix-tui", "--snapshot", "health", "--json"],
            cwd=folder, capture_output=True, text=True, check=True,
        )  # fmt: skip
        assert json.loads(shown.stdout)["database"] == str(root / ".helix" / "helix.db")
    assert scene.one(root, "SELECT count(*) FROM insight") == 3
    calls = scene.rows(root, "SELECT tool_use_id FROM agent_run ORDER BY id")
    assert calls == [("toolu_repo",), ("toolu_one",), ("toolu_link",)]
    assert list((root / "packages" / ".helix").iterdir()) == []


# -- processes -------------------------------------------------------------------------------------

COUNTING = """
import io, runpy, sys
import sentence_transformers
real = sentence_transformers.SentenceTransformer

class Counted(real):
    def __init__(self, *args, **kwargs):
        super().__init__(*args, **kwargs)  # one that is nowhere in reach ends here
        with open(sys.argv[1], "a") as log:
            log.write("loaded\\n")

sentence_transformers.SentenceTransformer = Counted
sys.stdout = io.StringIO()
sys.argv = sys.argv[:2]
runpy.run_module("helix_core.embed.server", run_name="__main__", alter_sys=True)
"""


@pytest.mark.model
@pytest.mark.xdist_group("worker")
def test_one_worker_loads_one_model_whatever_standard_output_is(
    project: Path, new_project: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Standard output is no real stream there, and the server runs as the main module."""
    monkeypatch.setenv("HELIX_WORKER", "auto")
    monkeypatch.setenv("HELIX_WORKER_WAIT_MS", "4000")
    log = tmp_path / "loads"
    worker = subprocess.Popen(
        [sys.executable, "-c", COUNTING, str(log)], cwd=ROOT, stdin=subprocess.DEVNULL
    )
    try:
        scene.wait_for(client.status, 120)
        for folder in (project, new_project("other")):
            assert helix(folder, "store", LESSON).code == 0  # also while the model still loads
        found = client.wait_ready(180)
        assert found is not None and found["model"] == "sentence-transformers/all-MiniLM-L6-v2"
        place = paths.find_project(project)
        for op, args in (
            ("recall", {"query": "the schema lies"}),
            ("reindex", {"batch": 8}),
            ("strategic-recall", {"query": "the schema lies"}),
        ):
            client.request(op, args, place, first_ms=4000, answer_ms=60_000)
        fired = fire("PreToolUse", project, prompt=scene.task("Look at what the schema says"))
        assert LESSON in fired.specific("updatedInput")["prompt"]
        assert scene.one(project, "SELECT embedding IS NOT NULL FROM insight") == 1
        assert log.read_text() == "loaded\n"
        assert lifecycle.stop(5000)
        assert worker.wait(30) == 0
    finally:
        worker.kill()
        worker.wait()


@pytest.mark.parametrize("closed", [">&-", "2>&-", ">&- 2>&-", ">/dev/full"])
def test_a_hook_without_standard_output_still_learns(project: Path, closed: str) -> None:
    scene.store_directly(project, LESSON)
    for event in ("PreToolUse", "SubagentStop"):
        built = payload(event, project, last_assistant_message="DELIVERED: done")
        subject = str(built.get("tool_name") or built.get("agent_type"))
        [(command, limit)] = commands(event, subject)
        ran = subprocess.run(
            ["sh", "-c", f"exec {closed}\n{command}"],
            input=json.dumps(built), cwd=project, text=True, timeout=limit * 2, check=False,
            env={**os.environ, "CLAUDE_PLUGIN_ROOT": str(ROOT), "CLAUDE_PROJECT_DIR": str(project)},
        )  # fmt: skip
        assert ran.returncode == 0
    assert scene.outcomes(project) == [("a1", "delivered")]
    calls = scene.rows(project, "SELECT event, ok FROM hook_call ORDER BY id")
    assert calls == [("PreToolUse", 1), ("SubagentStop", 1)]
