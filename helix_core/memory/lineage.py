"""Where an insight comes from, and how those it comes from have done. Pure.

A lesson that was derived from a failure has the insights that were causal for that failure as its
parents (`led_to`). Ancestors that stand low may be passing on an old error (spec, LEARN).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from helix_core.constants import LINEAGE_DEPTH, RISKY_UNDER


def ancestors(
    parents: Mapping[int, Sequence[int]], start: int, depth: int = LINEAGE_DEPTH
) -> dict[int, int]:
    """The ancestors of `start` with their distance, nearest first; each once, circles included."""
    found: dict[int, int] = {}
    level = [start]
    for distance in range(1, depth + 1):
        reached = [parent for child in level for parent in parents.get(child, ())]
        level = [p for p in dict.fromkeys(reached) if p not in found and p != start]
        found.update((parent, distance) for parent in level)
    return found


def mean(effectiveness: Sequence[float]) -> float | None:
    """The mean effectiveness of a lineage; None for an insight without ancestors."""
    return sum(effectiveness) / len(effectiveness) if effectiveness else None


def risky(effectiveness: Sequence[float]) -> bool:
    """Whether ancestors with these scores are a low lineage."""
    found = mean(effectiveness)
    return found is not None and found < RISKY_UNDER
