"""`helix dag`: the ledger of the plan. It is read and written here, and decides nothing."""

from __future__ import annotations

import argparse
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from helix_core.cli import dag_text, output
from helix_core.cli.registry import (
    COMMANDS,
    SESSION,
    Command,
    Options,
    arg,
    as_json,
    caller,
    json_line,
    number,
    read_text,
    session_of,
    shared_options,
    whole,
)
from helix_core.errors import UsageError

RUN_KEYS = (
    "run, session_id, objective, started_at, ended_at, confirmed_at, replaces, valid, errors,"
    " warnings"
)
TASK_KEYS = (
    "seq, slug, state, blocked_by, attempts, agent_id, source, summary, decided, reason, replaces,"
    " tool_task_id"
)
Argument = tuple[tuple[str, ...], dict[str, Any]]
RUN = arg(
    "--run",
    dest="run_id",
    type=whole(),
    metavar="N",
    help="the run (default: the newest of the session)",
)
SEQ = arg("seq", metavar="SEQ", help="the number of a task")
REASON = arg("--reason", default="", metavar="TEXT", help="why, or - for standard input")
WAIT_SECONDS = 110.0
"""How long `wait` waits by itself: a little less than the client gives a shell command."""
STALL_SECONDS = 300.0
Act = Callable[[Options], int | None]
ACTIONS: list[tuple[str, str, tuple[Argument, ...], Act, str]] = []
WAYS = ("skip", "retry", "delivered", "partial", "blocked", "link", "replan")


def action(name: str, help_text: str, *arguments: Argument, answer: str) -> Callable[[Act], Act]:
    """Register one action of `helix dag`; `answer`: what `--json` prints."""

    def register(run: Act) -> Act:
        ACTIONS.append((name, help_text, (*arguments, SESSION, RUN), run, answer))
        return run

    return register


@action(
    "plan",
    "record a plan, or confirm the one that a planner's end has recorded",
    arg("file", metavar="FILE", nargs="?", help="the plan's JSON, or - for standard input"),
    arg("--check", action="store_true", help="only say what is wrong with it"),
    answer="an object: status, run, session_id, errors, warnings, tasks",
)
def plan(options: Options) -> int:
    """Validate and record; exit code 1 for a plan with errors, of which nothing is recorded."""
    text = None if options.file is None else read_plan_text(options.file)
    if options.check and text is not None:
        found = dag_text.checked(text)
    elif options.check:
        raise UsageError("which plan? (helix dag plan --check FILE, or - for standard input)")
    else:
        found = caller(options).directly("dag-plan", {"text": text, **_meant(options)})
    _show(options, found, dag_text.plan_lines)
    return 1 if found["errors"] else 0


def read_plan_text(value: str) -> str:
    """What a plan's argument holds: inline JSON, standard input for `-`, or a file's content."""
    if value == "-" or value.lstrip()[:1] in ("[", "{"):
        return read_text(value)
    try:
        return Path(value).read_text(encoding="utf-8", errors="replace")
    except (OSError, ValueError) as error:
        raise UsageError(f"cannot read {value!r}: {getattr(error, 'strerror', error)}") from None


@action(
    "status",
    "the state of every task; what is ready, running or stalled, and why",
    answer=f"an object: {RUN_KEYS}, counts, tasks, ready, running, stalled, waiting",
)
def status(options: Options) -> None:
    """Print where the run stands."""
    found = caller(options).directly("dag-status", _meant(options))
    _show(options, found, dag_text.status_lines)


@action(
    "ready",
    "the tasks that may start now, with all that a builder needs",
    answer=f"an object: {RUN_KEYS}, tasks",
)
def ready(options: Options) -> int:
    """Print the ready tasks; exit code 1 for a plan with errors."""
    found = caller(options).directly("dag-ready", _meant(options))
    _show(options, found, dag_text.ready_lines)
    return 0 if found["valid"] else 1


@action(
    "show",
    "the whole plan, or one task with everybody who tried it",
    arg("seq", metavar="SEQ", nargs="?", help="the number of a task"),
    answer=f"an object: {RUN_KEYS}, layers, tasks; of one task: run, {TASK_KEYS}, description,"
    " relevant_files, verify, decided_by, decided_at, tried, blocks",
)
def show(options: Options) -> None:
    """Print a plan or a task."""
    found = caller(options).directly("dag-show", {"seq": options.seq, **_meant(options)})
    one = options.seq is not None
    _show(options, found, dag_text.task_lines if one else dag_text.show_lines)


@action(
    "deliveries",
    "what the tasks that a task waits for have delivered",
    SEQ,
    answer="an object: run, seq, parents",
)
def deliveries(options: Options) -> None:
    """Print the parents' summaries, as PARENT_DELIVERIES has them."""
    found = caller(options).directly("dag-deliveries", {"seq": options.seq, **_meant(options)})
    _show(options, found, dag_text.delivery_lines)


@action(
    "wait",
    "wait until the agents of tasks have ended",
    arg("seqs", metavar="SEQ", nargs="+", help="the numbers of the tasks"),
    arg("--any", action="store_true", help="until one of them has ended"),
    arg("--all", action="store_true", help="until all have ended (the default)"),
    arg("--timeout", type=number(0.0), default=WAIT_SECONDS, metavar="S",
        help=f"seconds at most (default: {WAIT_SECONDS:.0f})"),
    arg("--stall", type=number(0.0), default=STALL_SECONDS, metavar="S",
        help="end where an agent's transcript has stood still for so many seconds"),
    answer="an object: done, reason, seconds, ended, missing",
)  # fmt: skip
def wait(options: Options) -> int:
    """Wait; exit code 1 where one is missing, standing still or not done in time."""
    from helix_core.cli import dag_wait

    if options.any and options.all:
        raise UsageError("--any or --all, not both")
    seqs = [seq for given in options.seqs for seq in given.replace(",", " ").split()]
    found = dag_wait.wait(
        caller(options).project,
        seqs,
        session=session_of(options),
        run_id=options.run_id,
        any_one=options.any,
        timeout=options.timeout,
        stall=options.stall,
    )
    _show(options, found, dag_text.wait_lines)
    return 0 if found["done"] else 1


@action(
    "set",
    "decide about a task: skip, retry, delivered, partial, blocked, link ID, replan FILE",
    SEQ,
    arg("way", metavar="ACTION", choices=WAYS, help=", ".join(WAYS)),
    arg("value", metavar="VALUE", nargs="?", help="link: the id; replan: a file, or -"),
    REASON,
    arg("--subtree", action="store_true",
        help="replan: the new tasks also take the place of all that hangs on SEQ alone"),
    answer=f"an object: run, {TASK_KEYS}; for replan also new, gone, moved",
)  # fmt: skip
def set_task(options: Options) -> None:
    """Note a decision."""
    wants = options.way in ("link", "replan")
    if wants != (options.value is not None):
        told = "needs a value" if wants else "takes no value"
        raise UsageError(f"helix dag set SEQ {options.way} {told}")
    if options.value == "-" and options.reason == "-":
        raise UsageError("standard input can be the plan or the reason, not both")
    asked = {
        "seq": options.seq,
        "action": options.way,
        "value": read_plan_text(options.value) if options.way == "replan" else options.value,
        "reason": read_text(options.reason),
        "subtree": options.subtree,
        **_meant(options),
    }
    _show(options, caller(options).directly("dag-set", asked), dag_text.set_lines)


def _meant(options: Options) -> dict[str, Any]:
    """Which run is meant."""
    return {"session": session_of(options), "run": options.run_id}


def _show(options: Options, found: Any, lines: Callable[[Any], Sequence[str]]) -> None:
    if as_json(options):
        output.emit_json(found)
        return
    for line in lines(found):
        output.line(line)


def _arguments(parser: argparse.ArgumentParser) -> None:
    actions = parser.add_subparsers(dest="action", metavar="ACTION", required=True)
    for name, help_text, arguments, run, answer in ACTIONS:
        sub = actions.add_parser(
            name,
            help=help_text,
            description=help_text,
            epilog=json_line(answer),
            parents=[shared_options()],
        )
        for flags, options in arguments:
            sub.add_argument(*flags, **options)
        sub.set_defaults(act=run)


def _run(options: Options) -> int | None:
    act: Act = options.act
    return act(options)


COMMANDS.append(Command("dag", "the task graph of a plan", _arguments, _run))
