"""The pure parts: formats, glyphs, layers, columns, the registry of actions."""

from __future__ import annotations

from datetime import timedelta
from pathlib import Path

import pytest
import shop
from hypothesis import given
from hypothesis import strategies as st
from rich.cells import cell_len

import helix_core
from helix_core.dag.layers import layers
from helix_tui import actions, bindings, formats, glyphs, views
from helix_tui.app import HelixApp
from helix_tui.data.part import Part
from helix_tui.screens.base import ViewScreen
from helix_tui.screens.confirm import Confirm
from helix_tui.screens.editor import EditText
from helix_tui.screens.help import Help, key_lines
from helix_tui.screens.report import Report
from helix_tui.screens.runs import Runs
from helix_tui.screens.trash_list import TrashList
from helix_tui.screens.what_if import WhatIfDialog
from helix_tui.widgets import insight_rows, run_rows, state_line
from helix_tui.widgets.bar_chart import BarChart
from helix_tui.widgets.dag_view import DagView
from helix_tui.widgets.filter_bar import FilterBar
from helix_tui.widgets.live_table import LiveTable
from helix_tui.widgets.reading import ReadingPane
from helix_tui.widgets.table_layout import GAP, column_at, fit_columns


@given(st.text(), st.integers(0, 40), st.booleans())
def test_fit_is_exact_in_cells(text: str, width: int, right: bool) -> None:
    line = formats.literal(text)
    assert cell_len(formats.fit(line, width, right=right)) == width


@pytest.mark.parametrize(
    "text", ["日本語テキスト", "👩‍👩‍👧‍👦 family", "می‌شود", "שלום", "e\u0301tude", "ｆｕｌｌ"]
)
def test_wide_text_keeps_the_columns(text: str) -> None:
    for width in range(12):
        assert cell_len(formats.fit(formats.literal(text), width)) == width


@given(st.text())
def test_literal_leaves_nothing_that_drives_a_terminal(text: str) -> None:
    shown = formats.literal(text)
    assert not any(ord(c) < 32 or 127 <= ord(c) < 160 for c in shown)
    assert not any(0xD800 <= ord(c) < 0xE000 or c in "\u202e\u2066\u2028" for c in shown)
    shown.encode("utf-8")


def test_literal_shows_controls_as_symbols() -> None:
    assert formats.literal("a\x1b[31mred\x07") == "a␛[31mred␇"
    assert formats.literal("cut \ud83d end") == "cut \ufffd end"
    assert formats.literal("a\tb\nc") == "a b c"
    assert formats.literal("a\tb\nc", lines=True) == "a    b\nc"
    assert "\u200c" in formats.literal("می\u200cشود")


def test_times() -> None:
    ago = (shop.NOW - timedelta(minutes=4, seconds=12)).isoformat()
    assert formats.span(ago, "", shop.NOW) == "4m12"
    assert formats.span("yesterday", "", shop.NOW) == ""
    assert formats.age(ago, shop.NOW) == "4m"
    assert formats.age("", shop.NOW) == "-"
    assert formats.age((shop.NOW + timedelta(days=1)).isoformat(), shop.NOW) == "now"
    assert [formats.seconds(s) for s in (0, 59, 60, 3661, 90_000)] == [
        "0s",
        "59s",
        "1m00",
        "1h01",
        "1d",
    ]


def test_every_state_has_a_glyph_of_one_cell_and_a_word() -> None:
    for name in glyphs._STATES:
        fancy, plain = glyphs.Glyphs().state(name), glyphs.Glyphs(ascii=True).state(name)
        assert cell_len(fancy.glyph) == cell_len(plain.glyph) == 1
        assert plain.glyph.isascii()
        assert fancy.word == plain.word
        assert fancy.role in glyphs.ROLES
    assert glyphs.Glyphs().state("novel").word == "novel"
    assert all(a.isascii() for _, a in glyphs._MARKS.values())


def test_the_glyph_set_follows_the_terminal() -> None:
    assert not glyphs.choose({}, "utf-8").ascii
    assert glyphs.choose({"HELIX_ASCII": "1"}, "utf-8").ascii
    assert glyphs.choose({}, "ANSI_X3.4-1968").ascii


def test_layers_of_a_diamond_a_cycle_and_a_stranger() -> None:
    assert layers({"1": [], "2": ["1"], "3": ["1"], "4": ["2", "3"]}) == [["1"], ["2", "3"], ["4"]]
    assert layers({"1": ["9"], "2": ["2"]}) == [["1"], ["2"]]
    assert layers({"1": [], "2": ["3"], "3": ["2"], "4": ["3"]}) == [["1"], ["2", "3", "4"]]
    assert layers({}) == []


def test_a_chain_of_thousands() -> None:
    chain = {str(n): [str(n - 1)] for n in range(1, 5001)}
    assert len(layers(chain)) == 5000


@given(st.dictionaries(st.integers(0, 12), st.lists(st.integers(0, 12), max_size=4), max_size=12))
def test_layers_hold_every_task_once_and_blockers_above(graph: dict[int, list[int]]) -> None:
    tasks = {str(t): [str(b) for b in names] for t, names in graph.items()}
    found = layers(tasks)
    flat = [task for layer in found for task in layer]
    assert sorted(flat) == sorted(tasks)
    depth = {task: n for n, layer in enumerate(found) for task in layer}
    for layer in found[:-1]:
        for task in layer:
            known = [b for b in tasks[task] if b in tasks and b != task]
            assert all(depth[b] < depth[task] for b in known)


@given(st.integers(0, 300))
def test_columns_never_exceed_the_width(width: int) -> None:
    for columns in (
        insight_rows.COLUMNS,
        run_rows.AGENT_COLUMNS,
        run_rows.TASK_COLUMNS,
        run_rows.GIVEN_COLUMNS,
        run_rows.FEED_COLUMNS,
    ):
        placed = fit_columns(columns, width)
        used = 1 + sum(wide for _, wide in placed) + GAP * max(0, len(placed) - 1)
        assert not placed or used <= width
        assert all(wide > 0 for _, wide in placed)
        if placed:
            assert column_at(placed, 1) == placed[0][0]
        assert column_at(placed, 0) is None


def test_keys_mean_one_thing_and_survive_a_terminal_multiplexer() -> None:
    assert actions.clashes() == []
    clash = actions.Action("other", ("s",), "Other", "x", where="app")
    assert actions.clashes((*actions.ACTIONS, clash)) == ["insights: s is both other and sort"] or (
        actions.clashes((*actions.ACTIONS, clash)) != []
    )
    for action in actions.ACTIONS:
        for key in action.keys:
            assert key not in {"ctrl+a", "ctrl+b", "ctrl+m", "ctrl+enter", "ctrl+j", "ctrl+i"}
            assert "ctrl" not in key or action.id == "interrupt"


def test_every_action_is_bound_explained_and_carried_out() -> None:
    owners: dict[str, type] = {
        "app": HelixApp,
        "table": LiveTable,
        "drawing": DagView,
        "chart": BarChart,
        "text": ReadingPane,
        "filter": FilterBar,
        "editor": EditText,
        "what_if": WhatIfDialog,
        "trash_list": TrashList,
        "runs": Runs,
        "report": Report,
        "confirm": Confirm,
        "help": Help,
    }
    owners |= {view.name: view.screen_class for view in views.VIEWS}
    assert set(owners) == set(actions.PLACES)
    for where, owner in owners.items():
        bound = {b.id for b in bindings.for_place(where)}  # type: ignore[union-attr]
        for action in actions.of(where):
            assert f"{where}.{action.id}" in bound
            assert action.help
            assert action.label
            name = action.action.partition("(")[0]
            of_app = name.startswith("app.")
            asked = HelixApp if of_app else owner
            assert hasattr(asked, f"action_{name.removeprefix('app.')}"), action.id
    for view in views.NAMES:
        text = "\n".join("".join(t for t, _ in line) for line in key_lines(view))
        places = (view, *views.of(view).panes, *views.of(view).dialogs, "app", "help")
        for action in (action for place in places for action in actions.of(place)):
            assert action.help in text


def test_every_line_of_the_registry_is_a_whole_view() -> None:
    assert [view.key for view in views.VIEWS] == sorted({view.key for view in views.VIEWS})
    for view in views.VIEWS:
        assert issubclass(view.screen_class, ViewScreen)
        assert view.name == view.screen_class.VIEW
        assert isinstance(view.part, Part)
        assert hash(view.part.wanted()) == hash(view.part.wanted())
        assert all(action.where == view.name for action in view.keys)


@pytest.mark.parametrize("current", views.NAMES)
def test_the_views_fit_into_a_narrow_line_and_are_named_in_a_wide_one(current: str) -> None:
    narrow = "".join(text for text, _ in state_line.view_pieces(current, 60))
    wide = "".join(text for text, _ in state_line.view_pieces(current, 120))
    assert len(narrow) <= 40
    assert len(wide) <= 76
    for view in views.VIEWS:
        assert view.key in narrow
        assert view.label in wide
    assert f"[{views.of(current).label}]" in narrow


def test_the_readme_has_every_key() -> None:
    readme = Path(helix_core.__file__).parent.parent / "README.md"
    assert bindings.table() in readme.read_text(encoding="utf-8")
