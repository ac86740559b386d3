"""Operations of the task graph: what `helix dag` asks. Standard library only at import."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

from helix_core.dag import graph, spec, states
from helix_core.dag.layers import layers
from helix_core.dag.tasks import Task
from helix_core.errors import RefusedError, UsageError
from helix_core.memory import ledger
from helix_core.memory.context import Memory
from helix_core.operations import still
from helix_core.operations.registry import operation
from helix_core.store import plans
from helix_core.store.connection import writing

DECISIONS = {
    "skip": "skipped",
    "retry": "retry",
    "delivered": "delivered",
    "partial": "partial",
    "blocked": "blocked",
}
"""What `helix dag set` decides, and how it is kept."""


def _chosen(mem: Memory, args: Mapping[str, Any]) -> plans.Run:
    run_id = args.get("run")
    session = args.get("session")
    return ledger.chosen(
        mem, str(session) if session else None, None if run_id is None else int(run_id)
    )


def run_json(run: plans.Run) -> dict[str, Any]:
    """A run as every command prints it."""
    return {
        "run": run.run_id,
        "session_id": run.session_id,
        "objective": run.objective,
        "started_at": run.started_at,
        "ended_at": run.ended_at or None,
        "confirmed_at": run.confirmed_at or None,
        "replaces": run.replaces,
        "valid": not run.errors,
        "errors": list(run.errors),
        "warnings": list(run.warnings),
    }


def task_json(task: Task, state: str, seqs: Mapping[str, str]) -> dict[str, Any]:
    """A task as it is listed; `seqs` says how the plan writes each number."""
    newest = task.attempts[-1] if task.attempts else None
    return {
        "seq": task.seq,
        "slug": task.slug,
        "state": state,
        "blocked_by": [seqs.get(key, key) for key in task.blocked_by],
        "attempts": len(task.attempts),
        "agent_id": newest.agent_id or None if newest else None,
        "source": newest.source or None if newest else None,
        "summary": newest.summary or None if newest else None,
        "decided": task.decided or None,
        "reason": task.reason or None,
        "replaces": list(task.replaces),
        "tool_task_id": task.tool_task_id or None,
    }


def full_json(task: Task, state: str, seqs: Mapping[str, str]) -> dict[str, Any]:
    """A task with what it says and everybody who tried it."""
    return {
        **task_json(task, state, seqs),
        "description": task.description,
        "relevant_files": list(task.relevant_files),
        "verify": task.verify,
        "decided_by": task.decided_by or None,
        "decided_at": task.decided_at or None,
        "tried": [
            {
                "agent_id": one.agent_id or None,
                "state": one.state,
                "source": one.source or None,
                "summary": one.summary or None,
                "started_at": one.started_at or None,
                "ended_at": one.ended_at or None,
            }
            for one in task.attempts
        ],
    }


@operation("dag-plan")
def _plan(mem: Memory, args: dict[str, Any]) -> Any:
    text, session = args.get("text"), str(args.get("session") or "")
    if text is None:
        return _confirm(mem, args)
    if not session:
        raise UsageError("which session is this plan for? (--session ID)")
    plan = spec.from_file(str(text))
    done = {"errors": list(plan.errors), "warnings": list(plan.warnings), "tasks": len(plan.tasks)}
    if plan.errors:
        return {"status": "refused", "run": None, "session_id": session, **done}
    found = ledger.record(mem, session, plan)
    status = "confirmed" if found.confirmed else "recorded"
    return {"status": status, "run": found.run_id, "session_id": session, **done}


def _confirm(mem: Memory, args: Mapping[str, Any]) -> Any:
    run = _chosen(mem, args)
    if not run.errors:
        with writing(mem.conn):
            plans.confirm(mem.conn, run.run_id, mem.moment)
    return {
        "status": "refused" if run.errors else "confirmed",
        "run": run.run_id,
        "session_id": run.session_id,
        "errors": list(run.errors),
        "warnings": list(run.warnings),
        "tasks": len(plans.tasks(mem.conn, run.run_id)),
    }


@operation("dag-status")
def _status(mem: Memory, args: dict[str, Any]) -> Any:
    run = _chosen(mem, args)
    tasks = plans.tasks(mem.conn, run.run_id)
    known = states.states(tasks)
    seqs = {task.key: task.seq for task in tasks}
    counts = Counter(known.values())
    return {
        **run_json(run),
        "counts": {state: counts[state] for state in states.STATES if counts[state]},
        "tasks": [task_json(task, known[task.key], seqs) for task in tasks],
        "ready": _in_state(tasks, known, "ready") if not run.errors else [],
        "running": _in_state(tasks, known, "running"),
        **_stalls(tasks, known, seqs, plans.transcript_of(mem.conn, run.session_id)),
    }


def _in_state(tasks: Sequence[Task], known: Mapping[str, str], state: str) -> list[str]:
    return [task.seq for task in tasks if known[task.key] == state]


def _stalls(
    tasks: Sequence[Task], known: Mapping[str, str], seqs: Mapping[str, str], parent: str
) -> dict[str, Any]:
    """Who does not go on and why; apart, who only waits for others that are on their way."""
    found = [
        {
            "seq": seqs[stall.key],
            "state": known[stall.key],
            "kind": stall.kind,
            "by": [seqs.get(key, key) for key in stall.by],
            "why": stall.why,
        }
        for stall in graph.stalls(tasks)
    ]
    found += [
        {"seq": task.seq, "state": "running", "kind": "still", "by": [], "why": why}
        for task in tasks
        if (why := _still(task, parent))
    ]
    return {
        "stalled": [one for one in found if one["kind"] != "waiting"],
        "waiting": [one for one in found if one["kind"] == "waiting"],
    }


def _still(task: Task, parent: str) -> str:
    """That a running task's agent has been silent for long; "" where it has not."""
    newest = states.newest_attempt(task)
    if newest is None or newest.state != "running":
        return ""
    quiet = still.quiet_seconds(newest, parent)
    if quiet < still.QUIET_SECONDS:
        return ""
    return f"its agent's transcript has stood still for {quiet:.0f} s"


@operation("dag-ready")
def _ready(mem: Memory, args: dict[str, Any]) -> Any:
    run = _chosen(mem, args)
    tasks = plans.tasks(mem.conn, run.run_id)
    seqs = {task.key: task.seq for task in tasks}
    found = [] if run.errors else states.ready(tasks)
    return {**run_json(run), "tasks": [full_json(task, "ready", seqs) for task in found]}


@operation("dag-show")
def _show(mem: Memory, args: dict[str, Any]) -> Any:
    run = _chosen(mem, args)
    tasks = plans.tasks(mem.conn, run.run_id)
    known = states.states(tasks)
    seqs = {task.key: task.seq for task in tasks}
    if args.get("seq") is not None:
        task = ledger.task_of(tasks, str(args["seq"]))
        blocks = [other.seq for other in tasks if task.key in other.blocked_by]
        return {"run": run.run_id, **full_json(task, known[task.key], seqs), "blocks": blocks}
    found = layers({task.key: task.blocked_by for task in tasks})
    return {
        **run_json(run),
        "layers": [[seqs[key] for key in layer] for layer in found],
        "tasks": [full_json(task, known[task.key], seqs) for task in tasks],
    }


@operation("dag-deliveries")
def _deliveries(mem: Memory, args: dict[str, Any]) -> Any:
    run = _chosen(mem, args)
    tasks = plans.tasks(mem.conn, run.run_id)
    known = states.states(tasks)
    by_key = {task.key: task for task in tasks}
    task = ledger.task_of(tasks, str(args.get("seq")))
    parents = [by_key[key] for key in task.blocked_by if key in by_key]
    return {
        "run": run.run_id,
        "seq": task.seq,
        "parents": [_delivery(parent, known[parent.key]) for parent in parents],
    }


def _delivery(task: Task, state: str) -> dict[str, Any]:
    newest = states.newest_attempt(task)
    return {
        "seq": task.seq,
        "slug": task.slug,
        "state": state,
        "summary": (newest.summary if newest else task.reason) or None,
        "source": newest.source or None if newest else "decided" if task.decided else None,
        "agent_id": newest.agent_id or None if newest else None,
    }


@operation("dag-set")
def _set(mem: Memory, args: dict[str, Any]) -> Any:
    run, seq, action = _chosen(mem, args), str(args.get("seq")), str(args.get("action"))
    reason = str(args.get("reason") or "")
    done: dict[str, Any] = {}
    if action in DECISIONS:
        ledger.decide(mem, run, seq, DECISIONS[action], reason)
    elif action == "link":
        ledger.link(mem, run, seq, str(args.get("value") or ""))
    elif action == "replan":
        done = _replan(mem, run, seq, args)
    else:
        raise UsageError(f"unknown action {action!r}; known: {', '.join(DECISIONS)}, link, replan")
    tasks = plans.tasks(mem.conn, run.run_id)
    task = ledger.task_of(tasks, seq)
    seqs = {one.key: one.seq for one in tasks}
    return {"run": run.run_id, **task_json(task, states.states(tasks)[task.key], seqs), **done}


def _replan(mem: Memory, run: plans.Run, seq: str, args: Mapping[str, Any]) -> dict[str, Any]:
    plan = spec.from_file(str(args.get("value") or ""))
    reason = str(args.get("reason") or "")
    found = ledger.replan(mem, run, seq, plan, reason, subtree=bool(args.get("subtree")))
    if found.errors:
        raise RefusedError("; ".join(found.errors))
    seqs = {task.key: task.seq for task in found.tasks}
    return {
        "new": [seqs[key] for key in found.new],
        "gone": [seqs[key] for key in found.gone],
        "moved": [seqs[key] for key in found.moved],
    }
