"""The dashboard's read model of the LEARN phase: the queue, and one question whole.

Standard library and `viewrows` only; like `views`, every function reads all its rows at once. What
a question knows about its matter was noted when it was put, and is shown as it was then.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Sequence
from typing import Any

from helix_core.store import cells, insights, questions
from helix_core.store.questions import Question
from helix_core.viewrows import (
    AncestorLine,
    EvidenceView,
    QuestionDetail,
    QuestionLine,
    WitnessLine,
)

SHORT = 400
QUESTIONS = 200


def still_open(conn: sqlite3.Connection, numbers: Sequence[int]) -> list[int]:
    """Which of these questions wait; one that is not there does not."""
    marks = ",".join("?" * len(numbers))
    rows = conn.execute(
        f"SELECT id FROM question WHERE state = 'open' AND id IN ({marks}) ORDER BY id",
        list(numbers),
    ).fetchall()
    return [int(row[0]) for row in rows]


def queue(
    conn: sqlite3.Connection, *, closed: bool = False, limit: int = QUESTIONS
) -> list[QuestionLine]:
    """The open questions, newest first; with `closed` those behind them, last closed first."""
    rows = conn.execute(
        f"SELECT {questions.COLUMNS} FROM question WHERE state = 'open' OR ?"
        " ORDER BY state <> 'open', coalesce(closed_at, '') DESC, id DESC LIMIT ?",
        (int(closed), limit),
    ).fetchall()
    return [_line(questions.from_row(row)) for row in rows]


def detail(conn: sqlite3.Connection, question_id: int) -> QuestionDetail | None:
    """One question whole; None where there is none of that id."""
    found = questions.get(conn, question_id)
    if found is None:
        return None
    concerned = [*found.stored, *([] if found.corrects is None else [found.corrects])]
    names = insights.names_of(conn, concerned)
    return QuestionDetail(
        line=_line(found),
        question=found.question,
        options=found.options,
        multi_select=found.multi_select,
        corrects=names.get(found.corrects or 0, ""),
        evidence=_evidence(conn, found),
        stored=tuple(names[i] for i in found.stored if i in names),
    )


def _line(found: Question) -> QuestionLine:
    return QuestionLine(
        id=found.id,
        kind=found.kind,
        state=found.state,
        header=found.header,
        question=found.question[:SHORT],
        options=len(found.options),
        task_id=found.task_id or "",
        session_id=found.session_id or "",
        risky=bool(found.evidence.get("risky")),
        created_at=found.created_at,
        closed_at=found.closed_at,
        answered_by=found.answered_by,
        answer=found.answer,
    )


def _evidence(conn: sqlite3.Connection, found: Question) -> EvidenceView:
    noted = found.evidence
    return EvidenceView(
        **{
            name: cells.text(noted.get(name))
            for name in ("agent_id", "task", "outcome", "source", "verify", "differs")
        },
        reason=cells.text(noted.get("reason") or noted.get("says")),
        files=tuple(cells.text(path) for path in _list(noted.get("files"))),
        injected=tuple(_witness(item) for item in _list(noted.get("injected"))),
        compared=tuple(_compared(conn, noted)),
    )


def _list(value: object) -> list[Any]:
    return value if isinstance(value, list) else []


def _witness(item: Any) -> WitnessLine:
    """An insight that an agent was given; older questions hold its name only."""
    if not isinstance(item, dict):
        return WitnessLine(cells.text(item), "", None, None)
    ancestry = (
        AncestorLine(
            cells.text(each.get("name")),
            cells.whole(each.get("steps")),
            cells.share(each.get("effectiveness")),
            bool(each.get("in_trash")),
        )
        for each in _list(item.get("ancestry"))
        if isinstance(each, dict)
    )
    return WitnessLine(
        name=cells.text(item.get("name")),
        content=cells.text(item.get("content")),
        effectiveness=cells.maybe(item.get("effectiveness")),
        relevance=cells.maybe(item.get("relevance")),
        ancestry=tuple(ancestry),
        lineage=cells.maybe(item.get("lineage")),
        risky=bool(item.get("risky")),
    )


def _compared(conn: sqlite3.Connection, noted: dict[str, Any]) -> list[WitnessLine]:
    """The two sides of a conflict with how they stand now, or what was rejected before."""
    if noted.get("rejected"):
        name = cells.text(noted.get("rejected_name"))
        return [WitnessLine(name, cells.text(noted["rejected"]), None, None)]
    found = []
    for name, content in zip(_list(noted.get("names")), _list(noted.get("contents")), strict=False):
        row = insights.get(conn, cells.text(name))
        stands = row.effectiveness if row else None
        found.append(WitnessLine(cells.text(name), cells.text(content), stands, None))
    return found
