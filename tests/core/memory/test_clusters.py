"""Clusters of failures: the golden cases, and what average linkage and sessions are for."""

from __future__ import annotations

import json
import math
from pathlib import Path

import pytest

from helix_core.constants import MIN_CLUSTER_CONFIDENCE
from helix_core.memory.clusters import cluster

GOLDEN = json.loads(
    (Path(__file__).parents[2] / "fixtures" / "golden" / "formulas.json").read_text("utf-8")
)
CASES = [case for case in GOLDEN["cases"] if case["fn"] == "cluster"]


def axis(number: int, size: int = 8) -> list[float]:
    return [float(i == number) for i in range(size)]


def equally_alike(count: int, cosine: float) -> list[list[float]]:
    """Unit vectors of which every two have the same cosine."""
    shared, own = math.sqrt(cosine), math.sqrt(1 - cosine)
    return [
        [shared, *(own if i == number else 0.0 for i in range(count))] for number in range(count)
    ]


VECTORS = {
    "three identical": [axis(0)] * 3,
    "two identical": [axis(0)] * 2,
    "3+1": [axis(0), axis(1), axis(0), axis(0)],
    "five at .7": equally_alike(5, 0.7),
}


@pytest.mark.parametrize("case", CASES, ids=lambda case: case["id"])
def test_golden_clusters(case: dict[str, object]) -> None:
    given = case["in"]
    assert isinstance(given, dict)
    vectors = VECTORS[given["vectors"]]
    assert len(vectors) == given["n"]
    found = [[len(c.members), c.tightness, c.confidence] for c in cluster(vectors)]
    assert found == [pytest.approx(each, abs=1e-3) for each in case["expected"]]  # type: ignore[attr-defined]


def test_no_vector_no_cluster() -> None:
    assert cluster([]) == []
    [alone] = cluster([axis(0)])
    assert (alone.members, alone.confidence) == ((0,), 1.0)


def test_a_chain_of_neighbours_is_no_pattern() -> None:
    """Single linkage would make one cluster of a quarter circle walked in small steps."""
    chain = [[math.cos(a), math.sin(a)] for a in (math.radians(10 * n) for n in range(19))]
    found = cluster(chain)
    assert len(found) > 1
    ends = next(c for c in found if 0 in c.members)
    assert 18 not in ends.members


def test_a_pair_at_exactly_the_threshold_belongs_together() -> None:
    assert len(cluster(equally_alike(3, 0.60))) == 1
    assert len(cluster(equally_alike(3, 0.599))) == 3


def test_sessions_are_counted_not_runs() -> None:
    vectors = equally_alike(6, 0.9)
    [same] = cluster(vectors, ["a"] * 6)
    assert (same.sessions, same.confidence) == (1, 1.0)
    [two] = cluster(vectors, ["a", "a", "a", "a", "a", "b"])
    assert two.confidence < MIN_CLUSTER_CONFIDENCE
    [three] = cluster(vectors, ["a", "a", "a", "a", "b", "c"])
    assert three.confidence == pytest.approx(0.9 * math.sqrt(3), abs=1e-6)


def test_repeating_oneself_in_a_session_makes_nothing_tighter() -> None:
    a, b, c = equally_alike(3, 0.7)
    [found] = cluster([a, a, a, b, c], ["x", "x", "x", "y", "z"])
    assert found.tightness == pytest.approx(0.7, abs=1e-6)


def test_the_typical_member_is_closest_to_the_others() -> None:
    vectors = [[math.cos(math.radians(d)), math.sin(math.radians(d))] for d in (0, 14, 30)]
    assert cluster(vectors)[0].typical == 1
