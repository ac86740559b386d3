"""A run as it stood at an earlier moment, out of the rows of the run as it stands. Pure.

Nothing is read again: agents that had not started are left out, what ended later is still running,
and the states of the tasks follow from the agents by the one rule there is (`dag.states`).
"""

from __future__ import annotations

import bisect
from dataclasses import replace

from helix_core.dag import states
from helix_core.dag.tasks import Attempt, Task
from helix_tui.state import AgentLine, GivenLine, RunView, TaskLine


def moments(view: RunView) -> tuple[str, ...]:
    """Every moment at which something happened, in order: the steps of a replay."""
    found = {event.at for event in view.feed}
    for agent in view.agents:
        found |= {agent.started_at, agent.ended_at}
    return tuple(sorted(moment for moment in found if moment))


def place(steps: tuple[str, ...], moment: str) -> int:
    """The number of the step at a moment, or of the last one before it, from 0."""
    return max(0, bisect.bisect_right(steps, moment) - 1)


def as_of(view: RunView, moment: str, agent_id: int | None = None) -> RunView:
    """The run at a moment (a stored time): what had happened by then, and nothing that came later.

    In: the whole run (`RunWanted.whole`), and an agent to look at; the one that started last by
    then where it is None or had not started. Texts of insights are today's.
    """
    crew = tuple(_agent(agent, moment) for agent in view.agents if _begun(agent, moment))
    known = {agent.id: agent for agent in crew}
    run = view.run and replace(
        view.run,
        ended_at=view.run.ended_at if _past(view.run.ended_at, moment) else "",
        agents=len(crew),
        running=sum(agent.state == "running" for agent in crew),
    )
    newest = max(crew, key=lambda agent: (agent.started_at, agent.id), default=None)
    agent = newest if agent_id is None else known.get(agent_id, newest)
    given = dict(view.all_given).get(agent.id, ()) if agent else ()
    return replace(
        view,
        run=run,
        agents=crew,
        tasks=_tasks(view, known, moment),
        agent=agent.id if agent else None,
        given=given if agent and agent.ended_at else tuple(map(_unjudged, given)),
        feed=tuple(event for event in view.feed if event.at <= moment),
    )


def _past(at: str, moment: str) -> bool:
    return bool(at) and at <= moment


def _begun(agent: AgentLine, moment: str) -> bool:
    return agent.started_at <= moment


def _agent(agent: AgentLine, moment: str) -> AgentLine:
    if not agent.ended_at or agent.ended_at <= moment:
        return agent
    return replace(
        agent, state="running", source="", summary="", note="", feedback="none", ended_at=""
    )


def _unjudged(given: GivenLine) -> GivenLine:
    return replace(given, outcome="", causal=False, weight=0.0, before=None, after=None)


def _tasks(view: RunView, crew: dict[int, AgentLine], moment: str) -> tuple[TaskLine, ...]:
    planners = [agent for agent in view.agents if agent.agent_type.endswith("planner")]
    if planners and not any(_past(agent.ended_at, moment) for agent in planners):
        return ()  # no plan yet
    plan = [_task(task, crew, moment) for task in view.plan]
    known = states.states(plan)
    then = {task.key: task for task in plan}
    lines = []
    for line in view.tasks:
        task = then.get(line.key)
        tried = [crew[a.id] for a in task.attempts] if task else []
        lines.append(
            replace(
                line,
                state=known.get(line.key, line.state),
                attempts=len(tried),
                started_at=tried[0].started_at if tried else "",
                ended_at=tried[-1].ended_at if tried else "",
            )
        )
    return tuple(lines)


def _task(task: Task, crew: dict[int, AgentLine], moment: str) -> Task:
    tried = tuple(_attempt(a, crew[a.id]) for a in task.attempts if a.id in crew)
    if _past(task.decided_at, moment) or not task.decided_at:
        return replace(task, attempts=tried)
    return replace(task, attempts=tried, decided="", decided_after=None)


def _attempt(attempt: Attempt, agent: AgentLine) -> Attempt:
    return replace(attempt, state=agent.state, source=agent.source, ended_at=agent.ended_at)
