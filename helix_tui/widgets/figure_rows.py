"""The rows of the effectiveness view: loop, calibration, outcomes. Pure."""

from __future__ import annotations

from collections.abc import Sequence

from helix_tui import formats
from helix_tui.glyphs import Glyphs
from helix_tui.state import CalibrationLine, Histogram, LiftLine, Loop, OutcomeLine
from helix_tui.widgets.bars import Bar, marked, parts
from helix_tui.widgets.table_layout import Column, Row

BAR = 12
SIGNS = 12
LOOP_COLUMNS = (
    Column("name", "", 14),
    Column("bar", "", BAR),
    Column("share", "", 5, right=True),
    Column("words", ""),
)
CALIBRATION_COLUMNS = (
    Column("shown", "shown", 7),
    Column("tasks", "tasks", 5, right=True),
    Column("bar", "delivered", BAR),
    Column("rate", "", 4, right=True),
    Column("interval", "90%", 6, right=True, drop=1),
    Column("words", ""),
)
OUTCOME_COLUMNS = (
    Column("period", "when", 7),
    Column("agent", "agent", 8),
    Column("ended", "ended", 5, right=True, drop=1),
    Column("signs", "", SIGNS),
    Column("words", "outcomes"),
)
LOOP_FILTERS = ("is:used", "is:causal", "is:causal")
"""What the rows of the loop open, in their order."""


def bars(histogram: Histogram) -> tuple[Bar, ...]:
    """The bins as bars."""
    return tuple(Bar(one.label, one.count, one.filter) for one in histogram.bins)


def loop_rows(loop: Loop, lift: LiftLine | None, glyphs: Glyphs) -> list[Row]:
    """Coverage, causal share, how the tasks with a causal insight ended, and the hold-out."""
    ratio = loop.causal_ratio
    tasks = loop.helped + loop.hurt
    helped = loop.helped / tasks if tasks else None
    spread = f" (90%: {formats.interval(loop.low, loop.high, 1)})" if tasks else ""
    values: list[tuple[str, float | None, str]] = [
        (
            "loop coverage",
            loop.coverage if loop.insights else None,
            f"{loop.used:,} of {formats.plural(loop.insights, 'insight')} through an outcome",
        ),
        (
            "causal ratio",
            ratio,
            f"{loop.causal_uses:,} of {formats.plural(loop.uses, 'use')} bore on the task",
        ),
        (
            "tasks helped",
            helped,
            f"{loop.helped:,.1f} of {tasks:,.1f} tasks that had one{spread}",
        ),
    ]
    if lift is not None:
        values.append(("delivered with", lift.share, f"lift: {lift.told}"))
    return [
        Row(
            n,
            (
                (name, "strong"),
                (glyphs.bar(share or 0.0, BAR), "good"),
                (formats.percent(share), "strong"),
                (words, "muted"),
            ),
        )
        for n, (name, share, words) in enumerate(values)
    ]


def calibration_rows(lines: Sequence[CalibrationLine], glyphs: Glyphs) -> list[Row]:
    """One row per tenth of shown score; the sign in its bar is where that score would end it."""
    return [
        Row(
            line.tenth,
            (
                (line.label, ""),
                (f"{line.tasks:.0f}", "muted"),
                (marked(line.rate, line.score, BAR, glyphs), "good"),
                (formats.percent(line.rate), "strong"),
                (formats.interval(line.low, line.high, 1), "muted"),
                (_judged(line, glyphs), "muted"),
            ),
        )
        for line in lines
    ]


def _judged(line: CalibrationLine, glyphs: Glyphs) -> str:
    """Whether what was shown lies inside the interval of what came of it."""
    if line.low <= line.score <= line.high:
        return f"{glyphs.mark('same')} as shown"
    if line.rate > line.score:
        return f"{glyphs.mark('rose')} better than shown"
    return f"{glyphs.mark('fell')} worse than shown"


def _when(period: str) -> str:
    """A day without its year; a month with it."""
    return period[5:] if len(period) > len("2026-03") else period


def outcome_rows(lines: Sequence[OutcomeLine], glyphs: Glyphs) -> list[Row]:
    """One row per span of time and kind of agent."""
    rows = []
    for n, line in enumerate(lines):
        states = [(glyphs.state(name), count) for name, count in line.states]
        words = ", ".join(f"{count} {state.word}" for state, count in states)
        rows.append(
            Row(
                n,
                (
                    (formats.literal(_when(line.period)), ""),
                    (formats.literal(formats.bare_type(line.agent_type)), ""),
                    (str(line.ended), "muted"),
                    (parts([(state.glyph, count) for state, count in states], SIGNS), "strong"),
                    (formats.literal(words), "muted"),
                ),
            )
        )
    return rows
