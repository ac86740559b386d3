"""The table of requests, asked for something that is not in it."""

from __future__ import annotations

from pathlib import Path

import pytest

from helix_core import errors, local, paths
from helix_core.embed import client
from tests.hooks import scene


def test_what_is_not_known_is_a_fault_of_the_one_who_was_asked(project: Path) -> None:
    """So that a command goes on by itself where a worker of older code does not know it."""
    with pytest.raises(errors.WorkerError, match="unknown operation 'dance'"):
        local.run(paths.find_project(project), "dance", {})


def test_the_worker_says_so_too(worker: object, project: Path) -> None:
    with pytest.raises(errors.UnknownOperationError, match="dance"):
        client.request("dance", {}, paths.find_project(project), first_ms=scene.PATIENCE_MS)
