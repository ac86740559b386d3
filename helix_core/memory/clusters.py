"""Grouping failures by meaning: average linkage over cosine distance (decision 15).

Pure, but for numpy and scikit-learn, which are imported when they are needed: only the worker,
which has the vectors, gets there.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from helix_core import formulas
from helix_core.constants import CLUSTER_SIM_THRESHOLD

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

ROUNDING = 1e-6  # float32 vectors; a pair at exactly the threshold belongs together


@dataclass(frozen=True)
class Cluster:
    """Some of the failures: their positions, how alike they are, and in how many sessions.

    `tightness`: mean cosine of pairs from different sessions, in [0, 1] (1 where there is none).
    `confidence`: tightness times the root of `sessions` (spec). `typical`: the position of the
    member closest to the others.
    """

    members: tuple[int, ...]
    sessions: int
    tightness: float
    confidence: float
    typical: int


def cluster(
    vectors: Sequence[Sequence[float]],
    sessions: Sequence[str] | None = None,
    threshold: float = CLUSTER_SIM_THRESHOLD,
) -> list[Cluster]:
    """Average-linkage clusters of unit vectors cut at mean cosine `threshold`.

    `sessions[i]` is the session of vector i; without it each vector is a session of its own.
    Every vector is in one cluster; the surest cluster comes first. O(n^2) in memory.
    """
    if not len(vectors):
        return []
    groups = _labels(vectors, threshold)
    whole = _cosines(vectors)
    where = [str(i) for i in range(len(vectors))] if sessions is None else list(sessions)
    found = [_measured(whole, where, members) for members in groups.values()]
    return sorted(found, key=lambda c: (-c.confidence, c.members))


def measure(vectors: Sequence[Sequence[float]], sessions: Sequence[str]) -> Cluster:
    """All of some vectors taken as one cluster; there has to be one at least."""
    return _measured(_cosines(vectors), list(sessions), tuple(range(len(vectors))))


def _cosines(vectors: Sequence[Sequence[float]]) -> npt.NDArray[np.float64]:
    import numpy as np

    rows = np.asarray(vectors, dtype=np.float64)
    rows = rows / np.linalg.norm(rows, axis=1, keepdims=True)
    product: npt.NDArray[np.float64] = np.clip(rows @ rows.T, -1.0, 1.0)
    return product


def _labels(vectors: Sequence[Sequence[float]], threshold: float) -> dict[int, tuple[int, ...]]:
    if len(vectors) == 1:
        return {0: (0,)}
    from sklearn.cluster import AgglomerativeClustering

    model = AgglomerativeClustering(
        n_clusters=None,
        metric="precomputed",
        linkage="average",
        distance_threshold=1.0 - threshold + ROUNDING,
    )
    groups: dict[int, tuple[int, ...]] = {}
    for position, label in enumerate(model.fit(1.0 - _cosines(vectors)).labels_):
        groups[int(label)] = (*groups.get(int(label), ()), position)
    return groups


def _measured(
    cosines: npt.NDArray[np.float64], where: Sequence[str], members: tuple[int, ...]
) -> Cluster:
    import numpy as np

    part = cosines[np.ix_(members, members)]
    names = [where[i] for i in members]
    # Failures of one session repeat each other; what shows a pattern is how alike sessions are.
    apart = np.array([[a != b for b in names] for a in names])
    count = len(set(names))
    tightness = float(np.clip(part[apart].mean(), 0.0, 1.0)) if count > 1 else 1.0
    typical = members[int(np.argmax(np.round(part.sum(axis=1), 6)))]
    confidence = formulas.cluster_confidence(tightness, count)
    return Cluster(members, count, tightness, confidence, typical)
