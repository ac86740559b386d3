"""The sessions of the end-to-end test, each run once and then looked at by many tests."""

from __future__ import annotations

import os
from collections.abc import Iterator

import pytest

from tests.e2e import client
from tests.e2e.stage import House, Scene, housed, staged


@pytest.fixture(scope="session")
def real_client() -> None:
    """Skip where the client cannot be had; where it is required, a skip is a failure."""
    reason = client.unavailable()
    if reason and os.environ.get("HELIX_E2E_REQUIRED") == "1":
        pytest.fail(f"required, but {reason}")
    if reason:
        pytest.skip(reason)


@pytest.fixture(scope="session")
def house(real_client: None) -> Iterator[House]:
    """The worker that all sessions share."""
    with housed() as ready:
        yield ready


@pytest.fixture(scope="module", params=["worker", "no-worker"])
def worker(request: pytest.FixtureRequest) -> bool:
    """Whether a worker serves the session."""
    return bool(request.param == "worker")


@pytest.fixture(scope="module", params=["background", "foreground"])
def scene(request: pytest.FixtureRequest, worker: bool, house: House) -> Iterator[Scene]:
    """A finished session of four waves with six builders each."""
    with staged(
        house, "waves", background=request.param == "background", worker=worker
    ) as finished:
        yield finished


@pytest.fixture(scope="module")
def twins(worker: bool, house: House) -> Iterator[Scene]:
    """A finished session of one wave whose builders all have the same task."""
    with staged(house, "twins", background=True, worker=worker) as finished:
        yield finished
