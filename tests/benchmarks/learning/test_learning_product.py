"""The simulator's memory makes the choices, moves and removals of the product over a database."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from datetime import datetime, timedelta, timezone
from itertools import groupby
from pathlib import Path

import numpy as np
import pytest

from benchmarks.learning import sentences, world
from benchmarks.learning.learner import OUTCOMES, Learner, Rules
from benchmarks.learning.world import Step, World
from helix_core.embed.index import MatrixIndex
from helix_core.memory import feedback, inject, recall, upkeep
from helix_core.memory.context import Memory
from helix_core.model import Given
from helix_core.paths import Project
from helix_core.profiles import MINILM
from helix_core.settings import Settings
from helix_core.store import edges, insights, results, runs, vectors
from helix_core.store.connection import open_store, writing

DIM = 32
START = datetime(2026, 3, 1, 12, tzinfo=timezone.utc)
PROFILE = replace(MINILM, name="test/clusters", dim=DIM)
# All are there from the start: BM25 depends on what else is in the table.
SCENARIO = replace(world.BASE, sessions=45, late_share=0.0, neutrals=10, misleading=1.5)


def clusters(texts: list[str]) -> sentences.Matrix:
    """A direction for each text; texts of one topic lie together."""
    per_topic = len(texts) // 6
    rng = np.random.default_rng(3)
    centres = rng.normal(size=(6, DIM))
    noise = rng.normal(size=(len(texts), DIM)) * 0.8
    found = np.array([centres[min(5, n // per_topic)] for n in range(len(texts))]) + noise
    return (found / np.linalg.norm(found, axis=1, keepdims=True)).astype(np.float32)


@pytest.fixture(scope="module")
def pool() -> sentences.Pool:
    return sentences.make(sentences.topics()[:6], clusters)


class Table:
    """An embedder that knows the pool's texts."""

    profile = PROFILE

    def __init__(self, pool: sentences.Pool) -> None:
        self.known = dict(zip(pool.texts, pool.vectors.tolist(), strict=True))

    def embed_query(self, text: str) -> list[float]:
        return self.known[text]

    def embed_documents(self, texts: Sequence[str]) -> list[list[float]]:
        return [self.known[text] for text in texts]

    def anchor(self) -> None:
        return None


class Product:
    """The product itself, fed with the world's insights and tasks; ids are positions plus one."""

    def __init__(self, folder: Path, made: World, pool: sentences.Pool, chosen: Settings) -> None:
        home = folder / ".helix"
        project = Project(folder, home, home / "helix.db", "test")
        conn = open_store(project.database, create=True)
        self.pool = pool
        self.mem = Memory(
            conn, project, chosen, START, embedder=Table(pool), index=MatrixIndex(PROFILE)
        )
        with writing(conn):
            for item in made.items:
                insights.insert(
                    conn,
                    content=pool.texts[item.text],
                    tags=[],
                    effectiveness=0.5,
                    source="agent",
                    moment=self.mem.moment,
                    embedding=vectors.pack(pool.vectors[item.text].tolist()),
                    embedding_model=PROFILE.name,
                )

    def link(self, parent: int, child: int) -> None:
        line = (parent + 1, child + 1, 1.0, "led_to")
        edges.add_edges(self.mem.conn, [line], self.mem.moment)

    def begin(self, session: int) -> None:
        self.mem = replace(self.mem, now=START + timedelta(days=session))

    def choose(self, step: Step) -> list[int]:
        query = recall.Query(self.pool.texts[step.task], limit=3, hops=0)
        ranked = inject.rank(self.mem, query).ranked
        self.chosen = inject.choose(self.mem.settings, ranked, (), 3)[0]
        return [r.insight.id - 1 for r in self.chosen]

    def learn(self, step: Step, number: int, delivered: bool) -> None:
        mem, outcome, agent = self.mem, OUTCOMES[delivered], f"a{number}"
        with writing(mem.conn):
            run_id = runs.create(
                mem.conn,
                f"s{step.session}",
                "helix-builder",
                mem.moment,
                agent_id=agent,
                tool_use_id=f"t{number}",
                query=self.pool.texts[step.task],
                query_vector=vectors.pack(self.pool.vectors[step.task].tolist()),
                embedding_model=PROFILE.name,
            )
            run = runs.by_id(mem.conn, run_id)
            assert run
            for rank, r in enumerate(self.chosen, 1):
                row = r.insight
                given = Given(row.id, row.name, row.content, (), 0.5, r.relevance, r.score, 0)
                runs.add_injection(
                    mem.conn, run, given, rank=rank, value=r.value, chars=1, source="hook",
                    moment=mem.moment,
                )  # fmt: skip
            results.open_result(mem.conn, agent, "m", run.session_id, outcome, mem.moment)
            runs.update(mem.conn, run_id, state=outcome, ended_at=mem.moment)
        feedback.for_run(mem, run, "m", outcome, "self")

    def close(self) -> None:
        upkeep.decay(self.mem)
        upkeep.prune(self.mem)

    def effectiveness(self) -> dict[int, float]:
        return {row.id - 1: row.effectiveness for row in insights.all_insights(self.mem.conn)}


@pytest.fixture
def made(pool: sentences.Pool) -> Iterator[World]:
    yield world.build(SCENARIO, pool, 5)


@pytest.mark.parametrize(
    "changes",
    [
        {},
        {"ranking": "spec", "prune_contrast": False, "ranking_contrast": False},
        {"ranking_contrast": False, "ranking_few": False, "ranking_recency": True},
        {"ranking_context": False, "lineage_credit": True},
    ],
)
def test_same_life(
    tmp_path: Path, made: World, pool: sentences.Pool, changes: dict[str, object]
) -> None:
    settings = replace(Settings(), **changes)  # type: ignore[arg-type]
    learner = Learner(made, Rules(settings))
    product = Product(tmp_path, made, pool, settings)
    for child in range(1, len(made.items), 2):  # what a parent is, no step of the world says
        learner.parents[child] = (child - 1,)
        product.link(child - 1, child)
    number = shown = 0
    for session, steps in groupby(made.steps, key=lambda step: step.session):
        learner.begin(session)
        product.begin(session)
        for step in steps:
            mine = learner.choose(step)
            assert product.choose(step) == mine, (session, number)
            delivered = step.luck < made.chance(step, mine)
            learner.learn(step, mine, delivered)
            product.learn(step, number, delivered)
            number, shown = number + 1, shown + len(mine)
        learner.close()
        product.close()
        theirs = product.effectiveness()
        assert set(theirs) == {i for i, alive in enumerate(learner.alive) if alive}
        for item, value in theirs.items():
            assert learner.rows[item].effectiveness == pytest.approx(value, abs=1e-5)
        if learner.gone:  # from here on BM25 counts other rows than the simulator's
            break
    assert shown > 50
    product.mem.conn.close()


def test_the_world_is_the_same_for_every_policy(pool: sentences.Pool) -> None:
    first, second = (world.build(SCENARIO, pool, 9) for _ in range(2))
    assert (first.items, first.steps) == (second.items, second.steps)
    assert world.build(SCENARIO, pool, 10).steps != first.steps


def test_outcomes_follow_the_roles(made: World) -> None:
    step = made.steps[0]
    roles = {made.effect_of(i, step): i for i in range(len(made.items))}
    alone = made.chance(step, [])
    assert made.chance(step, [roles["useful"]]) > alone > made.chance(step, [roles["harmful"]])
    both = made.chance(step, [roles["useful"], roles["harmful"]])
    assert both == pytest.approx(alone)
    assert made.chance(step, [roles["neutral"]]) < alone


def test_what_a_blocked_task_brings_is_there_from_then_on(pool: sentences.Pool) -> None:
    kin = replace(SCENARIO, derived=True, inherit=1.0)
    made = world.build(kin, pool, 5)
    plain = world.build(SCENARIO, pool, 5)
    assert made.items[: len(plain.items)] == plain.items and made.steps == plain.steps
    step = made.steps[0]
    parent = next(i for i in range(len(plain.items)) if made.effect_of(i, step) == "harmful")
    item = made.brought(step, [parent], ())
    assert item is not None and made.items[item].derived
    assert made.items[item].role == "harmful" and made.items[item].topic == step.topic
    assert made.brought(step, [parent], {item}) not in (None, item)
    assert made.brought(step, [], ()) is None and plain.brought(step, [parent], ()) is None
    learner = Learner(made, Rules())
    learner.begin(0)
    assert not learner.alive[item]
    learner.derive(step, item, [parent])
    learner.begin(1)
    assert learner.alive[item] and learner.rows[item].effectiveness == 0.35
