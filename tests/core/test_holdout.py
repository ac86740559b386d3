"""Hold-out: the coin, and the interval of the lift on simulated runs whose true lift is known."""

from __future__ import annotations

import math
import random

import pytest

from helix_core import holdout
from helix_core.holdout import Pair

SEEDS = 500
BASES = (0.15, 0.3, 0.45, 0.6)


def simulated(
    seed: int, *, effect: float, probability: float, runs: int, per_run: int = 3
) -> list[Pair]:
    """Runs of 1 to `per_run` insights; each that is shown adds `effect` to its run's chance.

    Runs differ in how easy they are, and the insights of one run share its outcome. A coin of its
    own withholds each insight, so the true lift is `effect` exactly.
    """
    rng = random.Random(f"{seed}")
    pairs = []
    for run in range(runs):
        shown = [rng.random() >= probability for _ in range(rng.randint(1, per_run))]
        chance = rng.choice(BASES) + effect * sum(shown)
        delivered = rng.random() < chance
        pairs += [Pair(run, n, one, delivered, probability) for n, one in enumerate(shown)]
    return pairs


@pytest.mark.parametrize(
    ("effect", "probability", "runs", "per_run"),
    [
        (0.12, 0.1, 300, 3),
        (0.12, 0.1, 600, 3),
        (0.0, 0.1, 300, 3),
        (-0.05, 0.2, 200, 3),
        (0.12, 0.5, 60, 3),
        (0.35, 0.2, 120, 1),
    ],
)
def test_the_interval_covers_the_true_lift_as_often_as_it_says(
    effect: float, probability: float, runs: int, per_run: int
) -> None:
    covered = 0
    for seed in range(SEEDS):
        found = holdout.interval(
            simulated(seed, effect=effect, probability=probability, runs=runs, per_run=per_run)
        )
        assert found is not None
        covered += found[0] <= effect <= found[1]
    assert 0.93 <= covered / SEEDS <= 0.97


def test_the_estimate_is_right_on_average() -> None:
    lifts = []
    for seed in range(SEEDS):
        found = holdout.lift(simulated(seed, effect=0.12, probability=0.3, runs=300))
        if found.lift is not None:
            lifts.append(found.lift)
    assert len(lifts) > SEEDS * 0.9
    spread = math.sqrt(sum((x - 0.12) ** 2 for x in lifts)) / len(lifts)
    assert abs(sum(lifts) / len(lifts) - 0.12) < 4 * spread


def test_for_runs_of_one_insight_it_is_agresti_and_caffos_interval() -> None:
    """Agresti and Caffo 2000: Wald's interval after a success and a failure more in each arm."""
    pairs = [Pair(n, 1, True, n < 30, 0.2) for n in range(50)]
    pairs += [Pair(100 + n, 1, False, n < 3, 0.2) for n in range(12)]
    one, two = 31 / 52, 4 / 14
    half = 1.959964 * math.sqrt(one * (1 - one) / 52 + two * (1 - two) / 14)
    assert holdout.interval(pairs) == pytest.approx((one - two - half, one - two + half))


def test_insights_of_one_run_are_not_counted_as_so_many_runs() -> None:
    alone = [Pair(n, 1, n % 4 != 0, n % 3 == 0, 0.25) for n in range(240)]
    copies = [Pair(p.run, i, p.shown, p.delivered, 0.25) for p in alone for i in range(3)]
    narrow = holdout.interval([Pair(n, 1, *_rest(p)) for n, p in enumerate(copies)])
    wide, single = holdout.interval(copies), holdout.interval(alone)
    assert narrow and wide and single
    assert _width(wide) > 1.6 * _width(narrow)
    assert _width(wide) == pytest.approx(_width(single), rel=0.05)


def _rest(pair: Pair) -> tuple[bool, bool, float]:
    return pair.shown, pair.delivered, pair.probability


def _width(found: tuple[float, float]) -> float:
    return found[1] - found[0]


def test_a_changed_probability_does_not_pass_for_an_effect() -> None:
    """Hard tasks while much was withheld, easy ones while little was; the insights do nothing."""
    lifts, plain = [], []
    for seed in range(100):
        rng = random.Random(f"two months {seed}")
        pairs = []
        for run in range(1200):
            probability, chance = ((0.5, 0.2), (0.1, 0.8))[run >= 600]
            delivered = rng.random() < chance
            pairs.append(Pair(run, 1, rng.random() >= probability, delivered, probability))
        low, high = holdout.interval(pairs) or (-1.0, 1.0)
        lifts.append((low + high) / 2)
        arms = [[p.delivered for p in pairs if p.shown is arm] for arm in (True, False)]
        plain.append(sum(arms[0]) / len(arms[0]) - sum(arms[1]) / len(arms[1]))
    assert abs(sum(lifts) / 100) < 0.01
    assert sum(plain) / 100 > 0.2  # what leaving the weights out would have shown


def test_little_data_is_told_as_little_data() -> None:
    none = holdout.lift([], 0.1)
    assert (none.n, none.lift, none.needed) == (0, None, 1068)
    assert holdout.told(none) == "not enough data yet: 0 of about 1,068"
    assert holdout.told(holdout.lift([])) == "hold-out is off (helix config holdout 0.1)"
    few = holdout.lift([Pair(n, 1, n % 10 > 0, n % 2 == 0, 0.1) for n in range(100)], 0.1)
    assert few.shown == 90 and few.withheld == 10
    assert few.lift is None and few.low is None and few.needed == 1068
    assert "100 of about 1,068" in holdout.told(few)


def test_enough_data_is_told_with_its_interval() -> None:
    pairs = simulated(1, effect=0.15, probability=0.2, runs=1500)
    found = holdout.lift(pairs, 0.2)
    assert found.lift is not None and found.low is not None and found.high is not None
    assert found.low < found.lift < found.high
    assert found.high - found.low <= 0.2
    assert holdout.told(found).startswith(f"{100 * found.lift:+.0f} points (95%: ")
    half = holdout.lift(pairs[: len(pairs) // 8], 0.2)
    assert half.lift is None and half.needed is not None
    assert half.n < half.needed < len(pairs)


def test_an_arm_without_a_pair_has_no_interval() -> None:
    assert holdout.interval([Pair(n, 1, True, True, 0.1) for n in range(5000)]) is None
    found = holdout.lift([Pair(n, 1, True, True, 0.1) for n in range(5000)])
    assert found.lift is None and found.needed == 5001


def test_the_coin_falls_the_same_way_again_and_as_often_as_it_should() -> None:
    calls = [("s1", f"toolu_{n}", i) for n in range(2000) for i in (1, 2)]
    first = [holdout.withheld(*call, 0.1) for call in calls]
    assert first == [holdout.withheld(*call, 0.1) for call in calls]
    assert 340 <= sum(first) <= 460  # 400 with 3 standard deviations of 19
    assert not any(holdout.withheld(*call, 0.0) for call in calls)
    both = sum(a and b for a, b in zip(first[::2], first[1::2], strict=True))
    assert both < 45  # 20 if the coins of one call know nothing of each other
    wider = [holdout.withheld(*call, 0.3) for call in calls]
    assert all(wide for one, wide in zip(first, wider, strict=True) if one)
