"""What one agent, or a whole wave, gets: the same choice for a hook and for batch-inject.

Nothing is recorded here. Decisions 2 to 4; the ranking itself is in `memory/inject.py`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from helix_core.hooks import frame
from helix_core.memory import inject, recall
from helix_core.memory.context import Memory
from helix_core.model import Given, Left, Ranked, Recall
from helix_core.store import insights
from helix_core.text import fields

NO_ROOM = "no room beside the others"


@dataclass(frozen=True)
class Want:
    """One task that is to get insights: what it asks by, and what that recalls, best first."""

    query: recall.Query
    found: Recall


@dataclass(frozen=True)
class Sifted:
    """The insights for one agent, in order; and of all that were ranked, what was left out."""

    chosen: list[Ranked]
    left: list[Left]
    ranked: tuple[Ranked, ...]


def query_of(mem: Memory, prompt: fields.Prompt) -> recall.Query:
    """What a prompt asks the memory, with its vector where there is a model (decision 2)."""
    query = recall.Query(
        text=prompt.query,
        keywords=" ".join(prompt.relevant_files),
        limit=mem.settings.max_insights,
        min_relevance=mem.settings.min_relevance or None,
        hops=mem.settings.hops,
    )
    return recall.embed(mem, query) if prompt.query else query


def select(mem: Memory, query: recall.Query, found: Recall, claimed: set[int]) -> list[Ranked]:
    """The insights for one agent, in order: those that no sibling has, as many as find room."""
    return sift(mem, query, found, claimed).chosen


def sift(mem: Memory, query: recall.Query, found: Recall, claimed: set[int]) -> Sifted:
    """`select`, together with what was left out and why."""
    wider = further(mem, query, found, claimed)
    chosen, left = inject.choose(mem.settings, wider.ranked, claimed, mem.settings.max_insights)
    _, shown = frame.render([given(item) for item in chosen], mem.settings.max_chars)
    kept = {item.name for item in shown}
    fit = [item for item in chosen if item.insight.name in kept]
    left += [Left(r.insight.name, NO_ROOM, r.relevance) for r in chosen if r not in fit]
    ranked = wider.ranked
    if wider is not found:  # all of the first recall is with siblings
        left += [Left(r.insight.name, inject.TAKEN, r.relevance) for r in found.ranked]
        ranked += found.ranked
    return Sifted(fit, left, ranked)


def further(mem: Memory, query: recall.Query, found: Recall, claimed: set[int]) -> Recall:
    """What lies further down, where siblings have all that this recall saw (a big wave)."""
    if not found.ranked or not all(item.insight.id in claimed for item in found.ranked):
        return found
    taken = frozenset(row.name for row in insights.by_ids(mem.conn, claimed).values())
    more = inject.rank(mem, replace(query, suppress=taken))
    return more if more.ranked else found


def share_out(mem: Memory, wants: Sequence[Want], claimed: set[int]) -> list[list[Ranked]]:
    """The insights for each task of a wave; for a single task exactly what `select` gives.

    First places are settled before second ones are filled. A task for which there is none looks
    further down before anybody takes a second, and shares the best where there is nothing.
    """
    lists = [[r.insight.id for r in w.found.ranked if r.insight.id not in claimed] for w in wants]
    firsts = inject.first_places(lists)
    taken = claimed.union(i for i in firsts if i is not None)
    chosen: dict[int, list[Ranked]] = {}
    for n in sorted(range(len(wants)), key=lambda n: firsts[n] is not None):
        chosen[n] = select(mem, wants[n].query, wants[n].found, taken - {firsts[n]})
        taken.update(item.insight.id for item in chosen[n])
    return [chosen[n] for n in range(len(wants))]


def given(item: Ranked) -> Given:
    """A chosen insight as it is shown."""
    row = item.insight
    return Given(
        row.id,
        row.name,
        row.content,
        row.tags,
        item.effectiveness,
        item.relevance,
        item.score,
        item.hop,
    )


def nothing(mem: Memory) -> str:
    """What a prompt says instead of insights: that there are none at all, or none that fit."""
    return frame.NOTHING_RELEVANT if insights.count(mem.conn) else frame.EMPTY_MEMORY
