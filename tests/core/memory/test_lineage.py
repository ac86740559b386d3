"""The ancestors of an insight, and when they are a low lineage."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from helix_core.memory import lineage

NODES = st.integers(0, 6)
PARENTS = st.dictionaries(NODES, st.lists(NODES, max_size=4), max_size=7)


@given(parents=PARENTS, start=NODES, depth=st.integers(0, 5))
def test_each_ancestor_is_there_once_at_its_shortest_distance(
    parents: dict[int, list[int]], start: int, depth: int
) -> None:
    found = lineage.ancestors(parents, start, depth)
    assert start not in found and list(found.values()) == sorted(found.values())
    for node, distance in found.items():
        assert 1 <= distance <= depth
        nearer = {n for n, d in found.items() if d == distance - 1} | (
            {start} if distance == 1 else set()
        )
        assert any(node in parents.get(child, ()) for child in nearer)
    inside = {n for n, d in found.items() if d < depth} | ({start} if depth else set())
    assert {p for n in inside for p in parents.get(n, ())} - {start} <= found.keys()


@pytest.mark.parametrize(
    ("scores", "mean", "risky"),
    [
        ([], None, False),
        ([0.39], 0.39, True),
        ([0.4], 0.4, False),
        ([0.1, 0.9], 0.5, False),
        ([0.35, 0.35, 0.45], pytest.approx(0.3833, abs=1e-4), True),
    ],
)
def test_a_lineage_is_low_by_its_mean(scores: list[float], mean: float, risky: bool) -> None:
    assert lineage.mean(scores) == mean
    assert lineage.risky(scores) is risky
