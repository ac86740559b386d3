"""Runs and tasks as rows: upgrades, and which run an agent belongs to."""

from __future__ import annotations

import sqlite3
from pathlib import Path

import pytest

from helix_core.dag.tasks import Task
from helix_core.store import migrations, plans, runs
from helix_core.store.connection import open_store, writing

AT = "2026-03-01T12:{:02}:00.000+00:00"


@pytest.fixture
def conn(tmp_path: Path) -> sqlite3.Connection:
    return open_store(tmp_path / ".helix" / "helix.db", create=True)


def plan(conn: sqlite3.Connection, session: str, *seqs: str, minute: int = 0) -> int:
    """A run with these tasks."""
    with writing(conn):
        run_id = plans.add_run(
            conn, session, objective="o", planner_run_id=None, plan_hash="h", errors=(),
            warnings=(), actor="cli", moment=AT.format(minute),
        )  # fmt: skip
        for n, seq in enumerate(seqs):
            plans.put_task(conn, run_id, Task(seq), n)
    return run_id


def agent(
    conn: sqlite3.Connection, session: str, task_id: str | None, kind: str = "builder"
) -> int:
    with writing(conn):
        return runs.create(conn, session, f"helix-{kind}", AT.format(30), task_id=task_id)


def run_of(conn: sqlite3.Connection, agent_run: int) -> int | None:
    found = runs.by_id(conn, agent_run)
    assert found is not None
    return found.run_id


def test_an_agent_belongs_to_the_newest_open_run_of_its_session(conn: sqlite3.Connection) -> None:
    assert run_of(conn, agent(conn, "s1", "1")) is None
    first = plan(conn, "s1", "1", "2")
    plan(conn, "s2", "1")
    assert run_of(conn, agent(conn, "s1", "1")) == first
    second = plan(conn, "s1", "1")
    assert run_of(conn, agent(conn, "s1", "2")) == second
    assert run_of(conn, agent(conn, "s1", None, "explorer")) == second
    assert [len(t.attempts) for t in plans.tasks(conn, first)] == [1, 0]
    assert [len(t.attempts) for t in plans.tasks(conn, second)] == [0]


def test_a_run_that_ended_goes_on_only_for_its_own_tasks(conn: sqlite3.Connection) -> None:
    run_id = plan(conn, "s1", "001")
    plans.set_ended(conn, run_id, AT.format(5))
    assert run_of(conn, agent(conn, "s1", "7")) is None
    assert run_of(conn, agent(conn, "s1", None, "planner")) is None
    assert run_of(conn, agent(conn, "s1", "1")) == run_id
    found = plans.by_id(conn, run_id)
    assert found is not None and found.ended_at == ""


def test_a_new_plan_takes_the_place_of_one_nobody_worked_on(conn: sqlite3.Connection) -> None:
    first = plan(conn, "s1", "1")
    second = plan(conn, "s1", "1", minute=1)
    agent(conn, "s1", "1")
    third = plan(conn, "s1", "1", minute=2)
    ended = [
        (r.ended_at, r.replaces) for r in map(plans.by_id, [conn] * 3, (first, second, third)) if r
    ]
    assert ended == [(AT.format(1), None), ("", first), ("", None)]


def test_a_plan_adopts_who_came_before_but_no_earlier_builder(conn: sqlite3.Connection) -> None:
    explorer = agent(conn, "s1", None, "explorer")
    early = agent(conn, "s1", "1")
    planner = agent(conn, "s1", None, "planner")
    quick = agent(conn, "s1", "1")
    other = agent(conn, "s2", None, "explorer")
    run_id = plan(conn, "s1", "1")
    with writing(conn):
        plans.adopt(conn, run_id, "s1", planner)
    rows = [run_of(conn, each) for each in (explorer, early, planner, quick, other)]
    assert rows == [run_id, None, run_id, run_id, None]


def test_a_decision_counts_for_more_than_what_came_before(conn: sqlite3.Connection) -> None:
    run_id = plan(conn, "s1", "1", "2")
    agent(conn, "s1", "1")
    newest = agent(conn, "s1", "2")
    with writing(conn):
        plans.decide(conn, run_id, "1", "skipped", reason="no", actor="cli", moment=AT.format(1))
    one, two = plans.tasks(conn, run_id)
    assert (one.decided, one.decided_after, one.reason, one.decided_by) == (
        *("skipped", newest, "no", "cli"),
    )
    assert (two.decided, two.decided_after) == ("", None)


def at_17(database: Path, monkeypatch: pytest.MonkeyPatch) -> sqlite3.Connection:
    """A database as the version before made it."""
    for version in [number for number in migrations.MIGRATIONS if number > 17]:
        monkeypatch.delitem(migrations.MIGRATIONS, version)
    conn = open_store(database, create=True)
    monkeypatch.undo()
    assert "plan_hash" not in migrations.columns(conn, "run")
    return conn


def test_older_rows_learn_their_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    database = tmp_path / ".helix" / "helix.db"
    old = at_17(database, monkeypatch)
    people = [("s1", "explorer", 1), ("s1", "builder", 2), ("s1", "planner", 3),
              ("s1", "builder", 4), ("s1", "planner", 6), ("s1", "builder", 9),
              ("s2", "builder", 4)]  # fmt: skip
    for session, kind, minute in people:
        old.execute(
            "INSERT INTO agent_run(session_id, agent_type, created_at, task_id) VALUES (?,?,?,'1')",
            (session, f"helix-{kind}", AT.format(minute)),
        )
    for planner, minute in ((3, 4), (5, 7)):
        old.execute(
            "INSERT INTO run(session_id, planner_run_id, started_at) VALUES ('s1', ?, ?)",
            (planner, AT.format(minute)),
        )
        for seq in ("2", "1"):
            old.execute("INSERT INTO task(run_id, seq) VALUES (?, ?)", (planner // 2, seq))
    old.close()
    conn = open_store(database)
    assert [run_of(conn, n) for n in range(1, 8)] == [1, None, 1, 1, 2, 2, None]
    assert [t.seq for t in plans.tasks(conn, 1)] == ["2", "1"]
    found = plans.by_id(conn, 1)
    assert found is not None and (found.errors, found.plan_hash) == ((), "")
    assert list((database.parent / "backups").glob("*from-17.db"))


def test_a_half_done_upgrade_is_completed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    database = tmp_path / ".helix" / "helix.db"
    old = at_17(database, monkeypatch)
    old.execute("ALTER TABLE run ADD COLUMN plan_hash TEXT")
    old.close()
    conn = open_store(database)
    assert migrations.recorded(conn) >= {17, 18}
    assert {"plan_hash", "errors", "replaces"} <= migrations.columns(conn, "run")
    assert {"position", "decided_after"} <= migrations.columns(conn, "task")


def test_odd_cells_cost_their_value_only(conn: sqlite3.Connection) -> None:
    run_id = plan(conn, "s1", "1")
    conn.execute("UPDATE task SET blocked_by = 'x', decided_after = 'y', replaces = '{'")
    conn.execute("UPDATE run SET errors = 'oops', objective = x'ff'")
    (task,) = plans.tasks(conn, run_id)
    assert (task.blocked_by, task.decided_after, task.replaces) == ((), 0, ())
    found = plans.by_id(conn, run_id)
    assert found is not None and found.errors == ()
