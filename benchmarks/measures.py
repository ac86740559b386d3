"""How good a ranking is: recall, nDCG, reciprocal rank, and bootstrap intervals. Needs numpy."""

from __future__ import annotations

import math
from collections.abc import Callable, Collection, Sequence

import numpy as np
import numpy.typing as npt

RESAMPLES = 2000
CONFIDENCE = 0.95


def recall_at(ranked: Sequence[str], gold: Collection[str], k: int) -> float:
    """Share of the right passages among the first `k`, of as many as `k` could hold."""
    return len(set(ranked[:k]) & set(gold)) / min(len(gold), k)


def ndcg_at(ranked: Sequence[str], gold: Collection[str], k: int) -> float:
    """Normalised discounted cumulative gain with gain 1 (Jarvelin & Kekalainen 2002)."""
    gain = sum(1.0 / math.log2(n + 2) for n, name in enumerate(ranked[:k]) if name in gold)
    return gain / sum(1.0 / math.log2(n + 2) for n in range(min(len(gold), k)))


def reciprocal_rank(ranked: Sequence[str], gold: Collection[str]) -> float:
    """One over the place of the first right passage; 0 where none was found."""
    return next((1.0 / n for n, name in enumerate(ranked, 1) if name in gold), 0.0)


MEASURES: dict[str, Callable[[Sequence[str], Collection[str]], float]] = {
    "R@3": lambda ranked, gold: recall_at(ranked, gold, 3),
    "R@5": lambda ranked, gold: recall_at(ranked, gold, 5),
    "R@15": lambda ranked, gold: recall_at(ranked, gold, 15),
    "nDCG@10": lambda ranked, gold: ndcg_at(ranked, gold, 10),
    "MRR": reciprocal_rank,
}


def interval(values: Sequence[float], seed: int = 7) -> dict[str, float]:
    """The mean with its percentile bootstrap interval (Efron 1979), resampling queries.

    Of differences query by query it is the interval of a paired comparison.
    """
    data: npt.NDArray[np.float64] = np.asarray(values, dtype=np.float64)
    draws = np.random.default_rng(seed).integers(0, len(data), size=(RESAMPLES, len(data)))
    means = data[draws].mean(axis=1)
    tail = (1.0 - CONFIDENCE) / 2
    return {
        "mean": float(data.mean()),
        "low": float(np.quantile(means, tail)),
        "high": float(np.quantile(means, 1.0 - tail)),
    }
