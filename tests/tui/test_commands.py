"""Changes from the dashboard: trash and undo give back exactly the old rows."""

from __future__ import annotations

from typing import Any

import pytest

from helix_core.errors import RefusedError, StoreMissingError
from helix_core.paths import Project
from helix_core.store import insights
from helix_core.store.connection import open_store
from helix_tui.data import commands

TABLES = (
    "insight",
    "insight_edges",
    "feedback_event",
    "injection",
    "revision",
    "trash",
    "tombstone",
)


def rows(project: Project) -> dict[str, list[Any]]:
    conn = open_store(project.database, readonly=True)
    found = {t: sorted(map(repr, conn.execute(f"SELECT * FROM {t}").fetchall())) for t in TABLES}
    found["search"] = insights.search_keywords(conn, "decimal OR webhook", 10)
    conn.close()
    return found


def names(project: Project) -> list[str]:
    conn = open_store(project.database, readonly=True)
    found = [row.name for row in insights.all_insights(conn)]
    conn.close()
    return found


def test_trash_and_undo_restore_the_old_rows(project: Project) -> None:
    before = rows(project)
    for name in names(project):
        said = commands.trash(project, [name])
        assert name in said
        during = rows(project)
        assert len(during["insight"]) == len(before["insight"]) - 1
        assert len(during["trash"]) == len(during["tombstone"]) == 1
        assert name in commands.undo(project)
        assert rows(project) == before, name


def test_several_are_trashed_and_come_back_at_once(project: Project) -> None:
    before = rows(project)
    commands.trash(project, names(project)[:3])
    assert len(rows(project)["trash"]) == 3
    commands.undo(project)
    assert rows(project) == before


def test_a_second_dashboard_is_told_so(project: Project) -> None:
    name = names(project)[0]
    commands.trash(project, [name])
    with pytest.raises(RefusedError, match="no insight named"):
        commands.trash(project, [name])
    commands.undo(project)
    with pytest.raises(RefusedError, match="nothing to undo"):
        commands.undo(project)


def test_pin_and_undo(project: Project) -> None:
    name = names(project)[0]
    assert "pinned" in commands.pin(project, name, True)
    conn = open_store(project.database, readonly=True)
    row = insights.get(conn, name)
    assert row is not None
    assert row.pinned
    actor = conn.execute("SELECT actor FROM curation_event ORDER BY id DESC LIMIT 1").fetchone()
    assert actor == ("tui",)
    conn.close()
    commands.undo(project)
    conn = open_store(project.database, readonly=True)
    row = insights.get(conn, name)
    assert row is not None
    assert not row.pinned
    conn.close()


def test_a_command_never_creates_a_memory(bare: Project) -> None:
    with pytest.raises(StoreMissingError):
        commands.undo(bare)
    assert not bare.home.exists()
