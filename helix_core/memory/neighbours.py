"""The graph's part in recall: activation over one hop, and how many places it may fill.

Decision 19: a neighbour inherits from its best parent, on the scale of direct scores. May import
the store, the formulas and the constants.
"""

from __future__ import annotations

import sqlite3
from collections import Counter
from collections.abc import Collection, Sequence
from dataclasses import replace

from helix_core import constants, formulas
from helix_core.model import Ranked
from helix_core.store import edges

# A score is at most the fused value times this: full effectiveness, used today, at full velocity.
BEST_FACTORS = formulas.recall_score(
    1.0, 1.0, 1.0, formulas.velocity_factor(constants.VELOCITY_WINDOW_DAYS)
)
ROUNDING = 1.0 - 1e-9
PLACES = 3
"""Of the places of a recall, one in so many may go to the neighbours of any one insight."""


def activations(
    conn: sqlite3.Connection, top: Sequence[Ranked], hidden: Collection[int], least: float = 0.0
) -> dict[int, tuple[float, str]]:
    """For each neighbour of the top results its best activation, and through whom.

    Those that could not reach the score `least` with the best of factors may be left out.
    """
    parents = {r.insight.id: r for r in top}
    most = formulas.hop_activation(max((r.rrf for r in top), default=0.0), 1.0) * BEST_FACTORS
    lightest = least / most * ROUNDING if most > 0.0 else 0.0
    best: dict[int, tuple[float, str]] = {}
    for edge in edges.get_neighbors(conn, list(parents), lightest=lightest):
        parent = parents[edge.insight_id]
        value = formulas.hop_activation(parent.rrf, edge.weight)
        if value * BEST_FACTORS < least * ROUNDING or edge.other_id in hidden:
            continue
        if value > best.get(edge.other_id, (0.0, ""))[0]:
            best[edge.other_id] = (value, parent.insight.name)
    return best


def lifted(item: Ranked, activation: float, through: str) -> Ranked:
    """A direct result with the larger value that the graph brought it."""
    score = formulas.recall_score(activation, item.effectiveness, item.recency, item.velocity)
    return replace(item, rrf=activation, score=score, hop=1, through=through, direct=item.rrf)


def unlifted(item: Ranked) -> Ranked:
    """A direct result as it was before the graph lifted it."""
    assert item.direct is not None
    own = formulas.recall_score(item.direct, item.effectiveness, item.recency, item.velocity)
    return replace(item, rrf=item.direct, score=own, hop=0, through=None, direct=None)


def in_their_places(ranked: Sequence[Ranked], limit: int) -> tuple[list[Ranked], list[Ranked]]:
    """The results of a recall among candidates (best first), and those left out.

    One hub must not fill every place: past its share, its neighbours count by what they are by
    themselves, and who came by the graph alone stands back unless places would stay empty. Pure;
    both lists are best first.
    """
    share = max(1, limit // PLACES)
    brought: Counter[str | None] = Counter()
    first, second = [], []
    for item in ranked:
        brought[item.through] += item.hop
        if not item.hop or brought[item.through] <= share:
            first.append(item)
        elif item.direct is None:
            second.append(item)
        else:
            first.append(unlifted(item))
    kept = [*sorted(first, key=best_first), *second][:limit]
    taken = {item.insight.id for item in kept}
    left = [item for item in (*first, *second) if item.insight.id not in taken]
    return sorted(kept, key=best_first), sorted(left, key=best_first)


def best_first(item: Ranked) -> tuple[float, int]:
    """The order of results: by score, the older insight first where that is equal."""
    return -item.score, item.insight.id
