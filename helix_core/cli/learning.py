"""The questions of the LEARN phase: ask, list, show, answer, dismiss, wait, evidence."""

from __future__ import annotations

import time
from typing import Any

from helix_core.cli import output
from helix_core.cli.registry import (
    SESSION,
    Options,
    arg,
    as_json,
    caller,
    command,
    known_session,
    number,
    read_document,
    read_text,
    remark,
    session_of,
)
from helix_core.errors import UsageError
from helix_core.text import clean

POLL_SECONDS = 0.3
WAIT_SECONDS = 100.0  # under the two minutes after which Claude Code ends a command
SHORT = 160
TAKES = {
    "ask": {"session"},
    "list": {"all"},
    "show": set[str](),
    "answer": {"option", "text", "insight", "by"},
    "dismiss": {"by"},
    "wait": {"timeout"},
    "evidence": {"session"},
}
"""Which options each action takes."""


@command(
    "learn",
    "the questions of the LEARN phase, and candidates that wait for a verdict",
    arg("action", choices=tuple(TAKES), metavar="ACTION", help=", ".join(TAKES)),
    arg("items", metavar="ID or FILE", nargs="*", help="ask: FILE or - (JSON); else ID"),
    arg("--all", action="store_true", default=None, help="list: closed ones too"),
    arg("--option", action="append", metavar="N[,N]", help="answer: the option chosen, from 1"),
    arg("--text", metavar="TEXT", help="answer: a person's own words, or - for standard input"),
    arg("--insight", metavar="TEXT", help="answer: store this text, not the option's; - too"),
    arg("--by", choices=("chat", "tui", "cli"), help="answer, dismiss: where it was given"),
    arg(
        "--timeout",
        type=number(0.0),
        metavar="S",
        help=f"wait: seconds (default {WAIT_SECONDS:.0f})",
    ),
    SESSION,
    answer="list, evidence: a list of questions or tasks; ask: an object: questions, warnings;"
    " wait: an object: questions, open; show, answer, dismiss: an object: id, kind, state, header,"
    " question, options, evidence, answer, answered_by, stored and more; answer also done, moved",
)
def learn(options: Options) -> int:
    """Run one action; the exit code."""
    given = {
        name for names in TAKES.values() for name in names if getattr(options, name) is not None
    }
    odd = sorted(given - TAKES[options.action])
    if odd:
        raise UsageError(f"helix learn {options.action} takes no --{odd[0]}")
    return _ACTIONS[options.action](options)


def _ask(options: Options) -> int:
    document = read_document((_items(options, 0, 1) or ["-"])[0], "questions")
    asked = {"document": document, "session": session_of(options)}
    found = caller(options).directly("learn-ask", asked)
    if as_json(options):
        output.emit_json(found)
        return 0
    for warning in found["warnings"]:
        remark(options, clean.fold(warning))
    for item in found["questions"]:
        known = "" if item["new"] else f" (asked before, {item['state']})"
        output.line(f"question {item['id']}{known}: {clean.fold(item['question'])}")
        _print_risky(item["evidence"])
    return 0


def _list(options: Options) -> int:
    _items(options, 0, 0)
    found = caller(options).directly("learn-list", {"all": bool(options.all)})
    if as_json(options):
        output.emit_json(found)
        return 0
    rows = [
        (
            str(item["id"]),
            item["state"],
            item["kind"] + (" !" if item["risky"] else ""),
            item["task_id"] or "-",
            item["created_at"][:16],
            clean.shorten(clean.fold(f"{item['header']}: {item['question']}"), SHORT)
            + (f" [{clean.shorten(clean.fold(item['answer']), SHORT)}]" if item["answer"] else ""),
        )
        for item in found
    ]
    if rows:
        output.table(("id", "state", "kind", "task", "asked", "question"), rows)
        if any(item["risky"] for item in found):
            output.line("! its agent was given an insight of a low lineage (helix learn show ID)")
    else:
        output.line("no question waits")
    return 0


def _show(options: Options) -> int:
    found = caller(options).directly("learn-show", {"id": _number(options)})
    output.emit_json(found) if as_json(options) else _print(found)
    return 0


def _answer(options: Options) -> int:
    if options.text == options.insight == "-":
        raise UsageError("only one of --text and --insight can come from standard input")
    asked = {
        "id": _number(options),
        "options": _numbers(options.option or []),
        "text": read_text(options.text or ""),
        "insight": read_text(options.insight or ""),
        "by": options.by,
    }
    who = caller(options)
    found = who.directly("learn-answer", asked)
    if found["stored"]:
        who.freshen()
    if as_json(options):
        output.emit_json(found)
        return 0
    output.line(f"question {found['id']} answered: {clean.fold(found['answer'])}")
    for said in found["done"]:
        output.line(f"  {clean.fold(said)}")
    for item in found["moved"]:
        output.line(f"  {item['name']}: {item['before']:.3f} -> {item['after']:.3f}")
    return 0


def _dismiss(options: Options) -> int:
    asked = {"id": _number(options), "by": options.by}
    found = caller(options).directly("learn-dismiss", asked)
    output.emit_json(found) if as_json(options) else output.line(
        f"question {found['id']} dismissed; nothing was stored (helix undo asks it again)"
    )
    return 0


def _evidence(options: Options) -> int:
    _items(options, 0, 0)
    found = caller(options).directly("learn-evidence", {"session": known_session(options)})
    if as_json(options):
        output.emit_json(found)
        return 0
    for item in found:
        output.line(f"task {item['task_id'] or '-'} ({item['agent_id'] or 'unknown agent'})")
        _print_evidence(item)
    if not found:
        output.line("every task of this session was delivered")
    return 0


def _wait(options: Options) -> int:
    """Poll until every named question is closed; exit code 1 where some are not in time."""
    numbers = [_as_number(item) for item in _items(options, 1, 20)]
    timeout = WAIT_SECONDS if options.timeout is None else options.timeout
    who = caller(options)
    _await_closed(options, numbers, time.monotonic() + timeout)
    found = [who.directly("learn-show", {"id": number}) for number in numbers]
    waiting = [item["id"] for item in found if item["state"] == "open"]
    if as_json(options):
        output.emit_json({"questions": found, "open": waiting})
        return 1 if waiting else 0
    for item in found:
        words = f": {clean.fold(item['answer'])}" if item["answer"] else ""
        output.line(f"question {item['id']} {item['state']}{words}")
    if waiting:
        names = ", ".join(str(number) for number in waiting)
        remark(options, f"still open after {timeout:g} s: {names}")
    return 1 if waiting else 0


def _await_closed(options: Options, numbers: list[int], deadline: float) -> None:
    """Return when none of these questions is open, or at the deadline (monotonic seconds)."""
    from helix_core.store import view_questions, views
    from helix_core.store.connection import open_store

    project = caller(options).project
    conn = open_store(project.database, readonly=True)
    seen = None
    try:
        while True:
            version = views.data_version(conn)
            if version != seen:
                seen = version
                if not view_questions.still_open(conn, numbers):
                    return
            left = deadline - time.monotonic()
            if left <= 0:
                return
            time.sleep(min(POLL_SECONDS, left))
    finally:
        conn.close()


def _items(options: Options, least: int, most: int) -> list[str]:
    items: list[str] = options.items
    if not least <= len(items) <= most:
        wanted = "no argument" if most == 0 else f"{least} to {most} arguments"
        wanted = "exactly one ID" if least == most == 1 else wanted
        raise UsageError(f"helix learn {options.action} takes {wanted}")
    return items


def _number(options: Options) -> int:
    return _as_number(_items(options, 1, 1)[0])


def _as_number(text: str) -> int:
    bare = text.removeprefix("#")
    if not (bare.isascii() and bare.isdigit() and len(bare) < 16):
        raise UsageError(f"a question is named by its number, not {text!r}")
    return int(bare)


def _numbers(values: list[str]) -> list[int]:
    parts = [part.strip() for value in values for part in value.split(",")]
    if any(not (part.isascii() and part.isdigit() and len(part) < 4) for part in parts):
        raise UsageError(f"--option takes numbers such as 1 or 1,3, not {','.join(values)!r}")
    return [int(part) for part in parts]


def _print(item: dict[str, Any]) -> None:
    """One question for a person: evidence first."""
    output.line(f"question {item['id']} ({item['kind']}, {item['state']}): {item['header']}")
    _print_evidence(item["evidence"])
    output.line(item["question"])
    for n, option in enumerate(item["options"], 1):
        more = "; ".join(filter(None, (option["description"], option["evidence"])))
        output.line(f"  {n}. {option['label']}{f' - {clean.fold(more)}' if more else ''}")
        if option["insight"]:
            output.line(f"     stores: {clean.fold(option['insight'])}")
    if item["multi_select"]:
        output.line("  (more than one may be chosen)")
    if item["state"] != "open":
        by = item["answered_by"]
        output.line(f"{item['state']} by {by} at {item['closed_at'][:16]}: {item['answer']}")
    for name in item["stored"]:
        output.line(f"  stored: {name}")


def _print_evidence(noted: dict[str, Any]) -> None:
    source = f" ({noted['source']})" if noted["source"] else ""
    for key, more in (("task", ""), ("outcome", source), ("reason", ""), ("verify", "")):
        if noted[key]:
            output.line(f"  {key}: {clean.fold(noted[key])}{more}")
    if noted["files"]:
        output.line(f"  files: {clean.fold(', '.join(noted['files']))}")
    for given in noted["injected"]:
        score = output.percent(given["effectiveness"])
        output.line(f"  given: [{score}] {given['name']}: {clean.fold(given['content'])}")
        for each in given["ancestry"]:
            gone = ", in the trash" if each["in_trash"] else ""
            score = output.percent(each["effectiveness"])
            output.line(f"    {'<- ' * each['steps']}[{score}{gone}] {each['name']}")
    _print_risky(noted)


def _print_risky(noted: dict[str, Any]) -> None:
    """Name the insights whose ancestors stand low."""
    for given in noted["injected"]:
        if given["risky"]:
            mean = output.percent(given["lineage"])
            output.line(
                f"  low lineage: {given['name']}: what it was led to by stands at {mean} on average"
            )


_ACTIONS = {
    "ask": _ask,
    "list": _list,
    "show": _show,
    "answer": _answer,
    "dismiss": _dismiss,
    "wait": _wait,
    "evidence": _evidence,
}
