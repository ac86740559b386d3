"""B25: a dashboard that looks on keeps no read open, so the write-ahead log stays small."""

from __future__ import annotations

import sqlite3
from contextlib import closing

from helix_core.paths import Project
from helix_tui.data.feed import Feed
from helix_tui.state import Snapshot, Wanted
from tests.hooks import scene

FOLD = "PRAGMA wal_checkpoint(TRUNCATE)"


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
