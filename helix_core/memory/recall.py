"""Recall: gate, two lists, fusion, the spec's factors, graph activation (decisions 17 to 20).

May import the store, the formulas and the text modules; never a model or numpy. Vectors come in
through the `VectorIndex` of the memory; without one, recall goes by keyword alone and says so.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Collection, Iterable
from dataclasses import dataclass, replace
from datetime import timedelta
from itertools import islice

from helix_core import clock, constants, formulas
from helix_core.memory import neighbours
from helix_core.memory.context import Memory
from helix_core.model import Insight, Left, Ranked, Recall
from helix_core.store import insights, results
from helix_core.text import terms

Fused = dict[int, tuple[int | None, int | None, float]]  # id: vector rank, keyword rank, rrf
WIDE_SEARCH = 10
"""Keyword hits read per place in the list, where it cannot be searched behind the gate."""
FEW = 0.25
"""Up to this share of all insights it is quicker to score only what is behind the gate."""


@dataclass(frozen=True)
class Query:
    """What is looked for. `keywords` adds file names and identifiers to the keyword side only."""

    text: str
    keywords: str = ""
    limit: int = 5
    min_relevance: float | None = None
    """The gate; None takes the embedding model's own."""
    min_effectiveness: float = 0.0
    suppress: frozenset[str] = frozenset()
    hops: int = 1
    vector: tuple[float, ...] | None = None
    """The query vector where it is known already."""


def embed(mem: Memory, query: Query) -> Query:
    """The query with its vector, where the memory can make one."""
    if query.vector is not None or mem.embedder is None or mem.index is None:
        return query
    return replace(query, vector=tuple(mem.embedder.embed_query(query.text)))


def recall(mem: Memory, query: Query) -> Recall:
    """The insights for a query by the spec's formula, best first, at most `limit`."""
    if query.limit <= 0 or not query.text.strip():
        return Recall(ranked=())
    found = _found(mem, query, whole=False)
    kept, reasons = choose(found.ranked, query)
    left = [Left(item.insight.name, reason, item.relevance) for item, reason in reasons]
    return replace(found, ranked=tuple(kept), left=(*found.left, *left))


def choose(ranked: Iterable[Ranked], query: Query) -> tuple[list[Ranked], list[tuple[Ranked, str]]]:
    """Of candidates the results, best first, and every other with the reason. Pure."""
    good: list[Ranked] = []
    poor: list[Ranked] = []
    for item in sorted(ranked, key=neighbours.best_first):
        (poor if item.effectiveness < query.min_effectiveness else good).append(item)
    kept, past = neighbours.in_their_places(good, query.limit)
    return kept, [
        *((item, "below the asked effectiveness") for item in poor),
        *((item, "past the limit") for item in past),
    ]


def candidates(mem: Memory, query: Query) -> Recall:
    """Every candidate with all parts of its score, unsorted and uncut; see `recall`."""
    return _found(mem, query, whole=True)


def _found(mem: Memory, query: Query, *, whole: bool) -> Recall:
    """The candidates; unless `whole`, without neighbours too faint to be among the results."""
    depth = max(constants.CANDIDATE_DEPTH_MIN, constants.CANDIDATE_DEPTH_FACTOR * query.limit)
    query = embed(mem, query)
    if query.vector is None or mem.index is None or mem.profile is None:
        return _by_keyword(mem, query, depth)
    mem.index.refresh(mem.conn)
    gate = mem.profile.gate if query.min_relevance is None else query.min_relevance
    hidden = _ids_of(mem.conn, query.suppress)
    cosine = {i: c for i, c in mem.index.near(query.vector, gate) if i not in hidden}
    by_keyword, left = _keyword_side(mem, query, cosine, hidden, depth, gate)
    ranked = _scored(mem, fuse(list(islice(cosine, depth)), by_keyword), cosine)
    if query.hops > 0:
        ranked = _with_neighbours(mem, ranked, query, gate, hidden, whole)
    return Recall(ranked=tuple(ranked), left=tuple(left), mode="vector", note=_gate_note(left))


def _hits(conn: sqlite3.Connection, query: Query, depth: int) -> list[int]:
    """Ids by keyword alone, best first."""
    return [i for i, _ in insights.search_keywords(conn, _expression(query), depth)]


def _expression(query: Query) -> str | None:
    return terms.match_expression(f"{query.text} {query.keywords}".strip())


def _ids_of(conn: sqlite3.Connection, names: Collection[str]) -> set[int]:
    ids = set()
    for name in names:
        row = conn.execute("SELECT id FROM insight WHERE name = ?", (name,)).fetchone()
        if row:
            ids.add(int(row[0]))
    return ids


def _keyword_side(
    mem: Memory, query: Query, near: dict[int, float], hidden: set[int], depth: int, gate: float
) -> tuple[list[int], list[Left]]:
    """The keyword list behind the gate (`near`), and what the gate stopped (decision 31).

    Where every insight has its vector, only those behind the gate are scored, and the others are
    looked at only if the list is not full: scoring is most of what a large memory costs.
    """
    assert mem.index is not None
    passed: list[int] | None = None
    count = len(mem.index)
    if len(near) <= FEW * count and insights.count(mem.conn) == count:
        found = insights.search_keywords(mem.conn, _expression(query), depth, near) if near else []
        passed = [i for i, _ in found]
        if len(passed) == depth:
            return passed, []
    hits = [i for i in _hits(mem.conn, query, depth * WIDE_SEARCH) if i not in hidden]
    if passed is None:
        waiting = _waiting(mem, query, [i for i in hits if i not in near], gate)
        passed = [i for i in hits if i in near or i in waiting][:depth]
    taken = set(passed)
    stopped = [i for i in hits if i not in near and i not in taken][:depth]
    return passed, _stopped(mem, query, stopped)


def _waiting(mem: Memory, query: Query, ids: list[int], gate: float) -> set[int]:
    """Of `ids` those without a vector as yet that the rule for recall by keyword alone takes.

    And those that got one since the gate was asked: the worker embeds beside us.
    """
    assert mem.index is not None and query.vector is not None
    known = mem.index.cosines(query.vector, ids)
    rows = insights.by_ids(mem.conn, [i for i in ids if i not in known])
    arrived = {i for i, cosine in known.items() if cosine >= gate}
    return arrived | {i for i, row in rows.items() if _keyword_relevant(query, row)}


def _stopped(mem: Memory, query: Query, ids: list[int]) -> list[Left]:
    assert mem.index is not None and query.vector is not None
    cosine = mem.index.cosines(query.vector, ids)
    names = insights.names_of(mem.conn, ids)
    return [
        Left(names[i], "below the gate" if i in cosine else "waits for its vector", cosine.get(i))
        for i in ids
        if i in names
    ]


def _keyword_relevant(query: Query, row: Insight) -> bool:
    asked = f"{query.text} {query.keywords}".strip()
    return terms.keyword_relevant(asked, f"{row.content} {' '.join(row.tags)}")


def _gate_note(left: list[Left]) -> str:
    below = sum(1 for item in left if item.reason == "below the gate")
    if not below:
        return ""
    return f"{below} keyword match{'es' if below > 1 else ''} under the gate"


def fuse(by_vector: list[int], by_keyword: list[int]) -> Fused:
    """Reciprocal rank fusion; who is absent from a list counts one past its end (decision 18)."""
    vector_rank = {i: n for n, i in enumerate(by_vector, 1)}
    keyword_rank = {i: n for n, i in enumerate(by_keyword, 1)}
    past_vector = formulas.absent_rank(len(by_vector))
    past_keyword = formulas.absent_rank(len(by_keyword))
    return {
        i: (
            vector_rank.get(i),
            keyword_rank.get(i),
            formulas.rrf(vector_rank.get(i, past_vector), keyword_rank.get(i, past_keyword)),
        )
        for i in [*by_vector, *(k for k in by_keyword if k not in vector_rank)]
    }


def _scored(
    mem: Memory,
    fused: Fused,
    cosine: dict[int, float],
) -> list[Ranked]:
    rows = insights.by_ids(mem.conn, fused)
    velocity = velocities(mem, list(rows.values()))
    ranked = []
    for insight_id, place in fused.items():
        insight = rows.get(insight_id)
        if insight is None:
            continue
        quick = formulas.velocity_factor(velocity[insight_id])
        near = cosine.get(insight_id)
        ranked.append(rated(insight, place, near, recency(mem, insight), quick))
    return ranked


def rated(
    insight: Insight,
    place: tuple[int | None, int | None, float],
    relevance: float | None,
    recency_factor: float,
    velocity: float,
) -> Ranked:
    """One candidate with every part of the spec's score. Pure; `place` is its entry of `fuse`."""
    vector_rank, keyword_rank, rrf = place
    effectiveness = adjusted(insight)
    return Ranked(
        insight=insight,
        relevance=relevance,
        effectiveness=effectiveness,
        vector_rank=vector_rank,
        keyword_rank=keyword_rank,
        rrf=rrf,
        recency=recency_factor,
        velocity=velocity,
        score=formulas.recall_score(rrf, effectiveness, recency_factor, velocity),
    )


def adjusted(insight: Insight) -> float:
    """Effectiveness as it is read: scaled by how often the insight was causal (spec)."""
    return formulas.causal_adjusted(insight.effectiveness, insight.use_count, insight.causal_hits)


def recency(mem: Memory, insight: Insight) -> float:
    """The recency factor; a never-used insight counts its days from creation (decision 20)."""
    days = clock.days_since(insight.last_used or insight.created_at, mem.now)
    return formulas.recency(days or 0.0)


def velocities(mem: Memory, rows: list[Insight]) -> dict[int, int]:
    """Causal events of each insight in the last 14 days (decision 9)."""
    window = timedelta(days=constants.VELOCITY_WINDOW_DAYS)
    since = clock.iso(mem.now - window)
    counted = results.recent_causal(mem.conn, [i.id for i in rows], since)
    found = {}
    for insight in rows:
        if insight.id in counted:
            found[insight.id] = counted[insight.id]
        else:  # a row of an older database, whose events were never written down
            days = clock.days_since(insight.last_feedback_at, mem.now)
            recent = days is not None and days <= constants.VELOCITY_WINDOW_DAYS
            found[insight.id] = insight.recent_uses if recent else 0
    return found


def _with_neighbours(
    mem: Memory, ranked: list[Ranked], query: Query, gate: float, hidden: set[int], whole: bool
) -> list[Ranked]:
    """Spread activation one hop from the top results (decision 19); a failure costs nothing."""
    top = sorted(ranked, key=neighbours.best_first)[: query.limit]
    try:
        least = 0.0 if whole else _least(ranked, query)
        active = neighbours.activations(mem.conn, top, hidden, least)
        known = {r.insight.id: r for r in ranked}
        fresh = [i for i in active if i not in known]
        assert mem.index is not None and query.vector is not None
        cosine = mem.index.cosines(query.vector, fresh)
        allowed: Fused = {
            i: (None, None, active[i][0]) for i in fresh if cosine.get(i, -1.0) >= gate
        }
        for item in _scored(mem, allowed, cosine):
            known[item.insight.id] = replace(item, hop=1, through=active[item.insight.id][1])
        for insight_id, item in list(known.items()):
            if item.hop == 0 and insight_id in active and active[insight_id][0] > item.rrf:
                known[insight_id] = neighbours.lifted(item, *active[insight_id])
        return list(known.values())
    except sqlite3.Error as error:
        mem.note("warn", f"graph expansion failed, direct results only: {error}")
        return ranked


def _least(ranked: list[Ranked], query: Query) -> float:
    """The score of the last direct result: who cannot reach it is not among the results."""
    scores = [r.score for r in ranked if r.effectiveness >= query.min_effectiveness]
    return sorted(scores, reverse=True)[query.limit - 1] if len(scores) >= query.limit else 0.0


def _by_keyword(mem: Memory, query: Query, depth: int) -> Recall:
    """Recall without vectors: two shared content words or one rare identifier are needed."""
    hidden = _ids_of(mem.conn, query.suppress)
    ids = [i for i in _hits(mem.conn, query, depth * WIDE_SEARCH) if i not in hidden]
    rows = insights.by_ids(mem.conn, ids)
    relevant, left = [], []
    for insight_id in ids:
        insight = rows.get(insight_id)
        if insight is None:
            continue
        if _keyword_relevant(query, insight):
            relevant.append(insight_id)
        else:
            left.append(Left(insight.name, "too few words in common"))
    ranked = _scored(mem, fuse([], relevant[:depth]), {})
    return Recall(
        ranked=tuple(ranked),
        left=tuple(left),
        mode="keyword",
        note="by keyword only: the embedding model is not available",
    )
