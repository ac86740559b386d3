"""Backups: whole, in time, kept by kind; and the way back to one, also while others look on."""

from __future__ import annotations

import sqlite3
import subprocess
import sys
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from helix_core import paths
from helix_core.embed import client
from helix_core.store import backups
from tests.core.command import helix
from tests.hooks import scene
from tests.operation.limits import fill, small_disk

FIRST = "When the backup was made, this was known because it was stored before"
SECOND = "When tea is cold, warm it up because cold tea helps nobody"
HOLD = """
import sqlite3, sys
conn = sqlite3.connect(sys.argv[1], isolation_level=None)
conn.execute("BEGIN IMMEDIATE")
print("held", flush=True)
sys.stdin.read()
"""


def contents(database: Path) -> list[str]:
    with closing(sqlite3.connect(f"{database.as_uri()}?mode=ro", uri=True)) as conn:
        return [row[0] for row in conn.execute("SELECT content FROM insight ORDER BY id")]


def kept(project: Path) -> list[Path]:
    """The files in `backups/` without a lock file."""
    folder = project / ".helix" / "backups"
    return sorted(f for f in folder.glob("*") if f.name != ".lock") if folder.exists() else []


def labels(project: Path) -> list[str]:
    return [one["made"] for one in helix(project, "backup", "--list", "--json").json]


@pytest.fixture
def known(project: Path) -> Path:
    scene.store_directly(project, FIRST)
    return project


def backed_up(project: Path) -> str:
    return Path(helix(project, "backup", "--json").json["file"]).name


def test_a_backup_is_one_whole_file(known: Path) -> None:
    name = backed_up(known)
    [file] = kept(known)
    assert file.name == name
    assert contents(file) == [FIRST]
    with closing(sqlite3.connect(file)) as conn:
        assert conn.execute("PRAGMA integrity_check").fetchone() == ("ok",)
    assert kept(known) == [file]  # looking at it leaves nothing beside it


def test_of_each_kind_the_newest_five_stay(known: Path) -> None:
    database = scene.database(known)
    for number in range(7):
        for label in ("before-prune", backups.BY_HAND, f"before-schema-17-from-{number}"):
            backups.make(database, label)
    assert len(kept(known)) == 15
    upgrades = [one.label for one in backups.listed(database) if "schema" in one.label]
    assert upgrades == [f"before-schema-17-from-{n}" for n in (6, 5, 4, 3, 2)]


def test_names_stay_apart_where_the_clock_stands_still(
    known: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HELIX_NOW", "2026-05-01T12:00:00+00:00")
    names = [backed_up(known) for _ in range(3)]
    assert len(set(names)) == 3
    listed = [one["name"] for one in helix(known, "backup", "--list", "--json").json]
    assert listed == names[::-1]


def test_pruning_makes_one_first_and_only_where_something_goes(
    known: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert helix(known, "prune", "--json").json == []
    assert kept(known) == []
    scene.change(known, "UPDATE insight SET effectiveness = 0.1, use_count = 5, causal_hits = 5")
    assert len(helix(known, "prune", "--dry-run", "--json").json) == 1
    assert kept(known) == []
    assert len(helix(known, "prune", "--json").json) == 1
    [file] = kept(known)
    assert "before-prune" in file.name and contents(file) == [FIRST]
    assert contents(scene.database(known)) == []


def test_there_and_back(known: Path) -> None:
    name = backed_up(known)
    scene.store_directly(known, SECOND)
    done = helix(known, "restore-backup", name, "--json").json
    assert done["insights"] == 1 and contents(scene.database(known)) == [FIRST]
    assert contents(Path(done["before"])) == [FIRST, SECOND]
    assert helix(known, "recall", "the backup was made and known", "--json").json
    back = helix(known, "restore-backup", Path(done["before"]).name)
    assert back.code == 0 and contents(scene.database(known)) == [FIRST, SECOND]
    assert not list(scene.database(known).parent.glob("**/*.part*"))


def test_undo_stops_at_a_restored_backup_and_names_the_way_back(known: Path) -> None:
    [name] = [row[0] for row in scene.rows(known, "SELECT name FROM insight")]
    assert helix(known, "pin", name).code == 0
    back = helix(known, "restore-backup", backed_up(known), "--json").json
    assert helix(known, "unpin", name).code == 0
    assert helix(known, "undo", "--json").json["undone"] == "unpin"
    ran = helix(known, "undo")
    assert ran.code == 1 and Path(back["before"]).name in ran.err
    assert scene.rows(known, "SELECT pinned FROM insight") == [(1,)]


def test_without_a_name_the_backups_are_listed(known: Path) -> None:
    assert "no backup yet" in helix(known, "restore-backup").out
    name = backed_up(known)
    assert name in helix(known, "restore-backup").out
    assert contents(scene.database(known)) == [FIRST]


@pytest.mark.parametrize(
    ("content", "code", "says"),
    [
        (b"this is no database " * 300, 3, "damaged"),
        (b"", 1, "no backup of a memory"),
        (None, 1, "no backup 'x.db'"),
    ],
)
def test_what_is_no_backup_is_refused_and_nothing_changes(
    known: Path, content: bytes | None, code: int, says: str
) -> None:
    folder = known / ".helix" / "backups"
    folder.mkdir()
    if content is not None:
        (folder / "x.db").write_bytes(content)
    ran = helix(known, "restore-backup", "x.db")
    assert ran.code == code and says in ran.err and len(ran.err.splitlines()) == 1
    assert contents(scene.database(known)) == [FIRST]


def test_a_backup_of_a_newer_schema_is_refused(known: Path) -> None:
    name = backed_up(known)
    with closing(sqlite3.connect(known / ".helix" / "backups" / name)) as conn, conn:
        conn.execute("INSERT INTO schema_version VALUES (99, '2030-01-01')")
    ran = helix(known, "restore-backup", name)
    assert ran.code == 3 and "newer helix" in ran.err


def test_a_backup_of_an_older_schema_is_upgraded_on_its_way(known: Path) -> None:
    old = Path(__file__).parents[1] / "fixtures" / "databases" / "v12.db"
    done = helix(known, "restore-backup", str(old), "--json").json
    assert done["insights"] == 110
    assert helix(known, "count", "--json").json == {"count": 110}
    assert helix(known, "health").code == 0
    assert labels(known) == ["before-restore"]


def test_a_damaged_memory_is_put_aside_for_it(known: Path) -> None:
    name = backed_up(known)
    noise = b"no database at all " * 500
    for tail in ("-wal", "-shm"):
        scene.database(known).with_name(f"helix.db{tail}").unlink(missing_ok=True)
    scene.database(known).write_bytes(noise)
    done = helix(known, "restore-backup", name, "--json").json
    assert contents(scene.database(known)) == [FIRST]
    assert Path(done["before"]).read_bytes() == noise


def test_a_memory_that_is_gone_comes_back(known: Path) -> None:
    name = backed_up(known)
    for file in (known / ".helix").glob("helix.db*"):
        file.unlink()
    assert helix(known, "restore-backup", name).code == 0
    assert contents(scene.database(known)) == [FIRST]


def test_while_another_process_writes_nothing_is_changed(known: Path) -> None:
    name = backed_up(known)
    scene.store_directly(known, SECOND)
    command = [sys.executable, "-c", HOLD, str(scene.database(known))]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as holder:
        assert holder.stdout is not None and holder.stdout.readline() == b"held\n"
        ran = helix(known, "restore-backup", name)
        holder.kill()
    assert ran.code == 3 and "locked" in ran.err and len(ran.err.splitlines()) == 1
    assert contents(scene.database(known)) == [FIRST, SECOND]


def test_a_connection_that_stays_open_sees_the_restored_state(known: Path) -> None:
    name = backed_up(known)
    scene.store_directly(known, SECOND)
    with closing(sqlite3.connect(scene.database(known))) as looking:
        query = "SELECT count(*) FROM insight"
        assert looking.execute(query).fetchone() == (2,)
        assert helix(known, "restore-backup", name).code == 0
        assert looking.execute(query).fetchone() == (1,)


@pytest.mark.usefixtures("worker")
class TestWithWorker:
    """A worker that holds the vectors of what is replaced."""

    def test_the_worker_recalls_from_what_was_restored(self, project: Path) -> None:
        scene.store(project, FIRST)
        name = backed_up(project)
        scene.store(project, SECOND)
        place = paths.find_project(project)

        def recalled(query: str) -> list[str]:
            args = {"query": query, "limit": 3}
            found: dict[str, Any] = client.request(
                "recall", args, place, first_ms=scene.PATIENCE_MS
            )
            assert found["mode"] == "vector"
            return [item["content"] for item in found["results"]]

        assert recalled("warm up cold tea") == [SECOND]
        back = helix(project, "restore-backup", name, "--json").json
        assert recalled("warm up cold tea") == []
        assert recalled("known before the backup was made") == [FIRST]
        helix(project, "restore-backup", Path(back["before"]).name)
        assert recalled("warm up cold tea") == [SECOND]


def test_no_room_for_a_backup_means_no_change(known: Path) -> None:
    with small_disk(2048) as disk:
        place = disk / "p"
        (place / ".helix").mkdir(parents=True)
        scene.store_directly(place, FIRST)
        worst = "UPDATE insight SET effectiveness = 0.1, use_count = 5, causal_hits = 5"
        scene.change(place, worst)
        fill(disk, leave=64 * 1024)
        for command in (("prune",), ("backup",)):
            ran = helix(place, *command)
            assert ran.code == 3 and "no backup can be made" in ran.err
            assert len(ran.err.splitlines()) == 1
        assert contents(scene.database(place)) == [FIRST]
        assert kept(place) == []
