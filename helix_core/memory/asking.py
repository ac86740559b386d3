"""The questions a session asks in its LEARN phase: checked, completed with evidence, queued.

What a question is about is looked up by the task or agent it names: the outcome and its reason, the
files, the verify command, and the insights that agent was given with those they came from.
"""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from typing import Any

from helix_core.errors import RefusedError
from helix_core.memory import questions, remember
from helix_core.memory.context import Memory
from helix_core.store import insights, runs
from helix_core.store import questions as rows
from helix_core.store.connection import writing
from helix_core.store.questions import ASKED, Question
from helix_core.text import question_form
from helix_core.text.question_form import Form
from helix_core.text.schema import Check


@dataclass(frozen=True)
class Asked:
    """One question as it stands in the queue, and whether it was opened now."""

    question: Question
    new: bool
    warnings: tuple[str, ...]


def ask(mem: Memory, document: Any, session_id: str | None = None) -> list[Asked]:
    """Queue the questions of a JSON document (see `question_form.read_forms`).

    All of them or none. The same question of the same session is one question: it is answered with
    what became of it. Raises UsageError that names every fault by its place, RefusedError where a
    agent or insight that is named is not there.
    """
    forms = _read(document)
    with writing(mem.conn):
        return [_ask(mem, form, session_id) for form in forms]


def _read(document: Any) -> list[Form]:
    check = Check()
    forms = question_form.read_forms(check, document)
    for form in forms:
        for n, option in enumerate(form.options):
            refusal = remember.refusal(option.insight, option.tags) if option.insight else ""
            if refusal:
                check.fault(f"{form.place}.options[{n}].insight", f"refused ({refusal})")
    check.done()
    return forms


def _ask(mem: Memory, form: Form, session_id: str | None) -> Asked:
    run = _run_of(mem, form, session_id)
    session = session_id or (run.session_id if run else None)
    evidence = _evidence(mem, form, run, session)
    missing = question_form.unquoted(form.question, evidence["reason"], evidence["files"])
    warnings = [f"{form.place}.question: {what}" for what in missing]
    if form.task and run is None:
        warnings.append(f"{form.place}.task: no builder worked on task {form.task!r}")
    subject = hashlib.sha256(f"{form.header}\0{form.question}".encode()).hexdigest()
    before = rows.latest(mem.conn, ASKED, subject, session)
    if before is not None and (session is not None or before.state == "open"):
        return Asked(before, False, tuple(warnings))
    corrects = insights.get(mem.conn, form.corrects) if form.corrects else None
    if form.corrects and corrects is None:
        raise RefusedError(f"{form.place}.corrects: there is no insight named {form.corrects!r}")
    question_id = questions.put(
        mem,
        kind=ASKED,
        header=form.header,
        question=form.question,
        options=form.options,
        evidence=evidence,
        subject=subject,
        session_id=session,
        agent_run_id=run.id if run else None,
        task_id=form.task or (run.task_id if run else None),
        multi_select=form.multi_select,
        corrects=corrects.id if corrects else None,
    )
    found = rows.get(mem.conn, question_id)
    if found is None:
        raise RefusedError(f"{form.place}: could not be queued")
    return Asked(found, True, tuple(warnings))


def _run_of(mem: Memory, form: Form, session_id: str | None) -> runs.AgentRun | None:
    """The agent run a question is about, by its agent id or else by its task."""
    if form.agent:
        run = runs.by_agent(mem.conn, form.agent)
        if run is None:
            raise RefusedError(f"{form.place}.agent: no agent {form.agent!r} is on record")
        return run
    run_id = rows.agent_of_task(mem.conn, session_id, form.task) if form.task else None
    return runs.by_id(mem.conn, run_id) if run_id is not None else None


def _evidence(
    mem: Memory, form: Form, run: runs.AgentRun | None, session_id: str | None
) -> dict[str, Any]:
    """What is on record about the run; what the question itself says about it comes first."""
    if run is not None:
        found = questions.evidence_of(mem, run)
    else:
        files = rows.files_of(mem.conn, session_id, form.task) if session_id and form.task else []
        found = {"reason": "", "files": files}
    if form.outcome:
        found["reason"] = form.outcome
    if form.files:
        found["files"] = list(form.files)
    return found
