"""Watching (B14), reading beside writers (B25), and systems that tell of nothing (B33)."""

from __future__ import annotations

import asyncio
import contextlib
import os
import sqlite3
import subprocess
import sys
import threading
import time
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import asynccontextmanager, contextmanager
from pathlib import Path

import pytest
import shop
import watchfiles
from kit import make_app, ready, shown, text, until

import helix_core
from helix_core.paths import Project
from helix_core.store.connection import open_store
from helix_tui import views
from helix_tui.data import files
from helix_tui.data.feed import Feed
from helix_tui.data.source import Source
from helix_tui.state import Service, Snapshot, Wanted

ROOT = Path(helix_core.__file__).parent.parent
WRITES = 20_000
WAL_LIMIT = 8 * 1024 * 1024
SECONDS = 60.0


@asynccontextmanager
async def watched(home: Path) -> AsyncIterator[list[str]]:
    """The watcher on a folder; the list grows with every wake and every complaint."""
    told: list[str] = []
    task = asyncio.create_task(files.watch(home, lambda: told.append("wake"), told.append))
    number = 0
    while not told:  # until the system's own watch stands
        number += 1
        (home / f"probe-{number}.json").touch()
        await asyncio.sleep(0.1)
    while told:  # and nothing of the probes is on its way
        told.clear()
        await asyncio.sleep(2.0)
    yield told
    task.cancel()
    with contextlib.suppress(asyncio.CancelledError):
        await task


async def came(condition: Callable[[], object]) -> None:
    deadline = time.monotonic() + SECONDS
    while not condition():
        assert time.monotonic() < deadline
        await asyncio.sleep(0.02)


async def test_b14_reading_wakes_nobody_and_a_new_file_does(project: Project) -> None:
    async with watched(project.home) as told:
        for _ in range(10):
            source = Source(project)
            source.version()
            for view in views.VIEWS:
                source.read(view.part.facts)
            source.close()
            await asyncio.sleep(0.05)
        conn = open_store(project.database)
        conn.execute("UPDATE insight SET effectiveness = 0.5")
        conn.close()
        await asyncio.sleep(2.0)
        assert told == []
        (project.home / "recall_synthesis.json").write_text("{}")
        await came(lambda: told)
        assert set(told) == {"wake"}


def test_b14_an_idle_feed_posts_nothing_more(project: Project) -> None:
    posted: list[Snapshot] = []
    with running(project, posted.append, "run"):
        until_true(lambda: posted and posted[-1].parts)
        count = len(posted)
        for _ in range(5):  # somebody else only reads
            other = open_store(project.database, readonly=True)
            other.execute("SELECT count(*) FROM insight").fetchone()
            other.close()
            time.sleep(0.2)
        (project.home / "kick").touch()
        time.sleep(1.0)
        assert len(posted) == count


class Still:
    """A worker whose word never changes."""

    def now(self) -> Service:
        return Service("degraded", note="no worker")


@contextmanager
def running(project: Project, post: Callable[[Snapshot], object], view: str) -> Iterator[Feed]:
    feed = Feed(project, post, watch=Still(), interval=0.05)  # type: ignore[arg-type]
    feed.want(Wanted(view))
    feed.start()
    try:
        yield feed
    finally:
        feed.stop(10.0)


def until_true(condition: Callable[[], object]) -> None:
    deadline = time.monotonic() + SECONDS
    while not condition():
        assert time.monotonic() < deadline
        time.sleep(0.02)


@pytest.mark.long
def test_b25_the_log_stays_small_beside_a_dashboard(project: Project) -> None:
    """20,000 writes while every view is read in turn, and the log is small after them.

    How far it grows in between is a matter of how fast the writer is beside one read.
    """
    posted: list[Snapshot] = []
    log = project.database.with_name(f"{project.database.name}-wal")
    done = 0
    with running(project, posted.append, "run") as feed:
        until_true(lambda: posted)
        writer = open_store(project.database, wait_ms=30_000)  # as every writer of ours
        for number in range(WRITES):
            writer.execute(
                "UPDATE insight SET content = ? WHERE id = ?",
                (f"When {number} {'x' * 300}", number % 9 + 1),
            )
            done += 1
            if number % 500 == 0:
                feed.want(Wanted(views.NAMES[number // 500 % len(views.NAMES)]))

        def folded() -> bool:
            writer.execute("UPDATE insight SET use_count = use_count + 1 WHERE id = 1")
            return log.stat().st_size < WAL_LIMIT

        until_true(folded)  # by the ordinary checkpoints of one more write, or a few
        writer.close()
    assert done == WRITES
    assert len(posted) > 5


def test_b25_a_reader_that_stays_open_would_be_noticed(project: Project) -> None:
    """What the test above would see if a view left a cursor open."""
    log = project.database.with_name(f"{project.database.name}-wal")
    reader = open_store(project.database, readonly=True)
    reader.execute("BEGIN")
    reader.execute("SELECT * FROM insight").fetchone()
    writer = sqlite3.connect(project.database, isolation_level=None, timeout=30)
    writer.execute("PRAGMA synchronous = OFF")
    for number in range(2_000):
        writer.execute("UPDATE insight SET content = ?", (f"When {number} {'x' * 2000}",))
        if log.stat().st_size > WAL_LIMIT:
            break
    assert log.stat().st_size > WAL_LIMIT
    reader.close()
    writer.close()


async def test_b33_without_file_events_it_polls_and_says_so_once(
    project: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*_: object, **__: object) -> object:
        raise OSError(28, "inotify watch limit reached")

    monkeypatch.setattr(watchfiles, "awatch", refuse)
    app = make_app(project, "insights")
    async with app.run_test(size=(100, 30)) as pilot:
        await ready(pilot)
        await until(pilot, lambda: "no file events (OSError)" in text(app))
        assert shown(app).problem is None
        shop.World(project.root).store("When nothing is told, look because rows come anyway")
        await until(pilot, lambda: "10 insights" in text(app))


async def test_b33_the_folder_appears_after_the_start(bare: Project, project: Project) -> None:
    app = make_app(bare, "insights")
    async with app.run_test(size=(100, 30)) as pilot:
        await until(pilot, lambda: "No memory here yet" in text(app))
        assert not bare.home.exists()
        conn = open_store(project.database)
        conn.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        conn.close()
        bare.home.mkdir()
        bare.database.write_bytes(project.database.read_bytes())
        await until(pilot, lambda: "9 insights" in text(app))
        (bare.home / "status.json").write_text("{}")
        await pilot.pause()
        assert shown(app).note == ""


# -- two dashboards and a session at once ----------------------------------------------------------

WRITER = """
import sys
from helix_core import local
from helix_core.paths import find_project
project = find_project(sys.argv[1], environ={})
for number in range(40):
    text = f"When part {number} of {number * 7919} fails, look at rule {number * 104729} first"
    local.run(project, "store", {"content": text, "tags": ["w"]})
"""


@pytest.mark.long
async def test_two_dashboards_and_a_session_lose_nothing(project: Project) -> None:
    """Both edit while a session writes: every edit is there, no one is told of a lock."""
    one, two = make_app(project, "insights"), make_app(project, "insights")
    errors: list[str] = []
    code = [sys.executable, "-c", WRITER, str(project.root)]
    async with one.run_test(size=(100, 30)) as first, two.run_test(size=(100, 30)) as second:
        await ready(first)
        await ready(second)
        writer = subprocess.Popen(
            code, cwd=ROOT, env={**os.environ, "HELIX_WORKER": "off"}, stderr=subprocess.PIPE
        )
        names = [row[0] for row in _rows(project, "SELECT name FROM insight ORDER BY id LIMIT 8")]

        def edit(app: object, mine: list[str], word: str) -> None:
            for name in mine:
                app._in_thread("edit", name, f"When {word} edits {name}, keep it whole", None)  # type: ignore[attr-defined]

        threads = [
            threading.Thread(target=edit, args=(app, mine, word))
            for app, mine, word in ((one, names[::2], "one"), (two, names[1::2], "two"))
        ]
        for thread in threads:
            thread.start()
        await until(first, lambda: not any(t.is_alive() for t in threads) and writer.poll() == 0)
        await until(first, lambda: "49 insights" in text(one))
        await until(second, lambda: "49 insights" in text(two))
        for app in (one, two):
            errors += [n.message for n in app._notifications if n.severity != "information"]
            errors += [str(shown(app).problem)] if shown(app).problem else []
        if writer.stderr is not None:
            errors += [line.decode() for line in writer.stderr.readlines()]
            writer.stderr.close()
    assert errors == []
    for number, name in enumerate(names):
        word = "two" if number % 2 else "one"
        wanted = f"When {word} edits {name}, keep it whole"
        assert _rows(project, "SELECT content FROM insight WHERE name = ?", name) == [(wanted,)]


def _rows(project: Project, sql: str, *values: object) -> list[tuple[str, ...]]:
    conn = open_store(project.database, readonly=True)
    found = [tuple(row) for row in conn.execute(sql, values).fetchall()]
    conn.close()
    return found
