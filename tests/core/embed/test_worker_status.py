"""What the worker says of itself, and that saying it does not keep it alive."""

from __future__ import annotations

import pytest

from helix_core import settings
from helix_core.embed.worker import Worker


@pytest.fixture
def idle() -> Worker:
    """A worker that was asked for nothing yet."""
    return Worker(settings.load(None))


def test_being_looked_at_is_no_request(idle: Worker) -> None:
    asked = idle.last_request
    for _ in range(3):
        assert idle.answer({"op": "status"})["ok"]
    assert (idle.last_request, idle.served) == (asked, 0)
    assert not idle.answer({"op": "recall"})["ok"]  # without a project, but asked for
    assert idle.served == 1
    assert idle.last_request > asked


def test_its_memory_is_told_in_mebibytes(idle: Worker) -> None:
    found = idle.answer({"op": "status"})["result"]["memory_mb"]
    assert 5 < found < 10_000
