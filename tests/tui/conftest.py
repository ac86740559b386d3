"""The same clock, home, time zone and terminal for every test; a filled project, made once."""

from __future__ import annotations

import os
import shutil
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import shop
from textual.css.model import RuleSet
from textual.css.stylesheet import Stylesheet

from helix_core.paths import Project, find_project

CLEARED = ("NO_COLOR", "HELIX_ASCII", "HELIX_DB_PATH", "HELIX_PROJECT_DIR", "HELIX_WORKER")


@pytest.fixture(autouse=True)
def _same_everywhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    for name in CLEARED:
        monkeypatch.delenv(name, raising=False)
    home = tmp_path / "home"
    home.mkdir()
    for name, value in {
        "HOME": str(home),
        "XDG_DATA_HOME": str(home / "data"),
        "XDG_CONFIG_HOME": str(home / "config"),
        "XDG_RUNTIME_DIR": str(home),
        "HELIX_NOW": shop.NOW.isoformat(),
        "TZ": "UTC",
        "COLORTERM": "truecolor",
        "TEXTUAL_ANIMATIONS": "none",
    }.items():
        monkeypatch.setenv(name, value)
    time.tzset()
    yield
    monkeypatch.undo()
    time.tzset()


@pytest.fixture(scope="session", autouse=True)
def _style_sheets_parsed_once() -> Iterator[None]:
    """Every dashboard of this process has the same style sheets: each is parsed for the first."""
    parse = Stylesheet._parse_rules
    known: dict[object, list[RuleSet]] = {}

    def parsed(self: Stylesheet, css: str, *args: Any, **options: Any) -> list[RuleSet]:
        colours = tuple(sorted(self._variables.items()))
        key = (css, args, tuple(sorted(options.items())), colours)
        if key not in known:
            known[key] = parse(self, css, *args, **options)
        return known[key]

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Stylesheet, "_parse_rules", parsed)
        yield


@pytest.fixture(scope="session")
def filled(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The shop, made once; its hooks all took the same time, or no picture were like another."""
    root = tmp_path_factory.mktemp("made") / "shop"
    world = shop.shop(root)
    shop.same_times(world.project)
    return root


@pytest.fixture
def project(filled: Path, tmp_path: Path) -> Project:
    """A copy of the shop in this test's home."""
    root = tmp_path / "home" / "shop"
    shutil.copytree(filled, root)
    return find_project(root, environ=dict(os.environ))


@pytest.fixture
def bare(tmp_path: Path) -> Project:
    """A project without a memory."""
    root = tmp_path / "home" / "bare"
    (root / ".git").mkdir(parents=True)
    return find_project(root, environ=dict(os.environ))
