"""Commands of the RECALL phase and of a wave: strategic-recall, recall-synthesis, batch-inject."""

from __future__ import annotations

from typing import Any

from helix_core import clock, constants, paths
from helix_core.cli import output
from helix_core.cli.lookup import HOPS, LIMIT, query_args, result_line
from helix_core.cli.output import counted
from helix_core.cli.registry import (
    COSINE,
    SESSION,
    Options,
    arg,
    as_json,
    caller,
    command,
    known_session,
    read_document,
    remark,
)
from helix_core.errors import RefusedError, StoreError, UsageError

TITLES = {
    "constraints": "CONSTRAINTS",
    "risk_areas": "RISK_AREAS",
    "exploration_targets": "EXPLORATION_TARGETS",
    "insights": "INSIGHTS",
}
SHOWN_TAGS = 12


@command(
    "strategic-recall",
    "an overview for a whole objective: insights and a summary",
    arg("query", metavar="OBJECTIVE", help="the objective, or - for standard input"),
    LIMIT,
    arg(
        "--min-relevance",
        type=COSINE,
        metavar="COSINE",
        help=f"the gate, from -1 to 1 (default: {constants.STRATEGIC_MIN_RELEVANCE:.2f})",
    ),
    HOPS,
    answer="an object: insights, summary",
)
def strategic_recall(options: Options) -> None:
    """Print the insights that bear on an objective, and what they are like as a whole."""
    asked = query_args(options, constants.STRATEGIC_LIMIT)
    found = caller(options).with_vectors("strategic-recall", asked)
    if as_json(options):  # the note is in it; a client's shell shows both streams as one
        output.emit_json(found)
        return
    if found["summary"]["note"]:
        remark(options, found["summary"]["note"])
    for item in found["insights"]:
        output.line(result_line(item))
    if found["summary"]["notice"]:
        output.line(found["summary"]["notice"])
    _print_summary(found["summary"])


def _print_summary(summary: dict[str, Any]) -> None:
    relevance = summary["mean_relevance"]
    cosine = "by keyword" if relevance is None else f"{relevance:.2f}"
    tags = [f"{tag} {count}" for tag, count in summary["tags"].items()][:SHOWN_TAGS]
    output.line()
    output.line(f"recalled {summary['recalled']} of {summary['in_system']}")
    output.line(
        f"mean effectiveness {output.percent(summary['mean_effectiveness'])}, relevance {cosine}"
    )
    output.line(
        f"proven {summary['proven']}, risky {summary['risky']}, untested {summary['untested']};"
        f" {output.percent(summary['coverage'])} have been through feedback"
    )
    output.line(
        f"through the graph {summary['graph_expanded']}, by lineage {summary['lineage']};"
        f" topology: {_topology(summary['topology'])}"
    )
    output.line(f"tags: {', '.join(tags) or 'none'}")


def _topology(shape: dict[str, Any] | str) -> str:
    if isinstance(shape, str):
        return shape
    cuts = ", ".join(shape["articulation_points"]) or "none"
    return (
        f"{counted(shape['components'], 'component')}, density {shape['density']:.2f},"
        f" {counted(shape['isolates'], 'isolate')}, articulation points: {cuts}"
    )


@command(
    "batch-inject",
    "the insights for each task of a wave, ready to paste, no insight twice",
    arg(
        "--tasks",
        required=True,
        metavar="JSON",
        help="a list of {task_id, task, objective?, files?}: inline, a file, or - for stdin",
    ),
    SESSION,
    answer="an object: session_id, mode, note, tasks",
)
def batch_inject(options: Options) -> None:
    """Print a block for each task; only names handed out here are believed in a prompt."""
    from helix_core.text import wave  # deferred like `notes` below: only they read prompts

    session_id = known_session(options)
    tasks = read_document(options.tasks, "tasks")
    wave.read_tasks(tasks)  # before anything is opened or made
    asked = {"tasks": tasks, "session_id": session_id}
    found = caller(options).with_vectors("batch-inject", asked)
    if as_json(options):  # the note is in it
        output.emit_json(found)
        return
    remark(options, found["note"])
    for number, task in enumerate(found["tasks"]):
        if number:
            output.line()
        output.line(f"## TASK_ID: {task['task_id']}")
        output.line(task["block"] or "nothing to recall by: the task says nothing")


@command(
    "recall-synthesis",
    "what this session drew from its recall: read, set (from JSON) or clear it",
    arg(
        "action",
        nargs="?",
        default="get",
        choices=("get", "set", "clear"),
        metavar="ACTION",
        help="get (the default), set or clear",
    ),
    arg("document", nargs="?", metavar="JSON", help="for set: inline, a file, or - (default)"),
    SESSION,
    arg("--any", action="store_true", help="for get: the newest, whichever session wrote it"),
    answer="an object: session_id, written_at, objective, constraints, risk_areas,"
    " exploration_targets, insights; for clear: cleared",
)
def recall_synthesis(options: Options) -> None:
    """Keep, read or remove the notes of the RECALL phase."""
    if options.document is not None and options.action != "set":
        raise UsageError(f"recall-synthesis {options.action} takes no document")
    if options.any and options.action != "get":
        raise UsageError(f"recall-synthesis {options.action} is about one session: no --any")
    session_id = None if options.any else known_session(options)
    project = caller(options).project
    try:
        if session_id is None or options.action == "get":
            _get_notes(options, project, session_id)
        elif options.action == "set":
            _set_notes(options, project, session_id)
        else:
            _clear_notes(options, project, session_id)
    except OSError as error:
        raise StoreError(f"{project.home}: {error.strerror or error}") from None


def _set_notes(options: Options, project: paths.Project, session_id: str) -> None:
    from helix_core.hooks import handover
    from helix_core.text import notes

    given = read_document(options.document or "-", "recall synthesis")
    checked = notes.read_notes(given)
    value = {"session_id": session_id, "written_at": clock.iso(clock.now()), **checked}
    paths.ensure_home(project)
    handover.keep_synthesis(project.home, value)
    if as_json(options):
        output.emit_json(value)
    else:
        counts = ", ".join(counted(len(value[key]), key[:-1].replace("_", " ")) for key in TITLES)
        output.line(f"kept for session {session_id}: {counts}")


def _get_notes(options: Options, project: paths.Project, session_id: str | None) -> None:
    from helix_core.hooks import handover

    value = handover.read_synthesis(project.home, session_id)
    if value is None:
        raise RefusedError(
            "no session has kept a recall synthesis here"
            if session_id is None
            else f"session {session_id} has kept no recall synthesis here"
        )
    if as_json(options):
        output.emit_json(value)
        return
    output.line(f"OBJECTIVE: {value.get('objective', '')}")
    for key, title in TITLES.items():
        output.line(f"{title}:")
        entries = value.get(key)
        for entry in entries if isinstance(entries, list) else ():
            output.line(f"- {entry}")


def _clear_notes(options: Options, project: paths.Project, session_id: str) -> None:
    from helix_core.hooks import handover

    cleared = handover.drop_synthesis(project.home, session_id)
    text = "cleared" if cleared else "there was nothing to clear"
    output.emit_json({"cleared": cleared}) if as_json(options) else output.line(text)
