"""Commands about sessions that were: session report, sessions search."""

from __future__ import annotations

import os
from typing import Any

from helix_core.cli import output
from helix_core.cli.output import counted
from helix_core.cli.registry import Options, arg, as_json, caller, command, read_text, whole
from helix_core.text import clean

SHORT = 160


@command(
    "sessions",
    "look through the archive of ended agents: helix sessions search TEXT",
    arg("action", choices=("search",), metavar="search", help="search is all there is to do"),
    arg("text", metavar="TEXT", help="what to look for, or - for standard input"),
    arg("--limit", type=whole(), default=20, metavar="N", help="so many at most (default: 20)"),
    arg("--outcome", metavar="OUTCOME", help="only agents that ended so"),
    arg("--session", metavar="ID", help="only agents of this session"),
    answer="a list: id, at, session_id, agent_id, agent_type, task_id, task, outcome, source,"
    " summary, reason",
)
def sessions(options: Options) -> None:
    """Print the entries for a text, best first."""
    asked = {
        "text": read_text(options.text),
        "limit": options.limit,
        "outcome": options.outcome,
        "session_id": options.session,
    }
    found = caller(options).directly("sessions-search", asked)
    if as_json(options):
        output.emit_json(found)
        return
    for entry in found:
        task = f" task {entry['task_id']}" if entry["task_id"] else ""
        output.line(
            f"{entry['at'][:16]}  {entry['outcome'] or 'unknown'}"
            f"{_bracket(entry['source'])}  {entry['agent_type']}{task}"
            f"  session {entry['session_id'] or '-'}"
        )
        if entry["task"]:
            output.line(f"    task: {_short(entry['task'])}")
        output.line(f"    {_short(entry['summary'] or entry['reason'])}")
        if entry["reason"] and entry["reason"] not in entry["summary"]:
            output.line(f"    reason: {_short(entry['reason'])}")
    if not found:
        output.line("nothing found")


@command(
    "session",
    "what a session delivered and what was learned from it: helix session report",
    arg("action", choices=("report",), metavar="report", help="report is all there is to do"),
    arg("--session", metavar="ID", help="default: $CLAUDE_CODE_SESSION_ID, else the newest"),
    arg("--run", dest="run_id", type=whole(), metavar="N", help="only this run"),
    answer="an object: session_id, started_at, ended_at, runs, outcomes, sources, stored, moved,"
    " questions, loop, hooks",
)
def session(options: Options) -> None:
    """Print the report of a session."""
    asked = {
        "session_id": options.session,
        "own_session_id": os.environ.get("CLAUDE_CODE_SESSION_ID") or None,
        "run_id": options.run_id,
    }
    found = caller(options).directly("session-report", asked)
    if as_json(options):
        output.emit_json(found)
        return
    ended = f"to {found['ended_at'][:16]}" if found["ended_at"] else "on, not ended"
    output.line(f"session {found['session_id']}, from {found['started_at'][:16]} {ended}")
    for run in found["runs"]:
        _print_run(run)
    output.line(f"builders: {_counts(found['outcomes'])}; by source: {_counts(found['sources'])}")
    _print_stored(found["stored"])
    _print_moved(found["moved"])
    _print_questions(found["questions"])
    _print_loop(found["loop"])
    _print_hooks(found["hooks"])


def _print_run(run: dict[str, Any]) -> None:
    name = f"run {run['run_id']}" if run["run_id"] is not None else "without a plan"
    busy = f", {run['running']} running" if run["running"] else ""
    output.line()
    output.line(
        f"{name}: {_short(run['objective']) or '-'} ({counted(run['agents'], 'agent')}{busy})"
    )
    for task in run["tasks"]:
        tries = f", {counted(task['attempts'], 'attempt')}" if task["attempts"] > 1 else ""
        decided = f", decided by {task['decided_by']}" if task["decided_by"] else ""
        state = f"{task['state']}{_bracket(task['source'])}"
        title = task["slug"] or _short(task["description"])
        output.line(f"  {state}  {task['seq'] or '-'} {title}{tries}{decided}")
        for text in filter(None, (task["summary"], task["reason"])):
            output.line(f"      {_short(text)}")


def _print_stored(stored: list[dict[str, Any]]) -> None:
    output.line()
    output.line(f"stored: {len(stored) or 'nothing'}")
    for one in stored:
        task = f", task {one['task_id']}" if one["task_id"] else ""
        gone = f" (in the trash: {one['gone']})" if one["gone"] else ""
        output.line(f"  {one['source']} by {one['by']}{task}: {one['name']}{gone}")
        output.line(f"      {_short(one['content'])}")


def _print_moved(moved: list[dict[str, Any]]) -> None:
    output.line(f"moved: {len(moved) or 'nothing'}")
    for one in moved:
        output.line(f"  {one['before']:.3f} -> {one['after']:.3f}  {one['name']}")
        for event in one["moves"]:
            output.line(f"      {event['why']}")


def _print_questions(questions: list[dict[str, Any]]) -> None:
    output.line(f"questions: {len(questions) or 'none'}")
    for one in questions:
        answer = f": {_short(one['answer'])} ({one['answered_by']})" if one["answer"] else ""
        output.line(f"  {one['id']} {one['state']}{answer}  {_short(one['question'])}")


def _print_loop(loop: dict[str, Any]) -> None:
    state = "closed" if loop["closed"] else "not closed"
    output.line(f"loop {state}: {loop['applied']} of {counted(loop['given'], 'agent')} fed back")
    for end in (*loop["open"], *loop["exempt"]):
        task = f" task {end['task_id']}" if end["task_id"] else ""
        output.line(f"  {end['agent_type']}{task} ({end['state']}): {end['why']}")
        output.line(f"      {', '.join(end['injected'])}")


def _print_hooks(hooks: dict[str, Any]) -> None:
    output.line(
        f"hooks: {counted(hooks['calls'], 'call')}, {hooks['failed']} failed,"
        f" {hooks['degraded']} by keyword only"
    )
    for one in hooks["troubles"]:
        output.line(f"  {one['at'][:16]} {one['event']}: {_short(one['error'])}")


def _counts(counts: dict[str, int]) -> str:
    return ", ".join(f"{name} {count}" for name, count in counts.items()) or "none"


def _bracket(text: str) -> str:
    return f" ({text})" if text else ""


def _short(text: str) -> str:
    return clean.shorten(clean.fold(text), SHORT)
