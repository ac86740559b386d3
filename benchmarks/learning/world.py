"""The simulated world: which insights exist, which tasks come, and how a task ends.

May import numpy, the product's store and text modules, and `sentences`. Policies never see a
role: only the texts' ranks and cosines, and the outcomes of what they chose.
"""

from __future__ import annotations

import math
import random
import sqlite3
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Literal

import numpy as np

from benchmarks.learning.sentences import Matrix, Pool
from helix_core.store import insights, schema
from helix_core.text import terms

Role = Literal["useful", "harmful", "neutral"]
ROLES: tuple[Role, ...] = ("useful", "harmful", "neutral")
SESSION_TASKS, SESSION_TOPICS = 6, 2
DERIVED_PER_ROLE = 3


@dataclass(frozen=True)
class Scenario:
    """What is special about one world. Effects are in logits, counts are means per topic."""

    name: str = "base"
    sessions: int = 60
    misleading: float = 0.75
    close_share: float = 0.1
    """How many of the misleading texts name the very symptom."""
    paraphrase: float = 0.6
    stale: float = 0.4
    neutrals: int = 60
    late_share: float = 0.3
    zipf: float = 1.0
    ease: float = -0.35
    """Mean logit of success without any insight."""
    topic_spread: float = 1.0
    task_spread: float = 0.8
    effect: float = 1.6
    irrelevant: float = 0.1
    turning: float = 0.0
    """Share of the lessons that turn harmful halfway."""
    cosine_shift: float = 0.0
    derived: bool = False
    """Whether texts come out of blocked tasks, with what was injected there as their parents."""
    inherit: float = 0.0
    """Share of those that do what their parent does; the others are good or bad by a coin."""


BASE = Scenario()
SCENARIOS = {
    s.name: s
    for s in (
        BASE,
        replace(BASE, name="mild", misleading=0.22, stale=0.12),
        replace(BASE, name="long", sessions=150),
        replace(BASE, name="hicos", cosine_shift=0.15),
        replace(BASE, name="confounded", topic_spread=2.4),
        replace(BASE, name="drift", turning=0.25),
        replace(BASE, name="weak", effect=0.85),
        replace(BASE, name="derived", derived=True),
        replace(BASE, name="kin", derived=True, inherit=0.8),
    )
}


@dataclass(frozen=True)
class Item:
    """One insight of the world. `text` points into the pool."""

    text: int
    topic: int
    role: Role
    arrives: int
    """The session before which it is stored."""
    turns: int | None = None
    """The session from which a useful one is harmful."""
    derived: bool = False
    """It is not there until a blocked task brings it."""

    def role_at(self, session: int) -> Role:
        """What it does to a task of its topic in that session."""
        return "harmful" if self.turns is not None and session >= self.turns else self.role


@dataclass(frozen=True)
class Step:
    """One task. It is delivered where `luck` is under its chance."""

    session: int
    task: int
    """Its text in the pool."""
    topic: int
    ease: float
    luck: float


@dataclass(frozen=True)
class World:
    """Everything a run needs; the same for every policy, so that results are paired."""

    scenario: Scenario
    items: tuple[Item, ...]
    steps: tuple[Step, ...]
    task_item: Matrix
    """Cosine of task text (row: position in the pool) and item (column)."""
    task_task: Matrix
    keyword: dict[int, tuple[int, ...]]
    """For each task text its items by BM25, best first."""
    task_vectors: Matrix
    order: dict[int, tuple[int, ...]]
    """For each task text its items by cosine, best first."""

    def nearest(self, task: int, gate: float) -> tuple[int, ...]:
        """The items at or above a cosine, best first."""
        known = self.order.get(task)
        if known is None:
            row = self.task_item[task]
            known = tuple(int(i) for i in np.argsort(-row, kind="stable") if row[i] >= gate)
            self.order[task] = known
        return known

    def chance(self, step: Step, chosen: Iterable[int]) -> float:
        """The probability that a task is delivered with the chosen items injected."""
        return self.chance_of(step, [self.effect_of(i, step) for i in chosen])

    def chance_of(self, step: Step, roles: Sequence[Role]) -> float:
        """The same for what the injected items do to the task."""
        logit = step.ease
        if "useful" in roles:
            logit += self.scenario.effect
        if "harmful" in roles:
            logit -= self.scenario.effect
        logit -= self.scenario.irrelevant * roles.count("neutral")
        return 1.0 / (1.0 + math.exp(-logit))

    def brought(self, step: Step, chosen: Sequence[int], there: Collection[int]) -> int | None:
        """The text that comes out of a blocked task; None where there is none to come.

        `there`: those that came before. By the step's own luck, so that it is the same for every
        policy that chose the same.
        """
        if not self.scenario.derived or not chosen:
            return None
        kin, coin = step.luck * 1009 % 1, step.luck * 7919 % 1
        role = self.effect_of(chosen[0], step)
        if role == "neutral" or kin >= self.scenario.inherit:
            role = "useful" if coin < 0.5 else "harmful"
        fresh = (
            number
            for number, item in enumerate(self.items)
            if item.derived and item.topic == step.topic and item.role == role
        )
        return next((number for number in fresh if number not in there), None)

    def effect_of(self, item: int, step: Step) -> Role:
        """What an item does to a task; one of another topic is irrelevant."""
        found = self.items[item]
        return found.role_at(step.session) if found.topic == step.topic else "neutral"


def build(scenario: Scenario, pool: Pool, seed: int) -> World:
    """The world of one seed."""
    rng = random.Random(f"{seed}")
    items = tuple(_items(scenario, pool, rng))
    steps = tuple(_steps(scenario, pool, rng))
    if scenario.derived:
        items += tuple(_derived(scenario, pool, items, random.Random(f"derived {seed}")))
    vectors = pool.vectors
    own = vectors[[item.text for item in items]]
    shift = scenario.cosine_shift
    return World(
        scenario=scenario,
        items=items,
        steps=steps,
        task_item=np.minimum(vectors @ own.T + shift, 1.0),
        task_task=np.minimum(vectors @ vectors.T + shift, 1.0),
        keyword=_keyword_lists(pool, items, sorted({s.task for s in steps})),
        task_vectors=vectors,
        order={},
    )


def _count(mean: float, rng: random.Random) -> int:
    return int(mean) + (rng.random() < mean % 1)


def _items(scenario: Scenario, pool: Pool, rng: random.Random) -> list[Item]:
    made: list[tuple[int, int, Role]] = []
    for topic in range(len(pool.tasks)):
        lessons = rng.sample(pool.lessons[topic], 2)
        made += [
            (text, topic, "useful") for text in lessons[: 1 + (rng.random() < scenario.paraphrase)]
        ]
        close, loose = list(pool.close[topic]), list(pool.loose[topic])
        for _ in range(_count(scenario.misleading, rng)):
            source = close if rng.random() < scenario.close_share else loose
            made.append((source.pop(rng.randrange(len(source))), topic, "harmful"))
        if rng.random() < scenario.stale:
            made.append((rng.choice(pool.stale[topic]), topic, "harmful"))
    facts = [(text, topic) for topic, part in enumerate(pool.neutral) for text in part]
    made += [(text, topic, "neutral") for text, topic in rng.sample(facts, scenario.neutrals)]
    rng.shuffle(made)
    half = scenario.sessions // 2
    items = []
    for text, topic, role in made:
        late = rng.random() < scenario.late_share
        arrives = rng.randrange(1, half) if late else 0
        turns = half if role == "useful" and rng.random() < scenario.turning else None
        items.append(Item(text, topic, role, arrives, turns))
    return sorted(items, key=lambda item: item.arrives)


def _derived(
    scenario: Scenario, pool: Pool, items: Sequence[Item], rng: random.Random
) -> list[Item]:
    """What blocked tasks can bring: texts of each topic that nobody stored, good and bad ones."""
    known = {item.text for item in items}
    made: list[Item] = []
    for topic in range(len(pool.tasks)):
        good = [text for text in pool.lessons[topic] if text not in known]
        bad = [text for text in (*pool.close[topic], *pool.loose[topic]) if text not in known]
        parts: tuple[tuple[list[int], Role], ...] = ((good, "useful"), (bad, "harmful"))
        for texts, role in parts:
            chosen = rng.sample(texts, min(DERIVED_PER_ROLE, len(texts)))
            made += [Item(text, topic, role, scenario.sessions, derived=True) for text in chosen]
    return made


def _steps(scenario: Scenario, pool: Pool, rng: random.Random) -> list[Step]:
    order = list(range(len(pool.tasks)))
    rng.shuffle(order)
    weights = [1.0 / rank**scenario.zipf for rank in range(1, len(order) + 1)]
    ease = [rng.gauss(scenario.ease, scenario.topic_spread) for _ in order]
    steps = []
    for session in range(scenario.sessions):
        chosen: list[int] = []
        while len(chosen) < SESSION_TOPICS:
            topic = rng.choices(order, weights)[0]
            chosen += [topic] if topic not in chosen else []
        for _ in range(SESSION_TASKS):
            topic = rng.choice(chosen)
            here = ease[topic] + rng.gauss(0.0, scenario.task_spread)
            steps.append(Step(session, rng.choice(pool.tasks[topic]), topic, here, rng.random()))
    return steps


def _keyword_lists(
    pool: Pool, items: Sequence[Item], tasks: Sequence[int]
) -> dict[int, tuple[int, ...]]:
    """The product's keyword search over all items, asked once for every task text."""
    conn = sqlite3.connect(":memory:")
    conn.execute(
        "CREATE TABLE insight(id INTEGER PRIMARY KEY, content TEXT, tags TEXT, terms TEXT)"
    )
    for statement in schema.INSIGHT_FTS[:2]:
        conn.execute(statement)
    for number, item in enumerate(items):
        text = pool.texts[item.text]
        conn.execute(
            "INSERT INTO insight VALUES (?, ?, '[]', ?)",
            (number, text, insights.search_terms(text, ())),
        )
    found = {}
    for task in tasks:
        expression = terms.match_expression(pool.texts[task])
        hits = insights.search_keywords(conn, expression, len(items))
        found[task] = tuple(i for i, _ in hits)
    conn.close()
    return found
