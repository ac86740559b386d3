"""The learn view's rows: the queue of questions, and the one that is looked at."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

from helix_core.store import insights, view_questions
from helix_tui import formats
from helix_tui.data.part import Desk, Part
from helix_tui.state import LearnView, LearnWanted, QuestionDetail

ALL = 200


def read(desk: Desk, wanted: LearnWanted, before: LearnView | None = None) -> LearnView:
    """The queue, what was closed behind it, and the wanted question or the first one."""
    conn = desk.conn
    lines = before.lines if before else tuple(view_questions.queue(conn, closed=True, limit=ALL))
    keys = [line.id for line in lines]
    key = wanted.key if wanted.key in keys else next(iter(keys), None)
    detail = view_questions.detail(conn, key) if key is not None else None
    return LearnView(
        lines=lines,
        open=sum(line.state == "open" for line in lines),
        detail=detail,
        stored=tuple(_text(desk, name) for name in detail.stored) if detail else (),
    )


def _text(desk: Desk, name: str) -> tuple[str, str]:
    found = insights.get(desk.conn, name)
    return name, found.content if found else ""


def facts(desk: Desk) -> dict[str, Any]:
    """Every question that waits, whole, and a line of each that is closed."""
    found = read(desk, LearnWanted())
    waiting = [
        view_questions.detail(desk.conn, line.id) for line in found.lines if line.state == "open"
    ]
    return {
        "open": [_flat(one) for one in waiting if one is not None],
        "closed": [asdict(line) for line in found.lines if line.state != "open"],
    }


def _flat(detail: QuestionDetail) -> dict[str, Any]:
    """The fields of its line and of the question in one object, as `helix learn show` has them."""
    shown = asdict(detail)
    return {**shown.pop("line"), **shown}


def text(found: dict[str, Any]) -> list[str]:
    """The questions as lines, with their evidence."""
    lines = [line for one in found["open"] for line in (*_asked(one), "")]
    if not lines:
        lines = ["No question waits.", ""]
    for one in found["closed"]:
        answer = f": {formats.literal(one['answer'])}" if one["answer"] else ""
        by = f" ({one['answered_by']})" if one["answered_by"] else ""
        lines.append(f"{one['id']} {one['state']}{by}{answer}  {_line(one['question'])}")
    return lines


def _asked(one: dict[str, Any]) -> list[str]:
    known = one["evidence"]
    task = f", task {formats.literal(one['task_id'])}" if one["task_id"] else ""
    lines = [f"question {one['id']} ({one['kind']}{task}): {_line(one['question'])}"]
    lines += [f"    {name}: {_line(known[name])}" for name in ("reason", "verify") if known[name]]
    if known["files"]:
        lines.append(f"    files: {_line(', '.join(known['files']))}")
    for given in (*known["injected"], *known["compared"]):
        score = formats.percent(given["effectiveness"])
        lines.append(f"    [{score}] {_line(given['content'] or given['name'])}")
        lines += [
            f"        led to by [{formats.percent(each['effectiveness'])}] {_line(each['name'])}"
            for each in given["ancestry"]
        ]
    for number, option in enumerate(one["options"], 1):
        stores = f"  stores: {_line(option['insight'])}" if option["insight"] else ""
        lines.append(f"  {number}. {_line(option['label'])}{stores}")
    return lines


def _line(text: str) -> str:
    return formats.literal(text)


PART: Part[LearnWanted, LearnView] = Part(LearnWanted, read, facts, text)
