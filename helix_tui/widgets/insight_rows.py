"""The rows of the insights view. Pure."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime

from helix_tui import formats
from helix_tui.glyphs import Glyphs
from helix_tui.state import InsightLine, TrashLine
from helix_tui.widgets.table_layout import Cell, Column, Row

COLUMNS = (
    Column("sign", "", 1),
    Column("effectiveness", "eff", 4, right=True, sort="effectiveness"),
    Column("n", "n", 3, right=True),
    Column("interval", "90%", 6, right=True),
    Column("uses", "uses", 5, right=True, sort="uses"),
    Column("causal", "causal", 7, right=True, sort="causal"),
    Column("velocity", "vel", 4, right=True, sort="velocity", drop=2),
    Column("generality", "gen", 4, right=True, sort="generality", drop=3),
    Column("insight", "insight", sort="text"),
    Column("tags", "tags", 16, sort="tags", drop=4),
    Column("age", "age", 5, right=True, sort="age", drop=1),
    Column("source", "source", 9, sort="source", drop=5),
)
TRASH_COLUMNS = (
    Column("age", "ago", 4, right=True),
    Column("insight", "insight"),
    Column("reason", "why", 22, drop=1),
    Column("actor", "by", 11, drop=2),
)
LEAST = 28
SORTS = tuple(column.sort for column in COLUMNS if column.sort)
"""The orders `s` goes through, from left to right."""


def rank_role(effectiveness: float) -> str:
    """The role of a score: good from 60%, bad under 40%."""
    return "good" if effectiveness >= 0.6 else "bad" if effectiveness < 0.4 else ""


def rows(
    lines: Sequence[InsightLine], glyphs: Glyphs, now: datetime, marked: int | None = None
) -> list[Row]:
    """One row per insight; `marked` is the one that another may be merged into."""
    return [
        Row(
            line.id,
            (
                (_sign(line, glyphs, marked), "accent"),
                (formats.percent(line.effectiveness), rank_role(line.effectiveness)),
                (str(line.n), "muted"),
                (formats.interval(line.low, line.high, line.n), "muted"),
                (str(line.use_count), ""),
                (formats.percent(line.causal_ratio), ""),
                (str(line.velocity) if line.velocity else "-", "muted"),
                (formats.percent(line.generality), "muted"),
                (formats.literal(line.content), ""),
                (formats.literal(" ".join(line.tags)), "muted"),
                (formats.age(line.created_at, now), "muted"),
                (formats.literal(line.source), "muted"),
            ),
        )
        for line in lines
    ]


def _sign(line: InsightLine, glyphs: Glyphs, marked: int | None) -> str:
    if line.id == marked:
        return glyphs.mark("marked")
    return glyphs.mark("pinned") if line.pinned else ""


def trash_rows(lines: Sequence[TrashLine], now: datetime) -> list[Row]:
    """One row per insight in the trash."""
    return [
        Row(
            line.key,
            (
                (formats.age(line.trashed_at, now), "muted"),
                (formats.literal(line.content), ""),
                (formats.literal(_why(line)), "muted"),
                (formats.literal(line.actor), "muted"),
            ),
        )
        for line in lines
    ]


def _why(line: TrashLine) -> str:
    return f"merged into {line.merged_into}" if line.merged_into else line.reason


def trash_text(line: TrashLine | None) -> list[Cell]:
    """The whole text of one insight in the trash, and when it goes for good."""
    if line is None:
        return []
    until = formats.day_time(line.expires_at)[:10]
    return [
        (formats.literal(line.content, lines=True), ""),
        (f"  {formats.literal(line.name)}, {formats.literal(_why(line))}, kept until ", "muted"),
        (until, "muted"),
    ]
