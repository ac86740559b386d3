"""The figures of a run and what the tables say of them."""

from __future__ import annotations

from dataclasses import replace
from functools import partial

import numpy as np
import pytest

from benchmarks.learning import evidence, policies, run, sentences, table, world
from benchmarks.learning.learner import Learner, Rules
from benchmarks.learning.run import Played


def scattered(texts: list[str]) -> sentences.Matrix:
    """Directions that tell topics apart, and texts a little."""
    rng = np.random.default_rng(1)
    found = rng.normal(size=(len(texts), 24))
    per_topic = len(texts) // 8
    found += 2.0 * np.repeat(rng.normal(size=(8, 24)), per_topic + 1, axis=0)[: len(texts)]
    return (found / np.linalg.norm(found, axis=1, keepdims=True)).astype(np.float32)


@pytest.fixture(scope="module")
def made() -> world.World:
    pool = sentences.make(sentences.topics()[:8], scattered)
    return world.build(replace(world.BASE, neutrals=12), pool, 1)


def test_the_bounds_are_bounds(made: world.World) -> None:
    played = {e.name: run.play(made, e.make(made)) for e in (*policies.FRAME, policies.HELIX)}
    assert played["oracle"].success > max(p.success for n, p in played.items() if n != "oracle")
    assert played["oracle"].harmed == 0.0 and played["oracle"].precision == 1.0
    assert played["none"].per_task == 0.0 < played["helix"].per_task


def test_a_policy_is_judged_by_the_same_tasks_each_time(made: world.World) -> None:
    first, second = (run.play(made, policies.HELIX.make(made)) for _ in range(2))
    assert first == second


def test_every_policy_lives_through_a_world(made: world.World) -> None:
    for entry in (*policies.RIVALS, *policies.ABLATIONS):
        assert 0.0 < run.play(made, entry.make(made)).success < 1.0, entry.name


def played(success: float, auc: float = 0.9) -> Played:
    return Played(success, success, 0.8, 0.1, 1.0, 0.0, 0.0, auc, auc, 0.95, 3.0)


def test_gains_are_paired_and_missed_targets_are_named() -> None:
    results = {
        "base": {
            "hybrid k=3": [played(0.50), played(0.60)],
            "hybrid k=1": [played(0.57), played(0.69)],
            "none": [played(0.42), played(0.52)],
            "oracle": [played(0.70), played(0.80)],
            "cosine": [played(0.40), played(0.50)],
            "helix": [played(0.58, auc=0.7), played(0.70, auc=0.7)],
        }
    }
    assert table.gain(results["base"], "hybrid k=1", "hybrid k=3")[0] == pytest.approx(8.0)
    assert table.comparable(results) == ["cosine in base: -10.0, wanted -2.2"]
    words = [line.split()[0] for line in table.verdicts(results)]
    assert words == ["MISSED", "ok", "MISSED", "MISSED"]
    assert table.overall({**results, "weak": results["base"]}, "none", "hybrid k=3")[
        0
    ] == pytest.approx(-8.0)


def test_who_knows_the_difficulty_tells_roles_better() -> None:
    pool = sentences.make(sentences.topics()[:8], scattered)
    hard = world.build(replace(world.BASE, neutrals=12, topic_spread=3.0), pool, 1)
    learner = Learner(hard, Rules())
    run.play(hard, learner)
    judge = partial(evidence.known_difficulty, hard, learner)
    assert evidence.auc(hard, learner, judge, 1) > evidence.auc(hard, learner, learner.shown, 1)
    assert evidence.auc(hard, learner, lambda item: -judge(item), 1) < 0.5
    assert np.isnan(evidence.auc(hard, learner, judge, 10_000))
