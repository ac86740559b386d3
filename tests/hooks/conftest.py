"""A user whose worker is quick to start: an environment without the embedding model.

What is tested with it is the worker as a process: starting, being found, leaving.
"""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import sysconfig
import tempfile
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

import pytest

from helix_core.embed import client, lifecycle
from tests.conftest import User
from tests.hooks import scene
from tests.hooks.fire import ROOT


@dataclass(frozen=True)
class Light:
    """A scratch environment that can run a worker, and what is known of its processes."""

    venv: Path

    def workers(self) -> list[int]:
        """The process ids of the workers that run from this environment."""
        listed = subprocess.run(
            ["ps", "-A", "-o", "pid=,args="], capture_output=True, text=True, check=True
        ).stdout
        lines = [line.split(None, 1) for line in listed.splitlines()]
        mark = f"{self.venv}/bin/python -m helix_core.embed.server"
        return [int(pid) for pid, args in lines if args.startswith(mark)]

    def wait_for_one(self) -> int:
        """Wait until exactly one worker is left, and it answers; its process id."""
        found = scene.wait_for(client.status)
        scene.wait_for(lambda: self.workers() == [found["pid"]])
        return int(found["pid"])


@pytest.fixture(scope="session")
def light_venv() -> Iterator[Path]:
    """An environment with numpy and helix but without a model, so that a worker starts at once."""
    with tempfile.TemporaryDirectory(prefix="hx-") as folder:
        venv, packages = Path(folder) / "venv", Path(folder) / "packages"
        subprocess.run([sys.executable, "-m", "venv", "--without-pip", venv], check=True)
        packages.mkdir()
        import numpy

        installed = Path(numpy.__file__).parents[1]
        for part in installed.glob("numpy*"):
            (packages / part.name).symlink_to(part)
        site = sysconfig.get_path("purelib", vars={"base": str(venv)})
        (Path(site) / "scratch.pth").write_text(f"{ROOT}\n{packages}\n")
        yield venv


@pytest.fixture
def light(light_venv: Path, user: User, monkeypatch: pytest.MonkeyPatch) -> Iterator[Light]:
    """The light environment as this test's own; every worker it started is ended afterwards."""
    monkeypatch.setenv("HELIX_VENV", str(light_venv))
    monkeypatch.setenv("HELIX_WORKER", "auto")
    monkeypatch.setenv("HELIX_WORKER_WAIT_MS", "30000")  # patience for a busy machine
    found = Light(light_venv)
    others = len(lifecycle._started)  # the session's one real worker is not ours to end
    yield found
    for pid in found.workers():
        with suppress(ProcessLookupError):
            os.kill(pid, signal.SIGKILL)
    for child in lifecycle._started[others:]:
        child.kill()
        child.wait()
    del lifecycle._started[others:]
