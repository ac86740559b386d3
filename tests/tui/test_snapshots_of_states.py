"""How the states look that come and go: narrow, broad, stale, problems, palette, what is open."""

from __future__ import annotations

import shutil
import sqlite3
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
import shop
from kit import make_app, nobody_may_write, ready, shown, text, until
from test_snapshots import after
from textual.pilot import Pilot

from helix_core.paths import Project
from helix_core.store import schema
from helix_core.store.connection import open_store
from helix_tui import views
from helix_tui.app import HelixApp
from helix_tui.screens.base import ViewScreen

Compare = Callable[..., bool]
SMALL, WIDE, BROAD = (80, 24), (120, 36), (160, 48)


@pytest.mark.parametrize("view", views.NAMES)
def test_narrow(snap_compare: Compare, project: Project, view: str) -> None:
    shop.questions(project.root) if view == "learn" else None
    assert snap_compare(make_app(project, view), terminal_size=(60, 16), run_before=after())


@pytest.mark.parametrize("view", views.NAMES)
def test_broad(snap_compare: Compare, project: Project, view: str) -> None:
    shop.questions(project.root) if view == "learn" else None
    assert snap_compare(make_app(project, view), terminal_size=BROAD, run_before=after())


def test_plain_characters(snap_compare: Compare, project: Project) -> None:
    app = make_app(project, ascii_only=True)
    assert snap_compare(app, terminal_size=SMALL, run_before=after())


def test_filtered_without_a_match(snap_compare: Compare, project: Project) -> None:
    run = after("slash", *"nothinglikeit")
    assert snap_compare(make_app(project, "insights"), terminal_size=SMALL, run_before=run)


def test_palette(snap_compare: Compare, project: Project) -> None:
    app = make_app(project, "insights")

    async def run(pilot: Pilot[None]) -> None:
        await after("colon")(pilot)
        await until(pilot, lambda: not isinstance(app.screen, ViewScreen))
        await pilot.press(*"trash")
        await until(pilot, lambda: "Move the insight to the trash" in text(app))
        await until(pilot, lambda: "Choose colours" not in text(app))

    assert snap_compare(app, terminal_size=SMALL, run_before=run)


def test_no_color_light(
    snap_compare: Compare, project: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("NO_COLOR", "1")
    app = make_app(project, "insights")
    app.theme = "helix-light"
    assert snap_compare(app, terminal_size=SMALL, run_before=after())


def test_session_report(snap_compare: Compare, project: Project) -> None:
    app = make_app(project)

    async def run(pilot: Pilot[None]) -> None:
        await after("s")(pilot)
        await until(pilot, lambda: "loop not closed" in text(app))

    assert snap_compare(app, terminal_size=WIDE, run_before=run)


@pytest.mark.parametrize("size", [SMALL, WIDE], ids=["80x24", "120x36"])
def test_learn_chosen(snap_compare: Compare, project: Project, size: tuple[int, int]) -> None:
    shop.questions(project.root)
    app = make_app(project, "learn")
    assert snap_compare(app, terminal_size=size, run_before=after("j", "2"))


def test_learn_answered(snap_compare: Compare, project: Project) -> None:
    shop.questions(project.root)
    app = make_app(project, "learn")

    async def run(pilot: Pilot[None]) -> None:
        await after("j", "2", "enter")(pilot)
        await until(pilot, lambda: "stored  When" in text(app))
        app.clear_notifications()
        await until(pilot, lambda: not app._notifications)

    assert snap_compare(app, terminal_size=WIDE, run_before=run)


def test_learn_own_words(snap_compare: Compare, project: Project) -> None:
    shop.questions(project.root)
    app = make_app(project, "learn")
    assert snap_compare(app, terminal_size=SMALL, run_before=after("j", "o", *"When"))


def test_paused_with_news(snap_compare: Compare, project: Project) -> None:
    app = make_app(project, "insights")

    async def run(pilot: Pilot[None]) -> None:
        await after("space")(pilot)
        shop.World(project.root).store("When paused, wait because somebody reads")
        await until(pilot, lambda: shown(app).held_back)

    assert snap_compare(app, terminal_size=SMALL, run_before=run)


# -- problems --------------------------------------------------------------------------------------


@contextmanager
def held(database: Path) -> Iterator[None]:
    """Another process's worth of exclusive lock."""
    holder = sqlite3.connect(database, isolation_level=None)
    holder.execute("PRAGMA locking_mode = EXCLUSIVE")
    holder.execute("BEGIN EXCLUSIVE")
    holder.execute("UPDATE insight SET content = content || '.' WHERE id = 1")
    yield
    holder.close()


def problem(app: HelixApp, kind: str) -> Callable[[], bool]:
    return lambda: (
        app.snapshot is not None and (p := app.snapshot.problem) is not None and (p.kind == kind)
    )


def test_stale_while_locked(snap_compare: Compare, project: Project) -> None:
    app = make_app(project, "insights")
    other = project.home / "other.db"
    shutil.copy(project.database, other)
    with held(other):

        async def run(pilot: Pilot[None]) -> None:
            await ready(pilot)
            other.replace(project.database)
            await until(pilot, problem(app, "locked"))

        assert snap_compare(app, terminal_size=SMALL, run_before=run)


def test_problem_locked_from_the_start(snap_compare: Compare, project: Project) -> None:
    app = make_app(project)
    with held(project.database):

        async def run(pilot: Pilot[None]) -> None:
            await until(pilot, problem(app, "locked"))

        assert snap_compare(app, terminal_size=SMALL, run_before=run)


def test_problem_too_new(snap_compare: Compare, project: Project) -> None:
    conn = open_store(project.database)
    conn.execute(
        "INSERT INTO schema_version(version, applied_at) VALUES (?, '2027-01-01')",
        (schema.LATEST + 1,),
    )
    conn.close()
    app = make_app(project)

    async def run(pilot: Pilot[None]) -> None:
        await ready(pilot)
        await until(pilot, problem(app, "too new"))

    assert snap_compare(app, terminal_size=SMALL, run_before=run)


def test_problem_gone(snap_compare: Compare, project: Project) -> None:
    app = make_app(project)

    async def run(pilot: Pilot[None]) -> None:
        await ready(pilot)
        shutil.rmtree(project.root)
        await until(pilot, problem(app, "gone"))

    assert snap_compare(app, terminal_size=SMALL, run_before=run)


def test_problem_unreadable(snap_compare: Compare, bare: Project) -> None:
    bare.database.mkdir(parents=True)
    app = make_app(bare)

    async def run(pilot: Pilot[None]) -> None:
        await until(pilot, problem(app, "unreadable"))

    assert snap_compare(app, terminal_size=SMALL, run_before=run)


def test_problem_misplaced(snap_compare: Compare, bare: Project) -> None:
    bare.home.symlink_to("elsewhere")
    app = make_app(bare)

    async def run(pilot: Pilot[None]) -> None:
        await until(pilot, problem(app, "misplaced"))

    assert snap_compare(app, terminal_size=SMALL, run_before=run)


def test_problem_read_only(
    snap_compare: Compare, project: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    nobody_may_write(monkeypatch)
    app = make_app(project)

    async def run(pilot: Pilot[None]) -> None:
        await ready(pilot)
        await until(pilot, problem(app, "read only"))

    assert snap_compare(app, terminal_size=SMALL, run_before=run)


def test_editing_in_plain_characters(snap_compare: Compare, project: Project) -> None:
    app = make_app(project, "insights", ascii_only=True)
    assert snap_compare(app, terminal_size=SMALL, run_before=after("e"))
