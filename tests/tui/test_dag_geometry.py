"""The geometry of the drawn plan: boxes apart, links whole, few crossings, always the same."""

from __future__ import annotations

import itertools
import random
from collections.abc import Mapping, Sequence

import pytest
import shop
from hypothesis import given, settings
from hypothesis import strategies as st
from rich.cells import cell_len

from helix_tui.glyphs import Glyphs
from helix_tui.state import TaskLine
from helix_tui.widgets import dag_art, run_layout
from helix_tui.widgets.dag_layout import crossings, grid, isotonic, step
from helix_tui.widgets.dag_view import Order, make
from helix_tui.widgets.dag_wires import EAST, NORTH, SOUTH, WEST, Drawing, draw

Plan = Mapping[str, Sequence[str]]
STEPS = {NORTH: (0, -1), EAST: (1, 0), SOUTH: (0, 1), WEST: (-1, 0)}


@st.composite
def plans(draw_from: st.DrawFn) -> dict[str, list[str]]:
    """Tasks that wait for earlier ones, and now and then for later ones or for strangers."""
    count = draw_from(st.integers(0, 14))
    plan = {}
    for n in range(count):
        names = st.integers(0, max(0, n - 1)) if draw_from(st.booleans()) else st.integers(0, 16)
        plan[str(n)] = [str(b) for b in draw_from(st.lists(names, max_size=4))]
    return plan


def cells_of(drawing: Drawing) -> list[tuple[int, int]]:
    return [
        (x, y)
        for box in drawing.boxes.values()
        for x in range(box.x, box.x + box.width)
        for y in range(box.y, box.y + box.height)
    ]


def wished(plan: Plan) -> set[tuple[str, str]]:
    return {(b, task) for task, names in plan.items() for b in names if b in plan}


@settings(max_examples=150, deadline=None)
@given(plans(), st.sampled_from([1, 3]), st.integers(8, 30))
def test_no_box_lies_on_another_and_all_lie_inside(
    plan: dict[str, list[str]], height: int, width: int
) -> None:
    found = draw(plan, width, height)
    assert set(found.boxes) == set(plan)
    cells = cells_of(found)
    assert len(cells) == len(set(cells))
    assert all(0 <= x < found.width and 0 <= y < found.height for x, y in cells)


@settings(max_examples=150, deadline=None)
@given(plans(), st.sampled_from([1, 3]))
def test_every_link_is_drawn_from_its_source_to_its_target(
    plan: dict[str, list[str]], height: int
) -> None:
    found = draw(plan, 12, height)
    drawn = [(wire.source, wire.target) for wire in found.wires]
    assert len(drawn) == len(set(drawn))
    assert set(drawn) | set(found.lost) == wished(plan)
    assert set(drawn).isdisjoint(found.lost)
    boxed = set(cells_of(found))
    for wire in found.wires:
        source, target = found.boxes[wire.source], found.boxes[wire.target]
        assert wire.cells[0][:2] == (source.x + source.width, source.middle)
        assert wire.cells[-1][:2] == (target.x - 1, target.middle)
        for (x, y, mask), (next_x, next_y, back) in itertools.pairwise(wire.cells):
            way = next(w for w, (dx, dy) in STEPS.items() if (x + dx, y + dy) == (next_x, next_y))
            assert mask & way
            assert back & {NORTH: SOUTH, SOUTH: NORTH, EAST: WEST, WEST: EAST}[way]
        assert not boxed & {cell[:2] for cell in wire.cells}


@given(plans())
def test_the_same_plan_is_drawn_the_same(plan: dict[str, list[str]]) -> None:
    assert draw(plan, 10, 3) == draw(dict(plan), 10, 3)


@given(plans())
def test_sweeps_never_make_crossings(plan: dict[str, list[str]]) -> None:
    found = grid(plan, 3)
    plain: dict[int, list[tuple[int, str, bool]]] = {}
    for layer in found.layers:
        for slot in layer:
            plain.setdefault(slot[0], []).append(slot)
    order = {task: n for n, task in enumerate(plan)}
    for layer in plain.values():
        layer.sort(key=lambda slot: (not slot[2], order[slot[1]]))
    before = crossings([plain[n] for n in sorted(plain)], found.links)
    assert crossings(found.layers, found.links) <= before


def test_crossed_pairs_are_uncrossed() -> None:
    found = grid({"1": [], "2": [], "3": ["2"], "4": ["1"]}, 3)
    assert crossings(found.layers, found.links) == 0
    assert [slot[1] for slot in found.layers[1]] == ["4", "3"]


@given(st.lists(st.floats(-100, 100), max_size=12))
def test_isotonic_rises_and_keeps_what_rises_already(values: list[float]) -> None:
    found = isotonic(values)
    assert len(found) == len(values)
    assert all(a <= b + 1e-9 for a, b in itertools.pairwise(found))
    assert isotonic(sorted(values)) == pytest.approx(sorted(values))
    assert sum(found) == pytest.approx(sum(values), abs=1e-6)


def test_a_chain_is_one_straight_line_and_a_circle_is_named() -> None:
    chain = draw({"1": [], "2": ["1"], "3": ["2"]}, 10, 3)
    assert {box.y for box in chain.boxes.values()} == {0}
    assert all(len({y for _, y, _ in wire.cells}) == 1 for wire in chain.wires)
    circle = draw({"1": [], "2": ["3", "1"], "3": ["2"]}, 10, 3)
    assert {(w.source, w.target) for w in circle.wires} == {("1", "2")}
    assert set(circle.lost) == {("3", "2"), ("2", "3")}
    own = draw({"1": ["1"], "2": []}, 10, 3)
    assert own.lost == (("1", "1"),)
    assert own.boxes["1"].layer > own.boxes["2"].layer
    assert draw({}, 10, 3) == Drawing(height=0)


def test_two_hundred_tasks_with_links_far_ahead() -> None:
    rng = random.Random(5)
    plan = {
        str(n): [str(rng.randrange(max(0, n - 12), n)) for _ in range(2)] if n else []
        for n in range(200)
    }
    found = draw(plan, 20, 3)
    assert len(found.boxes) == 200
    assert {(w.source, w.target) for w in found.wires} == wished(plan)
    cells = cells_of(found)
    assert len(cells) == len(set(cells))


@given(plans(), st.sampled_from(["left", "right", "up", "down"]))
def test_a_step_goes_the_way_it_says_or_stays(plan: dict[str, list[str]], to: str) -> None:
    found = draw(plan, 10, 3)
    for key, box in found.boxes.items():
        there = found.boxes[step(found.boxes, found.linked, key, to)]
        if there.key == key:
            continue
        if to in {"up", "down"}:
            assert there.layer == box.layer
            assert (there.y > box.y) == (to == "down")
        else:
            assert (there.x > box.x) == (to == "right")


def test_a_step_follows_a_link_where_there_is_one() -> None:
    found = draw({"1": [], "2": ["1"], "3": [], "4": ["3"]}, 10, 3)
    assert step(found.boxes, found.linked, "3", "right") == "4"
    assert step(found.boxes, found.linked, "4", "left") == "3"
    assert step(found.boxes, found.linked, "1", "left") == "1"


def task(key: str, blocked_by: Sequence[str] = (), **more: object) -> TaskLine:
    values = {
        "seq": key,
        "key": key,
        "slug": f"task-{key}",
        "description": "",
        "blocked_by": tuple(blocked_by),
        "state": "delivered",
        "attempts": 1,
        "started_at": "",
        "ended_at": "",
    }
    return TaskLine(**{**values, **more})  # type: ignore[arg-type]


@given(
    st.text(max_size=30),
    st.sampled_from(["pending", "delivered", "crashed", "a state nobody knows"]),
    st.integers(0, 120),
    st.booleans(),
    st.booleans(),
    st.sampled_from([(1, dag_art.COMPACT_LEAST), (1, 37), (3, dag_art.LEAST), (3, 29)]),
)
def test_a_box_is_exactly_as_wide_as_it_says(
    slug: str, state: str, attempts: int, here: bool, plain: bool, size: tuple[int, int]
) -> None:
    height, width = size
    line = task("7", slug=slug, state=state, attempts=attempts, started_at=shop.NOW.isoformat())
    rows = dag_art.box_rows(line, width, height, Glyphs(ascii=plain), shop.NOW, here=here)
    assert len(rows) == height
    for row in rows:
        assert cell_len("".join(text for text, _ in row)) == width


def test_a_box_says_state_time_and_tries_in_words() -> None:
    line = task("3", state="crashed", attempts=2, started_at="2026-03-14T11:59:00+00:00")
    for height, width in ((3, 24), (1, 36)):
        rows = dag_art.box_rows(line, width, height, Glyphs(), shop.NOW, here=False)
        text = " ".join("".join(piece for piece, _ in row) for row in rows)
        for words in ("! crashed", "1m00", "3 task-3"):
            assert words in text
        assert ("2 tries" in text) or ("x2" in text)


def test_where_links_cross_the_upright_one_stays_whole_and_the_selected_lies_above() -> None:
    found = draw({"1": [], "2": ["1"], "3": ["1"]}, 8, 3)
    glyphs = Glyphs()
    fan = [(0, EAST | WEST | NORTH), (1, WEST | SOUTH)]
    assert dag_art.wire_cell(fan, found, frozenset(), glyphs) == ("┼", "muted")
    other = draw({"1": [], "2": [], "3": ["1"], "4": ["2"]}, 8, 3)
    cross = [(0, EAST | WEST), (1, NORTH | SOUTH)]
    assert dag_art.wire_cell(cross, other, frozenset(), glyphs) == ("│", "muted")
    assert dag_art.wire_cell(cross, other, frozenset({0}), glyphs) == ("━", "active")
    assert dag_art.wire_cell(cross, other, frozenset({1}), Glyphs(ascii=True)) == ("#", "active")


def order(plan: Plan, width: int, height: int) -> Order:
    links = tuple((key, tuple(names)) for key, names in plan.items())
    return Order(links, tuple(f"{key} name" for key in plan), width, height)


def test_boxes_become_lines_where_the_pane_is_low() -> None:
    plan = {"1": [], **{str(n): ["1"] for n in range(2, 8)}}
    assert {box.height for box in make(order(plan, 120, 30)).boxes.values()} == {3}
    assert {box.height for box in make(order(plan, 120, 8)).boxes.values()} == {1}


def test_a_narrow_screen_lists_what_would_have_to_be_scrolled() -> None:
    small, long = {"1": [], "2": ["1"]}, {str(n): [str(n - 1)] for n in range(9)}
    narrow, wide = run_layout.room_for(80, 24), run_layout.room_for(120, 36)
    broad = run_layout.room_for(160, 40)
    for plan, fits in ((small, True), (long, False)):
        drawing = make(order(plan, narrow.width, narrow.height))
        assert run_layout.shown_as(narrow, drawing, None) is fits
        assert run_layout.shown_as(wide, drawing, None)
        assert run_layout.shown_as(broad, drawing, None)
        assert run_layout.shown_as(narrow, drawing, True)
        assert not run_layout.shown_as(wide, drawing, False)
    assert not run_layout.shown_as(wide, Drawing(), True)
    assert broad.broad
    assert not wide.broad


@given(st.integers(0, 400), st.integers(0, 120))
def test_there_is_room_on_any_screen(width: int, height: int) -> None:
    room = run_layout.room_for(width, height)
    assert room.height >= 3
    make(order({"1": [], "2": ["1"]}, room.width, room.height))
