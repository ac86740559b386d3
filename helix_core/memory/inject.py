"""How insights are ranked for an agent (decision 29). Apart from recall, in this one place.

It starts from recall's candidates and fusion. Four measured differences make learning work, and
each is one configuration line; `ranking = "spec"` turns all of them off:
`ranking_strength` (a gentle factor), `ranking_context` (value in this context), `ranking_few`
(a second and third only if proven), `ranking_recency` (recency and velocity, off).
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import replace

from helix_core import formulas
from helix_core.memory import recall, value
from helix_core.memory.context import Memory
from helix_core.memory.value import Worth
from helix_core.model import Left, Ranked, Recall
from helix_core.settings import Settings
from helix_core.text import terms

TAKEN = "with a sibling"


def rank(mem: Memory, query: recall.Query) -> Recall:
    """Recall's candidates in the order of injection, best first, uncut."""
    query = recall.embed(mem, query)  # the value in context needs the vector too
    found = recall.candidates(mem, query)
    if mem.settings.ranking == "spec":
        scored: Iterable[Ranked] = found.ranked
    else:
        scored = _helix_scores(mem, query, found.ranked)
    return replace(found, ranked=tuple(sorted(scored, key=lambda r: (-r.score, r.insight.id))))


def _helix_scores(mem: Memory, query: recall.Query, ranked: tuple[Ranked, ...]) -> list[Ranked]:
    values = (
        value.in_context(mem, [r.insight for r in ranked], query.vector)
        if mem.settings.ranking_context
        else {r.insight.id: value.plain(r.insight) for r in ranked}
    )
    return weighed(mem.settings, ranked, values)


def weighed(
    settings: Settings, ranked: Iterable[Ranked], values: Mapping[int, Worth]
) -> list[Ranked]:
    """Candidates with their value and their score for injection; pure, unsorted."""
    scored = []
    for item in ranked:
        worth = values[item.insight.id]
        score = formulas.injection_score(item.rrf, worth.value, settings.ranking_strength)
        if settings.ranking_recency:
            score *= item.recency * item.velocity
        scored.append(
            replace(item, score=score, value=worth.value, causal_events=worth.causal_events)
        )
    return scored


def choose(
    settings: Settings, ranked: tuple[Ranked, ...], claimed: Collection[int], limit: int
) -> tuple[list[Ranked], list[Left]]:
    """The insights one agent gets: the best that no sibling has, and more only if proven.

    Pure: `ranked` is best first, `claimed` holds the ids that siblings have. Where every relevant
    insight is with a sibling already, the best of them is shared: an agent without its lesson
    costs more than two agents with the same one.
    """
    chosen: list[Ranked] = []
    left: list[Left] = []
    free = [r for r in ranked if r.insight.id not in claimed]
    left += [Left(r.insight.name, TAKEN, r.relevance) for r in ranked if r not in free]
    for item in free or list(ranked[:1]):
        reason = _unfit(settings, item, chosen, limit)
        if reason:
            left.append(Left(item.insight.name, reason, item.relevance))
        else:
            chosen.append(item)
    return chosen, left


def _unfit(settings: Settings, item: Ranked, chosen: list[Ranked], limit: int) -> str:
    """Why an insight does not go in after those chosen; empty where it does."""
    if len(chosen) >= limit:
        return "past the limit"
    if not chosen:
        return ""
    if settings.ranking != "spec" and settings.ranking_few:
        worth = item.value if item.value is not None else item.effectiveness
        few = (settings.ranking_few_events, settings.ranking_few_value)
        if not formulas.proven(item.causal_events, worth, *few):
            return "not yet proven enough for a second place"
    if any(terms.near_text(item.insight.content, other.insight.content) for other in chosen):
        return "says nearly the same as one already given"
    return ""


def first_places(wants: Sequence[Sequence[int]]) -> list[int | None]:
    """One insight for each task of a wave, no insight twice, so that the most tasks have one.

    In: the ids each task can use, best first. Out: each task's id, None where all it can use are
    with others. Pure. Earlier tasks choose first; one gives way only to a task that would go
    without, and only where a next best is left for it (Kuhn's augmenting paths).
    """
    owner: dict[int, int] = {}

    def settle(task: int, seen: set[int]) -> bool:
        open_to_it = [i for i in wants[task] if i not in seen]
        seen.update(open_to_it)
        for insight_id in open_to_it:
            if insight_id not in owner:
                owner[insight_id] = task
                return True
        for insight_id in open_to_it:
            if settle(owner[insight_id], seen):
                owner[insight_id] = task
                return True
        return False

    for task in range(len(wants)):
        settle(task, set())
    chosen = {task: insight_id for insight_id, task in owner.items()}
    return [chosen.get(task) for task in range(len(wants))]
