"""Putting other tasks in the place of one that did not work out. Pure."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from helix_core.dag import graph, spec, states
from helix_core.dag.tasks import Task


@dataclass(frozen=True)
class Replanned:
    """A plan with a part replaced; nothing of it holds where there are errors."""

    tasks: tuple[Task, ...] = ()
    """The whole plan in its order, what is gone included."""
    new: tuple[str, ...] = ()
    """Keys of the tasks of the file."""
    gone: tuple[str, ...] = ()
    """Keys of the tasks that others have taken the place of."""
    moved: tuple[str, ...] = ()
    """Keys of the tasks that wait for others than before."""
    errors: tuple[str, ...] = ()


def replan(
    tasks: Sequence[Task], key: str, file: Sequence[Task], *, subtree: bool = False
) -> Replanned:
    """Put the tasks of a file in the place of a task.

    In: the plan; the key of the task, which has to be in it; the new tasks; whether they also take
    the place of all that hangs on the task alone. What is delivered or skipped stays.

    A new task that waits for nobody waits for whom the task waited for, without those that are not
    in the plan or wait for the task themselves. Who waited for a replaced task waits for the new
    ones that no other new one waits for. A file may name a task of the plan that has not been
    worked on yet, which then is as the file says.
    """
    known = states.states(tasks)
    old = {task.key: task for task in tasks}
    group = set(graph.subtree(tasks, key)) if subtree else {key}
    group = {k for k in group if known[k] not in states.RESOLVED}
    wrong = [
        f"task {old[k].seq}: is {known[k]}"
        for k in (key, *(task.key for task in file))
        if k in old and (known[k] in states.RESOLVED or _at_work(old[k]))
    ]
    wrong += [f"task {old[k].seq}: is running" for k in group - {key} if _at_work(old[k])]
    if wrong:
        return Replanned(errors=tuple(dict.fromkeys(wrong)))
    inside = [task for task in file if task.key not in old or task.key in group]
    waited = {b for task in inside for b in task.blocked_by}
    leaves = [task.key for task in inside if task.key not in waited]
    before_it = [b for b in old[key].blocked_by if b in old and b not in graph.below(tasks, key)]
    new = {
        task.key: _placed(task, old[key], before_it) if task in inside else task for task in file
    }
    moved = {
        task.key: spec.with_blockers(
            task, (w for b in task.blocked_by for w in (leaves if b in group else [b]))
        )
        for task in tasks
        if task.key not in group and task.key not in new and group & set(task.blocked_by)
    }
    merged = _merged(tasks, key, {**moved, **new})
    gone = group - set(new)
    before = set(spec.faults(tasks))
    alive = [task for task in merged if task.key not in gone and not states.settled(task)]
    done = [task.key for task in tasks if states.settled(task)]
    return Replanned(
        tasks=tuple(merged),
        new=tuple(new),
        gone=tuple(task.key for task in tasks if task.key in gone),
        moved=tuple(moved),
        errors=tuple(e for e in spec.faults(alive, done) if e not in before),
    )


def _at_work(task: Task) -> bool:
    newest = states.newest_attempt(task)
    return newest is not None and newest.state == "running"


def _placed(task: Task, target: Task, before_it: Sequence[str]) -> Task:
    waits = task.blocked_by or tuple(before_it)
    return replace(task, blocked_by=waits, replaces=(target.seq,))


def _merged(tasks: Sequence[Task], key: str, changed: dict[str, Task]) -> list[Task]:
    """The plan with what changed; tasks that were not in it follow the one they replace."""
    have = {task.key for task in tasks}
    found: list[Task] = []
    for task in tasks:
        found.append(changed.get(task.key, task))
        if task.key == key:
            found += [new for k, new in changed.items() if k not in have]
    return found
