"""What a person's answer does. The first one counts: whoever comes later is told.

An answer is one transaction: what it does to the memory, the state of the question, and the event
that `undo` walks back. Changes to insights go through the same functions as the command line.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from helix_core.errors import ChangedError, RefusedError, UsageError
from helix_core.memory import feedback, ledger, remember
from helix_core.memory.context import Memory
from helix_core.model import MAX_CONTENT, Insight, Option
from helix_core.store import (
    curation,
    edges,
    insights,
    journal,
    merging,
    plans,
    questions,
    results,
    retract,
    revisions,
    runs,
    trash,
)
from helix_core.store.connection import writing
from helix_core.store.questions import CANDIDATE, CONFLICT, CONTRADICTED, Question
from helix_core.text import clean, scanner

PLACES = {"chat": "in the chat", "tui": "in the dashboard", "cli": "on the command line"}
"""Where an answer can be given, as a person is told."""
USER_PROVIDED = "user-provided"
ANSWER_LIMIT = 2000
_ADVICE = re.compile(
    r"(?:when|whenever|if|before|after|while|unless|until|never|always)\s\S+\s\S", re.IGNORECASE
)


@dataclass(frozen=True)
class Reply:
    """What a person says: options by number from 1, words of their own, a text to be stored."""

    options: tuple[int, ...] = ()
    text: str = ""
    insight: str = ""
    """Stored instead of the text of the chosen options."""
    by: str = ""
    """chat, tui or cli; empty: where the change comes from."""


@dataclass
class Effects:
    """What an answer did: for the person, and for `undo`."""

    stored: list[Insight] = field(default_factory=list)
    moved: list[feedback.Moved] = field(default_factory=list)
    said: list[str] = field(default_factory=list)
    parts: list[int] = field(default_factory=list)
    """Curation events of their own."""
    touched: list[int] = field(default_factory=list)
    detail: dict[str, Any] = field(default_factory=dict)


def answer(mem: Memory, question_id: int, reply: Reply) -> tuple[Question, Effects]:
    """Answer a question; the question as it is now, and what the answer did.

    Raises RefusedError where there is no such question or a text may not be stored, ChangedError
    where it was answered or dismissed before, UsageError for a reply that does not fit.
    """
    asked = _open_question(mem, question_id)
    chosen = _chosen(asked, reply.options)
    texts = _texts(asked, chosen, reply)
    for text, tags in texts:
        _check(mem, question_id, text, tags)
    said = _words(chosen, reply)
    with writing(mem.conn):
        asked = _open_question(mem, question_id)
        done = Effects()
        for option in chosen:
            _act(mem, asked, option, done)
        for text, tags in texts:
            _keep(mem, asked, text, tags, done)
        stored = [insight.id for insight in done.stored]
        _close(mem, asked, "answered", said, reply.by, done, stored)
    done.said = done.said or ["recorded; nothing was stored"]
    return _required(mem, question_id), done


def dismiss(mem: Memory, question_id: int, by: str = "") -> Question:
    """Close a question without an answer; nothing is stored, and it is not asked again."""
    with writing(mem.conn):
        asked = _open_question(mem, question_id)
        _close(mem, asked, "dismissed", "", by, Effects(), ())
    return _required(mem, question_id)


def told(question: Question) -> str:
    """What somebody is told who comes too late."""
    place = PLACES.get(question.answered_by, "by rule")
    at = question.closed_at[:16].replace("T", " ")
    words = f": {clean.shorten(clean.fold(question.answer), 300)}" if question.answer else ""
    return f"question {question.id} was {question.state} already {place} at {at} UTC{words}"


def _required(mem: Memory, question_id: int) -> Question:
    found = questions.get(mem.conn, question_id)
    if found is None:
        raise RefusedError(f"there is no question {question_id}; helix learn list shows what waits")
    return found


def _open_question(mem: Memory, question_id: int) -> Question:
    found = _required(mem, question_id)
    if found.state != "open":
        raise ChangedError(told(found))
    return found


def _chosen(asked: Question, numbers: Sequence[int]) -> list[Option]:
    wanted = list(dict.fromkeys(numbers))
    for number in wanted:
        if not 1 <= number <= len(asked.options):
            last = len(asked.options)
            raise UsageError(f"question {asked.id} has options 1 to {last}, no {number}")
    if len(wanted) > 1 and not asked.multi_select:
        raise UsageError(f"question {asked.id} takes one option only")
    return [asked.options[number - 1] for number in wanted]


def _texts(asked: Question, chosen: list[Option], reply: Reply) -> list[tuple[str, list[str]]]:
    """The texts to store with their tags; a person's own words only if they are a lesson."""
    if not (chosen or reply.text.strip() or reply.insight.strip()):
        raise UsageError("an answer needs an option, a text or an insight")
    tags = [tag for option in chosen or asked.options for tag in option.tags]
    if reply.insight.strip():
        found = [(reply.insight, tags)]
    else:
        found = [(option.insight, list(option.tags)) for option in chosen if option.insight]
        words = reply.text.strip()
        if _ADVICE.match(words):
            found.append((words, [] if chosen else tags))
    scrubbed = [(clean.scrub(t, MAX_CONTENT + 1).strip(), tags) for t, tags in found]
    return [(text, remember.clean_tags([USER_PROVIDED, *tags])) for text, tags in scrubbed]


def _check(mem: Memory, question_id: int, text: str, tags: Sequence[str]) -> None:
    refusal = remember.refusal(text, tags)
    if refusal:
        with writing(mem.conn):
            journal.count_rejection(mem.conn, refusal, mem.moment)
        raise RefusedError(f"this text is refused ({refusal}); question {question_id} stays open")


def _words(chosen: Sequence[Option], reply: Reply) -> str:
    """The answer as it is kept and shown: the labels, then the person's own words."""
    own = reply.text.strip() or ("" if chosen else reply.insight.strip())
    parts = ["; ".join(option.label for option in chosen), scanner.mask(own)]
    return clean.shorten(clean.scrub(": ".join(filter(None, parts)), 10_000), ANSWER_LIMIT)


def _close(
    mem: Memory,
    asked: Question,
    state: str,
    words: str,
    by: str,
    done: Effects,
    stored: Sequence[int],
) -> None:
    place = by or ("tui" if mem.actor == "tui" else "cli")
    if place not in PLACES:
        raise UsageError(f"by must be one of {', '.join(PLACES)}, not {by!r}")
    if not questions.close(mem.conn, asked.id, state, words, place, mem.moment, stored):
        raise ChangedError(f"question {asked.id} is not open any more")
    revisions.record(
        mem.conn,
        "answer" if state == "answered" else "dismiss",
        mem.actor,
        list(dict.fromkeys(done.touched)),
        mem.now,
        detail={"question": asked.id, "parts": done.parts, **done.detail},
        reason=clean.shorten(f"{asked.header} {words}".strip(), 300),
    )


def _act(mem: Memory, asked: Question, option: Option, done: Effects) -> None:
    """What an option of one of helix's own questions does, beside storing its text."""
    if asked.kind == CONFLICT:
        _settle(mem, asked, option.value, done)
    elif asked.kind == CONTRADICTED:
        _judge(mem, asked, option.value, done)
    elif asked.kind == CANDIDATE and option.value == "accept":
        done.detail["tombstone"] = [asked.subject, trash.unbury(mem.conn, asked.subject)]


def _settle(mem: Memory, asked: Question, value: str, done: Effects) -> None:
    """Which of two insights holds. Of opposites the other one goes; else it is merged in.

    Where they say the same after all, the first is merged with the second, opposite words or not.
    """
    names = [str(name) for name in asked.evidence.get("names", ())]
    if value not in ("first", "second", "neither", "same") or len(names) != 2:
        return
    if value == "neither":
        keep, drops = "", names
    else:
        keep, drop = names[::-1] if value == "second" else names
        drops = [drop]
    drops = [name for name in drops if insights.get(mem.conn, name)]
    if not drops:
        return  # the memory is that way already
    who: dict[str, Any] = {
        "actor": mem.actor,
        "moment": mem.now,
        "reason": f"question {asked.id}",
        "keep_days": mem.settings.trash_days,
    }
    opposite = str(asked.evidence.get("differs", "")).startswith("polarity")
    if keep and (value == "same" or not opposite):
        done.parts.append(curation.merge(mem.conn, keep, drops[0], **who))
        done.said.append(f"{drops[0]} is merged into {keep}")
    else:
        done.parts.append(curation.discard(mem.conn, drops, **who))
        done.said.append(f"in the trash: {', '.join(drops)}")


def _judge(mem: Memory, asked: Question, outcome: str, done: Effects) -> None:
    """How a task ended: feedback of a person for what its agent was given."""
    run = runs.by_id(mem.conn, asked.agent_run_id) if asked.agent_run_id else None
    if run is None:
        raise RefusedError("the agent this is about is not on record any more")
    mark = f"answer-{asked.id}-{questions.times_answered(mem.conn, asked.id) + 1}"
    agent_id = run.agent_id or f"run-{run.id}"
    given = [item.insight_id for item in runs.injections(mem.conn, run.id)]
    done.detail["verdict"] = {
        "agent_id": agent_id,
        "mark": mark,
        "outcome": outcome,
        "run": run.id,
        "before": {
            "state": run.state,
            "outcome_source": runs.outcome_source(mem.conn, run.id),
            "feedback": run.feedback,
        },
        "noted": retract.noted(mem.conn, given),
    }
    done.touched += given
    runs.update(mem.conn, run.id, state=outcome, outcome_source="user")
    plan = plans.by_id(mem.conn, run.run_id) if run.run_id is not None else None
    if plan is not None:  # its last task may have come to an end with this
        done.detail["verdict"]["plan"] = [plan.run_id, plan.ended_at or None]
        ledger.settle(mem, plan.run_id)
    # Where credit has to wait for a vector, this is what is settled later.
    results.open_result(mem.conn, agent_id, mark, run.session_id, outcome, mem.moment)
    moved = feedback.for_run(mem, run, mark, outcome, "user")
    done.moved += moved or ()
    waits = "; its credit waits for the worker" if moved is None else ""
    done.said.append(f"the task counts as {outcome}{waits}")


def _keep(mem: Memory, asked: Question, text: str, tags: list[str], done: Effects) -> None:
    """Store a person's text beside everything like it, led to by what it corrects.

    A text that is there already, word for word, gets the tags of a person's and stays one row.
    """
    twin = insights.find_same_text(mem.conn, text)
    if twin is None:
        new = remember.store(mem, text, tags, source="user")
        if new.insight_id is None:
            raise RefusedError(f"this text is refused ({new.reason})")
        found = insights.by_ids(mem.conn, [new.insight_id])[new.insight_id]
        done.detail.setdefault("added", []).append(found.id)
        done.said.append(f"stored: {found.name}")
    else:
        found = twin
        event = curation.set_tags(
            mem.conn, twin.name, merging.union(twin.tags, tags), actor=mem.actor, moment=mem.now
        )
        done.parts += [] if event is None else [event]
        done.said.append(f"known already: {found.name}")
    done.stored.append(found)
    done.touched.append(found.id)
    for parent in _corrected(mem, asked):
        before = edges.weight_of(mem.conn, parent, found.id, "led_to")
        if edges.add_edges(mem.conn, [(parent, found.id, 1.0, "led_to")], mem.moment):
            edge = [parent, found.id, "led_to", before]
            done.detail.setdefault("edges", []).append(edge)
            done.touched.append(parent)


def _corrected(mem: Memory, asked: Question) -> list[int]:
    """The insights that an answer in a person's own words corrects."""
    if asked.corrects is not None:
        return list(insights.by_ids(mem.conn, [asked.corrects]))
    names = asked.evidence.get("names", ()) if asked.kind == CONFLICT else ()
    found = [insights.get(mem.conn, str(name)) for name in names]
    return [insight.id for insight in found if insight is not None]
