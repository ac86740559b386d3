"""Recording a planner's PLAN_SPEC as a run with its tasks. The ledger decides nothing."""

from __future__ import annotations

from helix_core.dag import spec
from helix_core.memory import ledger
from helix_core.memory.context import Memory
from helix_core.store import runs


def record_from_message(mem: Memory, planner: runs.AgentRun, message: str) -> int:
    """Record the plan in a planner's final message; returns the number of its run.

    One that cannot be read, or has errors, is kept with what is wrong, to be planned again.
    """
    plan = spec.from_message(message)
    if plan.errors:
        mem.note("warn", f"plan of agent {planner.agent_id}: {'; '.join(plan.errors)}")
    return ledger.record(mem, planner.session_id, plan, planner=planner).run_id
