"""The dashboard's read model of runs: which there are, their agents, tasks and events.

Standard library and `viewrows` only; like `views`, every function reads all its rows at once.

A run is a recorded plan with the agents that belong to it, or all agents of a session without a
plan. An agent names its run where that is known; else it belongs to the last plan of its session
whose planner had started by then (agents before the first plan, such as explorers, to the first).
"""

from __future__ import annotations

import sqlite3
from collections.abc import Sequence
from typing import Any

from helix_core.dag import states
from helix_core.dag.tasks import Task
from helix_core.store import cells, plans
from helix_core.viewrows import AgentLine, FeedLine, GivenLine, RunLine, TaskLine

RUNS = 50
FEED = 200
SHORT = 400


def runs(conn: sqlite3.Connection, limit: int = RUNS) -> list[RunLine]:
    """The newest runs, newest first."""
    sessions = [
        cells.text(row[0])
        for row in conn.execute(
            "SELECT session_id, max(at) AS last FROM (SELECT session_id, max(created_at) AS at"
            " FROM agent_run GROUP BY session_id UNION ALL SELECT session_id, max(started_at)"
            " FROM run GROUP BY session_id) GROUP BY session_id ORDER BY last DESC LIMIT ?",
            (limit,),
        ).fetchall()
    ]
    found: list[RunLine] = []
    for session_id in sessions:
        found += of_session(conn, session_id)[::-1]
    return found[:limit]


def of_session(conn: sqlite3.Connection, session_id: str) -> list[RunLine]:
    """The runs of one session, oldest first; a session without a plan has one."""
    plans = _plans(conn, session_id)
    members = _members(conn, session_id, plans)
    return [_run(session_id, plan, members[n]) for n, plan in enumerate(plans)]


def _plans(conn: sqlite3.Connection, session_id: str) -> list[Sequence[Any]]:
    """(run id, objective, begun, started, ended) of a session's plans, oldest first.

    A session without a plan has one that is nobody's: its run id is None.
    """
    rows = conn.execute(
        "SELECT r.run_id, r.objective, coalesce(a.created_at, r.started_at), r.started_at,"
        " r.ended_at FROM run r LEFT JOIN agent_run a ON a.id = r.planner_run_id"
        " WHERE r.session_id = ? ORDER BY r.run_id",
        (session_id,),
    ).fetchall()
    return rows or [(None, "", "", "", "")]


def _members(
    conn: sqlite3.Connection, session_id: str, plans: Sequence[Sequence[Any]]
) -> list[list[Sequence[Any]]]:
    """The agents of each plan as (id, run id, created, ended, state, objective), oldest first."""
    members: list[list[Sequence[Any]]] = [[] for _ in plans]
    place = {plan[0]: n for n, plan in enumerate(plans)}
    for row in conn.execute(
        "SELECT id, run_id, created_at, ended_at, state, coalesce(objective, query, task, '')"
        " FROM agent_run WHERE session_id = ? ORDER BY id",
        (session_id,),
    ).fetchall():
        begun = sum(1 for plan in plans if cells.text(plan[2]) <= cells.text(row[2]))
        members[place.get(row[1], max(0, begun - 1))].append(row)
    return members


def _run(session_id: str, plan: Sequence[Any], members: list[Sequence[Any]]) -> RunLine:
    running = sum(1 for row in members if row[4] == "running")
    ends = [cells.text(row[3]) for row in members if row[3]]
    objective = cells.text(plan[1]) or next((cells.text(r[5]) for r in members if r[5]), "")
    return RunLine(
        key=f"{session_id}#{plan[0] or 0}",
        session_id=session_id,
        run_id=plan[0],
        objective=objective[:SHORT],
        started_at=min([cells.text(row[2]) for row in members] or [cells.text(plan[3])]),
        ended_at=cells.text(plan[4]) or ("" if running else max(ends, default="")),
        agents=len(members),
        running=running,
    )


def agents(conn: sqlite3.Connection, run: RunLine) -> list[AgentLine]:
    """The agents of a run, in the order they were called."""
    plans = _plans(conn, run.session_id)
    place = next((n for n, plan in enumerate(plans) if plan[0] == run.run_id), 0)
    mine = {int(row[0]) for row in _members(conn, run.session_id, plans)[place]}
    rows = conn.execute(
        "SELECT a.id, a.agent_id, a.agent_type, a.task_id, coalesce(a.task, a.query, ''), a.state,"
        " a.outcome_source, a.summary, a.mode, a.note, a.feedback,"
        " (SELECT count(*) FROM injection j WHERE j.agent_run_id = a.id AND j.withheld = 0),"
        " coalesce(a.started_at, a.created_at), a.ended_at"
        " FROM agent_run a WHERE a.session_id = ? ORDER BY a.id",
        (run.session_id,),
    ).fetchall()
    return [_agent(row) for row in rows if int(row[0]) in mine]


def _agent(row: Sequence[Any]) -> AgentLine:
    return AgentLine(
        id=int(row[0]),
        agent_id=cells.text(row[1]),
        agent_type=cells.text(row[2]),
        task_id=cells.text(row[3]),
        task=cells.text(row[4])[:SHORT],
        state=cells.text(row[5]),
        source=cells.text(row[6]),
        summary=cells.text(row[7])[:1000],
        mode=cells.text(row[8]),
        note=cells.text(row[9])[:SHORT],
        feedback=cells.text(row[10]),
        given=cells.whole(row[11]),
        started_at=cells.text(row[12]),
        ended_at=cells.text(row[13]),
    )


def given(conn: sqlite3.Connection, agent_run_id: int) -> list[GivenLine]:
    """What one agent was given, in the order shown, with what its outcome did to each.

    A resumed agent has more than one result: the first `before` and the last `after` are shown.
    """
    rows = conn.execute(
        "SELECT j.id, j.insight_id, j.name, substr(coalesce(i.content, ''), 1, 400), j.relevance,"
        " j.effectiveness, j.hop, j.chars, j.source, l.outcome, l.causal, l.weight,"
        " (SELECT before FROM feedback_event f WHERE f.agent_run_id = j.agent_run_id"
        " AND f.insight_id = j.insight_id AND f.undone_by IS NULL ORDER BY f.id LIMIT 1), l.after"
        " FROM injection j LEFT JOIN insight i ON i.id = j.insight_id"
        " LEFT JOIN feedback_event l ON l.id = (SELECT max(id) FROM feedback_event f"
        " WHERE f.agent_run_id = j.agent_run_id AND f.insight_id = j.insight_id"
        " AND f.undone_by IS NULL)"
        " WHERE j.agent_run_id = ? AND j.withheld = 0 ORDER BY j.rank, j.id",
        (agent_run_id,),
    ).fetchall()
    return [
        GivenLine(
            id=int(r[0]),
            insight_id=int(r[1]),
            name=cells.text(r[2]),
            content=cells.text(r[3]),
            relevance=cells.maybe(r[4]),
            effectiveness=cells.share(r[5]),
            hop=cells.whole(r[6]),
            chars=cells.whole(r[7]),
            source=cells.text(r[8]),
            outcome=cells.text(r[9]),
            causal=bool(cells.whole(r[10])),
            weight=cells.number(r[11]),
            before=cells.maybe(r[12]),
            after=cells.maybe(r[13]),
        )
        for r in rows
    ]


def tasks(conn: sqlite3.Connection, run: RunLine, crew: Sequence[AgentLine]) -> list[TaskLine]:
    """The tasks of a run's plan with their states; empty for a run without a plan."""
    if run.run_id is None:
        return []
    listed = plans.tasks(conn, run.run_id)
    known = states.states(listed)
    agents = {agent.id: agent for agent in crew}
    return [
        _task(task, known[task.key], [agents[a.id] for a in task.attempts if a.id in agents])
        for task in listed
    ]


def _task(task: Task, state: str, tried: Sequence[AgentLine]) -> TaskLine:
    return TaskLine(
        seq=task.seq,
        key=task.key,
        slug=task.slug,
        description=task.description[:SHORT],
        blocked_by=task.blocked_by,
        state=state,
        attempts=len(tried),
        started_at=tried[0].started_at if tried else "",
        ended_at=tried[-1].ended_at if tried else "",
    )


def feed(
    conn: sqlite3.Connection, run: RunLine, until: str = "", limit: int = FEED
) -> list[FeedLine]:
    """What happened since a run began, newest first: hooks, agents, moves, curation.

    In: the run; where a newer run began, nothing from then on (empty: up to now).
    """
    span = {
        "session": run.session_id,
        "since": run.started_at,
        "until": until or "9999",
        "limit": limit,
    }
    rows = [row for statement in FEED_SQL for row in conn.execute(statement, span).fetchall()]
    rows.sort(key=lambda row: (cells.text(row[1]), cells.text(row[0])), reverse=True)
    return [
        FeedLine(
            key=cells.text(r[0]),
            at=cells.text(r[1]),
            kind=cells.text(r[2]),
            state=cells.text(r[3]),
            text=cells.text(r[4])[:SHORT],
            value=cells.maybe(r[5]),
            before=cells.maybe(r[6]),
            about=None if r[7] is None else cells.whole(r[7]),
        )
        for r in rows[:limit]
    ]


FEED_SQL = (
    "SELECT 'hook:' || id, created_at, 'hook', CASE WHEN ok THEN mode ELSE 'failed' END,"
    " event || CASE WHEN error <> '' THEN ': ' || error ELSE '' END, ms, NULL, NULL FROM hook_call"
    " WHERE (session_id = :session OR session_id IS NULL) AND created_at >= :since"
    " AND created_at < :until ORDER BY id DESC LIMIT :limit",
    "SELECT 'start:' || id, coalesce(started_at, created_at), 'start', 'running',"
    " agent_type || ' ' || coalesce(task_id || ': ', '') || coalesce(task, query, ''), NULL, NULL,"
    " id FROM agent_run WHERE session_id = :session AND created_at >= :since"
    " AND created_at < :until ORDER BY id DESC LIMIT :limit",
    "SELECT 'zend:' || id, ended_at, 'end', state, agent_type || ' '"
    " || coalesce(task_id || ': ', '') || coalesce(summary, ''), NULL, NULL, id FROM agent_run"
    " WHERE session_id = :session AND ended_at >= :since AND ended_at < :until"
    " ORDER BY ended_at DESC LIMIT :limit",
    "SELECT 'zmoved:' || f.id, f.created_at, 'moved', f.outcome, coalesce(i.name, t.name,"
    " '#' || f.insight_id), f.after, f.before, i.id FROM feedback_event f"
    " LEFT JOIN insight i ON i.id = f.insight_id LEFT JOIN trash t ON t.insight_id = f.insight_id"
    " WHERE (f.session_id = :session OR f.session_id IS NULL) AND f.created_at >= :since"
    " AND f.created_at < :until ORDER BY f.id DESC LIMIT :limit",
    "SELECT 'zzcuration:' || c.id, c.created_at, 'curation', c.action,"
    " coalesce((SELECT group_concat(coalesce(i.name, t.name, '#' || j.value), ', ')"
    " FROM json_each(CASE WHEN json_valid(c.insight_ids) THEN c.insight_ids ELSE '[]' END) j"
    " LEFT JOIN insight i ON i.id = j.value"
    " LEFT JOIN trash t ON t.insight_id = j.value), c.reason) || ' (' || c.actor || ')', NULL,"
    " NULL, (SELECT i.id FROM"
    " json_each(CASE WHEN json_valid(c.insight_ids) THEN c.insight_ids ELSE '[]' END) j"
    " JOIN insight i ON i.id = j.value ORDER BY j.key LIMIT 1)"
    " FROM curation_event c WHERE c.created_at >= :since AND c.created_at < :until"
    " ORDER BY c.id DESC LIMIT :limit",
)
