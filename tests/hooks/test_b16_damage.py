"""B16: a newer, half-migrated, empty or damaged database: nothing is overwritten, all is told."""

from __future__ import annotations

import os
import shutil
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from helix_core import paths
from helix_core.embed import client
from helix_core.store import migrations, rescue
from tests.core.command import helix
from tests.hooks import scene
from tests.hooks.fire import fire

LESSON = "When a newer database is found, do not write because it is not ours"
OLD = Path(__file__).parents[1] / "fixtures" / "databases"
NOISE = os.urandom(5000)


def damaged(project: Path, content: bytes = NOISE) -> Path:
    """A project whose database is something else."""
    (project / ".helix").mkdir(exist_ok=True)
    for file in (project / ".helix").glob("helix.db*"):
        file.unlink()
    scene.database(project).write_bytes(content)
    return scene.database(project)


def aside(project: Path) -> list[Path]:
    folder = project / ".helix" / "backups"
    return sorted(file for file in folder.glob("damaged-*") if file.suffix == ".db")


def context(fired: object) -> str:
    return str(fired.specific("additionalContext") or "")  # type: ignore[attr-defined]


class Cases:
    """The same with and without the worker."""

    def test_b16_a_session_begins_anew_and_says_so_once(self, project: Path) -> None:
        damaged(project)
        first = fire("SessionStart", project)
        assert (first.code, first.err) == (0, "")
        [kept] = aside(project)
        assert kept.read_bytes() == NOISE
        assert "damaged" in context(first) and kept.name in context(first)
        assert context(fire("SessionStart", project, session_id="s2")) == ""
        assert helix(project, "store", LESSON).code == 0
        assert scene.one(project, "SELECT count(*) FROM insight") == 1

    def test_b16_an_agent_that_ended_meanwhile_is_taken_in(self, project: Path) -> None:
        damaged(project)
        message = f'DELIVERED: ok\nINSIGHT: {{"content": "{LESSON}"}}'
        fired = fire("SubagentStop", project, last_assistant_message=message)
        assert (fired.code, fired.out) == (0, "")
        assert scene.outcomes(project) == [("a1", "delivered")]
        fire("SessionStart", project, session_id="s2")
        scene.wait_for(lambda: not scene.spooled(project))
        assert scene.rows(project, "SELECT content FROM insight") == [(LESSON,)]
        assert scene.outcomes(project) == [("a1", "delivered")]
        assert [file.read_bytes() for file in aside(project)] == [NOISE]

    def test_b16_a_newer_one_is_read_only(self, project: Path) -> None:
        [name] = scene.store(project, "When the parser of a config file fails, look at its tabs")
        later = "INSERT INTO schema_version VALUES (99, '2030-01-01')"
        scene.change(project, later)
        before = scene.rows(project, "SELECT * FROM insight")
        refused = helix(project, "store", LESSON)
        assert refused.code == 3 and "newer" in refused.err
        assert helix(project, "undo").code == 3
        found = helix(project, "recall", "parser of the config file", "--json")
        assert [item["name"] for item in found.json] == [name]
        assert helix(project, "health").code == 0
        assert "newer helix" in context(fire("SessionStart", project))
        assert scene.rows(project, "SELECT * FROM insight") == before
        assert aside(project) == []


class TestByKeyword(Cases):
    """Each process on its own."""

    @pytest.mark.parametrize("command", [("health",), ("recall", "parser"), ("store", LESSON)])
    def test_b16_everybody_else_reports_it_and_touches_nothing(
        self, project: Path, command: tuple[str, ...]
    ) -> None:
        database = damaged(project)
        ran = helix(project, *command)
        assert ran.code == 3 and ran.out == ""
        assert "damaged or not a database" in ran.err and len(ran.err.splitlines()) == 1
        assert database.read_bytes() == NOISE
        assert aside(project) == []

    def test_b16_a_page_that_rots_later_is_damage_too(self, project: Path) -> None:
        scene.store(project, *(f"When {w} breaks mend {w} now" for w in ("tea", "red", "lid")))
        database = scene.database(project)
        data = bytearray(database.read_bytes())
        with closing(sqlite3.connect(database)) as conn:
            page = conn.execute("SELECT rootpage FROM sqlite_master WHERE name = 'insight'")
            start = (page.fetchone()[0] - 1) * 4096
        data[start : start + 4096] = os.urandom(4096)
        damaged(project, bytes(data))
        assert helix(project, "health").code == 3
        assert "damaged" in context(fire("SessionStart", project))
        assert [file.read_bytes() for file in aside(project)] == [bytes(data)]

    def test_b16_an_empty_file_is_a_memory_not_begun(self, project: Path) -> None:
        database = damaged(project, b"")
        for command in (("health",), ("recall", "parser")):
            ran = helix(project, *command)
            assert ran.code == 3 and "no memory yet" in ran.err
        assert database.read_bytes() == b""
        assert helix(project, "store", LESSON).code == 0
        assert helix(project, "count", "--json").json == {"count": 1}

    def test_b16_an_empty_file_beside_a_full_log_is_damage(self, project: Path) -> None:
        database = damaged(project, b"")
        log = database.with_name("helix.db-wal")
        log.write_bytes(b"the only copy")
        for command in (("health",), ("store", LESSON)):
            assert helix(project, *command).code == 3
        assert log.read_bytes() == b"the only copy"
        fire("SessionStart", project)
        [kept] = aside(project)
        assert kept.with_name(f"{kept.name}-wal").read_bytes() == b"the only copy"

    def test_b16_a_running_worker_is_not_forestalled(self, project: Path) -> None:
        """It may have the damaged file open; it puts it aside itself."""
        from helix_core import atomic

        database = damaged(project)
        with atomic.exclusive(paths.socket_path().with_suffix(".lock")) as held:
            assert held
            fired = fire("SessionStart", project)
        assert (fired.code, fired.out) == (0, "")
        assert database.read_bytes() == NOISE

    def test_b16_a_broken_cell_is_no_damaged_database(self, project: Path) -> None:
        names = scene.store(project, *(f"When {w} breaks mend {w} now" for w in ("tea", "red")))
        assert helix(project, "trash", names[0]).code == 0
        scene.change(project, "UPDATE trash SET edges = '[[1, '")
        ran = helix(project, "trash", names[1])
        assert ran.code == 3 and "cannot be used" in ran.err and "damaged" not in ran.err
        fire("SessionStart", project)
        assert aside(project) == [] and helix(project, "count", "--json").json == {"count": 1}

    def test_b16_a_damaged_search_index_is_made_anew(self, project: Path) -> None:
        scene.store(project, LESSON)
        scene.change(project, "UPDATE insight_fts_data SET block = zeroblob(9)")
        assert rescue.damage(scene.database(project)) == ""
        assert rescue.repair(scene.database(project))
        assert aside(project) == []
        found = helix(project, "recall", "newer database found", "--json")
        assert len(found.json) == 1

    def test_b16_half_a_migration_is_completed(self, project: Path) -> None:
        """Rows on record that did not run, columns that did without a record, a gap."""
        database = scene.database(project)
        database.parent.mkdir()
        shutil.copyfile(OLD / "v13.db", database)
        with closing(sqlite3.connect(database)) as conn, conn:
            count = conn.execute("SELECT count(*) FROM insight").fetchone()[0]
            conn.execute("ALTER TABLE insight ADD COLUMN pinned INTEGER NOT NULL DEFAULT 0")
            conn.execute("ALTER TABLE insight ADD COLUMN recent_uses INTEGER DEFAULT 0")
            conn.execute("DELETE FROM schema_version WHERE version IN (7, 10)")
            conn.execute("INSERT OR REPLACE INTO schema_version VALUES (14, '2026-01-01')")
        assert helix(project, "health").code == 0
        assert helix(project, "count", "--json").json == {"count": count}
        with closing(sqlite3.connect(database)) as conn:
            assert migrations.recorded(conn) >= set(migrations.MIGRATIONS)
            assert "context_spread" in migrations.columns(conn, "insight")
        assert len(list((database.parent / "backups").glob("helix-*.db"))) == 1


@pytest.mark.usefixtures("worker")
class TestWithWorker(Cases):
    """Through the worker."""

    def test_b16_the_worker_puts_aside_what_it_finds_damaged(self, project: Path) -> None:
        scene.store(project, LESSON)
        place = paths.find_project(project)
        client.request(
            "count", {}, place, first_ms=scene.PATIENCE_MS
        )  # the worker looks after it from now on
        database = damaged(project)
        assert helix(project, "health").code in (0, 3)  # 0 where the worker was quicker
        scene.wait_for(lambda: aside(project))
        scene.wait_for(lambda: helix(project, "count").code == 0)
        assert database.read_bytes()[:15] == b"SQLite format 3"
        assert [file.read_bytes() for file in aside(project)] == [NOISE]
        assert "put aside" in scene.log(project)
