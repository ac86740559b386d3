"""How the drawings look: the plan, a replay, the list of runs, a graph of some size."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
import web
from kit import make_app
from test_snapshots import SIZES, after, named

from helix_core.paths import Project

Compare = Callable[..., bool]


@pytest.fixture
def linked(tmp_path: Path) -> Project:
    return web.web(tmp_path / "home" / "web", 40).project


@pytest.mark.parametrize("size", SIZES, ids=named)
def test_graph_of_forty(snap_compare: Compare, linked: Project, size: tuple[int, int]) -> None:
    app = make_app(linked, "graph")
    assert snap_compare(app, terminal_size=size, run_before=after("left"))


def test_graph_neighbourhood(snap_compare: Compare, linked: Project) -> None:
    app = make_app(linked, "graph")
    assert snap_compare(app, terminal_size=(80, 24), run_before=after("n"))


def test_graph_in_plain_characters(snap_compare: Compare, linked: Project) -> None:
    app = make_app(linked, "graph", ascii_only=True)
    assert snap_compare(app, terminal_size=(80, 24), run_before=after())


def test_graph_without_colour(
    snap_compare: Compare, linked: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("NO_COLOR", "1")
    app = make_app(linked, "graph")
    assert snap_compare(app, terminal_size=(80, 24), run_before=after())


def test_run_with_room_beside(snap_compare: Compare, project: Project) -> None:
    run = after("shift+tab", "up")
    assert snap_compare(make_app(project), terminal_size=(160, 40), run_before=run)


def test_run_as_a_list(snap_compare: Compare, project: Project) -> None:
    assert snap_compare(make_app(project), terminal_size=(80, 24), run_before=after("t"))


def test_run_in_plain_characters(snap_compare: Compare, project: Project) -> None:
    app = make_app(project, ascii_only=True)
    assert snap_compare(app, terminal_size=(120, 36), run_before=after("k"))


@pytest.mark.parametrize("size", SIZES, ids=named)
def test_replay(snap_compare: Compare, project: Project, size: tuple[int, int]) -> None:
    run = after("R", *["full_stop"] * 6)
    assert snap_compare(make_app(project), terminal_size=size, run_before=run)


def test_list_of_runs(snap_compare: Compare, project: Project) -> None:
    assert snap_compare(make_app(project), terminal_size=(80, 24), run_before=after("r", "j"))
