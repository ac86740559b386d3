"""The geometry of the drawn graph: nodes apart, the same every time, known ones stay, walking."""

from __future__ import annotations

import itertools

import shop
from hypothesis import given, settings
from hypothesis import strategies as st
from rich.cells import cell_len

from helix_tui.glyphs import Glyphs
from helix_tui.state import GraphView, LinkLine, NodeLine
from helix_tui.widgets import graph_art, graph_rows
from helix_tui.widgets.braille import Sheet, along
from helix_tui.widgets.graph_layout import Pair, place, spots, walk

points = st.dictionaries(
    st.integers(1, 60),
    st.tuples(st.floats(-50, 50, width=16), st.floats(-50, 50, width=16)),
    max_size=40,
)
ways = st.sampled_from(["left", "right", "up", "down"])


@st.composite
def graphs(draw: st.DrawFn) -> tuple[list[int], list[Pair]]:
    ids = draw(st.lists(st.integers(1, 40), max_size=14, unique=True))
    ends = st.sampled_from(sorted(ids)) if ids else st.nothing()
    pairs = draw(st.lists(st.tuples(ends, ends), max_size=18)) if ids else []
    links = sorted({(min(a, b), max(a, b)) for a, b in pairs if a != b})
    return sorted(ids), [(a, b, 0.7) for a, b in links]


@settings(max_examples=40, deadline=None)
@given(graphs())
def test_everything_has_a_place_and_the_same_one_every_time(
    graph: tuple[list[int], list[Pair]],
) -> None:
    ids, pairs = graph
    found = place(ids, pairs, {})
    assert set(found) == set(ids)
    assert found == place(list(ids), list(pairs), {})


@settings(max_examples=40, deadline=None)
@given(graphs(), st.data())
def test_what_is_known_stays_where_it_is(
    graph: tuple[list[int], list[Pair]], data: st.DataObject
) -> None:
    ids, pairs = graph
    before = place(ids, pairs, {})
    newcomers = data.draw(st.lists(st.integers(41, 60), max_size=max(0, len(ids)), unique=True))
    more = [(data.draw(st.sampled_from(ids)), n, 0.8) for n in newcomers if ids]
    after = place([*ids, *newcomers], [*pairs, *more], before)
    assert set(after) == {*ids, *newcomers}
    assert all(after[i] == before[i] for i in ids)


def test_too_many_newcomers_make_the_layout_anew() -> None:
    before = place([1, 2], [(1, 2, 0.7)], {})
    assert place([1, 2, 3, 4, 5], [(1, 2, 0.7)], before) == place(
        [1, 2, 3, 4, 5], [(1, 2, 0.7)], {}
    )


def test_components_do_not_lie_on_each_other() -> None:
    parts = [list(range(n, n + 5)) for n in (1, 11, 21, 31)]
    pairs = [(a, b, 0.7) for part in parts for a, b in itertools.pairwise(part)]
    found = place([i for part in parts for i in part], pairs, {})
    boxes = []
    for part in parts:
        xs, ys = [found[i][0] for i in part], [found[i][1] for i in part]
        boxes.append((min(xs), min(ys), max(xs), max(ys)))
    for n, a in enumerate(boxes):
        for b in boxes[n + 1 :]:
            assert a[2] < b[0] or b[2] < a[0] or a[3] < b[1] or b[3] < a[1]


@settings(max_examples=150, deadline=None)
@given(points, st.integers(1, 120), st.integers(1, 40))
def test_no_two_nodes_share_a_cell_while_there_is_room(
    places: dict[int, tuple[float, float]], width: int, height: int
) -> None:
    found = spots(places, width, height)
    assert set(found) == set(places)
    assert all(0 <= x < width and 0 <= y < height for x, y in found.values())
    if len(places) <= width * height:
        assert len(set(found.values())) == len(places)


@given(points, ways)
def test_a_step_goes_that_way_or_nowhere(places: dict[int, tuple[float, float]], to: str) -> None:
    where = spots(places, 60, 20)
    for key, (x, y) in where.items():
        there = walk(where, {}, key, to)
        if there != key:
            new_x, new_y = where[there]
            assert {"left": new_x < x, "right": new_x > x, "up": new_y < y, "down": new_y > y}[to]


def test_a_step_follows_a_link_before_it_leaves_one() -> None:
    where = {1: (10, 10), 2: (14, 10), 3: (30, 11), 4: (10, 2)}
    assert walk(where, {}, 1, "right") == 2
    assert walk(where, {1: [3]}, 1, "right") == 3
    assert walk(where, {1: [3]}, 1, "up") == 4
    assert walk(where, {1: [3]}, 1, "down") == 1


@given(st.tuples(st.integers(-30, 30), st.integers(-30, 30)))
def test_a_line_is_whole_and_ends_where_it_should(end: tuple[int, int]) -> None:
    way = list(along((0, 0), end))
    assert way[0] == (0, 0)
    assert way[-1] == end
    for (x, y), (next_x, next_y) in itertools.pairwise(way):
        assert max(abs(x - next_x), abs(y - next_y)) == 1


def node(key: int, effectiveness: float = 0.5, content: str = "When x, do y") -> NodeLine:
    return NodeLine(key, f"n{key}", content, effectiveness, 0, 0, False)


def scene(view: GraphView, where: dict[int, tuple[int, int]], key: int | None) -> graph_art.Scene:
    return graph_art.Scene(view, where, key, 40, 9)


def lines(picture: graph_art.Scene, glyphs: Glyphs) -> list[str]:
    return ["".join(text for text, _ in row) for row in graph_art.rows(picture, glyphs)]


def test_similar_is_dotted_led_to_has_an_arrow_and_a_cut_is_a_diamond() -> None:
    nodes = (node(1, 0.9), node(2, 0.5), node(3, 0.1))
    links = (LinkLine(1, 2, "led_to", 1.0), LinkLine(2, 3, "similar", 0.7))
    view = GraphView(nodes, links, cut=frozenset({2}))
    where = {1: (2, 1), 2: (20, 1), 3: (20, 7)}
    fancy = lines(scene(view, where, 3), Glyphs())
    assert "●⠒⠒⠒" in fancy[1].replace(" ", "")
    assert "→◈" in fancy[1].replace("⠒", "")
    assert fancy[7][19:22] == "[○]"
    upright = {row[20] for row in fancy[2:6]}
    assert upright
    assert upright.isdisjoint("⡇⢸⣿")  # not a whole line
    plain = lines(scene(view, where, 3), Glyphs(ascii=True))
    assert plain[1][2:21] == "@---------------->X"
    assert all(row[20] == "." for row in plain[2:6])
    assert plain[7][19:22] == "[o]"
    assert all(row.isascii() for row in plain)


def test_an_arrow_points_in_eight_directions() -> None:
    turns = [(9, 0), (9, 5), (0, 9), (-9, 5), (-9, 0), (-9, -5), (0, -9), (9, -5)]
    assert [graph_art.head((0, 0), turn, Glyphs()) for turn in turns] == list("→↘↓↙←↖↑↗")


@settings(max_examples=60, deadline=None)
@given(
    st.lists(st.text(max_size=40), min_size=1, max_size=8),
    st.integers(1, 50),
    st.integers(1, 14),
    st.booleans(),
)
def test_the_picture_is_never_wider_than_its_canvas(
    texts: list[str], width: int, height: int, plain: bool
) -> None:
    nodes = tuple(node(n + 1, n / 8, text) for n, text in enumerate(texts))
    links = tuple(LinkLine(1, n + 1, "led_to", 1.0) for n in range(1, len(texts)))
    places = {n.id: (float(n.id * 7 % 5), float(n.id * 3 % 4)) for n in nodes}
    view = GraphView(nodes, links)
    picture = graph_art.Scene(view, spots(places, width, height), 1, width, height)
    found = graph_art.rows(picture, Glyphs(ascii=plain))
    assert len(found) == height
    for row in found:
        assert cell_len("".join(text for text, _ in row)) <= width


def test_a_sheet_draws_dots_where_they_are() -> None:
    sheet = Sheet(4, 2)
    sheet.line((0, 0), (3, 0), "muted")
    assert [sheet.cell((x, 0))[0] for x in range(4)] == ["⠒", "⠒", "⠒", "⠂"]
    assert sheet.free((0, 1))
    assert not sheet.free((0, 0))


def test_neighbours_are_told_by_how_they_are_linked() -> None:
    nodes = tuple(node(n, 0.5, f"When {n}") for n in (1, 2, 3, 4))
    links = (
        LinkLine(1, 2, "led_to", 1.0),
        LinkLine(3, 1, "led_to", 1.0),
        LinkLine(1, 4, "similar", 0.71),
    )
    view = GraphView(nodes, links, total=4)
    rows = {row.key: row.cells for row in graph_rows.beside(view, 1)}
    assert [rows[key][0][0] for key in (2, 3, 4)] == ["led to", "came of", "similar"]
    assert rows[4][1][0] == "71%"
    text = "".join(piece for piece, _ in graph_rows.about(view, 1, Glyphs())[0])
    assert "1 similar  came of 1  led to 1" in text
    assert graph_rows.beside(view, None) == []
    assert shop.texts(rows[2])
