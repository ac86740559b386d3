"""The product's memory over the simulated world: its functions, with rows kept in plain lists.

May import numpy, `world`, and the pure functions of helix_core.memory. What it does itself is
bookkeeping; every score, choice, move and removal is computed by the product's own code, and a test
holds it to the same choices as the product over a real database. Two things differ from there:
graph hops are off, and all texts are separate rows from the start.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from benchmarks.learning.world import Step, World
from helix_core import constants, formulas, profiles
from helix_core.memory import feedback, inject, recall, value
from helix_core.memory.value import Past, Worth
from helix_core.model import Insight, Ranked
from helix_core.profiles import ModelProfile
from helix_core.settings import Settings

DEPTH = constants.CANDIDATE_DEPTH_MIN
DEFAULTS = Settings()
OUTCOMES = {True: "delivered", False: "blocked"}


@dataclass(frozen=True)
class Rules:
    """What one policy of the product's is: its settings, its thresholds, and what upkeep does."""

    settings: Settings = DEFAULTS
    profile: ModelProfile = profiles.MINILM
    prune: bool = True
    decay: bool = True


@dataclass(frozen=True)
class Use:
    """One past use of an item: which task it was (by position), and what was expected of it."""

    run: int
    outcome: float
    baseline: float


def candidates(world: World, task: int, alive: Sequence[bool], gate: float) -> recall.Fused:
    """The product's gate and fusion over the items that are there."""
    cosine = world.task_item[task]
    by_vector = [i for i in world.nearest(task, gate) if alive[i]][:DEPTH]
    by_keyword = [i for i in world.keyword[task] if alive[i] and cosine[i] >= gate][:DEPTH]
    return recall.fuse(by_vector, by_keyword)


class Learner:
    """One memory that ranks, learns and forgets as the product does; a session is a day."""

    def __init__(self, world: World, rules: Rules) -> None:
        self.world = world
        self.rules = rules
        self.alive = [False] * len(world.items)
        self.gone: dict[int, str] = {}
        """What upkeep removed, and why."""
        self.rows = [_row(number) for number in range(len(world.items))]
        self.uses: list[list[Use]] = [[] for _ in world.items]
        self.last_used: list[int | None] = [None] * len(world.items)
        self.injected: list[int | None] = [None] * len(world.items)
        self.causal_days: list[list[int]] = [[] for _ in world.items]
        self.contexts: list[list[int]] = [[] for _ in world.items]
        self.born = [item.arrives for item in world.items]
        """The session before, or in, which each item came."""
        self.parents: dict[int, tuple[int, ...]] = {}
        self._means: dict[int, tuple[int, list[float] | None]] = {}
        self._kept: set[int] = set()
        """What prune left where it is, and nothing happened to since."""
        self.tasks: list[int] = []
        self.outcomes: list[float] = []
        self.given: list[tuple[int, ...]] = []
        """What was injected into each past task."""
        self.today = -1
        self._lifts: dict[int, tuple[int, float]] = {}
        self._seen: tuple[tuple[int, int], list[Past]] = ((-1, -1), [])

    def begin(self, session: int) -> None:
        """A new session: what arrived is there."""
        self.today = session
        for number, item in enumerate(self.world.items):
            if item.arrives <= session and number not in self.gone:
                self.alive[number] = True

    def choose(self, step: Step) -> list[int]:
        """The items the product would inject for a task."""
        fused = candidates(self.world, step.task, self.alive, self.rules.profile.gate)
        ranked = [self._rated(i, place, step.task) for i, place in fused.items()]
        settings = self.rules.settings
        if settings.ranking != "spec":
            ranked = inject.weighed(settings, ranked, self._values(ranked, step.task))
        ordered = tuple(sorted(ranked, key=lambda r: (-r.score, r.insight.id)))
        return [r.insight.id for r in inject.choose(settings, ordered, (), self._limit())[0]]

    def _limit(self) -> int:
        return self.rules.settings.max_insights

    def _rated(self, item: int, place: tuple[int | None, int | None, float], task: int) -> Ranked:
        last = self.last_used[item]
        since = self.born[item] if last is None else last
        window = self.today - constants.VELOCITY_WINDOW_DAYS
        recent = sum(1 for day in self.causal_days[item] if day >= window)
        return recall.rated(
            self.rows[item],
            place,
            float(self.world.task_item[task, item]),
            formulas.recency(self.today - since),
            formulas.velocity_factor(recent),
        )

    def _values(self, ranked: Sequence[Ranked], task: int) -> dict[int, Worth]:
        rows = [r.insight for r in ranked]
        if not self.rules.settings.ranking_context:
            return {row.id: value.plain(row) for row in rows}
        history = self._history(task)
        first = len(self.tasks) - len(history)
        uses = {
            row.id: [
                Past(u.run, history[u.run - first].similarity, u.outcome, u.baseline)
                for u in self.uses[row.id]
                if u.run >= first
            ]
            for row in rows
        }
        fallback = {row.id: recall.adjusted(row) for row in rows}
        found = value.worths(history, uses, fallback, self.rules.settings)
        return {row.id: Worth(found[row.id], row.causal_hits) for row in rows}

    def _history(self, task: int) -> list[Past]:
        """The past tasks seen from this one; choosing and learning ask for the same."""
        key = (task, len(self.tasks))
        if self._seen[0] != key:
            self._seen = (key, self._look_back(task))
        return self._seen[1]

    def _look_back(self, task: int) -> list[Past]:
        first, count = max(0, len(self.tasks) - value.TASKS), len(self.tasks)
        near = self.world.task_task[task][self.tasks[first:]].tolist() if count else []
        return list(map(Past, range(first, count), near, self.outcomes[first:]))

    def learn(self, step: Step, chosen: Sequence[int], delivered: bool) -> None:
        """Give the outcome to what was injected, as the product does."""
        outcome = OUTCOMES[delivered]
        worth = formulas.OUTCOME_VALUES[outcome]
        runs_with = {i: {use.run for use in self.uses[i]} for i in chosen}
        settings = self.rules.settings
        expected = dict.fromkeys(chosen, constants.NEUTRAL_EFFECTIVENESS)
        if chosen and (settings.ranking != "spec" or settings.prune_contrast):  # else never read
            expected = value.baselines(self._history(step.task), runs_with, settings)
        weights: dict[int, float] = {}
        for item in chosen:
            near = float(self.world.task_item[step.task, item])
            row = self.rows[item]
            after, weight = feedback.step(row.effectiveness, near, outcome, self.rules.profile)
            self.rows[item] = replace(
                row,
                effectiveness=after,
                use_count=row.use_count + 1,
                causal_hits=row.causal_hits + (weight > 0.0),
            )
            self.uses[item].append(Use(len(self.tasks), worth, expected[item]))
            self.injected[item] = self.today
            if weight > 0.0:
                weights[item] = weight
                self.last_used[item] = self.today
                self.causal_days[item].append(self.today)
                self.contexts[item].append(step.task)
            self._kept.discard(item)
        if settings.lineage_credit:
            self._flow_back(weights, chosen, outcome)
        self.tasks.append(step.task)
        self.outcomes.append(worth)
        self.given.append(tuple(chosen))

    def _flow_back(self, weights: Mapping[int, float], chosen: Sequence[int], outcome: str) -> None:
        """Move the parents of what was causal, as the product does."""
        passed: dict[int, float] = {}
        for child, weight in weights.items():
            for parent in self.parents.get(child, ()):
                passed[parent] = max(passed.get(parent, 0.0), weight)
        for parent, weight in passed.items():
            if parent not in chosen and parent not in self.gone:
                row = self.rows[parent]
                after, _ = feedback.passed_back(row.effectiveness, weight, outcome)
                self.rows[parent] = replace(row, effectiveness=after)
                self._kept.discard(parent)

    def derive(self, step: Step, item: int, chosen: Sequence[int]) -> None:
        """A text came out of a blocked task; its parents are what was causal there."""
        self.alive[item] = True
        self.born[item] = self.today
        self.rows[item] = replace(
            self.rows[item], effectiveness=constants.DERIVED_EFFECTIVENESS, source="derived"
        )
        threshold = self.rules.profile.causal_threshold
        self.parents[item] = tuple(
            i for i in chosen if self.world.task_item[step.task, i] > threshold
        )

    def _spread(self, item: int) -> float | None:
        """The spread of the item's causal contexts; its running mean is brought up to date here."""
        contexts = self.contexts[item]
        seen, mean = self._means.get(item, (0, None))
        for count, task in enumerate(contexts[seen:], seen):
            mean = formulas.context_mean(mean, count, self.world.task_vectors[task].tolist())
        self._means[item] = len(contexts), mean
        return formulas.spread_of(mean) if mean and formulas.spread_counts(len(contexts)) else None

    def close(self) -> None:
        """The end of a session: decay, then prune."""
        for item, row in enumerate(self.rows):
            if not self.alive[item]:
                continue
            arrived = self.born[item]
            last = self.last_used[item]
            unused = float(self.today - (arrived if last is None else last))
            after_days = self.rules.settings.decay_days
            if self.rules.decay and formulas.should_decay(
                row.effectiveness, unused, after_days=after_days
            ):
                after = formulas.decay(row.effectiveness, self._spread(item))
                self.rows[item] = replace(row, effectiveness=after)
                self._kept.discard(item)
            if self.rules.prune and item not in self._kept:
                self._prune(item, arrived)

    def _prune(self, item: int, arrived: int) -> None:
        row, injected, settings = self.rows[item], self.injected[item], self.rules.settings
        lift = None
        if settings.prune_contrast and self.uses[item]:
            lift = self.lift(item)
        reason = formulas.prune_reason(
            effectiveness=row.effectiveness,
            use_count=row.use_count,
            causal_hits=row.causal_hits,
            days_since_created=self.today - arrived,
            days_since_injected=None if injected is None else self.today - injected,
            lift=lift,
            threshold=settings.prune_threshold,
            min_uses=settings.prune_min_uses,
            ghost_days=settings.ghost_days,
        )
        if reason:
            self.gone[item] = reason
            self.alive[item] = False
        elif row.use_count:  # of a used one no date is asked
            self._kept.add(item)

    def lift(self, item: int) -> float:
        """How an item did against what was expected of its tasks, computed once per use."""
        uses = self.uses[item]
        count, known = self._lifts.get(item, (0, 0.0))
        if count != len(uses):
            known = formulas.mean_lift([use.outcome - use.baseline for use in uses])
            self._lifts[item] = len(uses), known
        return known

    def shown(self, item: int) -> float:
        """The effectiveness a person sees."""
        return recall.adjusted(self.rows[item])

    def used(self, item: int) -> int:
        """How often it was injected."""
        return self.rows[item].use_count


def _row(number: int) -> Insight:
    """A fresh row; its text plays no part, since every item is a different one."""
    return Insight(
        id=number,
        name=f"item-{number}",
        content=f"item {number}",
        tags=(),
        effectiveness=constants.NEUTRAL_EFFECTIVENESS,
        use_count=0,
        causal_hits=0,
        recent_uses=0,
        context_spread=None,
        context_count=0,
        created_at="",
        last_used=None,
        last_feedback_at=None,
        pinned=False,
        source="agent",
        embedding_model=None,
        row_version=1,
        updated_at=None,
    )
