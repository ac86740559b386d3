"""The geometry of bars: every line exactly as wide as asked for, whatever is counted."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st
from rich.cells import cell_len

from helix_tui import formats
from helix_tui.glyphs import Glyphs
from helix_tui.widgets import bars
from helix_tui.widgets.bars import Bar

COUNTS = st.lists(st.integers(0, 10**7), max_size=12)
SETS = st.sampled_from([Glyphs(), Glyphs(ascii=True)])


def made(counts: list[int]) -> list[Bar]:
    return [Bar(f".{n}", count) for n, count in enumerate(counts)]


@given(COUNTS, st.integers(0, 120), st.integers(0, 20), SETS, st.none() | st.integers(0, 11))
def test_a_chart_fills_its_place_exactly(
    counts: list[int], width: int, height: int, glyphs: Glyphs, selected: int | None
) -> None:
    lines = bars.chart(made(counts), width, height, glyphs, selected)
    assert len(lines) == height
    assert {cell_len("".join(text for text, _ in line)) for line in lines} <= {width}


def heights(lines: list[list[tuple[str, str]]], bar: int) -> int:
    """Lines of a bar that show anything."""
    cells = [line[bar][0].strip() for line in lines]
    return sum(1 for cell in cells if cell and set(cell) <= set("▁▂▃▄▅▆▇█#."))


@given(st.lists(st.integers(0, 1000), min_size=1, max_size=10), SETS)
def test_higher_counts_are_never_lower_and_something_is_never_nothing(
    counts: list[int], glyphs: Glyphs
) -> None:
    lines = bars.chart(made(counts), 60, 10, glyphs)
    for n, count in enumerate(counts):
        assert (heights(lines, n) > 0) == (count > 0)
        for m, other in enumerate(counts):
            if count >= other:
                assert heights(lines, n) >= heights(lines, m)
    if max(counts):
        assert heights(lines, counts.index(max(counts))) == 8


def test_labels_counts_and_the_cursor() -> None:
    lines = bars.chart(made([3, 0, 12_345]), 18, 6, Glyphs(), selected=2)
    labels, counts = ("".join(text for text, _ in line) for line in lines[-2:])
    assert labels.split() == [".0", ".1", ".2", "◂"]
    assert counts.split() == ["3", "-", "12k"]


@given(st.integers(1, 12), st.integers(0, 120), st.integers(-5, 130))
def test_a_click_finds_the_bar_that_was_drawn_there(count: int, width: int, x: int) -> None:
    place = bars.bar_at(count, width, x)
    wide = bars.column(count, width)
    if place is not None:
        assert place * wide <= x < (place + 1) * wide
        assert 0 <= place < count
    else:
        assert not (wide and 0 <= x < count * wide)


@given(st.floats(0, 1), st.floats(0, 1), st.integers(1, 40))
def test_the_sign_stands_where_the_mark_is(share: float, mark: float, width: int) -> None:
    text = bars.marked(share, mark, width, Glyphs())
    assert len(text) == width
    assert abs(text.index("│") - mark * width) <= 1


@given(st.lists(st.tuples(st.sampled_from("✓✗◐!?"), st.integers(0, 500)), max_size=6))
def test_parts_keep_their_proportion_and_their_place(shares: list[tuple[str, int]]) -> None:
    text = bars.parts(shares, 16)
    assert len(text) == 16
    total = sum(count for _, count in shares)
    if 0 < total <= 16:
        assert text.strip() == "".join(sign * count for sign, count in shares)


def test_sparks_and_sizes() -> None:
    assert Glyphs().spark([0, 0.5, 1.0], 8) == "▁▅█"
    assert Glyphs(ascii=True).spark([0, 0.5, 1.0], 8).isascii()
    assert len(Glyphs().spark([0.5] * 99, 32)) == 32
    assert [formats.size(n) for n in (0, 1023, 4096, 3 * 2**20, 5 * 2**30)] == [
        "0 B",
        "1023 B",
        "4.0 KiB",
        "3.0 MiB",
        "5.0 GiB",
    ]
    assert [formats.millis(n) for n in (0.4, 40, 1500, 12_000)] == ["0ms", "40ms", "1.5s", "12s"]
    assert [formats.short(n) for n in (0, 9_999, 10_000, 2_500_000)] == ["0", "9999", "10k", "2M"]


@given(
    st.lists(st.sampled_from(["0", "5", ".9", "30+", "100%"]), min_size=1, max_size=12),
    st.integers(4, 90),
    st.integers(0, 11),
)
def test_a_label_is_whole_or_not_there(names: list[str], width: int, at: int) -> None:
    selected = at if at < len(names) else None
    wide = bars.column(len(names), width)
    drawn = [Bar(name, 1) for name in names]
    lines = bars.chart(drawn, width, 8, Glyphs(ascii=True), selected)
    if wide < 2:
        return
    shown = [text.strip(" <") for text, _ in lines[-2]]
    assert set(shown) <= {*names, ""}
    if selected is not None and len(names[selected]) < wide:
        assert names[selected] in shown
