"""The ledger of plans: recording one, and what is decided about its tasks. It decides nothing.

Standard library only at import, since a hook without a worker records plans too.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from helix_core.dag import states
from helix_core.dag.spec import Plan
from helix_core.memory.context import Memory
from helix_core.store import plans, runs
from helix_core.store.connection import writing
from helix_core.text import clean


@dataclass(frozen=True)
class Recorded:
    """Where a plan is kept, and whether it was there before."""

    run_id: int
    confirmed: bool


def record(
    mem: Memory, session_id: str, plan: Plan, *, planner: runs.AgentRun | None = None
) -> Recorded:
    """Keep a plan as a run of its session; the plan that is being carried out is only confirmed.

    A plan with errors is kept with them, so that it can be mended; the next one takes its place.
    """
    with writing(mem.conn):
        same = next(
            (r for r in plans.open_runs(mem.conn, session_id) if r.plan_hash == plan.digest), None
        )
        if same is not None and same.errors == plan.errors:
            if planner is None:
                plans.confirm(mem.conn, same.run_id, mem.moment)
            else:
                plans.adopt(mem.conn, same.run_id, session_id, planner.id)
            return Recorded(same.run_id, confirmed=True)
        older = plans.newest(mem.conn, session_id)
        run_id = plans.add_run(
            mem.conn,
            session_id,
            objective=clean.scrub(_objective(planner, older), 2000),
            planner_run_id=planner.id if planner else None,
            plan_hash=plan.digest,
            errors=plan.errors,
            warnings=plan.warnings,
            actor=mem.actor,
            moment=mem.moment,
        )
        for position, task in enumerate(plan.tasks, 1):
            plans.put_task(mem.conn, run_id, task, position)
        plans.adopt(mem.conn, run_id, session_id, planner.id if planner else None)
    return Recorded(run_id, confirmed=False)


def _objective(planner: runs.AgentRun | None, older: plans.Run | None) -> str:
    if planner is not None:
        return planner.query or ""
    return older.objective if older else ""


def settle(mem: Memory, run_id: int | None) -> None:
    """End a run whose tasks have all come to an end, or take it up again where one has not."""
    run = plans.by_id(mem.conn, run_id) if run_id is not None else None
    if run is None:
        return
    with writing(mem.conn):
        tasks = plans.tasks(mem.conn, run.run_id)
        over = bool(tasks) and all(map(states.settled, tasks))
        if over and not run.ended_at:
            plans.set_ended(mem.conn, run.run_id, mem.moment)
        elif tasks and not over and run.ended_at and not _is_past(mem, run):
            plans.set_ended(mem.conn, run.run_id, None)


def _is_past(mem: Memory, run: plans.Run) -> bool:
    """Whether a run is over for another reason than its tasks: its session, or a newer plan."""
    if plans.session_is_over(mem.conn, run.session_id):
        return True
    last = plans.newest(mem.conn, run.session_id)
    return last is not None and last.run_id != run.run_id


def failed(notes: Sequence[str]) -> Plan:
    """A plan that could not be read at all, as it is kept: without tasks."""
    return Plan((), tuple(notes))
