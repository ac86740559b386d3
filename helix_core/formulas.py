"""Every formula helix scores and learns with: pure functions, no I/O, no clock.

May import the standard library, `helix_core.constants` and `.timestamps` only, so that a hook
without the worker computes exactly what the worker does. All scores are floats; effectiveness,
outcome values and similarities live in [0, 1]. NaN never comes out: each function says what it
stands for. The constants are read from `helix_core.constants`.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from types import MappingProxyType

from helix_core.constants import (
    CAUSAL_ADJUSTMENT_FLOOR,
    CAUSAL_MIN_USES,
    CAUSAL_SIMILARITY_THRESHOLD,
    CAUSAL_WEIGHT_RAMP,
    CONTEXT_KERNEL_START,
    CONTEXT_PRIOR_WEIGHT,
    DECAY_AFTER_DAYS,
    DECAY_RATE,
    EROSION_RATE,
    FEEDBACK_EMA_WEIGHT,
    GENERALITY_DECAY_DISCOUNT,
    GENERALITY_MIN_SPREAD,
    GENERALITY_SPREAD_CAP,
    GHOST_DAYS,
    HOP_DISCOUNT,
    INJECTION_STRENGTH,
    NEUTRAL_EFFECTIVENESS,
    PROVEN_MIN_EVENTS,
    PROVEN_MIN_VALUE,
    PRUNE_MAX_LIFT,
    PRUNE_MIN_USES,
    PRUNE_THRESHOLD,
    RECENCY_DECAY_PER_DAY,
    RECENCY_FLOOR,
    RRF_K,
    SPREAD_MIN_CONTEXTS,
    VELOCITY_CAP,
    VELOCITY_PER_USE,
    WILSON_Z90,
)
from helix_core.timestamps import parse_time

OUTCOME_VALUES: Mapping[str, float] = MappingProxyType(
    {"delivered": 1.0, "partial": 0.3, "blocked": 0.0, "plan_complete": 1.0}
)
"""What an outcome is worth to the insights it credits (decision 6). Others are no feedback."""


def _unit(value: float, fallback: float) -> float:
    """Clamp `value` to [0, 1]; NaN becomes `fallback`."""
    if math.isnan(value):
        return fallback
    return min(1.0, max(0.0, value))


# -- ranking ------------------------------------------------------------------------------------


def recency(days_unused: float) -> float:
    """Factor in [0.85, 1] for `days_unused` (fractional days; negative or NaN reads as 0).

    Linear to a floor, slower than the half-life of Ding & Li 2005.
    """
    days = 0.0 if math.isnan(days_unused) else max(0.0, days_unused)
    return max(RECENCY_FLOOR, 1.0 - RECENCY_DECAY_PER_DAY * days)


def velocity_factor(recent_uses: int) -> float:
    """The spec's factor in [1, 1.1] for the number of causal uses in the window (decision 9)."""
    return 1.0 + min(VELOCITY_CAP, VELOCITY_PER_USE * max(0, recent_uses))


def causal_adjusted(effectiveness: float, use_count: int, causal_hits: int) -> float:
    """Effectiveness as read: from 3 uses on scaled by the share of causal ones, at least 0.33.

    The spec's; what counts as a use and as a hit: decision 8.
    """
    effectiveness = _unit(effectiveness, NEUTRAL_EFFECTIVENESS)
    if use_count < CAUSAL_MIN_USES:
        return effectiveness
    # Rows of older databases may hold more hits than uses.
    share = min(1.0, max(0, causal_hits) / use_count)
    return effectiveness * max(CAUSAL_ADJUSTMENT_FLOOR, share)


def rrf(vec_rank: int, fts_rank: int) -> float:
    """Reciprocal rank fusion of two 1-based ranks; an absent document has `absent_rank`.

    Cormack, Clarke & Buettcher 2009.
    """
    return 1.0 / (RRF_K + vec_rank) + 1.0 / (RRF_K + fts_rank)


def absent_rank(length: int) -> int:
    """The rank counted for a document that is not in a list of `length` entries (decision 18)."""
    return max(0, length) + 1


def recall_score(
    fused: float, adjusted_effectiveness: float, recency_factor: float, velocity: float
) -> float:
    """The spec's ranking: `fused * (0.5 + 0.5 eff) * recency * (1 + velocity boost)`.

    `velocity` is the whole factor from `velocity_factor`, not the boost alone.
    """
    effectiveness = _unit(adjusted_effectiveness, NEUTRAL_EFFECTIVENESS)
    return fused * (0.5 + 0.5 * effectiveness) * recency_factor * velocity


def injection_score(fused: float, value: float, strength: float = INJECTION_STRENGTH) -> float:
    """Ranking for injection, decision 29a: `fused * (1 - strength + strength * value)`."""
    return fused * (1.0 - strength + strength * _unit(value, NEUTRAL_EFFECTIVENESS))


def hop_activation(parent_rrf: float, edge_weight: float) -> float:
    """What a graph neighbour inherits, on the scale of `rrf` (decision 19).

    `edge_weight` is clamped to [0, 1].
    """
    return HOP_DISCOUNT * _unit(edge_weight, 0.0) * parent_rrf


# -- effectiveness ------------------------------------------------------------------------------


def causal_weight(
    similarity: float,
    threshold: float = CAUSAL_SIMILARITY_THRESHOLD,
    ramp: float = CAUSAL_WEIGHT_RAMP,
) -> float:
    """How much of one outcome an insight is credited with, in [0, 1].

    The spec's ramp; threshold and ramp belong to the embedding model (decision 28). `similarity` is
    the cosine of insight and task; NaN weighs 0. Weight 0 is no causal hit.
    """
    if ramp <= 0:
        return float(_unit(similarity, 0.0) > threshold)
    return _unit((_unit(similarity, 0.0) - threshold) / ramp, 0.0)


def ema(old: float, weight: float, outcome_value: float) -> float:
    """New effectiveness after one outcome: step `0.2 * weight` from `old` to `outcome_value`.

    The constant-step average of Sutton & Barto 2018, ch. 2. A NaN weight or outcome moves nothing;
    a NaN `old` starts again from neutral.
    """
    old = _unit(old, NEUTRAL_EFFECTIVENESS)
    step = FEEDBACK_EMA_WEIGHT * _unit(weight, 0.0)
    return _unit(old * (1.0 - step) + _unit(outcome_value, old) * step, old)


def erode(old: float) -> float:
    """New effectiveness after a non-causal use (decision 8): 9% of the way to 0.5, from above."""
    return _toward_neutral(old, EROSION_RATE)


def decay(effectiveness: float, context_spread: float | None) -> float:
    """New effectiveness after one session's forgetting, from above 0.5 only (decision 11).

    `context_spread` in [0, 1] (None: not known) halves the rate for an insight that proved useful
    in diverse tasks; below 0.05 it is no evidence.
    """
    rate = DECAY_RATE
    spread = _unit(context_spread, 0.0) if context_spread is not None else 0.0
    if spread >= GENERALITY_MIN_SPREAD:
        generality = min(1.0, spread / GENERALITY_SPREAD_CAP)
        rate *= 1.0 - GENERALITY_DECAY_DISCOUNT * generality
    return _toward_neutral(effectiveness, rate)


def _toward_neutral(value: float, rate: float) -> float:
    value = _unit(value, NEUTRAL_EFFECTIVENESS)
    # Below neutral nothing drifts up: bad insights do not rehabilitate themselves.
    if value <= NEUTRAL_EFFECTIVENESS:
        return value
    return max(NEUTRAL_EFFECTIVENESS, value * (1.0 - rate) + NEUTRAL_EFFECTIVENESS * rate)


def should_decay(
    effectiveness: float,
    days_unused: float,
    *,
    decayed_today: bool = False,
    after_days: float = DECAY_AFTER_DAYS,
) -> bool:
    """Whether `decay` applies (decision 11): above neutral, unused long, not yet on this day."""
    return not decayed_today and effectiveness > NEUTRAL_EFFECTIVENESS and days_unused >= after_days


def prune_reason(
    *,
    effectiveness: float,
    use_count: int,
    causal_hits: int,
    days_since_created: float,
    days_since_injected: float | None = None,
    pinned: bool = False,
    user_provided: bool = False,
    lift: float | None = None,
    threshold: float = PRUNE_THRESHOLD,
    min_uses: int = PRUNE_MIN_USES,
    ghost_days: float = GHOST_DAYS,
) -> str | None:
    """Why an insight goes to the trash: "low" (tried and poor), "ghost" (never used), or None.

    The rule of decision 12. `effectiveness` is the stored one; days come from `days_between`, None
    where it never was injected. Pinned insights never go; a person's are spared as ghosts, not as
    poor performers, since they have to prove themselves like any other. A missing vector plays no
    part. `lift` is the mean of outcome minus baseline, shrunk (`mean_lift`), where it is asked for:
    who failed at tasks that fail anyway is no poor performer.
    """
    if pinned:
        return None
    adjusted = causal_adjusted(effectiveness, use_count, causal_hits)
    if use_count >= max(1, min_uses) and adjusted < threshold:
        return "low" if lift is None or lift <= PRUNE_MAX_LIFT else None
    if use_count > 0 or user_provided or days_since_created < ghost_days:
        return None
    recently_injected = days_since_injected is not None and days_since_injected < ghost_days
    return None if recently_injected else "ghost"


# -- contexts -----------------------------------------------------------------------------------


def context_mean(mean: Sequence[float] | None, n: int, vec: Sequence[float]) -> list[float]:
    """Running mean of unit vectors after one more context (Welford's update).

    `mean` is that of the first `n` contexts (None or `n` 0: none yet); `vec` needs no unit length.
    Raises ValueError for a zero, NaN or differently sized `vec`: such a context is unknown, and
    unknown is no feedback.
    """
    norm = math.sqrt(math.fsum(x * x for x in vec))
    if not math.isfinite(norm) or norm == 0.0:
        raise ValueError("context vector has no direction")
    unit = [x / norm for x in vec]
    if mean is None or n <= 0:
        return unit
    if len(mean) != len(unit):
        raise ValueError(f"context of dimension {len(unit)}, mean of {len(mean)}")
    return [m + (x - m) / (n + 1) for m, x in zip(mean, unit, strict=True)]


def spread_of(mean: Sequence[float]) -> float:
    """Context spread in [0, 1]: mean cosine distance to the mean direction, exactly `1 - |m|`.

    Decision 10.
    """
    return _unit(1.0 - math.sqrt(math.fsum(x * x for x in mean)), 0.0)


def spread_counts(n: int) -> bool:
    """Whether `n` contexts are enough for their spread to mean something (decision 10)."""
    return n >= SPREAD_MIN_CONTEXTS


@dataclass(frozen=True)
class ContextOutcome:
    """One past use of an insight, seen from the present task.

    `similarity`: cosine of that task and this one. `outcome_value`: see OUTCOME_VALUES.
    `baseline`: mean outcome value of similar tasks whatever was injected, 0.5 where unknown.
    """

    similarity: float
    outcome_value: float
    baseline: float = NEUTRAL_EFFECTIVENESS


def kernel(cos: float, start: float = CONTEXT_KERNEL_START) -> float:
    """How much a past task says about the present one: 0 up to `start`, then linear to 1.

    Decision 29b. `start` below 1 is a cosine of the embedding model in use.
    """
    return _unit((_unit(cos, 0.0) - start) / (1.0 - start), 0.0)


def context_value(
    events: Iterable[ContextOutcome], fallback: float, start: float = CONTEXT_KERNEL_START
) -> float:
    """What an insight is worth for the present task, in [0, 1] (decision 29b).

    With k the kernel, y the outcome and b its baseline: the k-weighted mean of `y - b + 0.5`, one
    pseudo-observation at 0.5 added. Without any event in reach: `fallback`, the adjusted
    effectiveness. Events with a NaN are left out.
    """
    weight = total = 0.0
    for event in events:
        k = kernel(event.similarity, start)
        surplus = event.outcome_value - event.baseline
        if k > 0.0 and math.isfinite(surplus):
            weight += k
            total += k * (surplus + NEUTRAL_EFFECTIVENESS)
    if weight == 0.0:
        return _unit(fallback, NEUTRAL_EFFECTIVENESS)
    prior = CONTEXT_PRIOR_WEIGHT
    return _unit((total + prior * NEUTRAL_EFFECTIVENESS) / (weight + prior), NEUTRAL_EFFECTIVENESS)


def baseline(
    tasks: Iterable[tuple[float, float]], prior: float, start: float = CONTEXT_KERNEL_START
) -> float:
    """What tasks like the present one deliver: the kernel-weighted mean outcome, in [0, 1].

    Decision 29b. `tasks` are (cosine with the present task, outcome value); `prior` is one
    pseudo-observation: 0.5, or what tasks of this project deliver on the whole.
    """
    weight, total = 1.0, _unit(prior, NEUTRAL_EFFECTIVENESS)
    for similarity, outcome in tasks:
        k = kernel(similarity, start)
        if k > 0.0 and math.isfinite(outcome):
            weight += k
            total += k * outcome
    return total / weight


def mean_lift(surpluses: Sequence[float]) -> float:
    """Mean of outcome minus baseline over an insight's events, one pseudo-event at 0 added.

    What pruning looks at (decision 12).
    """
    return math.fsum(surpluses) / (len(surpluses) + 1)


def proven(
    causal_events: int,
    value: float,
    min_events: int = PROVEN_MIN_EVENTS,
    min_value: float = PROVEN_MIN_VALUE,
) -> bool:
    """Whether an insight may take a second or third place in a prompt (decision 29c)."""
    return causal_events >= min_events and value >= min_value


# -- evidence and time --------------------------------------------------------------------------


def wilson(successes: float, n: float, z: float = WILSON_Z90) -> tuple[float, float]:
    """Wilson score interval (Wilson 1927) for a share of `successes` in `n`; (0, 1) for n <= 0.

    `successes` may be fractional (partial outcomes) and is clamped to [0, n].
    """
    if not (math.isfinite(n) and math.isfinite(successes)) or n <= 0:
        return 0.0, 1.0
    share = min(1.0, max(0.0, successes / n))
    square = z * z
    # Multiplied through by n, so that a tiny weight n divides by nothing tiny.
    centre = n * share + square / 2
    half = z * math.sqrt(n * share * (1 - share) + square / 4)
    return max(0.0, (centre - half) / (n + square)), min(1.0, (centre + half) / (n + square))


def cluster_confidence(tightness: float, count: int) -> float:
    """Evidence of a failure pattern, the spec's: mean pairwise cosine times sqrt(members)."""
    return _unit(tightness, 0.0) * math.sqrt(max(0, count))


def days_between(later: datetime | str | None, earlier: datetime | str | None) -> float:
    """Fractional days from `earlier` to `later`, never negative (decision 20).

    A missing, unreadable or future `earlier` reads as "just now", 0.0: nothing is scored down or
    thrown away because of a date alone.
    """
    end, start = parse_time(later), parse_time(earlier)
    if end is None or start is None:
        return 0.0
    return max(0.0, (end - start).total_seconds() / 86_400)
