"""The arithmetic: golden values of the specification, and what must hold for any input."""

from __future__ import annotations

import json
import math
import random
from collections.abc import Callable
from datetime import datetime, timedelta, timezone
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from helix_core import constants, formulas
from helix_core.formulas import ContextOutcome
from helix_core.timestamps import parse_time

GOLDEN = json.loads(
    (Path(__file__).parents[1] / "fixtures" / "golden" / "formulas.json").read_text("utf-8")
)
SHARE = st.floats(0, 1)
ANY = st.floats(allow_nan=True, allow_infinity=True)


def _ema(old: float, similarity: float, outcome: str) -> float:
    weight = formulas.causal_weight(similarity, 0.50, 0.50)
    return formulas.ema(old, weight, formulas.OUTCOME_VALUES[outcome])


def _decay(effectiveness: float, context_spread: float | None, days_unused: float) -> float:
    assert formulas.should_decay(effectiveness, days_unused)
    return formulas.decay(effectiveness, context_spread)


GOLDEN_FUNCTIONS: dict[str, Callable[..., float]] = {
    "recency": formulas.recency,
    "causal_adjusted": formulas.causal_adjusted,
    "ema": _ema,
    "erosion": formulas.erode,
    "decay": _decay,
    "velocity_factor": formulas.velocity_factor,
}


@pytest.mark.parametrize("name", sorted(GOLDEN["constants"]))
def test_constant_has_the_value_of_the_specification(name: str) -> None:
    assert getattr(constants, name) == GOLDEN["constants"][name]


@pytest.mark.parametrize("case", GOLDEN["cases"], ids=lambda case: case["id"])
def test_golden_value(case: dict[str, Any]) -> None:
    if case["fn"] == "cluster":
        for size, tightness, confidence in case["expected"]:
            assert formulas.cluster_confidence(tightness, size) == pytest.approx(
                confidence, abs=1e-3
            )
        return
    result = GOLDEN_FUNCTIONS[case["fn"]](**case["in"])
    assert result == pytest.approx(case["expected"], abs=1e-9)


def test_examples_of_the_specification() -> None:
    assert formulas.recall_score(1.0, 1.0, 1.0, 1.0) == 1.0
    assert formulas.recall_score(1.0, 0.5, 1.0, 1.0) == 0.75
    assert formulas.recall_score(1.0, 0.0, 1.0, 1.0) == 0.5
    assert formulas.injection_score(2.0, 0.5) == pytest.approx(2 * 0.925)
    assert formulas.rrf(1, formulas.absent_rank(9)) == pytest.approx(1 / 61 + 1 / 70)
    assert formulas.hop_activation(0.03, 0.5) == pytest.approx(0.0105)
    two_failures = formulas.cluster_confidence(1.0, 2)
    assert two_failures < constants.MIN_CLUSTER_CONFIDENCE < formulas.cluster_confidence(1.0, 3)


def test_thresholds_of_another_model_move_the_weight() -> None:
    assert formulas.causal_weight(0.70, 0.35, 0.35) == 1.0
    assert formulas.causal_weight(0.40, 0.35, 0.35) == pytest.approx(1 / 7)
    assert formulas.causal_weight(0.40) == 0.0
    assert formulas.causal_weight(0.8, 0.5, 0.0) == 1.0


# -- any input ----------------------------------------------------------------------------------


@given(ANY, ANY, ANY)
def test_scores_stay_in_bounds_whatever_comes_in(a: float, b: float, c: float) -> None:
    for value in (
        formulas.ema(a, b, c),
        formulas.erode(a),
        formulas.decay(a, b),
        formulas.causal_weight(a),
        formulas.kernel(a),
        formulas.causal_adjusted(a, 5, 2),
        formulas.context_value([ContextOutcome(a, b, c)], 0.5),
        *formulas.wilson(a, b),
    ):
        assert 0.0 <= value <= 1.0
    assert 0.85 <= formulas.recency(a) <= 1.0


@given(SHARE, SHARE, SHARE)
def test_ema_moves_toward_the_outcome_and_never_past_it(old: float, w: float, y: float) -> None:
    new = formulas.ema(old, w, y)
    assert min(old, y) - 1e-12 <= new <= max(old, y) + 1e-12
    assert formulas.ema(y, w, y) == pytest.approx(y)
    assert formulas.ema(old, 0.0, y) == pytest.approx(old)


@given(SHARE, st.lists(SHARE, max_size=3))
def test_erosion_and_decay_never_lift_a_bad_insight(old: float, spreads: list[float]) -> None:
    for new in (formulas.erode(old), *(formulas.decay(old, s) for s in [None, *spreads])):
        assert new == old if old <= 0.5 else 0.5 <= new <= old


@given(SHARE, SHARE, SHARE)
def test_general_knowledge_is_forgotten_more_slowly(eff: float, one: float, two: float) -> None:
    narrow, wide = sorted((one, two))
    assert formulas.decay(eff, narrow) <= formulas.decay(eff, wide) + 1e-12


@given(SHARE, SHARE)
def test_causal_weight_grows_with_similarity(one: float, two: float) -> None:
    low, high = sorted((one, two))
    assert formulas.causal_weight(low) <= formulas.causal_weight(high)


@given(SHARE, st.integers(0, 50), st.integers(0, 80))
def test_causal_adjustment_only_lowers(eff: float, uses: int, hits: int) -> None:
    adjusted = formulas.causal_adjusted(eff, uses, hits)
    assert adjusted <= eff
    assert adjusted >= eff * 0.33 - 1e-12
    if uses < 3 or hits >= uses:
        assert adjusted == eff


@given(st.integers(1, 500), st.integers(1, 500))
def test_a_better_rank_never_fuses_worse(vec: int, fts: int) -> None:
    assert formulas.rrf(vec, fts) > formulas.rrf(vec + 1, fts)
    assert formulas.rrf(vec, fts) == formulas.rrf(fts, vec)


# -- contexts -----------------------------------------------------------------------------------

VECTOR = st.lists(st.floats(-10, 10), min_size=4, max_size=4).filter(
    lambda v: math.hypot(*v) > 1e-3
)


def _mean(vectors: list[list[float]]) -> list[float]:
    mean: list[float] | None = None
    for n, vec in enumerate(vectors):
        mean = formulas.context_mean(mean, n, vec)
    assert mean is not None
    return mean


@given(st.lists(VECTOR, min_size=1, max_size=12), st.randoms())
def test_spread_does_not_depend_on_the_order(
    vectors: list[list[float]], rng: random.Random
) -> None:
    shuffled = list(vectors)
    rng.shuffle(shuffled)
    assert formulas.spread_of(_mean(vectors)) == pytest.approx(
        formulas.spread_of(_mean(shuffled)), abs=1e-9
    )


@given(st.lists(VECTOR, min_size=1, max_size=12))
def test_spread_is_the_mean_cosine_distance_to_the_mean(vectors: list[list[float]]) -> None:
    mean = _mean(vectors)
    norm = math.hypot(*mean)
    if norm < 1e-6:
        return
    distances = [
        1 - sum(x * m for x, m in zip(v, mean, strict=True)) / (math.hypot(*v) * norm)
        for v in vectors
    ]
    assert formulas.spread_of(mean) == pytest.approx(sum(distances) / len(vectors), abs=1e-9)


@pytest.mark.parametrize("vec", [[0.0, 0.0], [math.nan, 1.0], [math.inf, 1.0], [1.0], []])
def test_a_context_without_direction_or_of_another_model_is_refused(vec: list[float]) -> None:
    with pytest.raises(ValueError, match=r"context"):
        formulas.context_mean([1.0, 0.0], 1, vec)


def test_spread_needs_three_contexts() -> None:
    assert [formulas.spread_counts(n) for n in (0, 2, 3)] == [False, False, True]


# -- value in context (decision 29) -------------------------------------------------------------


def test_value_in_context_by_hand() -> None:
    events = [ContextOutcome(0.9, 1.0, 0.6), ContextOutcome(0.6, 0.0, 0.5)]
    # k = 0.8 and 0.2; (0.8 * 0.9 + 0.2 * 0.0 + 0.5) / (0.8 + 0.2 + 1)
    assert formulas.context_value(events, 0.1) == pytest.approx(0.61)


def test_value_without_history_in_reach_is_the_fallback() -> None:
    assert formulas.context_value([], 0.42) == 0.42
    assert formulas.context_value([ContextOutcome(0.5, 1.0)], 0.42) == 0.42
    assert formulas.context_value([ContextOutcome(0.9, math.nan)], 0.42) == 0.42
    assert formulas.context_value([], math.nan) == 0.5


@given(st.lists(st.tuples(SHARE, SHARE), min_size=1, max_size=10))
def test_an_insight_that_only_matches_the_baseline_is_worth_neutral(
    pairs: list[tuple[float, float]],
) -> None:
    events = [ContextOutcome(cos, y, y) for cos, y in pairs]
    assert formulas.context_value(events, 0.5) == pytest.approx(0.5)


def test_proven_needs_events_and_value() -> None:
    assert formulas.proven(2, 0.58)
    assert not formulas.proven(1, 0.9)
    assert not formulas.proven(9, 0.57)


# -- pruning and decay --------------------------------------------------------------------------


def _prune(**changes: Any) -> str | None:
    row: dict[str, Any] = {
        "effectiveness": 0.5,
        "use_count": 0,
        "causal_hits": 0,
        "days_since_created": 0.0,
        **changes,
    }
    return formulas.prune_reason(**row)


def test_prune_low_needs_evidence() -> None:
    assert _prune(use_count=3) == "low"
    assert _prune(use_count=3, pinned=True) is None
    assert _prune(use_count=3, user_provided=True) == "low"
    assert _prune(use_count=2, effectiveness=0.0) is None
    assert _prune(use_count=3, causal_hits=3, effectiveness=0.25) is None
    assert _prune(use_count=4, causal_hits=4, effectiveness=0.0) == "low"


def test_prune_ghost_spares_what_somebody_may_still_need() -> None:
    assert _prune(days_since_created=60) == "ghost"
    assert _prune(days_since_created=59.9) is None
    assert _prune(days_since_created=400, user_provided=True) is None
    assert _prune(days_since_created=400, pinned=True) is None
    assert _prune(days_since_created=400, days_since_injected=3) is None
    assert _prune(days_since_created=400, days_since_injected=61) == "ghost"
    assert _prune(days_since_created=400, use_count=1) is None


def test_decay_at_most_once_a_day_and_only_from_above() -> None:
    assert formulas.should_decay(0.6, 30)
    assert not formulas.should_decay(0.6, 29.9)
    assert not formulas.should_decay(0.5, 400)
    assert not formulas.should_decay(0.9, 400, decayed_today=True)


# -- intervals and time -------------------------------------------------------------------------


def test_wilson_by_hand() -> None:
    low, high = formulas.wilson(8, 10)
    assert (low, high) == (pytest.approx(0.541, abs=1e-3), pytest.approx(0.931, abs=1e-3))
    assert formulas.wilson(0, 0) == (0.0, 1.0)


@given(st.integers(1, 200), SHARE)
def test_wilson_holds_the_share_and_narrows(n: int, share: float) -> None:
    low, high = formulas.wilson(share * n, n)
    assert low - 1e-9 <= share <= high + 1e-9
    more = formulas.wilson(share * n * 10, n * 10)
    assert more[1] - more[0] < high - low


NOW = datetime(2026, 3, 1, 12, tzinfo=timezone.utc)


@pytest.mark.parametrize(
    ("earlier", "days"),
    [
        ("2026-02-28T12:00:00+00:00", 1.0),
        ("2026-02-28T12:00:00Z", 1.0),
        ("2026-02-28 12:00:00", 1.0),
        ("2026-03-01T15:45:00.1234567+05:45", 0.0833319),
        ("2026-03-01T06:00:00", 0.25),
        ("2026-02-28", 1.5),
        (NOW - timedelta(days=2), 2.0),
        (datetime(2026, 2, 27, 12), 2.0),
        # B31: a date nobody can read, or from the future, is now.
        ("2099-01-01", 0.0),
        ("yesterday", 0.0),
        ("2026-02-30", 0.0),
        ("", 0.0),
        (None, 0.0),
    ],
)
def test_b31_days_between(earlier: datetime | str | None, days: float) -> None:
    assert formulas.days_between(NOW, earlier) == pytest.approx(days, abs=1e-5)


@given(st.text() | st.none() | st.integers() | st.datetimes())
def test_b31_reading_a_time_never_raises(value: Any) -> None:
    moment = parse_time(value)
    assert moment is None or moment.utcoffset() == timedelta(0)


def test_b31_the_ends_of_time() -> None:
    assert parse_time("0001-01-01T00:00:00+05:00") is None
    assert formulas.days_between(NOW, "9999-12-31T23:59:59-05:00") == 0.0
    assert formulas.days_between(None, NOW) == 0.0
