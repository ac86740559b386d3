"""Random task graphs and what became of their tasks, for the properties of the task graph.

Role: strategies. May import helix_core.dag and hypothesis.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from hypothesis import strategies as st

from helix_core.dag.tasks import Attempt, Task

AGENT_STATES = ("running", "delivered", "partial", "blocked", "crashed", "unknown")
SOURCES = ("self", "verified", "contradicted", "user")
DECISIONS = ("", "", "skipped", "retry", "delivered", "partial", "blocked")


def chain(length: int) -> list[Task]:
    """1 <- 2 <- 3 ..."""
    return [
        Task(str(n), verify="pytest", blocked_by=(str(n - 1),) if n > 1 else ())
        for n in range(1, length + 1)
    ]


def fan(width: int) -> list[Task]:
    """One task, many that wait for it, and one that waits for all of those."""
    middle = [Task(str(n), verify="pytest", blocked_by=("1",)) for n in range(2, width)]
    last = Task(str(width), verify="pytest", blocked_by=tuple(t.key for t in middle))
    return [Task("1", verify="pytest"), *middle, last]


@st.composite
def entries(draw: st.DrawFn, *, acyclic: bool = False) -> list[dict[str, Any]]:
    """The entries of a PLAN_SPEC; without `acyclic` a task may wait for any other."""
    size = draw(st.integers(1, 12))
    found = []
    for n in range(1, size + 1):
        others = st.integers(1, n - 1) if acyclic else st.integers(1, size)
        some = draw(st.sets(others, max_size=4)) if not acyclic or n > 1 else set()
        found.append({"seq": n, "slug": f"t{n}", "blocked_by": sorted(some), "verify": "pytest"})
    return found


@st.composite
def worlds(draw: st.DrawFn) -> list[Task]:
    """Tasks of any graph (circles, unknown blockers), each with any past."""
    size = draw(st.integers(1, 10))
    numbers = st.integers(1, size + 2).map(str)
    tasks = []
    clock = 0
    for n in range(1, size + 1):
        attempts = []
        for _ in range(draw(st.integers(0, 3))):
            clock += 1
            state = draw(st.sampled_from(AGENT_STATES))
            attempts.append(Attempt(clock, state, draw(st.sampled_from(SOURCES))))
        task = Task(
            str(n),
            verify="pytest",
            blocked_by=tuple(sorted(draw(st.sets(numbers, max_size=3)))),
            attempts=tuple(attempts),
        )
        decided = draw(st.sampled_from(DECISIONS))
        after = draw(st.one_of(st.none(), st.integers(0, clock)))
        tasks.append(replace(task, decided=decided, decided_after=after))
    return tasks
