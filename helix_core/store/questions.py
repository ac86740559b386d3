"""SQL for what waits for a person's judgement. Standard library only.

Every function that writes is called inside a write transaction of the caller. What may be asked,
and what an answer does, is decided above (`memory.questions`, `memory.answers`).
"""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

from helix_core.dag.tasks import task_key
from helix_core.model import Option
from helix_core.store import cells

ASKED = "asked"
CONFLICT = "conflict"
CONTRADICTED = "contradicted"
CANDIDATE = "candidate"
VALUES = {
    CONFLICT: ("both", "first", "second", "neither"),  # of older rows; new ones name theirs
    CONTRADICTED: ("delivered", "partial", "blocked"),
}
"""What the options of helix's own questions do, in their order."""
DISPLACED_BY = "maintenance"
"""Who dismissed a question that had to make room; it may be asked again."""
COLUMNS = (
    "id, kind, session_id, agent_run_id, task_id, header, question, options, evidence, state,"
    " answer, answered_by, created_at, closed_at, multi_select, corrects, subject, stored"
)


@dataclass(frozen=True)
class Question:
    """One question with its options, what is known about the matter, and what became of it."""

    id: int
    kind: str
    session_id: str | None
    agent_run_id: int | None
    task_id: str | None
    header: str
    question: str
    options: tuple[Option, ...]
    evidence: dict[str, Any]
    state: str
    """open, answered or dismissed."""
    answer: str
    answered_by: str
    """chat, tui or cli; `DISPLACED_BY` where it made room."""
    created_at: str
    closed_at: str
    multi_select: bool
    corrects: int | None
    """The insight that an answer would correct."""
    subject: str
    """What it is about, where that may be asked about only once."""
    stored: tuple[int, ...]
    """The insights that the answer stored or confirmed."""


def ask(
    conn: sqlite3.Connection,
    *,
    kind: str,
    header: str,
    question: str,
    options: Sequence[Option],
    evidence: Mapping[str, Any],
    moment: str,
    subject: str = "",
    session_id: str | None = None,
    agent_run_id: int | None = None,
    task_id: str | None = None,
    multi_select: bool = False,
    corrects: int | None = None,
) -> int:
    """Open a question; returns its id."""
    cursor = conn.execute(
        "INSERT INTO question(kind, session_id, agent_run_id, task_id, header, question, options,"
        " evidence, subject, multi_select, corrects, created_at)"
        " VALUES (?,?,?,?,?,?,?,?,?,?,?,?)",
        (
            kind,
            session_id,
            agent_run_id,
            task_id,
            header,
            question,
            json.dumps([asdict(option) for option in options], ensure_ascii=False),
            json.dumps(dict(evidence), ensure_ascii=False),
            subject,
            int(multi_select),
            corrects,
            moment,
        ),
    )
    return int(cursor.lastrowid or 0)


def get(conn: sqlite3.Connection, question_id: int) -> Question | None:
    """The question of that id, or None."""
    row = conn.execute(f"SELECT {COLUMNS} FROM question WHERE id = ?", (question_id,)).fetchone()
    return from_row(row) if row else None


def latest(
    conn: sqlite3.Connection, kind: str, subject: str, session_id: str | None = None
) -> Question | None:
    """The newest question of a kind about a subject, of one session where that is given.

    Questions that had to make room do not count.
    """
    row = conn.execute(
        f"SELECT {COLUMNS} FROM question WHERE kind = ? AND subject = ?"
        " AND (? IS NULL OR session_id = ?) AND NOT (state = 'dismissed' AND answered_by IS ?)"
        " ORDER BY id DESC LIMIT 1",
        (kind, subject, session_id, session_id, DISPLACED_BY),
    ).fetchone()
    return from_row(row) if row else None


def open_of_session(conn: sqlite3.Connection, session_id: str | None, kinds: Sequence[str]) -> int:
    """How many questions of these kinds a session has open; None: those of no session."""
    marks = ",".join("?" * len(kinds))
    row = conn.execute(
        "SELECT count(*) FROM question WHERE state = 'open' AND session_id IS ?"
        f" AND kind IN ({marks})",
        (session_id, *kinds),
    ).fetchone()
    return int(row[0])


def make_room(conn: sqlite3.Connection, keep: int, moment: str) -> None:
    """Dismiss the oldest open questions until fewer than `keep` are left.

    Helix's own go before those that a session asked.
    """
    conn.execute(
        "UPDATE question SET state = 'dismissed', answer = 'made room for newer questions',"
        " answered_by = ?, closed_at = ? WHERE id IN (SELECT id FROM question"
        " WHERE state = 'open' ORDER BY kind = ?, id"
        " LIMIT max(0, (SELECT count(*) FROM question WHERE state = 'open') - ?))",
        (DISPLACED_BY, moment, ASKED, keep - 1),
    )


def close(
    conn: sqlite3.Connection,
    question_id: int,
    state: str,
    answer: str,
    by: str,
    moment: str,
    stored: Sequence[int] = (),
) -> bool:
    """Answer or dismiss an open question; False where it is not open any more."""
    done = conn.execute(
        "UPDATE question SET state = ?, answer = ?, answered_by = ?, closed_at = ?, stored = ?"
        " WHERE id = ? AND state = 'open'",
        (state, answer, by, moment, json.dumps(list(stored)), question_id),
    )
    return done.rowcount > 0


def reopen(conn: sqlite3.Connection, question_id: int) -> bool:
    """Let a question wait again, as if nobody had answered; False where there is none."""
    done = conn.execute(
        "UPDATE question SET state = 'open', answer = NULL, answered_by = NULL, closed_at = NULL,"
        " stored = '[]' WHERE id = ?",
        (question_id,),
    )
    return done.rowcount > 0


def times_answered(conn: sqlite3.Connection, question_id: int) -> int:
    """How often a question was answered so far, answers taken back included."""
    row = conn.execute(
        "SELECT count(*) FROM curation_event WHERE action = 'answer' AND json_valid(detail)"
        " AND json_extract(detail, '$.question') = ?",
        (question_id,),
    ).fetchone()
    return int(row[0])


def files_of(conn: sqlite3.Connection, session_id: str, task_id: str | None) -> list[str]:
    """The files that the newest plan of a session names for a task."""
    if task_id is None:
        return []
    rows = conn.execute(
        "SELECT t.seq, t.relevant_files FROM task t JOIN run r ON r.run_id = t.run_id"
        " WHERE r.session_id = ? ORDER BY r.run_id DESC",
        (session_id,),
    ).fetchall()
    wanted = task_key(task_id)
    found = (files for seq, files in rows if task_key(cells.text(seq)) == wanted)
    return list(cells.names(next(found, None)))


def agent_of_task(conn: sqlite3.Connection, session_id: str | None, task_id: str) -> int | None:
    """The newest builder that worked on a task, of one session where that is given; its row id."""
    rows = conn.execute(
        "SELECT id, task_id FROM agent_run WHERE (? IS NULL OR session_id = ?)"
        " AND task_id IS NOT NULL AND agent_type LIKE '%builder' ORDER BY id DESC",
        (session_id, session_id),
    ).fetchall()
    wanted = task_key(task_id)
    return next((int(row[0]) for row in rows if task_key(cells.text(row[1])) == wanted), None)


def undelivered(conn: sqlite3.Connection, session_id: str) -> list[int]:
    """Row ids of a session's ended builders that did not plainly deliver, oldest first."""
    rows = conn.execute(
        "SELECT id FROM agent_run WHERE session_id = ? AND agent_type LIKE '%builder'"
        " AND state <> 'running' AND (state <> 'delivered' OR outcome_source = 'contradicted')"
        " ORDER BY id",
        (session_id,),
    ).fetchall()
    return [int(row[0]) for row in rows]


def from_row(row: Sequence[Any]) -> Question:
    """A question from a row of `COLUMNS`; an odd cell costs its value, never the row."""
    kind = cells.text(row[1])
    return Question(
        id=int(row[0]),
        kind=kind,
        session_id=_maybe(row[2]),
        agent_run_id=row[3] if isinstance(row[3], int) else None,
        task_id=_maybe(row[4]),
        header=cells.text(row[5]),
        question=cells.text(row[6]),
        options=_options(row[7], kind),
        evidence=_object(row[8]),
        state=cells.text(row[9]),
        answer=cells.text(row[10]),
        answered_by=cells.text(row[11]),
        created_at=cells.text(row[12]),
        closed_at=cells.text(row[13]),
        multi_select=bool(cells.whole(row[14])),
        corrects=row[15] if isinstance(row[15], int) else None,
        subject=cells.text(row[16]),
        stored=tuple(int(each) for each in cells.names(row[17]) if each.isdigit()),
    )


def _maybe(value: object) -> str | None:
    return None if value is None else cells.text(value)


def _loaded(cell: object) -> Any:
    try:
        return json.loads(cells.text(cell))
    except ValueError:
        return None


def _object(cell: object) -> dict[str, Any]:
    found = _loaded(cell)
    return found if isinstance(found, dict) else {}


def _options(cell: object, kind: str) -> tuple[Option, ...]:
    """The options; older rows hold their labels only, in the order of `VALUES`."""
    found = _loaded(cell)
    values = VALUES.get(kind, ())
    read = []
    for n, item in enumerate(found if isinstance(found, list) else ()):
        if isinstance(item, dict):
            texts = {k: cells.text(item.get(k)) for k in Option.__dataclass_fields__ if k != "tags"}
            tags = item.get("tags")
            kept = tuple(cells.text(tag) for tag in tags) if isinstance(tags, list) else ()
            read.append(Option(**texts, tags=kept))
        else:
            read.append(Option(cells.text(item), value=values[n] if n < len(values) else ""))
    return tuple(read)
