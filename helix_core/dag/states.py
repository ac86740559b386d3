"""The state of every task, from what its agents did and what was decided: the one rule. Pure.

pending, ready, running, delivered, partial, blocked, crashed or skipped. Nobody keeps these states:
they follow. Standard library only, since hooks and the dashboard's first paint need them.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from helix_core.dag.tasks import Attempt, Task

STATES = (
    *("pending", "ready", "running"),
    *("delivered", "partial", "blocked", "crashed", "skipped"),
)
RESOLVED = frozenset({"delivered", "skipped"})
"""States that free the tasks behind."""
FAILED = frozenset({"partial", "blocked", "crashed"})
"""States that free nobody, and change only by another attempt or a decision."""
RETRY = "retry"


def states(tasks: Iterable[Task]) -> dict[str, str]:
    """The state of each task, by its key; linear in tasks and dependencies.

    A task nobody has worked on is ready once all its blockers are delivered or skipped, so one that
    waits for itself, for a circle or for a task that is not there is pending.
    """
    listed = list(tasks)
    known = {task.key: worked_state(task) for task in listed}
    free = {task.key: all(known.get(b, "") in RESOLVED for b in task.blocked_by) for task in listed}
    return {key: own or ("ready" if free[key] else "pending") for key, own in known.items()}


def worked_state(task: Task) -> str:
    """A task's state from its newest attempt or decision, whichever came later; "" without both.

    An agent that ended without an outcome, or whose outcome its own check contradicts, leaves the
    task running until somebody decides.
    """
    newest = newest_attempt(task)
    if newest is None:
        return "" if task.decided in ("", RETRY) else task.decided
    if undecided(task) or newest.state == "running":
        return "running"
    return newest.state


def newest_attempt(task: Task) -> Attempt | None:
    """The attempt that counts; None where there is none, or a decision came after all of them."""
    if not task.attempts or (task.decided and task.decided_after is None):
        return None
    newest = task.attempts[-1]
    return newest if not task.decided or newest.id > (task.decided_after or 0) else None


def undecided(task: Task) -> str:
    """Why the end of the newest attempt decides nothing; "" where it does, or where it runs."""
    newest = newest_attempt(task)
    if newest is None or newest.state == "running":
        return ""
    if newest.state not in RESOLVED | FAILED:
        return "its agent ended without an outcome"
    return contradiction(newest.state) if newest.source == "contradicted" else ""


def contradiction(said: str) -> str:
    """Why an outcome that its own check contradicts decides nothing, in words."""
    return f"its agent says {said}, its last VERIFY run says otherwise"


def settled(task: Task) -> bool:
    """Whether nothing more is to come: delivered, skipped, or left as it is by decision."""
    state = worked_state(task)
    return state in RESOLVED or (state in FAILED and newest_attempt(task) is None)


def ready(tasks: Sequence[Task]) -> list[Task]:
    """The tasks that may start now, in the order of the plan."""
    known = states(tasks)
    return [task for task in tasks if known[task.key] == "ready"]
