"""Operations of the LEARN phase: asking, looking at the queue, answering, dismissing."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

from helix_core.errors import RefusedError, UsageError
from helix_core.memory import answers, asking, questions
from helix_core.memory.context import Memory
from helix_core.model import Option
from helix_core.operations.registry import operation
from helix_core.store import view_questions
from helix_core.text import clean

CHAT_HEADER = 12
"""As long a header as Claude Code's question tool shows."""


@operation("learn-ask")
def _ask(mem: Memory, args: dict[str, Any]) -> Any:
    found = asking.ask(mem, args.get("document"), args.get("session") or None)
    return {
        "questions": [
            {**_shown(mem, item.question.id), "new": item.new, "chat": _chat(mem, item)}
            for item in found
        ],
        "warnings": [warning for item in found for warning in item.warnings],
    }


def _chat(mem: Memory, item: asking.Asked) -> dict[str, Any]:
    """The question as Claude Code's question tool takes it."""
    asked = item.question
    return {
        "question": asked.question,
        "header": clean.shorten(asked.header, CHAT_HEADER),
        "options": [
            {"label": option.label, "description": _described(option)} for option in asked.options
        ],
        "multiSelect": asked.multi_select,
    }


def _described(option: Option) -> str:
    """An option's description; where it has none, what choosing it would store."""
    stores = f"stores: {option.insight}" if option.insight else ""
    parts = [option.description or stores, option.evidence]
    return clean.shorten(clean.fold("; ".join(filter(None, parts))), 500) or option.label


@operation("learn-list")
def _list(mem: Memory, args: dict[str, Any]) -> Any:
    found = view_questions.queue(mem.conn, closed=bool(args.get("all")))
    return [asdict(line) for line in found]


@operation("learn-show")
def _show(mem: Memory, args: dict[str, Any]) -> Any:
    return _shown(mem, _number(args))


@operation("learn-evidence")
def _evidence(mem: Memory, args: dict[str, Any]) -> Any:
    return questions.about_tasks(mem, str(args.get("session") or ""))


@operation("learn-answer")
def _answer(mem: Memory, args: dict[str, Any]) -> Any:
    reply = answers.Reply(
        options=tuple(int(number) for number in args.get("options", ())),
        text=str(args.get("text") or ""),
        insight=str(args.get("insight") or ""),
        by=str(args.get("by") or ""),
    )
    asked, done = answers.answer(mem, _number(args), reply)
    return {
        **_shown(mem, asked.id),
        "done": done.said,
        "moved": [asdict(item) for item in done.moved],
    }


@operation("learn-dismiss")
def _dismiss(mem: Memory, args: dict[str, Any]) -> Any:
    return _shown(mem, answers.dismiss(mem, _number(args), str(args.get("by") or "")).id)


def _number(args: dict[str, Any]) -> int:
    number = args.get("id")
    if not isinstance(number, int):
        raise UsageError(f"a question is named by its number, not {number!r}")
    return number


def _shown(mem: Memory, question_id: int) -> dict[str, Any]:
    """One question as JSON: the fields of its line and of its detail in one object."""
    found = view_questions.detail(mem.conn, question_id)
    if found is None:
        raise RefusedError(f"there is no question {question_id}; helix learn list shows what waits")
    shown = asdict(found)
    return {**shown.pop("line"), **shown}
