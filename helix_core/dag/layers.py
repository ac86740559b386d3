"""The layers of a plan: the one rule for commands and drawings. Pure; standard library only."""

from __future__ import annotations

from collections.abc import Mapping, Sequence


def layers(blocked_by: Mapping[str, Sequence[str]]) -> list[list[str]]:
    """Tasks in layers: each stands one layer below the lowest task that blocks it.

    In: the blockers of each task, in the order of the plan; blockers nobody knows count for
    nothing. Out: topological generations (Kahn 1962), each in the order of the plan; tasks on a
    circle, one that waits for itself included, and those behind them form the last layer. Linear
    in tasks and edges, without recursion, so that a chain of thousands is no trouble.
    """
    waits = {
        task: {name for name in names if name in blocked_by} for task, names in blocked_by.items()
    }
    behind: dict[str, list[str]] = {}
    for task, names in waits.items():
        for name in names:
            behind.setdefault(name, []).append(task)
    left = {task: len(names) for task, names in waits.items()}
    order = {task: n for n, task in enumerate(blocked_by)}
    found: list[list[str]] = []
    layer = [task for task in blocked_by if not left[task]]
    placed = 0
    while layer:
        found.append(layer)
        placed += len(layer)
        nearer: list[str] = []
        for task in layer:
            for other in behind.get(task, ()):
                left[other] -= 1
                if not left[other]:
                    nearer.append(other)
        layer = sorted(nearer, key=order.__getitem__)
    if placed < len(blocked_by):
        done = {task for part in found for task in part}
        found.append([task for task in blocked_by if task not in done])
    return found
