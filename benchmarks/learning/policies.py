"""Every policy that is compared: the product's own, the spec's, the rivals, and the two bounds.

May import numpy, `learner` and `world`. A policy sees texts' ranks and cosines and the outcomes of
what it chose; only the oracle sees roles.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Protocol

from benchmarks.learning.learner import Learner, Rules, candidates
from benchmarks.learning.world import Step, World
from helix_core import formulas, profiles
from helix_core.settings import Settings

GATE = profiles.MINILM.gate


class Policy(Protocol):
    """A memory under test."""

    def begin(self, session: int) -> None:
        """A new session."""

    def choose(self, step: Step) -> list[int]:
        """What is injected into this task."""

    def learn(self, step: Step, chosen: Sequence[int], delivered: bool) -> None:
        """How it ended."""

    def derive(self, step: Step, item: int, chosen: Sequence[int]) -> None:
        """A text came out of a blocked task that these were injected into."""

    def close(self) -> None:
        """The session is over."""


class Plain:
    """A policy that keeps everything and learns nothing; the rivals derive from it."""

    def __init__(self, world: World, k: int) -> None:
        self.world = world
        self.k = k
        self.today = 0
        self.alive = [False] * len(world.items)
        self.derived: set[int] = set()

    def begin(self, session: int) -> None:
        """What arrived is there."""
        self.today = session
        self.alive = [
            item.arrives <= session or number in self.derived
            for number, item in enumerate(self.world.items)
        ]

    def choose(self, step: Step) -> list[int]:
        """The best k by `score`."""
        fused = candidates(self.world, step.task, self.alive, GATE)
        ranked = sorted(fused, key=lambda i: (-self.score(step, i, fused[i][2]), i))
        return ranked[: self.k]

    def score(self, step: Step, item: int, rrf: float) -> float:
        """Hybrid recall: the fusion alone."""
        return rrf

    def learn(self, step: Step, chosen: Sequence[int], delivered: bool) -> None:
        """Nothing."""

    def derive(self, step: Step, item: int, chosen: Sequence[int]) -> None:
        """It is there from now on."""
        self.derived.add(item)
        self.alive[item] = True

    def close(self) -> None:
        """Nothing."""


class Nothing(Plain):
    """No memory at all."""

    def choose(self, step: Step) -> list[int]:
        """Nothing."""
        return []


class Oracle(Plain):
    """Knows the roles: one useful insight where there is one. The upper bound."""

    def choose(self, step: Step) -> list[int]:
        """A useful item that is there."""
        there = (i for i, alive in enumerate(self.alive) if alive)
        return [i for i in there if self.world.effect_of(i, step) == "useful"][:1]


class Cosine(Plain):
    """Vector search alone."""

    def score(self, step: Step, item: int, rrf: float) -> float:
        """The cosine."""
        return float(self.world.task_item[step.task, item])


class Recency(Plain):
    """Relevance plus recency of access, 1% lost per day (Park et al. 2023, no importance)."""

    def __init__(self, world: World, k: int) -> None:
        super().__init__(world, k)
        self.accessed = [item.arrives for item in world.items]
        self.strength = [1] * len(world.items)

    def score(self, step: Step, item: int, rrf: float) -> float:
        """Both weigh the same."""
        fresh = 0.99 ** (self.today - self.accessed[item])
        return float(self.world.task_item[step.task, item]) + fresh

    def learn(self, step: Step, chosen: Sequence[int], delivered: bool) -> None:
        """An access refreshes, whatever came of it."""
        for item in chosen:
            self.accessed[item] = self.today
            self.strength[item] += 1


class Forgetting(Recency):
    """Ebbinghaus retention exp(-days / strength), reinforced on access (Zhong et al. 2024)."""

    def score(self, step: Step, item: int, rrf: float) -> float:
        """Relevance times retention."""
        days = self.today - self.accessed[item]
        kept = math.exp(-days / self.strength[item])
        return float(self.world.task_item[step.task, item]) * kept


class Bandit(Plain):
    """UCB on Beta counts of successes (Auer et al. 2002), gently over the fusion."""

    def __init__(self, world: World, k: int) -> None:
        super().__init__(world, k)
        self.wins = [1.0] * len(world.items)
        self.tries = [2.0] * len(world.items)
        self.total = 2.0

    def score(self, step: Step, item: int, rrf: float) -> float:
        """Mean plus a bonus for what was tried little."""
        bonus = math.sqrt(0.5 * math.log(self.total) / self.tries[item])
        return formulas.injection_score(rrf, min(1.0, self.wins[item] / self.tries[item] + bonus))

    def learn(self, step: Step, chosen: Sequence[int], delivered: bool) -> None:
        """Every chosen item gets the outcome."""
        self.total += 1.0
        for item in chosen:
            self.wins[item] += delivered
            self.tries[item] += 1.0


@dataclass(frozen=True)
class Entry:
    """One row of the table: its name, what it is in words, and how it is made."""

    name: str
    words: str
    make: Callable[[World], Policy]


def _helix(name: str, words: str, **changes: object) -> Entry:
    rules = Rules(
        settings=replace(Settings(), **{k: v for k, v in changes.items() if hasattr(Settings, k)}),  # type: ignore[arg-type]
        prune=bool(changes.get("prune", True)),
        decay=bool(changes.get("decay", True)),
    )
    return Entry(name, words, lambda world: Learner(world, rules))


SPEC = Settings(ranking="spec", prune_contrast=False, ranking_contrast=False, ghost_days=60.0)
ARCTIC_ON_MINILM = replace(profiles.MINILM, causal_threshold=0.5, causal_ramp=0.5)
BEFORE = {
    "ranking_contrast": False, "ranking_kernel": 0.5, "ranking_strength": 0.15,
    "ranking_few_events": 2, "ranking_few_value": 0.58, "prune_contrast": False,
    "ghost_days": 60.0,
}  # fmt: skip

HARDEST = Entry("hybrid k=1", "hybrid recall, no feedback, k = 1", lambda w: Plain(w, 1))
ANCHOR = Entry("hybrid k=3", "hybrid recall, no feedback, k = 3", lambda w: Plain(w, 3))
HELIX = _helix("helix", "helix as shipped")
FRAME = (
    Entry("none", "no memory", lambda w: Nothing(w, 0)),
    Entry("oracle", "oracle", lambda w: Oracle(w, 1)),
    Entry("cosine", "cosine only, k = 3", lambda w: Cosine(w, 3)),
    ANCHOR,
    HARDEST,
)
RIVALS = (
    Entry("recency", "relevance + recency of access, k = 3", lambda w: Recency(w, 3)),
    Entry("forgetting", "forgetting curve, reinforced on access, k = 3",
          lambda w: Forgetting(w, 3)),
    Entry("ucb", "UCB on Beta counts, k = 3", lambda w: Bandit(w, 3)),
    Entry("spec", "the spec's rules", lambda w: Learner(w, Rules(SPEC))),
    Entry("spec, arctic", "the spec's rules with arctic's thresholds on MiniLM",
          lambda w: Learner(w, Rules(SPEC, ARCTIC_ON_MINILM))),
    _helix("decision 29", "decision 29 as first written", **BEFORE),
    HELIX,
)  # fmt: skip
ABLATIONS = (
    _helix("- contrast", "without the contrast in value", ranking_contrast=False),
    _helix("- context", "without context (plain EMA as value)", ranking_context=False),
    _helix("- wide kernel", "kernel from cosine 0.5 on", ranking_kernel=0.5),
    _helix("- strict few", "a second place from 2 events and 0.58 on",
           ranking_few_events=2, ranking_few_value=0.58),
    _helix("- gentle", "strength 0.5, as in the spec", ranking_strength=0.5),
    _helix("- strength", "strength 0: nothing learned is used", ranking_strength=0.0),
    _helix("- few", "always three", ranking_few=False),
    _helix("k = 1", "never more than one", max_insights=1),
    _helix("+ recency", "with recency and velocity", ranking_recency=True),
    _helix("- prune contrast", "prune by effectiveness alone", prune_contrast=False),
    _helix("- prune", "without prune", prune=False),
    _helix("ghosts at 60", "never-used ones go after 60 days", ghost_days=60.0),
    _helix("- decay", "without decay", decay=False),
    _helix("+ lineage", "credit flows back to the parents", lineage_credit=True),
    _helix("- context + lineage", "the same without context",
           ranking_context=False, lineage_credit=True),
)  # fmt: skip
BY_NAME = {entry.name: entry for entry in (*FRAME, *RIVALS, *ABLATIONS)}
