"""The run view's rows: the wanted run, its agents, and what one of them was given."""

from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from helix_core import clock
from helix_core.store import plans, view_runs
from helix_tui import formats
from helix_tui.data.part import Desk, Part
from helix_tui.state import AgentLine, RunLine, RunView, RunWanted

if TYPE_CHECKING:
    from helix_core.reportrows import SessionReport

FEED, WHOLE = 200, 5000
"""Events shown at most: of a run as it is, and of one that is replayed."""


def read(desk: Desk, wanted: RunWanted, before: RunView | None = None) -> RunView:
    """The wanted run, or the newest; everything in one consistent read."""
    conn = desk.conn
    runs = view_runs.runs(conn)
    if not runs:
        return RunView()
    place = next((n for n, run in enumerate(runs) if run.key == wanted.run), 0)
    run = runs[place]
    agents = view_runs.agents(conn, run)
    agent = _agent(agents, wanted.agent)
    crew = [a for a in agents if a.given] if wanted.whole else []
    return RunView(
        runs=tuple(runs),
        run=run,
        agents=tuple(agents),
        tasks=tuple(view_runs.tasks(conn, run, agents)),
        agent=agent,
        given=tuple(view_runs.given(conn, agent)) if agent is not None else (),
        feed=tuple(view_runs.feed(conn, run, _until(runs, place), WHOLE if wanted.whole else FEED)),
        plan=tuple(plans.tasks(conn, run.run_id)) if wanted.whole and run.run_id else (),
        all_given=tuple((a.id, tuple(view_runs.given(conn, a.id))) for a in crew),
        report=_report(desk, run.session_id) if wanted.report else None,
    )


def _report(desk: Desk, session_id: str) -> SessionReport | None:
    from helix_core.store import view_report  # the first paint does not wait for what is seldom

    return view_report.report(desk.conn, session_id)


def _until(runs: list[RunLine], place: int) -> str:
    """When the next newer run began; empty for the newest."""
    return runs[place - 1].started_at if place else ""


def _agent(agents: list[AgentLine], wanted: int | None) -> int | None:
    """The wanted agent, else one that says something: running and fed, or the last one fed."""
    if any(agent.id == wanted for agent in agents):
        return wanted
    fed = [agent for agent in agents if agent.given]
    running = [agent for agent in fed if agent.state == "running"]
    chosen = (running[:1] or fed[-1:] or agents[:1])[:1]
    return chosen[0].id if chosen else None


def facts(desk: Desk) -> dict[str, Any]:
    """The newest run with everything each of its agents was given."""
    view = read(desk, RunWanted())
    given = {}
    for agent in view.agents:
        got = read(desk, RunWanted(agent=agent.id)).given
        given[agent.id] = [asdict(line) for line in got]
    return {
        "run": asdict(view.run) if view.run else None,
        "tasks": [asdict(task) for task in view.tasks],
        "agents": [{**asdict(agent), "insights": given[agent.id]} for agent in view.agents],
        "feed": [asdict(event) for event in view.feed],
    }


def text(found: dict[str, Any]) -> list[str]:
    """A run as lines."""
    run = found["run"]
    if run is None:
        return ["No run yet."]
    lines = [f"Run: {formats.literal(run['objective'])}"]
    for task in found["tasks"]:
        name = formats.literal(task["slug"] or task["description"])
        lines.append(f"  task {task['seq']:>3} {task['state']:<9} {name}")
    now = clock.now()
    for agent in found["agents"]:
        took = formats.span(agent["started_at"], agent["ended_at"], now)
        kind = formats.bare_type(agent["agent_type"])
        task = formats.literal(f"{agent['task_id']}: {agent['task']}".removeprefix(": "))
        source = f" ({agent['source']})" if agent["source"] else ""
        lines.append(
            f"  {kind:<8} {agent['state']}{source} {took}  {formats.fit(task, 70).rstrip()}"
        )
        lines += [_given_text(line) for line in agent["insights"]]
    return lines


def _given_text(line: dict[str, Any]) -> str:
    via = "graph" if line["hop"] else "direct"
    moved = formats.moved(line["before"], line["after"])
    text = formats.fit(formats.literal(line["content"] or line["name"]), 60).rstrip()
    score = (
        f"[{formats.percent(line['effectiveness'])}, relevance {formats.percent(line['relevance'])}"
    )
    return f"           {score}, {via}] {text}" + (f"  {line['outcome']} {moved}" if moved else "")


PART: Part[RunWanted, RunView] = Part(RunWanted, read, facts, text)
