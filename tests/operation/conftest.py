"""A user's installation, whole: the environment in the data folder, as `helix setup` leaves it."""

from __future__ import annotations

import importlib.util
import os
import platform
import subprocess
import sys
import sysconfig
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

import helix_core
from helix_core import atomic, paths, provision, setup_state
from tests.conftest import User
from tests.hooks import scene
from tests.hooks.fire import ROOT


@dataclass(frozen=True)
class House:
    """The environment of a scratch user; it looks into the real one for its packages."""

    venv: Path
    python: str = "bin/python"

    def without(self, *packages: str) -> None:
        """Take packages out, with the record of their installation."""
        link = self.venv / "packages"
        real = link.resolve()
        link.unlink()
        link.mkdir()
        for entry in real.iterdir():
            if not entry.name.lower().startswith(packages):
                (link / entry.name).symlink_to(entry)


def _packages() -> Path:
    spec = importlib.util.find_spec("textual")
    assert spec is not None and spec.origin is not None
    return _real_site(Path(spec.origin).parents[1])


def _real_site(first: Path) -> Path:
    """The folder that holds the product's packages: the one that knows the model library."""
    for candidate in (first, *map(Path, sys.path)):
        if (candidate / "sentence_transformers").is_dir():
            return candidate
    raise AssertionError("the environment of helix is not set up")


@pytest.fixture
def house(user: User, monkeypatch: pytest.MonkeyPatch) -> House:
    """The environment where helix looks for it, complete and stamped."""
    venv = user.home / "data" / "helix" / "venv"
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", venv], check=True)
    (venv / "packages").symlink_to(_packages())
    site = Path(sysconfig.get_path("purelib", vars={"base": str(venv)}))
    (site / "scratch.pth").write_text(f"{ROOT}\n{venv / 'packages'}\n")
    stamp = {"version": helix_core.__version__, "python": platform.python_version()}
    atomic.write_json(venv / provision.STAMP, stamp)
    venv.parent.chmod(0o700)
    monkeypatch.delenv("HELIX_VENV")
    os.environ.pop("HELIX_VENV", None)
    return House(venv)


@pytest.fixture
def plain(user: User, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """Where a new user's plugin lies: no environment is named, and nothing but local wheels is."""
    for name in ("HELIX_VENV", "HELIX_WORKER", "HELIX_SETUP"):
        monkeypatch.delenv(name)
    for name in [name for name in os.environ if name.startswith(("PIP_", "UV_"))]:
        monkeypatch.delenv(name)
    for name, value in {
        "PIP_CONFIG_FILE": os.devnull,
        "PIP_NO_INDEX": "1",
        "PIP_FIND_LINKS": str(tmp_path / "made" / "wheels"),
        "PIP_NO_CACHE_DIR": "1",
        "HELIX_TORCH": "any",
        "PATH": f"{Path(sys.executable).resolve().parent}:/usr/bin:/bin",
    }.items():
        monkeypatch.setenv(name, value)
    yield tmp_path / "made"
    scene.wait_for(lambda: not setup_state._running(paths.environment_dir()), 120)
