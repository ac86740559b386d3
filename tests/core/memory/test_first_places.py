"""One insight for each task of a wave: none twice while another one would do (decision 3)."""

from __future__ import annotations

from itertools import permutations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from helix_core.memory.inject import first_places

Wants = list[list[int]]


@pytest.mark.parametrize(
    ("wants", "places"),
    [
        ([], []),
        ([[]], [None]),
        ([[1, 2]], [1]),
        ([[1, 2], [1, 2]], [1, 2]),  # who comes first chooses first
        ([[1, 2], [1, 3]], [1, 3]),
        ([[1, 2], [1]], [2, 1]),  # and gives way only to one that would go without
        ([[1, 2], [2, 3], [1]], [2, 3, 1]),
        ([[1], [1]], [1, None]),
    ],
)
def test_examples(wants: Wants, places: list[int | None]) -> None:
    assert first_places(wants) == places


def most(wants: Wants) -> int:
    """How many tasks can have one of their own, found by trying every order."""
    best = 0
    for order in permutations(range(len(wants))):
        taken: set[int] = set()
        for task in order:
            taken.update([i for i in wants[task] if i not in taken][:1])
        best = max(best, len(taken))
    return best


@given(st.lists(st.lists(st.integers(0, 4), max_size=4, unique=True), max_size=5))
def test_the_most_tasks_have_one_and_none_is_given_twice(wants: Wants) -> None:
    places = first_places(wants)
    given_out = [place for place in places if place is not None]
    assert len(set(given_out)) == len(given_out) >= most(wants)
    for place, wanted in zip(places, wants, strict=True):
        assert place is None or place in wanted
        if place is not None:  # nothing better for it was left lying
            assert all(better in given_out for better in wanted[: wanted.index(place)])
