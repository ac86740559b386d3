"""Fixtures for every test: a user of one's own, scratch projects, and the one real worker.

Nothing a test does reaches the developer's HOME, memory or worker. Without the `worker` fixture the
worker is switched off, so that no test starts one by accident. A test that asks for `worker` gets
the `model` mark and runs in the xdist group "worker": the model is loaded once in a session.
"""

from __future__ import annotations

import gc
import os
import shutil
import sys
import tempfile
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from helix_core import paths
from helix_core.embed import client, lifecycle

FOREIGN = ("HELIX_", "CLAUDE_", "ANTHROPIC_", "XDG_", "HF_")
"""Variables of the developer's own session; a test sees none of them."""

MODEL_SECONDS = 120.0


@dataclass(frozen=True)
class User:
    """A user with nothing but a home: the environment that makes a process this user's."""

    home: Path

    @property
    def env(self) -> dict[str, str]:
        """The variables that say where this user's things are; the worker is switched off."""
        return {
            "HOME": str(self.home),
            "XDG_DATA_HOME": str(self.home / "data"),
            "XDG_CONFIG_HOME": str(self.home / "config"),
            "HELIX_VENV": sys.prefix,
            "HELIX_WORKER": "off",
            "HELIX_SETUP": "off",  # no session of a test builds an environment
            "HF_HUB_OFFLINE": "1",  # the packaged model, whatever hub could be reached
        }


@dataclass(frozen=True)
class RunningWorker(User):
    """The user whose worker is up with the real MiniLM model."""

    model: str

    @property
    def env(self) -> dict[str, str]:
        """Like a user's, with the worker in use, and patience for a busy machine."""
        return {**super().env, "HELIX_WORKER": "auto", "HELIX_WORKER_WAIT_MS": "30000"}


@pytest.hookimpl(tryfirst=True)  # before xdist takes note of the groups
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Mark what needs the real model (the end-to-end tests have a fixture of that name).

    One process does all of it, since loading it costs more than most tests. What takes long begins
    early, so that no process works alone at the end; of groups, xdist takes the largest first.
    """
    for item in items:
        if "e2e" in item.path.parts:
            continue
        if "worker" in getattr(item, "fixturenames", ()):
            item.add_marker(pytest.mark.model)
        if item.get_closest_marker("model"):
            item.add_marker(pytest.mark.xdist_group("worker"))
    items.sort(key=lambda item: item.get_closest_marker("long") is None)


def pytest_collection_finish() -> None:
    """Collect garbage seldom: what is imported by now stays, and needs no looking through again."""
    gc.collect()
    gc.freeze()
    gc.set_threshold(50_000, 20, 50)


def cleaned_environ() -> dict[str, str]:
    """The environment without the developer's own session in it."""
    return {k: v for k, v in os.environ.items() if not k.startswith(FOREIGN)}


@pytest.fixture(autouse=True)
def user(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> Iterator[User]:
    """The user this test runs as: the worker's where the test asks for it, else a new one."""
    running = request.getfixturevalue("worker") if "worker" in request.fixturenames else None
    me = running if isinstance(running, RunningWorker) else None
    scratch = None if me else tempfile.mkdtemp(prefix="hx-")  # short: sockets live below it
    if scratch is not None:
        me = User(Path(scratch))
    assert me is not None
    for name in os.environ:
        if name.startswith(FOREIGN):
            monkeypatch.delenv(name)
    for name, value in me.env.items():
        monkeypatch.setenv(name, value)
    yield me
    if scratch is not None:
        shutil.rmtree(scratch, ignore_errors=True)


@pytest.fixture
def new_project(tmp_path: Path) -> Callable[..., Path]:
    """Make scratch project folders: `new_project("name")`; nothing in them, not even `.helix/`."""

    def make(name: str = "project") -> Path:
        folder = tmp_path / name
        folder.mkdir(parents=True)
        return folder

    return make


@pytest.fixture
def project(new_project: Callable[..., Path]) -> Path:
    """One scratch project folder."""
    return new_project()


@pytest.fixture(scope="session")
def worker() -> Iterator[RunningWorker]:
    """A real worker with the packaged MiniLM model, started once in a test session."""
    home = Path(tempfile.mkdtemp(prefix="hx-"))
    running = RunningWorker(home, "sentence-transformers/all-MiniLM-L6-v2")
    with pytest.MonkeyPatch.context() as patch:
        for name in os.environ:
            if name.startswith(FOREIGN):
                patch.delenv(name)
        for name, value in running.env.items():
            patch.setenv(name, value)
        assert lifecycle.start(Path(sys.executable)), "the worker cannot be started"
        found = client.wait_ready(MODEL_SECONDS)
        address = paths.socket_path()
    if not found or found.get("model") != running.model:
        pytest.fail(f"the worker has no model: {found}")
    yield running
    client.request("stop", {}, address=address)
    shutil.rmtree(home, ignore_errors=True)
