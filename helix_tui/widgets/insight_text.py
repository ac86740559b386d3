"""The text about one insight: figures, history, neighbours, revisions. Pure."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime

from helix_tui import formats
from helix_tui.glyphs import Glyphs
from helix_tui.state import InsightDetail, MoveLine, NeighbourLine, Wording
from helix_tui.widgets import insight_rows
from helix_tui.widgets.table_layout import Cell

SPARK = 32
"""Cells of the sparkline; of a longer history the newest."""


def about(detail: InsightDetail | None, glyphs: Glyphs, now: datetime) -> list[list[Cell]]:
    """One insight: its text, its figures, where it comes from."""
    if detail is None:
        return [[("No insight is selected.", "muted")]]
    text = formats.literal(detail.content, lines=True).split("\n")
    return [
        *([(part, "")] for part in text),
        [],
        _score(detail, glyphs),
        _figures(detail),
        _origin(detail, now),
    ]


def record(detail: InsightDetail | None, glyphs: Glyphs, now: datetime) -> list[list[Cell]]:
    """What became of it: every event, what it is linked with, what it was before."""
    if detail is None:
        return []
    return [
        *_events(detail.moves, glyphs, now),
        *_neighbours(detail.neighbours, glyphs),
        *_wordings(detail.wordings, now),
    ]


def name(detail: InsightDetail | None) -> list[list[Cell]]:
    """What commands call it."""
    return [[("name ", "muted"), (formats.literal(detail.line.name), "")]] if detail else []


def _score(detail: InsightDetail, glyphs: Glyphs) -> list[Cell]:
    line = detail.line
    parts: list[Cell] = [
        (glyphs.bar(line.effectiveness, 10), insight_rows.rank_role(line.effectiveness)),
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
    if detail.wordings:
        words.append(formats.plural(len(detail.wordings), "revision"))
    if line.generality is not None:
        words.append(f"generality {formats.percent(line.generality)}")
    words.append(f"velocity {line.velocity}")
    if detail.confirmations:
        words.append(f"confirmed {formats.plural(detail.confirmations, 'time')}")
    if detail.lift:
        words.append(f"lift: {detail.lift}")
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
    counted = [move for move in reversed(moves) if not move.undone]
    head: list[Cell] = [("What moved it, newest first", "muted")]
    if counted:
        course = [counted[0].before, *(move.after for move in counted)]
        head.append((f"   {glyphs.spark(course, SPARK)} ", ""))
        head.append((f" {formats.moved(course[0], course[-1])}", "muted"))
    return [head, *(_event(move, glyphs, now) for move in moves)]


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
        weighed = move.causal or move.kind == "lineage"  # a child's outcome, passed back
        parts.append((f"  weight {move.weight:.2f}" if weighed else "  not causal", "muted"))
    if move.undone:
        parts.append((" taken back", "warn"))
    if move.task:
        parts.append((f"  {formats.literal(move.task)}", ""))
    return parts


def _neighbours(found: Sequence[NeighbourLine], glyphs: Glyphs) -> list[list[Cell]]:
    if not found:
        return []
    lines: list[list[Cell]] = [[], [("Linked with", "muted")]]
    for one in found:
        if one.relation == "led_to":
            word = "led to" if one.outgoing else "came of"
            tie = (f"{glyphs.mark('direct')} {word:<8}", "accent")
        else:
            tie = (f"{glyphs.mark('like')} {one.weight:.2f}    ", "muted")
        score = formats.percent(one.effectiveness)
        lines.append(
            [
                tie,
                (f" {score:>4} ", insight_rows.rank_role(one.effectiveness)),
                (formats.literal(one.content), ""),
            ]
        )
    return lines


def _wordings(found: Sequence[Wording], now: datetime) -> list[list[Cell]]:
    if not found:
        return []
    lines: list[list[Cell]] = [[], [("Before each change, newest first", "muted")]]
    for one in found:
        said = f"{formats.age(one.at, now)} {formats.literal(f'{one.reason} ({one.actor})')}"
        tags = f"  {formats.literal(' '.join(one.tags))}" if one.tags else ""
        lines.append([(f"{said}  ", "muted"), (formats.literal(one.content), ""), (tags, "accent")])
    return lines
