"""The dashboard's facts without a dashboard: as text, or as one JSON document. No Textual."""

from __future__ import annotations

import json
from dataclasses import asdict
from typing import Any

from helix_core import clock
from helix_core.paths import Project
from helix_tui import formats
from helix_tui.data.service import Watch
from helix_tui.data.source import Source, problem_of, short_place
from helix_tui.state import InsightsWanted, RunWanted

VIEWS = ("run", "insights")
PAGE = 1000


def facts(project: Project, view: str, *, ask_worker: bool = True) -> dict[str, Any]:
    """What a view would show, as plain values; a problem stands under `problem`."""
    found: dict[str, Any] = {
        "view": view,
        "project": project.root.name,
        "database": short_place(project.database),
        "problem": None,
    }
    if ask_worker:
        found["service"] = asdict(Watch(project).now())
    source = Source(project)
    try:
        source.version()
        found["counts"] = asdict(source.counts())
        found |= _run(source) if view == "run" else _insights(source)
    except Exception as error:  # noqa: BLE001 - whatever it is, a person gets one line
        found["problem"] = asdict(problem_of(error, project))
    finally:
        source.close()
    return found


def _run(source: Source) -> dict[str, Any]:
    view = source.run(RunWanted())
    given = {}
    for agent in view.agents:
        got = source.run(RunWanted(agent=agent.id)).given
        given[agent.id] = [asdict(line) for line in got]
    return {
        "run": asdict(view.run) if view.run else None,
        "tasks": [asdict(task) for task in view.tasks],
        "agents": [{**asdict(agent), "insights": given[agent.id]} for agent in view.agents],
        "feed": [asdict(event) for event in view.feed],
    }


def _insights(source: Source) -> dict[str, Any]:
    page = source.insights(InsightsWanted(limit=PAGE)).page
    return {
        "insights": [
            {**asdict(row), "causal_ratio": row.causal_ratio, "interval": [row.low, row.high]}
            for row in page.rows
        ],
    }


def as_json(found: dict[str, Any]) -> str:
    """One JSON document."""
    return json.dumps(found, ensure_ascii=False, indent=1)


def as_text(found: dict[str, Any]) -> str:
    """Lines for a person."""
    lines = [f"helix: {found['project']} ({found['database']})"]
    if found.get("service"):
        service = found["service"]
        word = "degraded (keyword only)" if service["state"] == "degraded" else service["state"]
        lines.append(" ".join(filter(None, [word, service["model"], service["note"]])))
    if found["problem"]:
        problem = found["problem"]
        return "\n".join([*lines, problem["title"] + ".", problem["what"], problem["todo"]])
    counts = found["counts"]
    lines.append(
        f"{formats.plural(counts['insights'], 'insight')}, {counts['trash']} in the trash,"
        f" {formats.plural(counts['running'], 'agent')} running"
    )
    return "\n".join([*lines, "", *(_run_text(found) if "agents" in found else _table(found))])


def _run_text(found: dict[str, Any]) -> list[str]:
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


def _table(found: dict[str, Any]) -> list[str]:
    lines = [f"{'eff':>4} {'n':>3} {'90%':>7} {'uses':>4}  insight"]
    for row in found["insights"]:
        spread = formats.interval(row["low"], row["high"], row["n"])
        text = formats.fit(formats.literal(row["content"]), 90).rstrip()
        lines.append(
            f"{formats.percent(row['effectiveness']):>4} {row['n']:>3} {spread:>7}"
            f" {row['use_count']:>4}  {text}"
        )
    return lines
