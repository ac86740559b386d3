"""The ledger of plans: recording one, and what is decided about its tasks. It decides nothing.

Standard library only at import, since a hook without a worker records plans too.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from helix_core.dag import spec, states
from helix_core.dag.spec import Plan
from helix_core.dag.tasks import Task, task_key
from helix_core.errors import RefusedError
from helix_core.memory.context import Memory
from helix_core.store import plans, runs
from helix_core.store.connection import writing
from helix_core.text import clean, scanner

if TYPE_CHECKING:
    from helix_core.dag.replan import Replanned


SEQS_NAMED = 20


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
        if older is not None and not older.ended_at and not plan.errors:
            _go_on(mem, older, run_id, plan)
    settle(mem, run_id)
    return Recorded(run_id, confirmed=False)


def _go_on(mem: Memory, older: plans.Run, run_id: int, plan: Plan) -> None:
    """A plan that was corrected while it was carried out keeps what was done of it."""
    begun = {
        spec.content(task): task
        for task in plans.tasks(mem.conn, older.run_id)
        if task.attempts or task.decided
    }
    kept = [
        (task, begun[spec.content(task)].seq) for task in plan.tasks if spec.content(task) in begun
    ]
    if kept:
        plans.take_over(mem.conn, older, run_id, kept, mem.moment)


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


def chosen(mem: Memory, session_id: str | None, run_id: int | None) -> plans.Run:
    """The run that is meant: the one named, else the newest of the session, else of all.

    Raises RefusedError where there is none.
    """
    found = plans.meant(mem.conn, session_id, run_id)
    if found is None:
        raise RefusedError(plans.not_there(session_id, run_id))
    return found


def task_of(tasks: Sequence[Task], seq: str) -> Task:
    """The task of that number; RefusedError where the plan has none."""
    key = task_key(seq)
    for task in tasks:
        if task.key == key:
            return task
    raise RefusedError(
        f"task {clean.shorten(clean.fold(seq), 80)} is not in the plan (it has {_seqs(tasks)})"
    )


def _seqs(tasks: Sequence[Task]) -> str:
    more = len(tasks) - SEQS_NAMED
    named = ", ".join(task.seq for task in tasks[:SEQS_NAMED])
    return f"{named} and {more} more" if more > 0 else named or "no task"


def decide(mem: Memory, run: plans.Run, seq: str, decided: str, reason: str) -> None:
    """Note what was decided about a task: a state it is left in, or that it is tried again.

    An agent that was still at work on it is given up; should it end after all, its row says so.
    """
    with writing(mem.conn):
        tasks = plans.tasks(mem.conn, run.run_id)
        task = task_of(tasks, seq)
        others = (other for other in tasks if other.key != task.key)
        heirs = [other.seq for other in others if task.key in map(task_key, other.replaces)]
        if heirs:
            raise RefusedError(f"task {task.seq} was replaced by {', '.join(heirs)}")
        if states.settled(task) and states.worked_state(task) == decided:
            raise RefusedError(f"task {task.seq} is {decided} already")
        for attempt in task.attempts:
            if attempt.state == "running":
                runs.update(
                    mem.conn,
                    attempt.id,
                    state="unknown",
                    ended_at=mem.moment,
                    note=f"given up: its task was set to {decided}",
                )
        _decide(mem, run.run_id, task.seq, decided, reason)
    settle(mem, run.run_id)


def _decide(mem: Memory, run_id: int, seq: str, decided: str, reason: str) -> None:
    said = clean.scrub(scanner.mask(clean.fold(reason)), 1000)
    plans.decide(mem.conn, run_id, seq, decided, reason=said, actor=mem.actor, moment=mem.moment)


def link(mem: Memory, run: plans.Run, seq: str, tool_task_id: str) -> None:
    """Remember the id that the client's own task list has for a task."""
    with writing(mem.conn):
        task = task_of(plans.tasks(mem.conn, run.run_id), seq)
        plans.link(mem.conn, run.run_id, task.seq, clean.scrub(scanner.mask(tool_task_id), 100))


def replan(
    mem: Memory, run: plans.Run, seq: str, file: Plan, reason: str, *, subtree: bool
) -> Replanned:
    """Put other tasks in the place of one; nothing is written where the result has errors.

    What was replaced stays in the run as it ended, or as skipped, with the reason.
    """
    from helix_core.dag import replan as replanning  # hooks never come here

    with writing(mem.conn):
        tasks = plans.tasks(mem.conn, run.run_id)
        target = task_of(tasks, seq)
        if file.errors and not file.tasks:
            return replanning.Replanned(errors=file.errors)
        done = replanning.replan(tasks, target.key, file.tasks, subtree=subtree)
        twice = tuple(error for error in file.errors if "another task" in error)
        if done.errors or twice:
            return replanning.Replanned(errors=(*twice, *done.errors))
        seqs = {task.key: task.seq for task in (*done.tasks, *tasks)}
        for position, task in enumerate(done.tasks, 1):
            plans.put_task(mem.conn, run.run_id, replace(task, seq=seqs[task.key]), position)
        instead = ", ".join(seqs[key] for key in done.new)
        why = f"replaced by {instead}" + (f": {reason}" if reason else "")
        for task in tasks:
            if task.key in done.gone:
                state = states.worked_state(task)
                left = state if state in states.FAILED else "skipped"
                _decide(mem, run.run_id, task.seq, left, why)
        for task in tasks:
            if task.key in done.new:  # what was tried of it was another task
                _decide(mem, run.run_id, task.seq, states.RETRY, reason)
        _refresh(mem, run.run_id)
    settle(mem, run.run_id)
    return done


def _refresh(mem: Memory, run_id: int) -> None:
    """Check a changed plan as a whole, and give it its new identity."""
    tasks = plans.tasks(mem.conn, run_id)
    alive = [task for task in tasks if not states.settled(task)]
    done = [task.key for task in tasks if states.settled(task)]
    plans.set_checked(
        mem.conn,
        run_id,
        digest=Plan(tuple(tasks)).digest,
        errors=spec.faults(alive, done),
        warnings=spec.warnings(tasks),
    )
