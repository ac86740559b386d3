"""Hold-out: which insights are withheld, and what showing the others was worth. Pure.

May import the standard library and `helix_core.constants` only. An insight that was chosen for an
agent is withheld with a small probability, so that tasks with and without it differ by a coin alone
and the difference of what they delivered is caused by it. Both arms hold such randomised choices
and nothing else.
"""

from __future__ import annotations

import hashlib
import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from helix_core.constants import LIFT_HALF_WIDTH, LIFT_MIN_ARM, NORMAL_Z95

_COINS = 2**64


@dataclass(frozen=True)
class Pair:
    """One insight chosen for one agent run that has ended.

    `probability`, above 0 and below 1, is that of being withheld when the coin was tossed.
    """

    run: int
    insight: int
    shown: bool
    delivered: bool
    probability: float


@dataclass(frozen=True)
class Lift:
    """What showing insights was worth: the share of tasks delivered with minus without them.

    `with_it`, `without_it` are those shares, None for an arm without a pair. `lift`, `low` and
    `high` (its 95% interval) are None until the interval is narrow enough to say something.
    `needed`: about how many pairs that takes in all.
    """

    shown: int
    withheld: int
    with_it: float | None
    without_it: float | None
    lift: float | None
    low: float | None
    high: float | None
    needed: int | None

    @property
    def n(self) -> int:
        """Pairs in both arms."""
        return self.shown + self.withheld


def withheld(session_id: str, tool_use_id: str, insight_id: int, probability: float) -> bool:
    """The coin of one insight and one call: the same whenever it is tossed again."""
    if probability <= 0.0:
        return False
    seed = f"{session_id}\0{tool_use_id}\0{insight_id}".encode("utf-8", "replace")
    drawn = int.from_bytes(hashlib.sha256(seed).digest()[:8], "big")
    return drawn < probability * _COINS


def lift(
    pairs: Iterable[Pair], probability: float = 0.0, half_width: float = LIFT_HALF_WIDTH
) -> Lift:
    """The lift over some pairs.

    It is told once half its interval is at most `half_width`: that rule looks at the precision
    alone, never at the sign, so watching it until then does not bias it (Chow and Robbins 1965).
    `probability` is the one in force, for `needed` while there are hardly any pairs.
    """
    known = list(pairs)
    shown = [p for p in known if p.shown]
    held = [p for p in known if not p.shown]
    spread = interval(known)
    if known:
        probability = math.fsum(p.probability for p in known) / len(known)
    needed = pairs_needed(probability, half_width)
    enough = False
    if spread is not None:
        half = (spread[1] - spread[0]) / 2
        enough = half <= half_width
        if min(len(shown), len(held)) >= LIFT_MIN_ARM:
            needed = math.ceil(len(known) * (half / half_width) ** 2)
    if needed is not None and not enough:
        needed = max(needed, len(known) + 1)
    with_it, without_it = _share(shown), _share(held)
    found = Lift(len(shown), len(held), with_it, without_it, None, None, None, needed)
    if spread is None or with_it is None or without_it is None or not enough:
        return found
    low, high = max(-1.0, spread[0]), min(1.0, spread[1])
    return replace(found, lift=with_it - without_it, low=low, high=high)


def interval(pairs: Sequence[Pair]) -> tuple[float, float] | None:
    """The 95% interval of the lift; None where one of the arms is empty.

    The difference of two proportions with a delivered and a failed run added to each arm (Agresti
    and Caffo 2000). Insights of one run share its outcome, so the variance is summed over runs
    (Liang and Zeger 1986), and an added run weighs as much as the mean one. Where the probability
    changed over time, pairs are weighted by that of the other arm (Li, Morgan and Zaslavsky 2018):
    else a good month with a small hold-out would pass for the work of the insights. With one
    probability and one insight per run this is exactly Agresti and Caffo's.
    """
    arms = [[p for p in pairs if p.shown], [p for p in pairs if not p.shown]]
    if not all(arms):
        return None
    shares, terms, variance = [], dict[int, float](), 0.0
    for sign, arm in zip((1.0, -1.0), arms, strict=True):
        total = math.fsum(_weight(p) for p in arm)
        one = total / len({p.run for p in arm})  # what an added run weighs
        whole = total + 2 * one
        share = (math.fsum(_weight(p) for p in arm if p.delivered) + one) / whole
        for p in arm:
            part = sign * _weight(p) * (p.delivered - share) / whole
            terms[p.run] = terms.get(p.run, 0.0) + part
        variance += (one / whole) ** 2 * ((1.0 - share) ** 2 + share**2)
        shares.append(share)
    variance += math.fsum(term**2 for term in terms.values())
    middle, half = shares[0] - shares[1], NORMAL_Z95 * math.sqrt(variance)
    return middle - half, middle + half


def pairs_needed(probability: float, half_width: float = LIFT_HALF_WIDTH) -> int | None:
    """About how many pairs an interval of +- `half_width` takes at most; None without hold-out.

    By the variance of a difference of two shares of a half each, the largest there is.
    """
    if not 0.0 < probability < 1.0:
        return None
    worst = 0.25 * (1.0 / probability + 1.0 / (1.0 - probability))
    return math.ceil((NORMAL_Z95 / half_width) ** 2 * worst)


def told(found: Lift) -> str:
    """A lift in words, in points (hundredths of a task), with the pairs shown and withheld."""
    if found.lift is not None and found.low is not None and found.high is not None:
        return (
            f"{100 * found.lift:+.0f} points (95%: {100 * found.low:+.0f} to"
            f" {100 * found.high:+.0f}; n {found.shown:,} + {found.withheld:,})"
        )
    if found.needed is None:
        return "hold-out is off (helix config holdout 0.1)"
    return f"not enough data yet: {found.n:,} of about {found.needed:,}"


def _weight(pair: Pair) -> float:
    return pair.probability if pair.shown else 1.0 - pair.probability


def _share(arm: Sequence[Pair]) -> float | None:
    if not arm:
        return None
    delivered = math.fsum(_weight(p) for p in arm if p.delivered)
    return delivered / math.fsum(_weight(p) for p in arm)
