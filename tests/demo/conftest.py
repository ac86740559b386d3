"""The demonstration, run once as a child process with the real model and looked at by many tests.

Role: fixtures of this folder. May import the standard library, pytest, tests.conftest.
"""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from tests.conftest import RunningWorker, cleaned_environ

ROOT = Path(__file__).resolve().parents[2]
SECONDS = 240.0


@dataclass(frozen=True)
class Shown:
    """One run of `helix demo` that has ended; `elsewhere` is where it must leave nothing."""

    returncode: int
    stdout: str
    stderr: str
    elsewhere: Path

    @property
    def report(self) -> dict[str, Any]:
        """The one JSON document on its standard output."""
        found = json.loads(self.stdout)
        assert isinstance(found, dict)
        return found


def run_demo(folder: Path, env: Mapping[str, str], *options: str) -> Shown:
    """Run `helix demo` to its end, with a memory of the user's own within its reach."""
    scratch, elsewhere = folder / "tmp", folder / "own"
    scratch.mkdir()
    elsewhere.mkdir()
    done = subprocess.run(
        [sys.executable, "-m", "helix_core", "demo", *options],
        cwd=ROOT,
        env={
            **cleaned_environ(),
            **env,
            "TMPDIR": str(scratch),
            "HELIX_PROJECT_DIR": str(elsewhere),
            "HELIX_DB_PATH": str(elsewhere / "helix.db"),
        },
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=SECONDS,
        check=False,
    )
    return Shown(done.returncode, done.stdout, done.stderr, elsewhere)


@pytest.fixture(scope="session")
def shown(worker: RunningWorker, tmp_path_factory: pytest.TempPathFactory) -> Shown:
    """`helix demo --json` with the real embedding model."""
    return run_demo(tmp_path_factory.mktemp("demo"), worker.env, "--json")
