"""The rows of the insights view, and the text about one insight. Pure."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime

from helix_tui import formats
from helix_tui.glyphs import Glyphs
from helix_tui.state import InsightDetail, InsightLine, MoveLine
from helix_tui.widgets.table_layout import Cell, Column, Row

COLUMNS = (
    Column("pinned", "", 1),
    Column("effectiveness", "eff", 4, right=True, sort="effectiveness"),
    Column("n", "n", 3, right=True),
    Column("interval", "90%", 6, right=True),
    Column("uses", "uses", 5, right=True, sort="uses"),
    Column("causal", "causal", 7, right=True, sort="causal"),
    Column("insight", "insight", sort="text"),
    Column("tags", "tags", 16, drop=2),
    Column("age", "age", 5, right=True, sort="age", drop=1),
    Column("source", "source", 9, drop=3),
)
LEAST = 28
SORTS = tuple(column.sort for column in COLUMNS if column.sort)
"""The orders `s` goes through, from left to right."""


def rank_role(effectiveness: float) -> str:
    """The role of a score: good from 60%, bad under 40%."""
    return "good" if effectiveness >= 0.6 else "bad" if effectiveness < 0.4 else ""


def rows(lines: Sequence[InsightLine], glyphs: Glyphs, now: datetime) -> list[Row]:
    """One row per insight."""
    return [
        Row(
            line.id,
            (
                (glyphs.mark("pinned") if line.pinned else "", "accent"),
                (formats.percent(line.effectiveness), rank_role(line.effectiveness)),
                (str(line.n), "muted"),
                (formats.interval(line.low, line.high, line.n), "muted"),
                (str(line.use_count), ""),
                (formats.percent(line.causal_ratio), ""),
                (formats.literal(line.content), ""),
                (formats.literal(" ".join(line.tags)), "muted"),
                (formats.age(line.created_at, now), "muted"),
                (formats.literal(line.source), "muted"),
            ),
        )
        for line in lines
    ]


def about(detail: InsightDetail | None, glyphs: Glyphs, now: datetime) -> list[list[Cell]]:
    """Everything about one insight, as lines of pieces."""
    if detail is None:
        return [[("No insight is selected.", "muted")]]
    line = detail.line
    text = formats.literal(detail.content, lines=True).split("\n")
    return [
        *([(part, "")] for part in text),
        [],
        _score(detail, glyphs),
        _figures(detail),
        _origin(detail, now),
        [],
        *_events(detail.moves, glyphs, now),
        [],
        [("name ", "muted"), (formats.literal(line.name), "")],
    ]


def _score(detail: InsightDetail, glyphs: Glyphs) -> list[Cell]:
    line = detail.line
    parts: list[Cell] = [
        (glyphs.bar(line.effectiveness, 10), rank_role(line.effectiveness)),
        (f" {formats.percent(line.effectiveness)}", "strong"),
    ]
    if line.n:
        spread = formats.interval(line.low, line.high, line.n)
        parts.append((f"  mean outcome {spread}% (90%, n {line.n})", "muted"))
    else:
        parts.append(("  no outcome counted yet", "muted"))
    if abs(detail.adjusted - line.effectiveness) >= 0.005:
        parts.append((f"  recalled as {formats.percent(detail.adjusted)}", "warn"))
    return parts


def _figures(detail: InsightDetail) -> list[Cell]:
    line = detail.line
    words = [
        formats.plural(line.use_count, "use"),
        f"{line.causal_hits} causal",
        f"given {formats.plural(detail.injected, 'time')}",
        formats.plural(detail.edges, "link"),
    ]
    if detail.revisions:
        words.append(formats.plural(detail.revisions, "revision"))
    if detail.confirmations:
        words.append(f"confirmed {formats.plural(detail.confirmations, 'time')}")
    return [(", ".join(words), "")]


def _origin(detail: InsightDetail, now: datetime) -> list[Cell]:
    line = detail.line
    words = f"from {line.source}, {formats.day_time(line.created_at)}"
    if line.last_used:
        words += f", last useful {formats.age(line.last_used, now)} ago"
    parts: list[Cell] = [(formats.literal(words), "muted")]
    if line.pinned:
        parts.append(("  pinned", "accent"))
    if not detail.embedding_model:
        parts.append(("  no vector yet: found by keyword", "warn"))
    if line.tags:
        parts.append((f"  {formats.literal(' '.join(line.tags))}", "accent"))
    return parts


def _events(moves: Sequence[MoveLine], glyphs: Glyphs, now: datetime) -> list[list[Cell]]:
    if not moves:
        return [[("It has not been through an outcome yet.", "muted")]]
    return [[("What moved it, newest first:", "muted")], *(_event(m, glyphs, now) for m in moves)]


def _event(move: MoveLine, glyphs: Glyphs, now: datetime) -> list[Cell]:
    state = glyphs.state(move.outcome)
    name = "rose" if move.after > move.before else "fell" if move.after < move.before else "same"
    role = {"rose": "good", "fell": "bad", "same": "muted"}[name]
    parts: list[Cell] = [
        (formats.fit(formats.age(move.at, now), 4, right=True), "muted"),
        (f" {glyphs.mark(name)} {formats.moved(move.before, move.after)}", role),
        (f"  {formats.literal(state.text)}", state.role),
        (f" ({formats.literal(move.source)})", "muted"),
    ]
    if move.kind not in {"outcome", "decay"}:
        parts.append((f" {formats.literal(move.kind)}", "muted"))
    if move.outcome != "decay":
        parts.append((f"  weight {move.weight:.2f}" if move.causal else "  not causal", "muted"))
    if move.undone:
        parts.append((" taken back", "warn"))
    if move.task:
        parts.append((f"  {formats.literal(move.task)}", ""))
    return parts
