"""B25: a dashboard that looks on keeps no read open, so the write-ahead log stays small."""

from __future__ import annotations

import sqlite3
from contextlib import closing

from helix_core.paths import Project
from helix_core.store.connection import open_store, writing
from helix_tui.data.feed import Feed
from helix_tui.state import Snapshot, Wanted
from tests.hooks import scene

WRITES, BYTES = 1500, 10_000
LIMIT = 8 * 1024 * 1024
FOLD = "PRAGMA wal_checkpoint(TRUNCATE)"


def test_b25_the_log_stays_small_beside_a_dashboard(project: Project) -> None:
    seen: list[Snapshot] = []
    feed = Feed(project, seen.append, interval=0.02)
    log = project.database.with_name("helix.db-wal")
    largest = 0
    feed.want(Wanted(view="insights"))
    feed.start()
    conn = open_store(project.database, create=False, wait_ms=5000)
    try:
        for number in range(WRITES):  # 30 MB in all
            with writing(conn):
                conn.execute("UPDATE insight SET use_count = use_count + 1")
                conn.execute("REPLACE INTO meta VALUES ('weight', hex(randomblob(?)))", (BYTES,))
            if number % 20 == 0:
                largest = max(largest, log.stat().st_size)
    finally:
        conn.close()
        feed.stop(10)
    assert len(seen) > 3, "the dashboard did not look on"
    assert 0 < largest < LIMIT


def test_b25_between_two_looks_nothing_is_held(project: Project) -> None:
    """Its connection stays open for hours, yet a writer of any program can fold its log in."""
    seen: list[Snapshot] = []
    feed = Feed(project, seen.append, interval=0.3)
    log = project.database.with_name("helix.db-wal")
    feed.want(Wanted(view="insights"))
    feed.start()
    try:
        with closing(sqlite3.connect(project.database, isolation_level=None)) as writer:
            for number in range(3):
                looked = len(seen)
                writer.execute("UPDATE insight SET use_count = use_count + 1")
                scene.wait_for(lambda at=looked: len(seen) > at)  # it has looked at this state
                scene.wait_for(lambda: writer.execute(FOLD).fetchone() == (0, 0, 0))
                assert log.stat().st_size == 0, number
    finally:
        feed.stop(10)
