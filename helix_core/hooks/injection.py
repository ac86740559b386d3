"""Giving each agent the insights for its own task (decisions 1 to 5).

PreToolUse treats the prompt itself and records what it put there under the call's id. The first
committed set of a call is what every later caller returns, so that nothing unseen gets credit.
SubagentStart is the fallback for an agent whose call was never treated.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from helix_core import holdout
from helix_core.hooks import binding, choosing, frame
from helix_core.hooks.payload import AgentCall, AgentEvent, agent_call, agent_event
from helix_core.memory import inject, recall
from helix_core.memory.context import Memory
from helix_core.model import Given, Recall
from helix_core.store import insights, offers, runs, vectors
from helix_core.store.connection import writing
from helix_core.text import clean, fields, transcript
from helix_core.text.roles import agent_role

FED_ROLES = frozenset({"builder", "planner"})


@dataclass(frozen=True)
class Injection:
    """What a call gets: the text for its prompt, and the run it was recorded under."""

    text: str
    run: runs.AgentRun


def pre_tool_use(mem: Memory, payload: dict[str, Any]) -> dict[str, Any] | None:
    """Recall for this prompt; returns the changed tool input, or None to leave it alone."""
    call = agent_call(payload)
    if call is None or not call.session_id:
        return None
    done = inject_into(mem, call)
    if done is None or not done.text or done.text in call.prompt:
        return None
    treated = f"{call.prompt.rstrip()}\n\n{done.text}"
    return {
        "hookSpecificOutput": {
            "hookEventName": "PreToolUse",
            "updatedInput": {**call.tool_input, "prompt": treated},
        }
    }


def inject_into(mem: Memory, call: AgentCall, source: str = "hook") -> Injection | None:
    """Choose, claim and record the insights of one call; idempotent by its id."""
    prompt = fields.read_prompt(call.prompt)
    tool_use_id = call.tool_use_id or f"prompt:{binding.prompt_hash(call.prompt)}"
    known = runs.by_tool_use(mem.conn, call.session_id, tool_use_id)
    if known is not None:
        return Injection(_rendered(mem, known, call), known)
    wants = call.role in FED_ROLES and not prompt.has_insights and bool(prompt.query)
    query = choosing.query_of(mem, prompt)
    found = inject.rank(mem, query) if wants else Recall(ranked=())
    with writing(mem.conn):
        known = runs.by_tool_use(mem.conn, call.session_id, tool_use_id)
        if known is None:
            known = _record(mem, call, tool_use_id, prompt, query, found)
            if wants:
                _claim(mem, known, query, found, source)
            elif prompt.has_insights:
                _attribute_offered(mem, known, prompt)
            text = _rendered(mem, known, call)
            treated = f"{call.prompt.rstrip()}\n\n{text}" if text else call.prompt
            runs.update(mem.conn, known.id, prompt_hash=binding.prompt_hash(treated))
            return Injection(text, known)
    return Injection(_rendered(mem, known, call), known)


def _record(
    mem: Memory,
    call: AgentCall,
    tool_use_id: str,
    prompt: fields.Prompt,
    query: recall.Query,
    found: Recall,
) -> runs.AgentRun:
    given_by = "orchestrator" if prompt.has_insights else found.mode
    if mem.profile is None and not prompt.has_insights:
        given_by = "keyword"
    run_id = runs.create(
        mem.conn,
        call.session_id,
        binding.agent_type(call.role),
        mem.moment,
        tool_use_id=tool_use_id,
        task_id=prompt.task_id,
        task=clean.shorten(prompt.task, 1000),
        objective=clean.shorten(prompt.objective, 2000),
        verify=clean.shorten(prompt.verify, 1000),
        query=prompt.query,
        query_vector=vectors.pack(query.vector) if query.vector else None,
        embedding_model=mem.profile.name if query.vector and mem.profile else None,
        mode=given_by,
        note=found.note,
        **binding.context_of(prompt),
    )
    run = runs.by_id(mem.conn, run_id)
    assert run is not None
    return run


def _claim(
    mem: Memory, run: runs.AgentRun, query: recall.Query, found: Recall, source: str
) -> None:
    """Record what this call gets. The place of an insight that is held out stays empty."""
    claimed = runs.claimed(mem.conn, run.session_id, mem.now)
    chance = mem.settings.holdout
    for rank, item in enumerate(choosing.select(mem, query, found, claimed), 1):
        given = choosing.given(item)
        withheld = holdout.withheld(run.session_id, run.tool_use_id or "", item.insight.id, chance)
        runs.add_injection(
            mem.conn,
            run,
            given,
            rank=rank,
            value=item.value,
            chars=0 if withheld else len(frame.line(given)),
            source=source,
            moment=mem.moment,
            withheld=withheld,
            probability=chance or None,
        )


def _attribute_offered(mem: Memory, run: runs.AgentRun, prompt: fields.Prompt) -> None:
    """Names in a prompt are believed only where batch-inject offered them for this task."""
    for rank, name in enumerate(prompt.injected[:10], 1):
        insight = insights.get(mem.conn, name)
        offer = insight and offers.find(mem.conn, run.session_id, insight.id, run.task_id)
        if insight is None or not offer:
            mem.note("warn", f"INJECTED names {name!r}, which was not offered for this task")
            continue
        given = Given(
            insight.id,
            name,
            insight.content,
            insight.tags,
            offer.effectiveness,
            offer.relevance,
            offer.score,
            0,
        )
        runs.add_injection(
            mem.conn,
            run,
            given,
            rank=rank,
            value=None,
            chars=0,
            source="orchestrator",
            moment=mem.moment,
        )


def _rendered(mem: Memory, run: runs.AgentRun, call: AgentCall) -> str:
    """The text a call's prompt gets: what was committed for it, or why there is nothing."""
    if call.role not in FED_ROLES or run.mode == "orchestrator":
        return ""
    given = runs.injections(mem.conn, run.id)
    if given:
        return frame.render(given, mem.settings.max_chars)[0]
    if not run.query:
        return ""
    return choosing.nothing(mem)


def post_tool_use(mem: Memory, payload: dict[str, Any]) -> None:
    """Bind the agent to its call; record a call that PreToolUse never saw."""
    call = agent_call(payload)
    if call is None or not call.session_id or not call.agent_id or not call.tool_use_id:
        return
    if runs.by_tool_use(mem.conn, call.session_id, call.tool_use_id) is None:
        _record_untreated(mem, call)
    binding.bind(mem, call.session_id, call.agent_id, call.tool_use_id)


def _record_untreated(mem: Memory, call: AgentCall) -> None:
    prompt = fields.read_prompt(call.prompt)
    with writing(mem.conn):
        if runs.by_tool_use(mem.conn, call.session_id, call.tool_use_id) is None:
            empty = recall.Query(text=prompt.query)
            _record(mem, call, call.tool_use_id, prompt, empty, Recall(ranked=(), mode="keyword"))


def subagent_start(mem: Memory, payload: dict[str, Any]) -> dict[str, Any] | None:
    """Register a running agent; inject only where its call was not treated and is the only one."""
    event = agent_event(payload)
    if event is None or not event.session_id:
        return None
    known = runs.by_agent(mem.conn, event.agent_id)
    if known is not None:  # resumed, or fired twice: it keeps its first injection
        return None
    if binding.from_meta(mem, event) is not None:
        return None
    waiting = runs.unbound(mem.conn, event.session_id, binding.agent_type(event.role))
    if len(waiting) == 1 and waiting[0].tool_use_id:
        run = binding.bind(mem, event.session_id, event.agent_id, waiting[0].tool_use_id)
        if run is not None:
            path = str(event.transcript) if event.transcript else None
            with writing(mem.conn):
                runs.update(mem.conn, run.id, started_at=mem.moment, transcript_path=path)
        return None
    if not waiting:
        answer = _inject_late(mem, event)
        if answer is not None:
            return answer
    binding.write_sideband(mem, binding.register(mem, event, note=binding.UNKNOWN))
    return None


def _inject_late(mem: Memory, event: AgentEvent) -> dict[str, Any] | None:
    """Inject through SubagentStart where the parent's transcript shows one call it can be."""
    if event.parent_transcript is None:
        return None
    calls = [
        found
        for found in transcript.open_calls(event.parent_transcript)
        if agent_role(found.subagent_type) == event.role
        and runs.by_tool_use(mem.conn, event.session_id, found.tool_use_id) is None
    ]
    if len(calls) != 1 or event.role not in FED_ROLES:
        return None
    call = AgentCall(
        session_id=event.session_id,
        tool_use_id=calls[0].tool_use_id,
        role=event.role,
        prompt=calls[0].prompt,
        tool_input={},
        agent_id=event.agent_id,
    )
    done = inject_into(mem, call, source="fallback")
    binding.bind(mem, event.session_id, event.agent_id, call.tool_use_id)
    if done is None or not done.text:
        return None
    return {
        "hookSpecificOutput": {
            "hookEventName": "SubagentStart",
            "additionalContext": done.text,
        }
    }
