"""The report of a session, read from rows only. Standard library, `view_runs` and `reportrows`.

Every figure is a count of rows, every name stands in one; nothing is guessed. Where a row names no
session (what a person did), it belongs to the session in whose time it was written.
"""

from __future__ import annotations

import json
import sqlite3
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from helix_core.dag import states
from helix_core.dag.tasks import Task, task_key
from helix_core.reportrows import (
    AskedQuestion,
    HookReport,
    HookTrouble,
    Move,
    MovedInsight,
    RunReport,
    SessionReport,
    StoredInsight,
    TaskReport,
)
from helix_core.store import cells, plans, view_loop, view_runs
from helix_core.viewrows import AgentLine, RunLine

SHORT = 400
TROUBLES = 10
FOREVER = "9999"
OUTCOMES = frozenset({"delivered", "partial", "blocked"})
BY = {
    "synthesis": "maintenance",
    "import": "an import",
    "user": "a person",
    "derived": "an agent",
}
"""Who brought an insight that no agent's result names, by its source."""


@dataclass(frozen=True)
class _Scope:
    """What a report is about: a session, its agents, and the time it spans."""

    session_id: str
    run_id: int | None
    agents: dict[int, AgentLine]
    since: str
    until: str


def newest_session(conn: sqlite3.Connection) -> str | None:
    """The session in which an agent or a plan was seen last."""
    found = view_runs.runs(conn, 1)
    return found[0].session_id if found else None


def session_of_run(conn: sqlite3.Connection, run_id: int) -> str | None:
    """The session a run belongs to; None where there is no such run."""
    row = conn.execute("SELECT session_id FROM run WHERE run_id = ?", (run_id,)).fetchone()
    return cells.text(row[0]) if row else None


def report(
    conn: sqlite3.Connection, session_id: str, run_id: int | None = None
) -> SessionReport | None:
    """The report of a session, or of one run of it; None where no row tells of it."""
    times = conn.execute(
        "SELECT started_at, ended_at FROM session WHERE session_id = ?", (session_id,)
    ).fetchone()
    every = view_runs.of_session(conn, session_id)
    lines = [run for run in every if run_id is None or run.run_id == run_id]
    if not lines or not (times or any(run.agents or run.run_id for run in lines)):
        return None
    crews = [view_runs.agents(conn, run) for run in lines]
    scope = _scope(times, every, lines, [agent for crew in crews for agent in crew], run_id)
    builders = [a for a in scope.agents.values() if a.agent_type.endswith("builder")]
    return SessionReport(
        session_id=session_id,
        run_id=run_id,
        started_at=scope.since,
        ended_at="" if scope.until == FOREVER else scope.until,
        outcomes=dict(Counter(a.state for a in builders)),
        sources=dict(Counter(a.source for a in builders if a.source and a.state in OUTCOMES)),
        runs=tuple(_run(conn, run, crew) for run, crew in zip(lines, crews, strict=True)),
        stored=_stored(conn, scope),
        moved=_moved(conn, scope),
        questions=_questions(conn, scope),
        loop=view_loop.loop(conn, list(scope.agents.values())),
        hooks=_hooks(conn, scope),
    )


def _scope(
    times: Sequence[object] | None,
    every: Sequence[RunLine],
    lines: Sequence[RunLine],
    agents: Sequence[AgentLine],
    run_id: int | None,
) -> _Scope:
    since, until = lines[0].started_at, FOREVER
    if run_id is None:
        begun = cells.text(times[0]) if times else ""
        since = min(filter(None, (begun, since)), default="")
        until = (cells.text(times[1]) if times else "") or FOREVER
    else:
        later = [run.started_at for run in every if run.run_id and run.run_id > run_id]
        until = min(later, default=lines[0].ended_at or FOREVER)
    return _Scope(lines[0].session_id, run_id, {a.id: a for a in agents}, since, until)


def _run(conn: sqlite3.Connection, run: RunLine, crew: Sequence[AgentLine]) -> RunReport:
    planned = plans.tasks(conn, run.run_id) if run.run_id is not None else []
    known = states.states(planned)
    agents = {agent.id: agent for agent in crew}
    reasons = _reasons(conn, list(agents))
    tasks = []
    for task in planned:
        tried = [agents.pop(a.id) for a in task.attempts if a.id in agents]
        tasks.append(_task(task, known[task.key], tried, reasons))
    beside: dict[str, list[AgentLine]] = {}  # without a plan, or beside it
    for agent in agents.values():
        if agent.agent_type.endswith("builder"):
            key = task_key(agent.task_id) if agent.task_id else f"#{agent.id}"
            beside.setdefault(key, []).append(agent)
    for tried in beside.values():
        loose = Task(tried[-1].task_id, description=tried[-1].task)
        tasks.append(_task(loose, tried[-1].state, tried, reasons))
    return RunReport(
        run_id=run.run_id,
        objective=run.objective,
        started_at=run.started_at,
        ended_at=run.ended_at,
        agents=run.agents,
        running=run.running,
        tasks=tuple(tasks),
    )


def _task(
    task: Task, state: str, tried: Sequence[AgentLine], reasons: dict[int, str]
) -> TaskReport:
    last = tried[-1] if tried else None
    summary = last.summary if last else ""
    reason = task.reason or (reasons.get(last.id, "") if last else "")
    return TaskReport(
        seq=task.seq,
        slug=task.slug,
        description=task.description[:SHORT],
        state=state,
        source=last.source if last else "",
        summary=summary,
        reason="" if reason == summary else reason,
        attempts=len(tried),
        agent_id=last.agent_id if last else "",
        decided_by=task.decided_by if task.decided else "",
    )


def _reasons(conn: sqlite3.Connection, ids: Sequence[int]) -> dict[int, str]:
    """What remained or stood in the way, by agent run: the newest the archive tells."""
    rows = conn.execute(
        "SELECT agent_run_id, reason FROM session_log WHERE agent_run_id IN"
        " (SELECT value FROM json_each(?)) ORDER BY id",
        (json.dumps(list(ids)),),
    ).fetchall()
    return {int(row[0]): cells.text(row[1]) for row in rows}


def _stored(conn: sqlite3.Connection, scope: _Scope) -> tuple[StoredInsight, ...]:
    """Insights that came out of the agents, out of their failures, or in from a person."""
    by_agent = {agent.agent_id: agent for agent in scope.agents.values() if agent.agent_id}
    mine: dict[int, AgentLine | None] = {}
    foreign: set[int] = set()
    for agent_id, children in conn.execute(
        "SELECT agent_id, children FROM agent_result WHERE children <> '[]' ORDER BY created_at"
    ).fetchall():
        ids = [int(child) for child in cells.names(children) if child.isdigit()]
        agent = by_agent.get(cells.text(agent_id))
        if agent is None:
            foreign.update(ids)
        else:
            mine.update(dict.fromkeys(ids, agent))
    made = _made_of_failures(conn, scope)
    around = conn.execute(
        "SELECT id FROM insight WHERE created_at >= ? AND created_at < ?"
        " AND source <> 'synthesis' ORDER BY id",
        (scope.since, scope.until),
    ).fetchall()
    others = [int(row[0]) for row in around if int(row[0]) not in foreign]
    for insight_id in (*made, *others):
        mine.setdefault(insight_id, None)
    found = [_insight(conn, insight_id, agent) for insight_id, agent in mine.items()]
    return tuple(one for one in found if one is not None)


def _made_of_failures(conn: sqlite3.Connection, scope: _Scope) -> list[int]:
    """Insights that synthesis made of failures of which one is this session's."""
    entries = conn.execute(
        "SELECT id FROM session_log WHERE agent_run_id IN (SELECT value FROM json_each(?))",
        (json.dumps(list(scope.agents)),),
    ).fetchall()
    own = {str(row[0]) for row in entries}
    rows = conn.execute(
        "SELECT insight_id, members FROM synthesis WHERE action = 'created'"
        " AND insight_id IS NOT NULL ORDER BY id"
    ).fetchall()
    return [int(row[0]) for row in rows if own.intersection(cells.names(row[1]))]


def _insight(
    conn: sqlite3.Connection, insight_id: int, agent: AgentLine | None
) -> StoredInsight | None:
    row = conn.execute(
        "SELECT name, content, source, effectiveness, created_at, '' FROM insight WHERE id = :id"
        " UNION ALL SELECT name, content, json_extract(columns, '$.source'), NULL,"
        " json_extract(columns, '$.created_at'), reason FROM trash WHERE insight_id = :id",
        {"id": insight_id},
    ).fetchone()
    if row is None:
        return None
    source = cells.text(row[2])
    who = f"{agent.agent_type} {agent.agent_id}" if agent else BY.get(source, "the command line")
    return StoredInsight(
        name=cells.text(row[0]),
        content=cells.text(row[1])[:SHORT],
        source=source,
        by=who,
        task_id=agent.task_id if agent else "",
        effectiveness=cells.maybe(row[3]),
        created_at=cells.text(row[4]),
        gone=cells.text(row[5]),
    )


MOVES_SQL = (
    "SELECT f.insight_id, coalesce(i.name, t.name, '#' || f.insight_id), f.created_at, f.kind,"
    " f.outcome, f.source, f.task_id, f.agent_id, f.similarity, f.weight, f.causal, f.before,"
    " f.after FROM feedback_event f LEFT JOIN insight i ON i.id = f.insight_id"
    " LEFT JOIN trash t ON t.insight_id = f.insight_id WHERE f.undone_by IS NULL AND"
    " (f.agent_run_id IN (SELECT value FROM json_each(:runs))"
    " OR f.session_id IS NULL AND f.kind NOT IN ('decay', 'synthesis')"
    " AND f.created_at >= :since AND f.created_at < :until) ORDER BY f.id"
)


def _moved(conn: sqlite3.Connection, scope: _Scope) -> tuple[MovedInsight, ...]:
    """Insights with their events, the largest change first. Decay is the calendar's, not ours."""
    names: dict[int, str] = {}
    moves: dict[int, list[Move]] = {}
    span = {"runs": json.dumps(list(scope.agents)), "since": scope.since, "until": scope.until}
    for row in conn.execute(MOVES_SQL, span).fetchall():
        names[int(row[0])] = cells.text(row[1])
        move = Move(
            at=cells.text(row[2]),
            kind=cells.text(row[3]),
            outcome=cells.text(row[4]),
            source=cells.text(row[5]),
            task_id=cells.text(row[6]),
            agent_id=cells.text(row[7]),
            similarity=cells.maybe(row[8]),
            weight=cells.number(row[9]),
            causal=bool(cells.whole(row[10])),
            before=cells.share(row[11]),
            after=cells.share(row[12]),
        )
        moves.setdefault(int(row[0]), []).append(move)
    found = [MovedInsight(names[i], m[0].before, m[-1].after, tuple(m)) for i, m in moves.items()]
    return tuple(sorted(found, key=lambda one: (-abs(one.after - one.before), one.name)))


def _questions(conn: sqlite3.Connection, scope: _Scope) -> tuple[AskedQuestion, ...]:
    rows = conn.execute(
        "SELECT id, kind, state, header, question, answer, answered_by FROM question"
        " WHERE session_id = ? AND created_at >= ? AND created_at < ? ORDER BY id",
        (scope.session_id, scope.since, FOREVER if scope.run_id is None else scope.until),
    ).fetchall()
    return tuple(
        AskedQuestion(int(row[0]), *(cells.text(cell) for cell in row[1:])) for row in rows
    )


def _hooks(conn: sqlite3.Connection, scope: _Scope) -> HookReport:
    until = FOREVER if scope.run_id is None else scope.until
    span = (scope.session_id, scope.since, until)
    mine = "FROM hook_call WHERE session_id = ? AND created_at >= ? AND created_at < ?"
    calls, failed, degraded = conn.execute(
        f"SELECT count(*), coalesce(sum(ok = 0), 0), coalesce(sum(mode = 'keyword'), 0) {mine}",
        span,
    ).fetchone()
    rows = conn.execute(
        f"SELECT created_at, event, agent_id, error {mine} AND ok = 0 ORDER BY id DESC LIMIT ?",
        (*span, TROUBLES),
    ).fetchall()
    troubles = tuple(HookTrouble(*(cells.text(cell) for cell in row)) for row in rows)
    return HookReport(int(calls), int(failed), int(degraded), troubles)
