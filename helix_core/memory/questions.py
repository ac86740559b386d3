"""What is put to a person, with the evidence for it; and how the queue is kept short.

Helix asks by itself about three things: two insights that contradict each other (decision 13), an
outcome that the agent's own test run contradicts (decision 7), and a text like one that a person
threw out, which agents come up with again (decision 16). Each is asked once, whatever becomes of
the question. No more than 20 questions are open: the oldest makes room, helix's own before those a
session asked, and only such a one may be asked again. What answers do is in `answers`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from helix_core.constants import LINEAGE_DEPTH
from helix_core.memory import lineage
from helix_core.memory.context import Memory
from helix_core.model import Insight, Option
from helix_core.store import ancestry, questions, runs
from helix_core.store.questions import CANDIDATE, CONFLICT, CONTRADICTED
from helix_core.text import clean, scanner

MAX_OPEN = 20
MAX_PER_SESSION = 5
"""Open conflicts and candidates of one session: one talkative agent must not fill the queue."""
QUOTED = 800
CANDIDATES = (CONFLICT, CANDIDATE)


def put(mem: Memory, **question: Any) -> int:
    """Open a question (see `store.questions.ask`) and keep the queue short; its id."""
    questions.make_room(mem.conn, MAX_OPEN, mem.moment)
    return questions.ask(mem.conn, moment=mem.moment, **question)


def _put_once(mem: Memory, *, subject: str, run: runs.AgentRun | None, **question: Any) -> bool:
    """Open one of helix's own questions about insights; whether it was opened."""
    session_id = run.session_id if run else None
    if questions.latest(mem.conn, question["kind"], subject) is not None:
        return False
    if questions.open_of_session(mem.conn, session_id, CANDIDATES) >= MAX_PER_SESSION:
        return False
    put(
        mem,
        subject=subject,
        session_id=session_id,
        agent_run_id=run.id if run else None,
        task_id=run.task_id if run else None,
        **question,
    )
    return True


def _quoted(text: str) -> str:
    return repr(clean.shorten(text, QUOTED))


def about_conflict(
    mem: Memory, old: Insight, new: Insight, cosine: float, why: str, run: runs.AgentRun | None
) -> bool:
    """Ask which of two insights holds that only the guards keep apart; whether it was asked."""
    fate = "goes to the trash" if why.startswith("polarity") else "is merged into it"
    return _put_once(
        mem,
        subject="-".join(map(str, sorted((old.id, new.id)))),
        run=run,
        kind=CONFLICT,
        header="Which holds?",
        question="Two insights are about the same thing but do not agree."
        f" {old.name}: {_quoted(old.content)} {new.name}: {_quoted(new.content)}"
        " Which one holds?",
        options=[
            Option("Both hold", "both stay as they are", value="both"),
            Option("The first holds", f"{old.name} stays, the other {fate}", value="first"),
            Option("The second holds", f"{new.name} stays, the other {fate}", value="second"),
            Option(
                "They say the same",
                f"the two become one: {old.name} stays, with the record and the tags of both",
                value="same",
            ),
        ],
        evidence={
            "names": [old.name, new.name],
            "contents": [old.content, new.content],
            "cosine": round(cosine, 4),
            "differs": why,
        },
    )


def about_candidate(
    mem: Memory,
    text: str,
    tags: Sequence[str],
    tombstone: Mapping[str, Any],
    source: str,
    run: runs.AgentRun | None,
) -> bool:
    """Ask whether a text is wanted after all that is like a rejected one; whether it was asked.

    Once for each tombstone, however many wordings come up.
    """
    same = tombstone["content"] == text
    return _put_once(
        mem,
        subject=str(tombstone["content_hash"]),
        run=run,
        kind=CANDIDATE,
        header="Learn it after all?",
        question="This came up again, but was rejected before"
        f" ({tombstone['reason']}). {_quoted(text)}"
        + ("" if same else f" Rejected was: {_quoted(str(tombstone['content']))}")
        + " Should it be kept out?",
        options=[
            Option("Keep it out", "it stays rejected", value="reject"),
            Option("Store it", "stored as yours", value="accept", insight=text, tags=tuple(tags)),
        ],
        evidence={
            "content": text,
            "rejected": tombstone["content"],
            "rejected_name": tombstone["name"],
            "rejected_at": tombstone["created_at"],
            "source": source,
        },
    )


def about_outcome(mem: Memory, run: runs.AgentRun, state: str) -> int:
    """Ask how a task ended whose agent's words and last test run disagree; the question's id."""
    return put(
        mem,
        kind=CONTRADICTED,
        header="Which is right?",
        question=f"Agent {run.agent_id} says {state}, but its last run of"
        f" `{_noted(run.verify)}` says otherwise. How did the task end?",
        options=[
            Option(
                value.capitalize(),
                "counts for the insights it was given"
                + (", as the agent says" if value == state else ""),
                value=value,
            )
            for value in questions.VALUES[CONTRADICTED]
        ],
        evidence=evidence_of(mem, run),
        subject=_name(run),
        session_id=run.session_id,
        agent_run_id=run.id,
        task_id=run.task_id,
    )


def _name(run: runs.AgentRun) -> str:
    """What an agent run is called, also after its row was folded into the one of its call."""
    return run.agent_id or f"run-{run.id}"


def withdraw_outcome(mem: Memory, run: runs.AgentRun) -> None:
    """Take back the open question about how an agent's task ended: it has ended anew."""
    before = questions.latest(mem.conn, CONTRADICTED, _name(run))
    if before is not None and before.state == "open":
        why = "the agent has ended anew"
        questions.close(mem.conn, before.id, "dismissed", why, questions.DISPLACED_BY, mem.moment)


def settled_by_person(mem: Memory, run: runs.AgentRun) -> bool:
    """Whether a person has said how this agent's task ended."""
    return runs.outcome_source(mem.conn, run.id) == "user"


def evidence_of(mem: Memory, run: runs.AgentRun) -> dict[str, Any]:
    """What is known about an agent run: task, outcome and its reason, files, verify command, and
    each insight it was given with its effectiveness and its ancestors (`led_to`).

    `risky` names the given insights whose ancestors stand low (see `lineage`).
    """
    given = given_to(mem, run.id)
    return {
        "agent_id": run.agent_id,
        "task_id": run.task_id,
        "task": _noted(run.task),
        "outcome": run.state,
        "source": runs.outcome_source(mem.conn, run.id),
        "reason": _noted(run.summary),
        "verify": _noted(run.verify),
        "files": questions.files_of(mem.conn, run.session_id, run.task_id),
        "injected": given,
        "risky": [item["name"] for item in given if item["risky"]],
    }


def _noted(text: str | None) -> str:
    return clean.shorten(scanner.mask(text or ""), QUOTED)


def given_to(mem: Memory, run_id: int) -> list[dict[str, Any]]:
    """The insights an agent run was given, in the order shown, each with its lineage."""
    given = runs.injections(mem.conn, run_id)
    ids = [item.insight_id for item in given]
    parents = ancestry.parents(mem.conn, ids, LINEAGE_DEPTH)
    lines = {i: lineage.ancestors(parents, i) for i in ids}
    known = ancestry.standing(mem.conn, {*ids, *(a for line in lines.values() for a in line)})
    found = []
    for item in given:
        line = [(known[i], steps) for i, steps in lines[item.insight_id].items() if i in known]
        scores = [each.effectiveness for each, _ in line]
        now = known.get(item.insight_id)
        found.append(
            {
                "name": item.name,
                "content": clean.shorten(item.content, QUOTED),
                "effectiveness": now.effectiveness if now else item.effectiveness,
                "relevance": item.relevance,
                "ancestry": [
                    {
                        "name": each.name,
                        "steps": steps,
                        "effectiveness": each.effectiveness,
                        "in_trash": each.gone,
                    }
                    for each, steps in line
                ],
                "lineage": lineage.mean(scores),
                "risky": lineage.risky(scores),
            }
        )
    return found


def about_tasks(mem: Memory, session_id: str) -> list[dict[str, Any]]:
    """The evidence for every builder of a session that did not plainly deliver, oldest first."""
    ids = questions.undelivered(mem.conn, session_id)
    found = [runs.by_id(mem.conn, run_id) for run_id in ids]
    return [evidence_of(mem, run) for run in found if run is not None]
