"""The shape of a plan, by networkx: what a task takes along, and why tasks wait.

networkx is imported when it is asked for; hooks and the dashboard's first paint never come here.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from helix_core.dag import spec, states
from helix_core.dag.tasks import Task
from helix_core.text import clean

Kind = Literal["circle", "unknown", "failed", "undecided", "waiting"]
KINDS: tuple[Kind, ...] = ("circle", "unknown", "failed", "undecided", "waiting")
"""Why a task does not go on, the hardest first; only `waiting` passes by itself."""
ROOTS = 8
REASON_LENGTH = 200


@dataclass(frozen=True)
class Stall:
    """Why one task does not go on: the kind of reason, the tasks it comes from, and a sentence."""

    key: str
    kind: Kind
    by: tuple[str, ...]
    why: str


def graph_of(tasks: Sequence[Task]) -> Any:
    """The networkx graph of a plan: an edge from each task to those that wait for it."""
    import networkx

    graph = networkx.DiGraph()
    graph.add_nodes_from(task.key for task in tasks)
    known = set(graph)
    graph.add_edges_from((b, t.key) for t in tasks for b in t.blocked_by if b in known)
    return graph


def circles(graph: Any) -> dict[str, tuple[str, ...]]:
    """Each task that waits for itself, in however many steps, and such a circle of its group."""
    import networkx

    place = {key: n for n, key in enumerate(graph)}
    found: dict[str, tuple[str, ...]] = {}
    for part in networkx.strongly_connected_components(graph):
        if len(part) == 1 and not graph.has_edge(*part, *part):
            continue
        keys = sorted(part, key=place.__getitem__)
        waits = {key: [b for b in graph.predecessors(key) if b in part] for key in keys}
        found |= dict.fromkeys(keys, *spec.circles(waits, limit=1))
    return found


def below(tasks: Sequence[Task], key: str) -> set[str]:
    """The tasks that wait for one, in however many steps; itself, if it is on a circle."""
    import networkx

    graph = graph_of(tasks)
    found = set(networkx.descendants(graph, key))
    return found | {key} if key in circles(graph) else found


def subtree(tasks: Sequence[Task], key: str) -> list[str]:
    """A task and all that hangs on it alone: who waits for nobody outside of this group.

    In the order of the plan. A task that also waits for others is not part of it.
    """
    import networkx

    graph = graph_of(tasks)
    group = {key}
    hanging = graph.subgraph(networkx.descendants(graph, key))
    for other in _sorted(hanging, circles(hanging)):
        if set(graph.predecessors(other)) <= group:
            group.add(other)
    return [task.key for task in tasks if task.key in group]


def _sorted(graph: Any, looped: Collection[str]) -> list[str]:
    """The tasks that are on no circle, nobody before who it waits for."""
    import networkx

    free = graph.subgraph(key for key in graph if key not in looped) if looped else graph
    return list(networkx.topological_sort(free))


def stalls(tasks: Sequence[Task]) -> list[Stall]:
    """Why each task that cannot start, or did not end well, does not go on; in plan order.

    Linear in tasks and dependencies.
    """
    return _Stalls(tasks).found()


class _Stalls:
    """The reasons of one plan, each task's taken from those it waits for."""

    def __init__(self, tasks: Sequence[Task]) -> None:
        self._tasks = {task.key: task for task in tasks}
        self._known = states.states(tasks)
        graph = graph_of(tasks)
        self._circles = circles(graph)
        self._roots: dict[str, dict[str, Kind]] = {}
        for key in _sorted(graph, self._circles):
            if self._known[key] == "pending":
                self._roots[key] = self._roots_of(self._tasks[key])

    def found(self) -> list[Stall]:
        return [stall for task in self._tasks.values() if (stall := self._stall(task))]

    def _stall(self, task: Task) -> Stall | None:
        state = self._known[task.key]
        if state == "pending":
            return self._pending(task)
        if why := states.undecided(task):
            return Stall(task.key, "undecided", (), why)
        if state in states.FAILED and not states.settled(task):
            return Stall(task.key, "failed", (), self._ending(task.key))
        return None

    def _roots_of(self, task: Task) -> dict[str, Kind]:
        """The tasks that hold this one up, directly or through others, with the kind of each."""
        found: dict[str, Kind] = {}
        for blocker in task.blocked_by:
            state = self._known.get(blocker)
            if state is None:
                found[blocker] = "unknown"
            elif state == "pending" and blocker in self._circles:
                found[blocker] = "circle"
            elif state == "pending":
                found.update(self._roots[blocker])
            elif state in states.FAILED:
                found[blocker] = "failed"
            elif state not in states.RESOLVED:
                found[blocker] = (
                    "undecided" if states.undecided(self._tasks[blocker]) else "waiting"
                )
        hardest = sorted(found.items(), key=lambda item: KINDS.index(item[1]))
        return dict(hardest[:ROOTS])

    def _pending(self, task: Task) -> Stall:
        if task.key in self._circles:
            circle = self._circles[task.key]
            told = " -> ".join(self._seq(key) for key in (*circle, circle[0]))
            return Stall(task.key, "circle", circle, f"waits in a circle: {told}")
        roots = self._roots[task.key]
        kind = next(iter(roots.values()))
        by = tuple(key for key, found in roots.items() if found == kind)
        parts = [f"{self._seq(key)}, which is {self._ending(key)}" for key in by]
        return Stall(task.key, kind, by, f"waits for {'; '.join(parts)}")

    def _seq(self, key: str) -> str:
        return self._tasks[key].seq if key in self._tasks else key

    def _ending(self, key: str) -> str:
        """What became of a task, as the end of a sentence."""
        if key not in self._tasks:
            return "not in the plan"
        if key in self._circles and self._known[key] == "pending":
            return "in a circle"
        task, newest = self._tasks[key], states.newest_attempt(self._tasks[key])
        ran = newest.summary if newest and newest.state != "running" else task.reason
        said = states.undecided(task) or ran
        state = self._known[key]
        return f"{state}: {clean.shorten(clean.fold(said), REASON_LENGTH)}" if said else state
