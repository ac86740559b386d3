"""SQL for plans: runs, their tasks, and which agents belong to them. Standard library only.

A run is one recorded plan; `agent_run.run_id` names it for every agent that was started for it.
"""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from helix_core.dag.tasks import Attempt, Task, task_key
from helix_core.store import cells
from helix_core.text import clean

_RUN = (
    "run_id, session_id, objective, planner_run_id, started_at, ended_at, plan_hash, errors,"
    " warnings, replaces, actor, confirmed_at"
)
_TASK = (
    "seq, slug, description, relevant_files, blocked_by, verify, decided, decided_after,"
    " decided_by, decided_at, reason, replaces, tool_task_id"
)
_ATTEMPT = (
    "id, state, outcome_source, agent_id, summary, coalesce(started_at, created_at), ended_at,"
    " transcript_path"
)
_IS_BUILDER = "agent_type LIKE '%builder'"


@dataclass(frozen=True)
class Run:
    """One recorded plan. One with errors is kept for what it says; nothing of it is accepted."""

    run_id: int
    session_id: str
    objective: str
    planner_run_id: int | None
    started_at: str
    ended_at: str
    plan_hash: str
    errors: tuple[str, ...]
    warnings: tuple[str, ...]
    replaces: int | None
    actor: str
    confirmed_at: str


def _run(row: Sequence[Any]) -> Run:
    return Run(
        run_id=int(row[0]),
        session_id=cells.text(row[1]),
        objective=cells.text(row[2]),
        planner_run_id=row[3],
        started_at=cells.text(row[4]),
        ended_at=cells.text(row[5]),
        plan_hash=cells.text(row[6]),
        errors=cells.names(row[7]),
        warnings=cells.names(row[8]),
        replaces=row[9],
        actor=cells.text(row[10]),
        confirmed_at=cells.text(row[11]),
    )


def by_id(conn: sqlite3.Connection, run_id: int) -> Run | None:
    """The run of that number."""
    row = conn.execute(f"SELECT {_RUN} FROM run WHERE run_id = ?", (run_id,)).fetchone()
    return _run(row) if row else None


def newest(conn: sqlite3.Connection, session_id: str | None = None) -> Run | None:
    """The newest run of a session, or of all sessions."""
    where, values = ("WHERE session_id = ?", (session_id,)) if session_id else ("", ())
    row = conn.execute(
        f"SELECT {_RUN} FROM run {where} ORDER BY run_id DESC LIMIT 1", values
    ).fetchone()
    return _run(row) if row else None


def meant(conn: sqlite3.Connection, session_id: str | None, run_id: int | None) -> Run | None:
    """The run that is meant: the one named, else the newest of the session, else of all."""
    return newest(conn, session_id) if run_id is None else by_id(conn, run_id)


def not_there(session_id: str | None, run_id: int | None) -> str:
    """What to say where the run that is meant does not exist."""
    if run_id is not None:
        return f"there is no run {run_id} (without --run: the newest)"
    if session_id:
        named = clean.shorten(clean.fold(session_id), 80)
        return f"no plan is recorded for session {named} (helix dag plan FILE records one)"
    return "no plan is recorded yet (helix dag plan FILE records one)"


def open_runs(conn: sqlite3.Connection, session_id: str) -> list[Run]:
    """The runs of a session that have not ended, newest first."""
    rows = conn.execute(
        f"SELECT {_RUN} FROM run WHERE session_id = ? AND ended_at IS NULL ORDER BY run_id DESC",
        (session_id,),
    )
    return [_run(row) for row in rows.fetchall()]


def run_for(conn: sqlite3.Connection, session_id: str, task_id: str | None = None) -> int | None:
    """The run that an agent started now belongs to: the newest open one of its session.

    Where none is open, the newest one if it has the task that the agent was sent to; else None.
    """
    for found in open_runs(conn, session_id):
        return found.run_id
    last = newest(conn, session_id) if task_id else None
    if last is None or task_id is None:
        return None
    seqs = conn.execute("SELECT seq FROM task WHERE run_id = ?", (last.run_id,)).fetchall()
    known = {task_key(cells.text(row[0])) for row in seqs}
    return last.run_id if task_key(task_id) in known else None


def tasks(conn: sqlite3.Connection, run_id: int) -> list[Task]:
    """The tasks of a run in the order of the plan, each with its attempts."""
    tried: dict[str, list[Attempt]] = {}
    for key, attempt in _attempts(conn, "run_id = ?", (run_id,)):
        tried.setdefault(key, []).append(attempt)
    rows = conn.execute(
        f"SELECT {_TASK} FROM task WHERE run_id = ? ORDER BY position, rowid", (run_id,)
    ).fetchall()
    return [_task(row, tuple(tried.get(task_key(cells.text(row[0])), ()))) for row in rows]


def loose_tasks(conn: sqlite3.Connection, session_id: str) -> list[Task]:
    """What builders without a plan worked on in a session, as tasks without any dependency."""
    tried: dict[str, list[Attempt]] = {}
    for key, attempt in _attempts(conn, "session_id = ? AND run_id IS NULL", (session_id,)):
        tried.setdefault(key, []).append(attempt)
    return [Task(seq=key, attempts=tuple(found)) for key, found in tried.items()]


def _attempts(
    conn: sqlite3.Connection, where: str, values: tuple[object, ...]
) -> list[tuple[str, Attempt]]:
    rows = conn.execute(
        f"SELECT task_id, {_ATTEMPT} FROM agent_run WHERE {where} AND {_IS_BUILDER}"
        " AND task_id IS NOT NULL ORDER BY id",
        values,
    ).fetchall()
    return [
        (task_key(cells.text(row[0])), Attempt(int(row[1]), *map(cells.text, row[2:])))
        for row in rows
    ]


def _task(row: Sequence[Any], attempts: tuple[Attempt, ...]) -> Task:
    return Task(
        seq=cells.text(row[0]),
        slug=cells.text(row[1]),
        description=cells.text(row[2]),
        relevant_files=cells.names(row[3]),
        blocked_by=tuple(map(task_key, cells.names(row[4]))),
        verify=cells.text(row[5]),
        decided=cells.text(row[6]),
        decided_after=None if row[7] is None else cells.whole(row[7]),
        decided_by=cells.text(row[8]),
        decided_at=cells.text(row[9]),
        reason=cells.text(row[10]),
        replaces=cells.names(row[11]),
        tool_task_id=cells.text(row[12]),
        attempts=attempts,
    )


def add_run(
    conn: sqlite3.Connection,
    session_id: str,
    *,
    objective: str,
    planner_run_id: int | None,
    plan_hash: str,
    errors: Sequence[str],
    warnings: Sequence[str],
    actor: str,
    moment: str,
) -> int:
    """Record a plan as a new run; returns its number. Call inside a write transaction.

    Older open runs that no builder was ever started for are over: this plan takes their place.
    """
    untouched = [
        run.run_id for run in open_runs(conn, session_id) if not _has_builder(conn, run.run_id)
    ]
    for old in untouched:
        conn.execute("UPDATE run SET ended_at = ? WHERE run_id = ?", (moment, old))
    cursor = conn.execute(
        "INSERT INTO run(session_id, objective, planner_run_id, started_at, plan_hash, errors,"
        " warnings, replaces, actor) VALUES (?,?,?,?,?,?,?,?,?)",
        (
            session_id,
            objective,
            planner_run_id,
            moment,
            plan_hash,
            _json(errors),
            _json(warnings),
            untouched[0] if untouched else None,
            actor,
        ),
    )
    return int(cursor.lastrowid or 0)


def _has_builder(conn: sqlite3.Connection, run_id: int) -> bool:
    found = conn.execute(
        f"SELECT 1 FROM agent_run WHERE run_id = ? AND {_IS_BUILDER} LIMIT 1", (run_id,)
    )
    return found.fetchone() is not None


def adopt(conn: sqlite3.Connection, run_id: int, session_id: str, planner_id: int | None) -> None:
    """Give a new run its planner, the explorers before it, and builders that were quicker.

    Builders that were at work before the planner have nothing to do with its plan.
    """
    conn.execute(
        "UPDATE agent_run SET run_id = ? WHERE session_id = ? AND (id = ? OR (run_id IS NULL"
        f" AND (NOT {_IS_BUILDER} OR id > ?)))",
        (run_id, session_id, planner_id, 1 << 62 if planner_id is None else planner_id),
    )


def take_over(
    conn: sqlite3.Connection, old: Run, run_id: int, kept: Sequence[tuple[Task, str]], moment: str
) -> None:
    """Let a corrected plan go on with the tasks it has left as they were in another one.

    In: those tasks, each with its `seq` there. Their agents and the decisions about them belong
    to the new run from now on, and the old one ends.
    """
    keys = {task.key for task, _ in kept}
    rows = conn.execute(
        f"SELECT id, task_id FROM agent_run WHERE run_id = ? AND {_IS_BUILDER}", (old.run_id,)
    ).fetchall()
    for row in rows:
        if task_key(cells.text(row[1])) in keys:
            conn.execute("UPDATE agent_run SET run_id = ? WHERE id = ?", (run_id, row[0]))
    for task, seq in kept:
        conn.execute(
            "UPDATE task SET (decided, decided_after, decided_by, decided_at, reason, tool_task_id)"
            " = (SELECT decided, decided_after, decided_by, decided_at, reason, tool_task_id"
            " FROM task WHERE run_id = ? AND seq = ?) WHERE run_id = ? AND seq = ?",
            (old.run_id, seq, run_id, task.seq),
        )
    conn.execute("UPDATE run SET replaces = ? WHERE run_id = ?", (old.run_id, run_id))
    set_ended(conn, old.run_id, moment)


def put_task(conn: sqlite3.Connection, run_id: int, task: Task, position: float) -> None:
    """Write one task of a plan; one of the same `seq` gets this content and place."""
    conn.execute(
        "INSERT INTO task(run_id, seq, slug, description, relevant_files, blocked_by, verify,"
        " replaces, position) VALUES (?,?,?,?,?,?,?,?,?) ON CONFLICT(run_id, seq) DO UPDATE SET"
        " slug = excluded.slug, description = excluded.description,"
        " relevant_files = excluded.relevant_files, blocked_by = excluded.blocked_by,"
        " verify = excluded.verify, replaces = excluded.replaces, position = excluded.position",
        (
            run_id,
            task.seq,
            task.slug,
            task.description,
            _json(task.relevant_files),
            _json(task.blocked_by),
            task.verify,
            _json(task.replaces),
            position,
        ),
    )


def set_checked(
    conn: sqlite3.Connection,
    run_id: int,
    *,
    digest: str,
    errors: Iterable[str],
    warnings: Iterable[str],
) -> None:
    """Note what a look at a changed plan has found."""
    conn.execute(
        "UPDATE run SET plan_hash = ?, errors = ?, warnings = ? WHERE run_id = ?",
        (digest, _json(errors), _json(warnings), run_id),
    )


def decide(
    conn: sqlite3.Connection,
    run_id: int,
    seq: str,
    decided: str,
    *,
    reason: str,
    actor: str,
    moment: str,
) -> None:
    """Note a decision about a task; it counts for more than every attempt there is by now."""
    conn.execute(
        "UPDATE task SET decided = ?, reason = ?, decided_by = ?, decided_at = ?, decided_after ="
        " (SELECT coalesce(max(id), 0) FROM agent_run) WHERE run_id = ? AND seq = ?",
        (decided, reason, actor, moment, run_id, seq),
    )


def link(conn: sqlite3.Connection, run_id: int, seq: str, tool_task_id: str) -> None:
    """Remember under which id the client's own task list knows a task."""
    conn.execute(
        "UPDATE task SET tool_task_id = ? WHERE run_id = ? AND seq = ?", (tool_task_id, run_id, seq)
    )


def confirm(conn: sqlite3.Connection, run_id: int, moment: str) -> None:
    """Note that whoever leads the work has confirmed a plan."""
    conn.execute("UPDATE run SET confirmed_at = ? WHERE run_id = ?", (moment, run_id))


def set_ended(conn: sqlite3.Connection, run_id: int, moment: str | None) -> None:
    """End a run, or (None) take it up again."""
    conn.execute("UPDATE run SET ended_at = ? WHERE run_id = ?", (moment, run_id))


def end_session(conn: sqlite3.Connection, session_id: str, moment: str) -> None:
    """The runs of a session end with it."""
    conn.execute(
        "UPDATE run SET ended_at = ? WHERE session_id = ? AND ended_at IS NULL",
        (moment, session_id),
    )


def session_is_over(conn: sqlite3.Connection, session_id: str) -> bool:
    """Whether a session is known to have ended."""
    row = conn.execute(
        "SELECT ended_at FROM session WHERE session_id = ?", (session_id,)
    ).fetchone()
    return bool(row and row[0])


def transcript_of(conn: sqlite3.Connection, session_id: str) -> str:
    """The transcript of a session itself; empty where it is not known."""
    row = conn.execute(
        "SELECT transcript_path FROM session WHERE session_id = ?", (session_id,)
    ).fetchone()
    return cells.text(row[0]) if row else ""


def _json(values: Iterable[str]) -> str:
    return json.dumps(list(values), ensure_ascii=False)
