"""The read model: what the dashboard asks the database, and what it survives."""

from __future__ import annotations

import re
import shutil
import sqlite3
from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path

import pytest
import shop

from helix_core import clock, local
from helix_core.paths import Project
from helix_core.store import filters, view_insight, view_runs, views
from helix_core.store.connection import open_store, writing
from helix_core.store.views import PageQuery
from helix_tui.keys.insights import FILTER


@pytest.fixture
def conn(project: Project) -> Iterator[sqlite3.Connection]:
    found = open_store(project.database, readonly=True)
    yield found
    found.close()


def test_whatever_happens_to_the_memory_is_its_last_change(
    project: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    def at(minute: int) -> str:
        moment = shop.NOW + timedelta(minutes=minute)
        monkeypatch.setenv("HELIX_NOW", moment.isoformat())
        return clock.iso(moment)

    content = "When a figure is old, look at the clock of the row first because rows do not move"
    name = ""
    for minute, (op, args) in enumerate(
        [
            ("store", {"content": content, "tags": []}),
            ("feedback", {"outcome": "delivered"}),
            ("edit", {"content": f"{content} by themselves"}),
            ("pin", {"pinned": True}),
            ("trash", {}),
            ("restore", {}),
        ],
        start=1,
    ):
        moment = at(minute)
        named = {"names": [name]} if op in ("feedback", "trash") else {"name": name}
        done = local.run(project, op, {**named, **args} if name else args)
        name = name or done["name"]
        conn = open_store(project.database, readonly=True)
        assert views.counts(conn).changed_at == moment, op
        conn.close()


def test_a_page_is_a_window_of_the_order(tmp_path: Path) -> None:
    world = shop.many(tmp_path / "many", 450)
    conn = open_store(world.project.database, readonly=True)
    whole = views.page(conn, PageQuery(limit=1000)).rows
    assert [r.effectiveness for r in whole] == sorted(
        (r.effectiveness for r in whole), reverse=True
    )
    middle = views.page(conn, PageQuery(offset=120, limit=50))
    assert (middle.total, middle.matching, middle.offset) == (450, 450, 120)
    assert middle.rows == whole[120:170]
    assert views.page(conn, PageQuery(offset=9_999, limit=50)).rows == whole[-50:]
    conn.close()


def test_a_window_follows_the_row_it_was_taken_for(tmp_path: Path) -> None:
    world = shop.many(tmp_path / "many", 450)
    conn = open_store(world.project.database, readonly=True)
    whole = views.page(conn, PageQuery(limit=1000)).rows
    key = whole[200].id
    found = views.page(conn, PageQuery(offset=90, limit=50, key=key, key_index=100))
    assert (found.position, found.offset) == (200, 190)
    gone = views.page(conn, PageQuery(offset=90, limit=50, key=99_999, key_index=100))
    assert (gone.position, gone.offset) == (None, 90)
    conn.close()


@pytest.mark.parametrize(
    ("text", "count"),
    [
        ("", 9),
        ("webhook", 1),
        ("WEBHOOK twice", 1),
        ("webhook decimal", 0),
        ("tag:db", 2),
        ("tag:d", 4),
        ("source:derived", 2),
        ("source:user", 1),
        ("is:pinned", 0),
        ("%", 0),
        ("_", 0),
        ("'; DROP TABLE insight; --", 0),
        ("tag:", 0),
        ("\\", 0),
    ],
)
def test_filter(conn: sqlite3.Connection, text: str, count: int) -> None:
    page = views.page(conn, PageQuery(text=text))
    assert page.matching == len(page.rows) == count
    assert page.total == 9


def test_every_order_can_be_turned_round(project: Project, conn: sqlite3.Connection) -> None:
    writer = open_store(project.database)
    writer.execute("UPDATE insight SET context_count = 3, context_spread = id / 100.0")
    writer.close()
    for sort in views.SORTS:
        down = views.page(conn, PageQuery(sort=sort)).rows
        up = views.page(conn, PageQuery(sort=sort, reverse=True)).rows
        assert {r.id for r in down} == {r.id for r in up}
        assert down != up
    assert views.page(conn, PageQuery(sort="no such")).rows == views.page(conn, PageQuery()).rows


def test_the_interval_rests_on_counted_outcomes(conn: sqlite3.Connection) -> None:
    rows = {row.content[:24]: row for row in views.page(conn, PageQuery()).rows}
    used = rows["When the checkout form r"]
    assert (used.n, used.low) == (1, 0.0)
    assert used.high == pytest.approx(0.7301, abs=1e-3)
    fresh = rows["When in doubt, ask for t"]
    assert (fresh.n, fresh.low, fresh.high, fresh.causal_ratio) == (0, 0.0, 1.0, None)


def test_detail_traces_to_events(conn: sqlite3.Connection) -> None:
    row = views.page(conn, PageQuery(text="rounds Decimal source:agent")).rows[0]
    detail = view_insight.detail(conn, row.id)
    assert detail is not None
    assert detail.content.startswith("When the checkout form rounds prices")
    assert detail.injected == 1
    (move,) = detail.moves
    assert (move.outcome, move.source, move.causal) == ("blocked", "self", True)
    assert move.before > move.after == row.effectiveness
    assert view_insight.detail(conn, 10_000) is None


def test_runs_are_plans_and_planless_sessions(conn: sqlite3.Connection) -> None:
    newest, earlier = view_runs.runs(conn)
    assert (newest.objective, newest.agents, newest.running) == ("the shop takes orders", 5, 1)
    assert (earlier.run_id, earlier.agents, earlier.running) == (None, 3, 0)
    crew = view_runs.agents(conn, newest)
    assert [a.state for a in crew] == [
        "plan_complete",
        "delivered",
        "blocked",
        "crashed",
        "running",
    ]
    tasks = view_runs.tasks(conn, newest, crew)
    assert [(t.seq, t.state, t.attempts) for t in tasks] == [
        ("1", "delivered", 1),
        ("2", "blocked", 1),
        ("3", "running", 2),
        ("4", "pending", 0),
    ]
    assert view_runs.tasks(conn, earlier, view_runs.agents(conn, earlier)) == []


def test_two_plans_of_one_session_are_two_runs(project: Project) -> None:
    world = shop.World(project.root)
    world.now = shop.NOW
    planner = world.call("planner", "OBJECTIVE: the shop sends mail\n\nEXPLORATION: none\n")
    plan = 'PLAN_SPEC:\n[{"seq": 1, "slug": "m", "description": "mail"}]\n\n'
    world.end(planner, "planner", plan + "PLAN_COMPLETE: 1 task specified")
    builder = world.call("builder", shop.prompt(1, "send the order mail"))
    conn = open_store(project.database, readonly=True)
    second, first, _ = view_runs.runs(conn)
    assert [len(view_runs.agents(conn, run)) for run in (second, first)] == [2, 5]
    crew = view_runs.agents(conn, second)
    assert crew[-1].agent_id == builder
    assert [t.state for t in view_runs.tasks(conn, second, crew)] == ["running"]
    feed = view_runs.feed(conn, first, until=second.started_at)
    assert feed
    assert all(event.at < second.started_at for event in feed)
    conn.close()


def test_what_an_agent_was_given_and_what_it_did(conn: sqlite3.Connection) -> None:
    crew = view_runs.agents(conn, view_runs.runs(conn)[0])
    (rose,) = view_runs.given(conn, crew[1].id)
    assert rose.outcome == "delivered"
    assert rose.before is not None
    assert rose.after is not None
    assert rose.after > rose.before == rose.effectiveness
    (waiting,) = view_runs.given(conn, crew[4].id)
    assert (waiting.outcome, waiting.before, waiting.after) == ("", None, None)
    assert waiting.relevance is not None


def test_odd_cells_cost_their_value_only(project: Project) -> None:
    writer = open_store(project.database)
    writer.execute("UPDATE insight SET effectiveness = 'high', tags = '{', use_count = x'00'")
    writer.execute(
        "UPDATE insight SET content = CAST(x'63757420EDA0BD20656E64' AS TEXT) WHERE id = 1"
    )
    writer.execute("UPDATE insight SET created_at = 'yesterday', source = x'ff' WHERE id = 2")
    writer.execute("UPDATE task SET blocked_by = 'nothing', description = NULL")
    writer.execute("UPDATE agent_run SET ended_at = 'soon', summary = x'ff' WHERE id = 2")
    writer.execute("UPDATE injection SET relevance = 'near', chars = 'many'")
    writer.execute(
        "INSERT INTO curation_event(action, actor, insight_ids, created_at)"
        " VALUES ('odd', 'cli', '[oops', '2026-03-14T11:59:00.000+00:00')"
    )
    writer.close()
    conn = open_store(project.database, readonly=True)
    page = views.page(conn, PageQuery())
    assert len(page.rows) == 9
    assert {row.effectiveness for row in page.rows} == {0.5}
    assert "cut" in next(row.content for row in page.rows if row.id == 1)
    for row in page.rows:
        assert view_insight.detail(conn, row.id) is not None
    run = view_runs.runs(conn)[0]
    crew = view_runs.agents(conn, run)
    assert len(view_runs.tasks(conn, run, crew)) == 4
    assert [view_runs.given(conn, a.id) for a in crew]
    assert view_runs.feed(conn, run)[0].state == "odd"
    conn.close()


def test_no_read_is_left_open(project: Project) -> None:
    from helix_tui.data.source import Source
    from helix_tui.views import VIEWS

    source = Source(project)
    source.version()
    source.counts()
    for view in VIEWS:
        part = view.part
        source.read(lambda desk, part=part: part.read(desk, part.wanted(), None))  # type: ignore[misc]
    world = shop.World(project.root)
    world.store("When the log grows, fold it in because readers wait")
    writer = open_store(project.database)
    busy, _, _ = writer.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()
    writer.close()
    assert busy == 0
    source.close()


def test_data_version_tells_of_others_commits(project: Project, conn: sqlite3.Connection) -> None:
    before = views.data_version(conn)
    assert views.data_version(conn) == before
    shop.World(project.root).store("When somebody writes, look again because it changed")
    assert views.data_version(conn) != before
    assert views.counts(conn).insights == 10


def test_an_older_database_is_shown_and_followed_without_a_change_to_it(tmp_path: Path) -> None:
    from helix_tui.data.source import Source

    home = tmp_path / ".helix"
    home.mkdir()
    database = home / "helix.db"
    shutil.copyfile(Path(__file__).parents[1] / "fixtures" / "databases" / "v13.db", database)
    before = database.read_bytes()
    source = Source(Project(tmp_path, home, database, "test"))
    first = source.version()
    seen = source.counts().insights
    assert seen > 0 and source.version() == first and database.read_bytes() == before
    older = sqlite3.connect(database)  # the helix that made it goes on writing to it
    older.execute("DELETE FROM insight WHERE id = (SELECT max(id) FROM insight)")
    older.commit()
    assert source.version() != first and source.counts().insights == seen - 1
    older.close()
    upgraded = open_store(database)
    second = source.version()
    with writing(upgraded):
        upgraded.execute("DELETE FROM insight WHERE id = (SELECT min(id) FROM insight)")
    assert source.version() != second and source.counts().insights == seen - 2
    upgraded.close()
    source.close()


@pytest.mark.parametrize(("term", "meaning"), FILTER[1:])
def test_what_help_says_of_the_filter_is_understood(term: str, meaning: str) -> None:
    for word in [*term.split(), *re.findall(r"\w+:[\w.-]+", meaning)]:
        where, values = filters.where(word)
        assert f"%{word}%" not in values, word  # a term, not a word to look for
        assert where != "1"
