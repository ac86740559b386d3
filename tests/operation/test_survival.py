"""B26, B27 and their like: no room, no permission, no network, another file under a worker.

Whatever happens, hooks exit with 0, commands say it in one line, and no file is half-written.
"""

from __future__ import annotations

import json
import os
import shutil
import sqlite3
import subprocess
import time
from contextlib import closing
from pathlib import Path

import pytest

from helix_core import paths
from helix_core.embed import client
from tests.core.command import helix
from tests.core.text.transcript_lines import says, user
from tests.hooks import scene
from tests.hooks.fire import PROMPT, ROOT, Fired, commands, finish, fire, payload, start
from tests.operation.limits import bound, fill, small_disk

LESSON = "When the disk is full keep what is there because nothing else helps"
OTHER = "When tea is cold, warm it up because cold tea helps nobody"
MESSAGE = f'DELIVERED: ok\nINSIGHT: {{"content": "{LESSON}"}}'


def run(project: Path, *arguments: str, prefix: list[str]) -> subprocess.CompletedProcess[str]:
    """A command as a person types it, under a limit."""
    return subprocess.run(
        [*prefix, str(ROOT / "bin" / "helix"), *arguments],
        cwd=project, capture_output=True, text=True, check=False,
    )  # fmt: skip


def fire_limited(event: str, project: Path, prefix: list[str], **changes: object) -> Fired:
    """One hook under a limit; `prefix` is put before its command."""
    built = payload(event, project, **changes)
    [(command, limit)] = commands(event, str(built.get("agent_type", built.get("source", ""))))
    words = " ".join(f"'{word}'" for word in prefix)
    script = command.replace("'", "'\\''")
    process = start(f"{words} sh -c '{script}'" if prefix else command, project)
    return finish(process, json.dumps(built).encode(), limit, time.monotonic())


def sound(project: Path) -> None:
    """Every file of the memory is whole."""
    home = project / ".helix"
    for file in (home / "helix.db", *(home / "backups").glob("*.db")):
        if file.exists() and file.stat().st_size:
            with closing(sqlite3.connect(f"{file.as_uri()}?mode=ro", uri=True)) as conn:
                assert conn.execute("PRAGMA integrity_check").fetchone() == ("ok",), file
    for file in home.rglob("*.json"):
        json.loads(file.read_text())
    for file in home.glob("*.jsonl"):
        assert all(json.loads(line) for line in file.read_text().splitlines())
    hidden = {file.name for file in home.rglob(".*")}
    assert [name for name in hidden if name != ".gitignore" and not name.endswith(".lock")] == []


@pytest.fixture
def known(project: Path) -> Path:
    """A project with an insight and the transcript of a finished agent."""
    scene.store_directly(project, OTHER)
    scene.write_lines(project / "agent-a1.jsonl", user(PROMPT), says(MESSAGE))
    return project


# -- no room ------------------------------------------------------------------------------------


@pytest.mark.parametrize("command", [("store", LESSON), ("backup",), ("export", "out.jsonl")])
def test_b26_a_full_disk_is_one_line_and_nothing_half_written(command: tuple[str, ...]) -> None:
    with small_disk(1024) as disk:
        project = disk / "p"
        (project / ".helix").mkdir(parents=True)
        scene.store_directly(project, OTHER)
        with closing(sqlite3.connect(scene.database(project))) as conn:
            conn.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        fill(disk)
        ran = run(project, *command, prefix=[])
        assert ran.returncode in (1, 3) and ran.stdout == ""
        assert len(ran.stderr.splitlines()) == 1 and "Traceback" not in ran.stderr
        assert any(w in ran.stderr for w in ("full", "No space", "I/O", "cannot be written"))
        fired = fire("SubagentStop", project, last_assistant_message=MESSAGE)
        assert (fired.code, fired.out) == (0, "") and len(fired.err.splitlines()) <= 1
        (disk / "filler").unlink()
        sound(project)
        assert scene.rows(project, "SELECT content FROM insight") == [(OTHER,)]
        assert not (project / "out.jsonl").exists()
        assert helix(project, "store", LESSON).code == 0  # with room again, all is as before


# -- no permission ------------------------------------------------------------------------------


def test_b26_a_folder_that_is_read_only_is_read(known: Path) -> None:
    prefix = bound()
    home = known / ".helix"
    with closing(sqlite3.connect(scene.database(known))) as conn:
        conn.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    for file in home.glob("helix.db-*"):
        file.unlink()
    home.chmod(0o555)
    scene.database(known).chmod(0o444)
    try:
        found = run(known, "recall", "warm up cold tea", "--json", prefix=prefix)
        assert [item["content"] for item in json.loads(found.stdout)] == [OTHER]
        refused = run(known, "store", LESSON, prefix=prefix)
        assert refused.returncode == 3 and len(refused.stderr.splitlines()) == 1
        assert "permission" in refused.stderr
        fired = fire_limited("SubagentStop", known, prefix, agent_type="helix:helix-builder")
        assert (fired.code, fired.out) == (0, "") and len(fired.err.splitlines()) == 1
        assert sorted(file.name for file in home.iterdir()) == [".gitignore", "helix.db"]
    finally:
        home.chmod(0o755)
        scene.database(known).chmod(0o644)
    sound(known)


def test_b26_a_database_that_cannot_be_read_is_one_line(known: Path) -> None:
    prefix = bound()
    (known / ".helix").chmod(0o000)
    try:
        for command in (("count",), ("store", LESSON), ("health",)):
            ran = run(known, *command, prefix=prefix)
            assert ran.returncode == 3 and ran.stdout == ""
            assert "permission" in ran.stderr and len(ran.stderr.splitlines()) == 1
        fired = fire_limited("SessionStart", known, prefix)
        assert (fired.code, fired.out) == (0, "")
    finally:
        (known / ".helix").chmod(0o755)


# -- no network ---------------------------------------------------------------------------------


def test_b27_a_proxy_that_hangs_costs_a_hook_nothing(
    known: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("https_proxy", "http://10.255.255.1:9")
    monkeypatch.delenv("HF_HUB_OFFLINE")
    fired = fire("PreToolUse", known, prompt=scene.task("Warm up the cold tea again"))
    assert OTHER in fired.specific("updatedInput")["prompt"]
    assert fired.seconds < 5.0  # the hook's own limit: nothing waited for the network


# -- a file that changes under a worker -----------------------------------------------------------


@pytest.mark.usefixtures("worker")
class TestWithWorker:
    """The worker holds connections; the file under them is another one now."""

    def recalled(self, project: Path, query: str) -> list[str]:
        place = paths.find_project(project)
        found = client.request("recall", {"query": query}, place, first_ms=scene.PATIENCE_MS)
        return [item["content"] for item in found["results"]]

    def test_a_replaced_file_is_noticed(self, project: Path, new_project: object) -> None:
        other = project.parent / "other"
        other.mkdir()
        scene.store(project, OTHER)
        scene.store(other, LESSON)
        assert self.recalled(project, "warm up cold tea") == [OTHER]
        with closing(sqlite3.connect(scene.database(other))) as conn:
            conn.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        for file in (project / ".helix").glob("helix.db*"):
            file.unlink()
        shutil.copyfile(scene.database(other), scene.database(project))
        assert self.recalled(project, "warm up cold tea") == []
        assert self.recalled(project, "what helps when the disk is full") == [LESSON]
        scene.store(project, OTHER)
        assert self.recalled(project, "warm up cold tea") == [OTHER]
        sound(project)

    def test_a_memory_that_was_removed_begins_anew(self, project: Path) -> None:
        scene.store(project, OTHER)
        shutil.rmtree(project / ".helix")
        assert helix(project, "count").code == 3
        assert not (project / ".helix").exists()
        scene.store(project, LESSON)
        assert scene.rows(project, "SELECT content FROM insight") == [(LESSON,)]
        assert self.recalled(project, "warm up cold tea") == []

    def test_the_worker_looks_a_memory_through_when_it_takes_it_up(self, project: Path) -> None:
        """Damage that no query has met yet: a page of the largest table, in a sound file."""
        texts = [f"When case {n} of the {n * 31} arises, do {n * 17} about it" for n in range(120)]
        scene.store_directly(project, *texts)
        database = scene.database(project)
        with closing(sqlite3.connect(database)) as conn:
            conn.execute("PRAGMA wal_checkpoint(TRUNCATE)")
            try:
                query = "SELECT max(pageno) FROM dbstat WHERE name = 'insight'"
                page = conn.execute(query).fetchone()
            except sqlite3.OperationalError:
                pytest.skip("this SQLite does not tell which page belongs to which table")
        data = bytearray(database.read_bytes())
        start = (page[0] - 1) * 4096
        data[start : start + 4096] = os.urandom(4096)
        database.write_bytes(bytes(data))
        place = paths.find_project(project)
        client.request(
            "trash-list", {}, place, first_ms=scene.PATIENCE_MS
        )  # touches nothing of that page
        folder = project / ".helix" / "backups"
        scene.wait_for(lambda: list(folder.glob("damaged-*.db")))
        scene.wait_for(lambda: helix(project, "count", "--json").code == 0)
        [kept] = folder.glob("damaged-*.db")
        assert kept.read_bytes()[start : start + 4096] == bytes(data[start : start + 4096])
        assert "put aside" in scene.log(project)
