"""Strategic recall: an overview for a whole objective, with a summary of what was found.

The spec's formula in full, as in `recall`, over more places and a lower gate. Up to a fifth of the
places go to `led_to` neighbours above the gate (decision 19): the failure a lesson came out of, or
the lesson that came out of it, shapes a plan even where its own words are further away.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any

from helix_core import constants, formulas
from helix_core.memory import graph, recall
from helix_core.memory.context import Memory
from helix_core.model import Ranked
from helix_core.store import edges, insights

LED_TO = "led_to"
TOO_SMALL = "too small"
NO_NETWORKX = "unknown: networkx is not installed where this runs"


@dataclass(frozen=True)
class Summary:
    """The recalled insights in figures.

    `recalled` of `in_system` insights. Means are over what was recalled, None where there is
    nothing to take one of (by keyword no relevance is known). `proven`, `risky` and `untested` are
    counts by adjusted effectiveness (at least 0.70, under 0.40) and by uses (under 3); they may
    overlap. `coverage` is the share of what was recalled that has been through feedback at least
    once: how much of this advice was ever tried. `tags`: how many carry each, the most used first.
    `graph_expanded` came in through an edge, `lineage` of them to the places kept for `led_to`.
    `topology` is the shape of the recalled part of the graph, or why it has none.
    """

    recalled: int
    in_system: int
    mean_effectiveness: float | None
    mean_relevance: float | None
    proven: int
    risky: int
    untested: int
    tags: dict[str, int]
    coverage: float
    graph_expanded: int
    lineage: int
    topology: dict[str, Any] | str
    mode: str
    note: str


@dataclass(frozen=True)
class Strategic:
    """What an objective recalls, best first, and its summary."""

    ranked: tuple[Ranked, ...]
    summary: Summary


def strategic_recall(mem: Memory, query: recall.Query) -> Strategic:
    """The overview for an objective; at most `query.limit` insights."""
    ranked: list[Ranked] = []
    kin: set[int] = set()
    mode, note = "vector" if mem.profile else "keyword", ""
    if query.limit > 0 and query.text.strip():
        query = recall.embed(mem, query)
        found = recall.candidates(mem, query)
        mode, note = found.mode, found.note
        fit = [r for r in found.ranked if r.effectiveness >= query.min_effectiveness]
        ranked, kin = _places(mem, query, _in_order(fit))
    return Strategic(tuple(ranked), _summary(mem, ranked, kin, mode, note))


def _in_order(ranked: Sequence[Ranked]) -> list[Ranked]:
    return sorted(ranked, key=lambda r: (-r.score, r.insight.id))


def _places(
    mem: Memory, query: recall.Query, ordered: list[Ranked]
) -> tuple[list[Ranked], set[int]]:
    """The answer, and the ids that hold one of the places for lineage.

    Places that no neighbour needs stay with the ranking.
    """
    kept = query.limit // constants.STRATEGIC_LINEAGE_SHARE if query.hops > 0 else 0
    head, rest = ordered[: query.limit - kept], ordered[query.limit - kept :]
    parents = {r.insight.id: r for r in head}
    related: dict[int, tuple[float, str]] = {}
    for edge in edges.get_neighbors(mem.conn, list(parents), LED_TO) if kept else ():
        parent = parents[edge.insight_id]
        value = formulas.hop_activation(parent.rrf, edge.weight)
        if edge.other_id not in parents and value > related.get(edge.other_id, (0.0, ""))[0]:
            related[edge.other_id] = (value, parent.insight.name)
    known = {r.insight.id for r in rest}
    new = _activated(mem, query, {i: v for i, v in related.items() if i not in known})
    kin = _in_order([*new, *(r for r in rest if r.insight.id in related)])[:kept]
    chosen = {r.insight.id for r in kin}
    others = [r for r in rest if r.insight.id not in chosen][: kept - len(kin)]
    return _in_order([*head, *kin, *others]), chosen


def _activated(
    mem: Memory, query: recall.Query, active: dict[int, tuple[float, str]]
) -> list[Ranked]:
    """Neighbours that are above the gate, scored by the activation that reached them.

    By keyword nobody knows whether one is above it: there are none then.
    """
    if not active or query.vector is None or mem.index is None or mem.profile is None:
        return []
    gate = mem.profile.gate if query.min_relevance is None else query.min_relevance
    cosine = mem.index.cosines(query.vector, active)
    rows = insights.by_ids(mem.conn, [i for i in active if cosine.get(i, -1.0) >= gate])
    velocity = recall.velocities(mem, list(rows.values()))
    found = []
    for insight_id, row in rows.items():
        value, through = active[insight_id]
        quick = formulas.velocity_factor(velocity[insight_id])
        item = recall.rated(
            row, (None, None, value), cosine[insight_id], recall.recency(mem, row), quick
        )
        wanted = item.effectiveness >= query.min_effectiveness
        if wanted and row.name not in query.suppress:
            found.append(replace(item, hop=1, through=through))
    return found


def _summary(mem: Memory, ranked: list[Ranked], kin: set[int], mode: str, note: str) -> Summary:
    scores = [r.effectiveness for r in ranked]
    cosines = [r.relevance for r in ranked if r.relevance is not None]
    tags = Counter(tag for r in ranked for tag in r.insight.tags)
    tried = sum(1 for r in ranked if r.insight.use_count > 0)
    untested = sum(1 for r in ranked if r.insight.use_count < constants.CAUSAL_MIN_USES)
    return Summary(
        recalled=len(ranked),
        in_system=insights.count(mem.conn),
        mean_effectiveness=_mean(scores),
        mean_relevance=_mean(cosines),
        proven=sum(1 for score in scores if score >= constants.PROVEN_FROM),
        risky=sum(1 for score in scores if score < constants.RISKY_UNDER),
        untested=untested,
        tags=dict(sorted(tags.items(), key=lambda pair: (-pair[1], pair[0]))),
        coverage=tried / len(ranked) if ranked else 0.0,
        graph_expanded=sum(1 for r in ranked if r.hop),
        lineage=sum(1 for r in ranked if r.insight.id in kin),
        topology=_topology(mem, [r.insight.id for r in ranked]),
        mode=mode,
        note=note,
    )


def _mean(values: Sequence[float]) -> float | None:
    return sum(values) / len(values) if values else None


def _topology(mem: Memory, ids: list[int]) -> dict[str, Any] | str:
    """The shape of the graph among what was recalled."""
    if len(ids) < constants.TOPOLOGY_MIN_NODES:
        return TOO_SMALL
    try:
        shape = asdict(graph.analyse(mem.conn, ids))
    except ImportError:
        return NO_NETWORKX
    cuts = list(shape.pop("articulation"))
    return {**shape, "articulation_points": cuts}
