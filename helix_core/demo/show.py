"""The report as text for people. May import the command line's output functions."""

from __future__ import annotations

from collections import Counter
from typing import Any

from helix_core.cli import output
from helix_core.text.clean import shorten

Json = dict[str, Any]
TASK_WIDTH = 28
NAME_WIDTH = 30


def show(report: Json) -> None:
    """Print the whole report to standard output."""
    for number, session in enumerate(report["sessions"], 1):
        output.line()
        output.line(f"Session {number}: {session['objective']}")
        rows = [row for agent in session["agents"] for row in _agent_rows(agent)]
        output.table(("agent", "task", "outcome", "insight given (cosine)", "effectiveness"), rows)
    output.line()
    output.line("How each insight moved, best first")
    rows = [_insight_row(item) for item in report["insights"]]
    output.table(("start", "end", "", "n", "given", "from", "insight"), rows)
    output.line()
    _hooks(report["hooks"])
    output.line()
    _summary(report)


def _agent_rows(agent: Json) -> list[tuple[object, ...]]:
    """One row per insight the agent was given; one without any where it was given none."""
    who = f"{agent['type'].removeprefix('helix-')} {agent['task_id'] or ''}".strip()
    source = agent["outcome_source"]
    how = f" ({source})" if source in {"verified", "contradicted"} else ""
    head = (who, shorten(agent["task"], TASK_WIDTH), f"{agent['outcome']}{how}")
    if not agent["given"]:
        return [(*head, "-", "-")]
    rows: list[tuple[object, ...]] = []
    for item in agent["given"]:
        cosine = "keyword" if item["relevance"] is None else f"{item['relevance']:.2f}"
        held = ", withheld" if item["withheld"] else ""
        name = f"{shorten(item['name'], NAME_WIDTH)} ({cosine}{held})"
        rows.append((*head, name, _move(item, agent["feedback"])))
        head = ("", "", "")
    return rows


def _move(item: Json, feedback: str) -> str:
    if item["before"] is None:
        return "waits for a vector" if feedback == "pending" else "no feedback"
    return f"{item['before']:.3f} -> {item['after']:.3f}"


def _insight_row(item: Json) -> tuple[object, ...]:
    change = item["end"] - item["start"]
    arrow = "up" if change > 0 else "down" if change < 0 else "="
    born = f", session {item['learned_in']}" if item["learned_in"] else ""
    trashed = " (in the trash)" if item["trashed"] else ""
    return (
        f"{item['start']:.3f}",
        f"{item['end']:.3f}",
        arrow,
        item["n"],
        item["given"],
        f"{item['source']}{born}",
        f"{item['name']}{trashed}",
    )


def _hooks(hooks: Json) -> None:
    output.line(
        f"{hooks['calls']} hook processes, {hooks['nonzero_exits']} with an exit code but 0"
    )
    rows = [
        (
            event,
            found["calls"],
            "-" if found["median_ms"] is None else f"{found['median_ms']:.0f} ms",
            f"{found['median_process_ms']:.0f} ms",
            found["by_keyword"],
        )
        for event, found in hooks["events"].items()
    ]
    output.table(("event", "calls", "median", "whole process", "by keyword"), rows)
    for error in hooks["errors"]:
        output.line(f"  {error}")


def _summary(report: Json) -> None:
    outcomes = Counter(
        agent["outcome"]
        for session in report["sessions"]
        for agent in session["agents"]
        if agent["type"] == "helix-builder"
    )
    told = ", ".join(f"{count} {outcome}" for outcome, count in outcomes.items())
    output.line(f"{output.counted(sum(outcomes.values()), 'builder')}: {told}.")
    moved = [item["end"] - item["start"] for item in report["insights"]]
    learned = sum(item["learned_in"] is not None for item in report["insights"])
    edges = output.counted(report["edges"].get("led_to", 0), "led_to edge")
    output.line(
        f"{output.counted(len(moved), 'insight')}: {sum(m > 0 for m in moved)} rose,"
        f" {sum(m < 0 for m in moved)} fell, {learned} learned on the way;"
        f" {edges} to say which insight a lesson came from."
    )
    if report["waiting"]:
        agents = output.counted(report["waiting"], "agent")
        output.line(f"{agents} waiting for a vector before an outcome counts.")
    output.line(f"Recall: {report['recall']}.")
    output.line(f"Kept in {report['project']} ({report['seconds']:.0f} s).")
