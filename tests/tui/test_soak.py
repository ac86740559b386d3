"""The short form of `make soak`: memory beside a busy session comes to rest."""

from __future__ import annotations

import pytest

from benchmarks import soak


@pytest.mark.terminal
def test_memory_does_not_grow_beside_a_busy_session() -> None:
    found = soak.soak(20.0, insights=300, agents=10)
    assert len(found["rounds"]) >= 10
    assert found["growth"] <= soak.GROWTH_MB, found["rounds"]


def test_growth_is_seen() -> None:
    assert soak.growth([50.0] * 5 + [60.0] * 20) == 0.0
    assert soak.growth([50.0 + n for n in range(50)]) == pytest.approx(30.0)
