"""Which agent runs on which call: binding `agent_id` to `tool_use_id` (decision 1).

Certain sources, in order: PostToolUse, the agent's `meta.json`, its own first message. A guess is
made only where a single call can be meant, and a certain source overrules it.
"""

from __future__ import annotations

import hashlib
from pathlib import Path
from typing import Any

from helix_core import atomic, clock
from helix_core.formulas import OUTCOME_VALUES
from helix_core.hooks import handover
from helix_core.hooks.payload import AgentEvent
from helix_core.memory import ledger
from helix_core.memory.context import Memory
from helix_core.store import runs
from helix_core.store.connection import writing
from helix_core.text import clean, fields, transcript

UNKNOWN = "objective unknown"
CONTEXT_LIMIT = 6000
CARRIED = ("started_at", "transcript_path", "state", "ended_at", "summary", "outcome_source")


def prompt_hash(prompt: str) -> str:
    """The identity of a prompt as an agent received it."""
    return hashlib.sha256(prompt.strip().encode("utf-8", "replace")).hexdigest()[:32]


def context_of(prompt: fields.Prompt) -> dict[str, str]:
    """What the orchestrator told an agent beside its task, as columns."""
    told = {"constraints": prompt.constraints, "risk_areas": prompt.risk_areas}
    return {name: clean.shorten(text, CONTEXT_LIMIT) for name, text in told.items()}


def bind(mem: Memory, session_id: str, agent_id: str, tool_use_id: str) -> runs.AgentRun | None:
    """Bind an agent to its call, for certain; returns the run, None where the call is unknown."""
    with writing(mem.conn):
        run = runs.by_tool_use(mem.conn, session_id, tool_use_id)
        if run is None:
            return None
        if run.agent_id == agent_id:
            return run
        other = runs.by_agent(mem.conn, agent_id)
        if other is not None:
            _release(mem, other, run)
        runs.update(mem.conn, run.id, agent_id=agent_id)
        if run.agent_id is not None:
            _put_out(mem, run, run.agent_id)
    for each in filter(None, (agent_id, run.agent_id)):
        bound = runs.by_agent(mem.conn, each)
        if bound is not None:
            write_sideband(mem, bound)
    return runs.by_agent(mem.conn, agent_id)


def _put_out(mem: Memory, run: runs.AgentRun, agent_id: str) -> None:
    """An agent that was taken for this call by a guess goes on under a row of its own."""
    runs.create(
        mem.conn,
        run.session_id,
        run.agent_type,
        mem.moment,
        agent_id=agent_id,
        started_at=mem.moment,
        note=UNKNOWN,
    )


def _release(mem: Memory, other: runs.AgentRun, run: runs.AgentRun) -> None:
    """Take the agent from the row it was registered under, and what that row knew of it."""
    runs.update(mem.conn, other.id, agent_id=None)
    if other.tool_use_id is not None:  # a guess that was wrong: that call waits for its own agent
        handover.remove_injected(mem.project.home, other.agent_id or "")
        return
    row = mem.conn.execute(
        f"SELECT {', '.join(CARRIED)} FROM agent_run WHERE id = ?", (other.id,)
    ).fetchone()
    known = {k: v for k, v in zip(CARRIED, row, strict=True) if v is not None}
    if other.state in OUTCOME_VALUES and runs.injections(mem.conn, run.id):
        known["feedback"] = "pending"  # it ended before anybody knew what it had been given
    runs.merge_into(mem.conn, run.id, other.id)
    if known:
        runs.update(mem.conn, run.id, **known)
        ledger.settle(mem, run.run_id)


def call_of(event: AgentEvent) -> str | None:
    """The call an agent runs on by the `meta.json` beside its transcript, where it is there."""
    if event.transcript is None:
        return None
    tool_use_id = transcript.read_meta(transcript.meta_path(event.transcript)).get("toolUseId")
    return clean.scrub(tool_use_id, 200) or None if isinstance(tool_use_id, str) else None


def from_meta(mem: Memory, event: AgentEvent) -> runs.AgentRun | None:
    """Bind by the `meta.json` beside the agent's transcript, where it is there."""
    tool_use_id = call_of(event)
    if tool_use_id is None:
        return None
    return bind(mem, event.session_id, event.agent_id, tool_use_id)


def from_first_message(mem: Memory, event: AgentEvent) -> runs.AgentRun | None:
    """Bind by the prompt the agent received, where exactly one open call carried it."""
    if event.transcript is None:
        return None
    prompt = transcript.first_prompt(event.transcript)
    if not prompt:
        return None
    mark = prompt_hash(prompt)
    same = [
        run
        for run in runs.unbound(mem.conn, event.session_id, agent_type(event.role))
        if run.prompt_hash == mark
    ]
    if len(same) != 1 or same[0].tool_use_id is None:
        return None
    return bind(mem, event.session_id, event.agent_id, same[0].tool_use_id)


def agent_type(role: str) -> str:
    """The type under which an agent is kept, however it was addressed."""
    return f"helix-{role}"


def find(mem: Memory, event: AgentEvent) -> runs.AgentRun | None:
    """The run of an agent that ended, by every certain source; None where none knows it."""
    certain = from_meta(mem, event)
    if certain is not None:
        return certain
    known = runs.by_agent(mem.conn, event.agent_id)
    if known is None or known.tool_use_id is None:
        return from_first_message(mem, event) or known
    if call_of(event) in (None, known.tool_use_id):
        return known
    with writing(mem.conn):  # the guess was wrong, and no hook saw the agent's own call
        runs.update(mem.conn, known.id, agent_id=None)
    return None


def register(mem: Memory, event: AgentEvent, **values: object) -> runs.AgentRun:
    """A run for an agent whose call is not known (yet)."""
    with writing(mem.conn):
        known = runs.by_agent(mem.conn, event.agent_id)
        if known is None:
            runs.create(
                mem.conn,
                event.session_id,
                agent_type(event.role),
                mem.moment,
                agent_id=event.agent_id,
                started_at=mem.moment,
                transcript_path=str(event.transcript) if event.transcript else None,
                **values,
            )
            known = runs.by_agent(mem.conn, event.agent_id)
    assert known is not None
    return known


def write_sideband(mem: Memory, run: runs.AgentRun) -> None:
    """The hand-over file of a running agent: its objective, what it was given, its query vector."""
    if run.agent_id is None or run.state != "running":
        return
    given = runs.injections(mem.conn, run.id)
    value: dict[str, Any] = {
        "agent_id": run.agent_id,
        "session_id": run.session_id,
        "tool_use_id": run.tool_use_id,
        "agent_type": run.agent_type,
        "task_id": run.task_id,
        "objective": run.query or UNKNOWN,
        "injected": [item.name for item in given],
        "mode": run.mode,
        "embedding_model": run.embedding_model,
        "query_embedding": run.query_vector.hex() if run.query_vector else None,
        "constraints": run.constraints or "",
        "risk_areas": run.risk_areas or "",
    }
    atomic.write_json(handover.injected_file(mem.project.home, run.agent_id), value)


def bind_from_meta(mem: Memory) -> int:
    """Bind running agents whose `meta.json` has appeared; the worker calls this every moment.

    In the foreground the client reports the binding only when the agent is done: without this a
    running agent would be shown without its insights.
    """
    bound = 0
    rows = mem.conn.execute(
        "SELECT session_id, agent_id, agent_type, transcript_path FROM agent_run"
        " WHERE state = 'running' AND tool_use_id IS NULL AND transcript_path IS NOT NULL"
        " AND created_at >= ?",
        (clock.iso(mem.now.replace(hour=0, minute=0, second=0)),),
    ).fetchall()
    for session_id, agent_id, _, path in rows:
        meta = transcript.read_meta(transcript.meta_path(Path(path)))
        tool_use_id = meta.get("toolUseId")
        if isinstance(tool_use_id, str) and tool_use_id:
            bound += bind(mem, session_id, agent_id, tool_use_id) is not None
    return bound
