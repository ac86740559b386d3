"""What `make soak` calls growth. The soak itself takes ten minutes and is no test."""

from __future__ import annotations

import pytest

from benchmarks import soak


def test_growth_is_seen() -> None:
    assert soak.growth([50.0] * 5 + [60.0] * 20) == 0.0
    assert soak.growth([50.0 + n for n in range(50)]) == pytest.approx(30.0)
