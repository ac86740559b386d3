"""The geometry of bars: a chart of columns, and single bars with a mark. Pure; no Textual.

Every line that comes out is exactly as wide as was asked for.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from helix_tui import formats
from helix_tui.glyphs import Glyphs
from helix_tui.widgets.table_layout import Cell

WIDEST = 7
FOOT = 2
"""Lines under the bars: labels and counts; where a count finds no room there are none."""


@dataclass(frozen=True)
class Bar:
    """One column of a chart."""

    label: str
    count: int
    filter: str = ""
    """What gives its rows."""


def column(bars: int, width: int) -> int:
    """Cells of one column, its gap included; 0 where they do not all find room."""
    return min(WIDEST, width // bars) if bars else 0


def bar_at(bars: int, width: int, x: int) -> int | None:
    """The index of the bar under cell `x`; None beside them."""
    wide = column(bars, width)
    place = x // wide if wide else bars
    return place if x >= 0 and place < bars else None


def chart(
    bars: Sequence[Bar], width: int, height: int, glyphs: Glyphs, selected: int | None = None
) -> list[list[Cell]]:
    """A chart in `height` lines of `width` cells, highest bar to the top, label and count below.

    A bar that counts anything is seen, however small it is beside the highest.
    """
    wide = column(len(bars), width)
    if wide < 2 or height <= FOOT:
        return [[(" " * width, "")] for _ in range(height)]
    top = max((bar.count for bar in bars), default=0)
    counted = all(len(formats.short(bar.count)) < wide for bar in bars)
    levels = height - (FOOT if counted else 1)
    lines: list[list[Cell]] = []
    for line in range(levels):
        row: list[Cell] = []
        for n, bar in enumerate(bars):
            full = bar.count / top * levels if top else 0.0
            part = full - (levels - 1 - line)
            least = bar.count > 0 and line == levels - 1
            body = glyphs.level(max(part, 0.05) if least else part) * (wide - 1)
            row.append((f"{body} ", "accent" if n == selected else "good"))
        lines.append(row)
    lines.append(_labels(bars, wide, glyphs, selected))
    if counted:
        lines.append([_count(bar, wide, n == selected) for n, bar in enumerate(bars)])
    rest = width - wide * len(bars)
    return [[*line, (" " * rest, "")] for line in lines]


def _labels(bars: Sequence[Bar], wide: int, glyphs: Glyphs, selected: int | None) -> list[Cell]:
    """A label under each bar; where they are wider than that, under every second or third one
    up to the last.

    A label is whole or not there: half of 30+ would be another number. Of bars that share the room
    of a label the selected one has it.
    """
    longest = max(len(bar.label) for bar in bars)
    each = max(1, -(-(longest + 1) // wide))
    found: list[Cell] = []
    for end in range((len(bars) - 1) % each + 1, len(bars) + 1, each):
        group = range(max(0, end - each), end)
        here = selected in group
        bar = bars[selected] if here and selected is not None else bars[end - 1]
        room = wide * len(group) - 1
        text = bar.label if len(bar.label) <= room else ""
        text = _middle(text, room) if len(group) == 1 else formats.fit(text, room, right=True)
        sign = glyphs.mark("here") if here else " "
        found.append((text + sign, "strong" if here else "muted"))
    return found


def _count(bar: Bar, wide: int, selected: bool) -> Cell:
    text = formats.short(bar.count) if bar.count else "-"
    return f"{_middle(text, wide - 1)} ", "strong" if selected else ""


def _middle(text: str, width: int) -> str:
    return formats.fit(" " * ((width - len(text) + 1) // 2) + text, width)


def marked(share: float, mark: float, width: int, glyphs: Glyphs) -> str:
    """A share in [0, 1] as a bar of `width` cells with a sign where `mark` is."""
    cells = list(glyphs.bar(share, width))
    if cells:
        cells[min(width - 1, max(0, round(mark * width)))] = glyphs.mark("sep")
    return "".join(cells)


def parts(shares: Sequence[tuple[str, int]], width: int) -> str:
    """Counts as signs one beside the other: one each where they fit, else in proportion.

    In: (sign, count), in order. Whatever counts anything keeps at least one cell while there is
    room; the line is padded to `width`.
    """
    total = sum(count for _, count in shares)
    if total <= width:
        return formats.fit("".join(sign * count for sign, count in shares), width)
    cells = [max(1, count * width // total) if count else 0 for _, count in shares]
    while sum(cells) < width:  # the largest remainder is short of the most
        gaps = [count * width / total - n for (_, count), n in zip(shares, cells, strict=True)]
        cells[gaps.index(max(gaps))] += 1
    return formats.fit(
        "".join(sign * n for (sign, _), n in zip(shares, cells, strict=True))[:width], width
    )
