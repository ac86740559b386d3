"""Why a query finds what it finds: every candidate with each part of its score. Read only.

Same functions as recall and injection, so that what is explained is what happens.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from helix_core.memory import evidence, inject, recall, value
from helix_core.memory.context import Memory
from helix_core.memory.evidence import Evidence
from helix_core.memory.neighbours import best_first
from helix_core.memory.value import Worth
from helix_core.model import Left, Ranked
from helix_core.store import insights


@dataclass(frozen=True)
class Explained:
    """One candidate: its recall, its place, what tasks say about it, and its worth for this one.

    `rank` is its place by the spec's formula (1 is first), None with `left_out` where it is not in
    the answer; `injection_rank` its place by the ranking for injection, `injection_score` that
    ranking's figure.
    """

    item: Ranked
    rank: int | None
    left_out: str
    evidence: Evidence
    worth: Worth
    injection_rank: int | None
    injection_score: float | None


@dataclass(frozen=True)
class Explanation:
    """The candidates, best first, and what never became one, nearest first."""

    candidates: tuple[Explained, ...]
    left: tuple[Left, ...]
    mode: str
    note: str


def explain(mem: Memory, query: recall.Query) -> Explanation:
    """Take a recall apart. Candidates past the limit are listed too, with that as their reason."""
    if query.limit <= 0 or not query.text.strip():
        return Explanation((), (), "vector" if mem.profile else "keyword", "")
    query = recall.embed(mem, query)
    found = recall.candidates(mem, query)
    kept, rest = recall.choose(found.ranked, query)
    places = {item.insight.id: n for n, item in enumerate(kept, 1)}
    left_out = {item.insight.id: reason for item, reason in rest}
    ordered = sorted([*kept, *(item for item, _ in rest)], key=best_first)
    injected = {r.insight.id: (n, r) for n, r in enumerate(inject.rank(mem, query).ranked, 1)}
    rows = [item.insight for item in ordered]
    proofs = evidence.of_insights(mem.conn, rows)
    worth = value.in_context(mem, rows, query.vector)
    listed = []
    for item in ordered:
        number, same = injected.get(item.insight.id, (None, None))
        listed.append(
            Explained(
                item=item,
                rank=places.get(item.insight.id),
                left_out=left_out.get(item.insight.id, ""),
                evidence=proofs[item.insight.id],
                worth=worth[item.insight.id],
                injection_rank=number,
                injection_score=same.score if same else None,
            )
        )
    left = [*found.left, *under_the_gate(mem, query, ordered, found.left), *_suppressed(query)]
    return Explanation(tuple(listed), tuple(left), found.mode, found.note)


def injection_reasons(ranked: Sequence[Ranked]) -> list[str]:
    """Why each candidate stands where it stands for injection, in plain words. Pure.

    In: the candidates as they are ranked for an agent, best first. What needs an explanation is
    one that stands above a closer one: by its record, by the words it shares, or by the graph.
    """
    return [
        "; ".join(filter(None, (_standing(item), _beats(item, ranked[n + 1 :]))))
        for n, item in enumerate(ranked)
    ]


def _worth(item: Ranked) -> float:
    return item.effectiveness if item.value is None else item.value


def _standing(item: Ranked) -> str:
    if not item.causal_events:
        return f"untried: counts as {_worth(item):.0%}"
    uses = "1 causal use" if item.causal_events == 1 else f"{item.causal_events} causal uses"
    return f"{_worth(item):.0%} for a task like this, from {uses}"


def _beats(item: Ranked, below: Sequence[Ranked]) -> str:
    """What puts a candidate above the closest of those below it; "" where that is no wonder."""
    near = item.relevance
    closer = [other for other in below if (other.relevance or 0.0) > (near or 0.0)]
    if near is None or not closer:
        return ""
    other = max(closer, key=lambda one: one.relevance or 0.0)
    where = f"above {other.insight.name}, which is closer (cosine {other.relevance:.2f}"
    where += f" against {near:.2f})"
    if item.rrf >= other.rrf:
        how = "through the graph" if item.hop else "by the words it shares with the task"
        return f"{where}, {how}"
    if _worth(item) > _worth(other):
        return (
            f"{where}, since what it has shown ({_worth(item):.0%} against {_worth(other):.0%})"
            " outweighs the places between them; closeness counts by rank, not by its size"
        )
    return f"{where}, by recency and velocity"


def _suppressed(query: recall.Query) -> list[Left]:
    return [Left(name, "suppressed") for name in sorted(query.suppress)]


def under_the_gate(
    mem: Memory, query: recall.Query, ordered: list[Ranked], known: tuple[Left, ...]
) -> list[Left]:
    """The nearest by vector that the gate stopped, as many as were asked for."""
    if query.vector is None or mem.index is None or mem.profile is None:
        return []
    gate = mem.profile.gate if query.min_relevance is None else query.min_relevance
    names = {item.name for item in known} | query.suppress
    taken = {item.insight.id for item in ordered}
    near = mem.index.top(query.vector, query.limit + len(names) + len(taken), -1.0)
    rows = insights.by_ids(mem.conn, [i for i, c in near if c < gate and i not in taken])
    stopped = [
        Left(rows[i].name, "below the gate", c)
        for i, c in near
        if i in rows and rows[i].name not in names
    ]
    return stopped[: query.limit]
