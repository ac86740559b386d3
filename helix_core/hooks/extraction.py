"""The end of an agent: status, outcome, insights, feedback, provenance, archive (spec; 6, 7).

Every part has its own error boundary and its own transaction, and marks itself as done in it: a
part that fails blocks no other, and a hook that fires twice, or again after a crash, does only what
is missing. The key is (agent, hash of the final message): a resumed agent with a new final message
is a new result for the same task.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

from helix_core import constants
from helix_core.errors import StoreError, StoreLockedError
from helix_core.hooks import binding, handover, plan
from helix_core.hooks.payload import MESSAGE_LIMIT, AgentEvent, agent_event
from helix_core.memory import feedback, ledger, questions, remember, upkeep
from helix_core.memory.context import Memory
from helix_core.store import plans, results, runs
from helix_core.store.connection import writing
from helix_core.text import clean, fields, handoff, lessons, markers, scanner, transcript, verify

MESSAGE_WAIT_SECONDS = 0.6
SUMMARY_LIMIT = 1000
ARCHIVE_LIMIT = 4000
CONTEXT_SHARE = 1450  # of the archive's line, for each of CONSTRAINTS and RISK_AREAS


@dataclass(frozen=True)
class Ended:
    """One ended agent: who it was, what it said, and what that means."""

    event: AgentEvent
    run: runs.AgentRun
    mark: str
    message: str
    outcome: markers.Outcome
    state: str
    source: str


def subagent_stop(mem: Memory, payload: dict[str, Any]) -> None:
    """Take in everything a finished agent leaves behind; idempotent."""
    event = agent_event(payload)
    if event is None:
        return
    message = event.message or late_message(event)
    outcome = markers.read_outcome(message, f"helix-{event.role}")
    ended = _ended(mem, event, message, outcome)
    _begin(mem, ended, status_written=bool(payload.get("_status_written")))
    parts: list[tuple[str, Callable[[Memory, Ended], None]]] = [
        ("status", _status),
        ("findings", _findings),
        ("plan", _plan),
        ("insights", _insights),
        ("derived", _derived),
        ("question", _question),
        ("feedback", _feedback),
        ("provenance", _provenance),
        ("archive", _archive),
    ]
    failed = [name for name, part in parts if not _guarded(mem, ended, name, part)]
    if "feedback" not in failed:
        handover.remove_injected(mem.project.home, event.agent_id)
    if failed:
        mem.note("error", f"agent {event.agent_id}: not done: {', '.join(failed)}")


def stop_failure(mem: Memory, payload: dict[str, Any]) -> None:
    """An agent that died on an API error: recorded as crashed, which is no feedback."""
    event = agent_event(payload)
    if event is None:
        return
    reason = event.message or event.error or "API error"
    outcome = markers.Outcome(
        "unknown", clean.shorten(clean.fold(scanner.mask(reason)), SUMMARY_LIMIT)
    )
    ended = replace(_ended(mem, event, reason, outcome), state="crashed", source="self")
    _begin(mem, ended, status_written=bool(payload.get("_status_written")))
    for name, part in (("status", _status), ("archive", _archive)):
        _guarded(mem, ended, name, part)
    handover.remove_injected(mem.project.home, event.agent_id)


def late_message(event: AgentEvent) -> str:
    """The final text from the transcript; it may be written a moment after the hook fires."""
    deadline = time.monotonic() + MESSAGE_WAIT_SECONDS
    while event.transcript is not None:
        text = transcript.final_message(event.transcript, agent_id=event.agent_id)
        if text:
            return clean.scrub(text[-MESSAGE_LIMIT:], MESSAGE_LIMIT)
        if time.monotonic() > deadline:
            break
        time.sleep(0.05)
    return ""


def _ended(mem: Memory, event: AgentEvent, message: str, outcome: markers.Outcome) -> Ended:
    run = binding.find(mem, event)
    if run is None or not (run.query or run.task):
        run = _from_own_prompt(mem, event, run)
    state = state_of(event, message, outcome)
    source = "self"
    if state in {"delivered", "partial", "blocked"} and run.verify and event.transcript:
        source = verify.check_outcome(state, run.verify, transcript.commands(event.transcript))
    # Of the masked text: an event that came through the spool is the same result.
    mark = results.message_hash(scanner.mask(message))
    return Ended(event, run, mark, message, outcome, state, source)


def state_of(event: AgentEvent, message: str, outcome: markers.Outcome) -> str:
    """The state an agent ends in: its marker's, and for an explorer whether it found anything."""
    if event.role != "explorer":
        return outcome.kind
    return "done" if handoff.read_findings(message) is not None else "unknown"


def _from_own_prompt(mem: Memory, event: AgentEvent, run: runs.AgentRun | None) -> runs.AgentRun:
    """An agent whose call no hook saw: its own first message says what its task is."""
    prompt = fields.read_prompt(transcript.first_prompt(event.transcript))
    known = {
        "task_id": prompt.task_id,
        "task": clean.shorten(prompt.task, 1000),
        "objective": clean.shorten(prompt.objective, 2000),
        "verify": clean.shorten(prompt.verify, 1000),
        "query": prompt.query,
        **binding.context_of(prompt),
    }
    known = {name: text for name, text in known.items() if text}
    if run is None:
        return binding.register(mem, event, tool_use_id=binding.call_of(event), **known)
    if known:
        with writing(mem.conn):
            # Its task may say which plan it was started for.
            plan_id = run.run_id or plans.run_for(mem.conn, run.session_id, prompt.task_id)
            runs.update(mem.conn, run.id, **{**known, "run_id": plan_id})
    return runs.by_id(mem.conn, run.id) or run


def _begin(mem: Memory, ended: Ended, *, status_written: bool) -> None:
    """Open the result, and let the run show its end at once."""
    with writing(mem.conn):
        done = results.open_result(
            mem.conn,
            ended.event.agent_id,
            ended.mark,
            ended.event.session_id,
            ended.state,
            mem.moment,
        )
        if status_written:  # while the database was locked
            results.finish_part(mem.conn, ended.event.agent_id, ended.mark, "status")
        if "question" in done and questions.settled_by_person(mem, ended.run):
            return  # the same message once more: a person has judged it since
        runs.update(
            mem.conn,
            ended.run.id,
            state=ended.state,
            outcome_source=ended.source,
            summary=ended.outcome.summary,
            ended_at=mem.moment,
            transcript_path=str(ended.event.transcript) if ended.event.transcript else None,
        )


def _guarded(mem: Memory, ended: Ended, name: str, part: Callable[[Memory, Ended], None]) -> bool:
    """Run one part once; False where it failed. A locked database ends the whole attempt."""
    try:
        with writing(mem.conn):
            if results.finish_part(mem.conn, ended.event.agent_id, ended.mark, name):
                part(mem, ended)
        return True
    except StoreLockedError:
        raise
    except (StoreError, OSError) as error:
        mem.note("error", f"{name} of agent {ended.event.agent_id}: {error}")
    except Exception as error:  # noqa: BLE001 - one part must not cost the others
        mem.note("error", f"{name} of agent {ended.event.agent_id}: {error!r}")
    return False


def status_line(
    event: AgentEvent, state: str, source: str, summary: str, **more: Any
) -> dict[str, Any]:
    """One line of `task-status.jsonl`."""
    return {
        "agent_id": event.agent_id,
        "agent_type": f"helix-{event.role}",
        "session_id": event.session_id,
        "outcome": state,
        "source": source,
        "summary": summary,
        **more,
    }


def _status(mem: Memory, ended: Ended) -> None:
    line = status_line(
        ended.event,
        ended.state,
        ended.source,
        ended.outcome.summary,
        task_id=ended.run.task_id,
        remaining=ended.outcome.remaining,
        ts=mem.moment,
    )
    handover.append_status(mem.project.home, line)


def _findings(mem: Memory, ended: Ended) -> None:
    if ended.event.role != "explorer":
        return
    found = handoff.read_findings(ended.message)
    if found is not None:
        found = {"session_id": ended.event.session_id, **found}
        handover.write_findings(mem.project.home, ended.event.agent_id, found)


def _plan(mem: Memory, ended: Ended) -> None:
    if ended.event.role == "planner" and ended.state == "plan_complete":
        plan.record_from_message(mem, ended.run, ended.message)
    elif ended.event.role == "builder":
        ledger.settle(mem, ended.run.run_id)


def _insights(mem: Memory, ended: Ended) -> None:
    found, refused = lessons.read_insights(ended.message)
    for item in found:
        done = remember.store(mem, item.content, item.tags, run=ended.run)
        _keep_child(mem, ended, done)
    for reason in refused:
        mem.note("info", f"INSIGHT of agent {ended.event.agent_id} not taken: {reason}")


def _derived(mem: Memory, ended: Ended) -> None:
    """A blocked or partial outcome becomes a lesson below neutral (decision 14)."""
    if ended.event.role != "builder" or ended.source == "contradicted":
        return
    reason = ended.outcome.remaining or ended.outcome.summary
    content = lessons.derive_content(ended.run.task or "", ended.outcome.kind, reason)
    if content is None:
        return
    done = remember.store(
        mem,
        content,
        ["derived", ended.outcome.kind],
        effectiveness=constants.DERIVED_EFFECTIVENESS,
        source="derived",
        run=ended.run,
    )
    _keep_child(mem, ended, done)


def _keep_child(mem: Memory, ended: Ended, done: remember.Stored) -> None:
    """A text that became a new row is a child of this result; a merged one was there before."""
    if done.status == "added" and done.insight_id is not None:
        results.add_child(mem.conn, ended.event.agent_id, ended.mark, done.insight_id)


def _question(mem: Memory, ended: Ended) -> None:
    """A contradicted outcome goes to a person instead of to the insights (decision 7)."""
    questions.withdraw_outcome(mem, ended.run)
    if ended.source != "contradicted":
        return
    run = runs.by_id(mem.conn, ended.run.id) or ended.run
    questions.about_outcome(mem, run, ended.state)


def _feedback(mem: Memory, ended: Ended) -> None:
    run = runs.by_id(mem.conn, ended.run.id) or ended.run
    moved = feedback.for_run(mem, run, ended.mark, ended.state, ended.source)
    for item in moved or ():
        mem.note(
            "info",
            f"{item.name} {item.before:.3f} -> {item.after:.3f} ({ended.state},"
            f" similarity {item.similarity:.2f}, weight {item.weight:.2f})",
        )


def _provenance(mem: Memory, ended: Ended) -> None:
    run = runs.by_id(mem.conn, ended.run.id) or ended.run
    upkeep.connect_children(mem, run, ended.mark)


def _archive(mem: Memory, ended: Ended) -> None:
    """One searchable line; CONSTRAINTS and RISK_AREAS enrich the summary, not the reason."""
    reason = ended.outcome.remaining or ended.outcome.summary
    summary = ended.outcome.summary
    for label, text in (
        ("CONSTRAINTS", ended.run.constraints),
        ("RISK_AREAS", ended.run.risk_areas),
    ):
        if text:
            summary += f" [{label}: {clean.shorten(clean.fold(text), CONTEXT_SHARE)}]"
    results.archive(
        mem.conn,
        agent_id=ended.event.agent_id,
        agent_type=f"helix-{ended.event.role}",
        task_id=ended.run.task_id,
        outcome=ended.state,
        summary=clean.shorten(summary, ARCHIVE_LIMIT),
        reason=clean.shorten(reason, SUMMARY_LIMIT),
        mark=ended.mark,
        session_id=ended.event.session_id,
        agent_run_id=ended.run.id,
        moment=mem.moment,
    )
