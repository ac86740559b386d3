"""The rows of what-if: what an agent would get, and what was left out and why. Pure."""

from __future__ import annotations

from helix_tui import formats
from helix_tui.glyphs import Glyphs
from helix_tui.whatif import Candidate, LeftOut, WhatIf
from helix_tui.widgets.table_layout import Cell, Column, Row

COLUMNS = (
    Column("place", "", 2, right=True),
    Column("score", "score", 6, right=True),
    Column("relevance", "rel", 4, right=True),
    Column("value", "value", 5, right=True),
    Column("vector", "vec", 3, right=True, drop=2),
    Column("keyword", "key", 3, right=True, drop=2),
    Column("via", "via", 8, drop=3),
    Column("insight", "insight"),
    Column("why", "left out because", 26, drop=1),
)


def rows(answer: WhatIf, glyphs: Glyphs) -> list[Row]:
    """Those given, those ranked and left out, and those that were no candidates, nearest first."""
    found = [_row(answer, one, glyphs) for one in (*answer.given, *answer.others)]
    nearest = sorted(answer.left, key=lambda one: -(one.relevance or 0.0))
    return [*found, *(_left_row(n, one) for n, one in enumerate(nearest, 1))]


def _row(answer: WhatIf, one: Candidate, glyphs: Glyphs) -> Row:
    role = "" if one.place else "muted"
    value = one.effectiveness if answer.spec or one.value is None else one.value
    way = "graph" if one.through else "direct"
    return Row(
        one.id,
        (
            (f"{one.place}." if one.place else "", "good"),
            (f"{one.score * 1000:.2f}", "strong" if one.place else role),
            (formats.percent(one.relevance), role),
            (formats.percent(value), role),
            (str(one.vector_rank or "-"), "muted"),
            (str(one.keyword_rank or "-"), "muted"),
            (f"{glyphs.mark(way)} {way}", "accent" if one.through else "muted"),
            (formats.literal(one.content), role),
            (formats.literal(one.why), "muted"),
        ),
    )


def _left_row(number: int, one: LeftOut) -> Row:
    empty: Cell = ("", "")
    return Row(
        -number,
        (
            empty,
            ("-", "muted"),
            (formats.percent(one.relevance), "muted"),
            *(("", "") for _ in range(4)),
            (formats.literal(one.name), "muted"),
            (formats.literal(one.why), "muted"),
        ),
    )


def verdict(answer: WhatIf | None, typed: str) -> list[Cell]:
    """One line: how it was asked, and what would be given."""
    if answer is None:
        word = "asking ..." if typed else "Type a task; nothing is recorded."
        return [(word, "muted")]
    if not answer.query:
        return [("A bare name says too little to ask by: nothing would be given.", "warn")]
    count = formats.plural(len(answer.given), "insight")
    parts: list[Cell] = [(f"{count} would be given", "strong")]
    if answer.mode == "vector":
        parts.append((", found by vector and keyword", "muted"))
    if answer.siblings:
        has = formats.plural(answer.siblings, "insight")
        parts.append((f", {has} with running agents", "muted"))
    if answer.note:
        role = "warn" if answer.mode == "keyword" else "muted"
        parts.append((f", {formats.literal(answer.note)}", role))
    if not answer.given:
        parts.append((f"  {formats.literal(answer.block)}", "muted"))
    return parts


def about(answer: WhatIf | None, key: int | None) -> list[list[Cell]]:
    """One candidate whole: its text, how it was found, how its score comes about."""
    one = next((c for c in answer.candidates if c.id == key), None) if answer else None
    if answer is None or one is None:
        return []
    ranks = [
        f"vector place {one.vector_rank or 'past the end'}",
        f"keyword place {one.keyword_rank or 'past the end'}",
    ]
    cosine = f" (cosine {one.relevance:.3f})" if one.relevance is not None else ""
    found = f"{ranks[0]}{cosine}, {ranks[1]}: fused {one.direct or one.rrf:.5f}"
    if one.through:
        found += f"; as a neighbour of {one.through}: {one.rrf:.5f}"
    events = formats.plural(one.causal_events, "causal event")
    worth = f"effectiveness {formats.percent(one.effectiveness)}"
    if one.value is not None:
        worth = f"value for this task {formats.percent(one.value)} from {events}, {worth}"
    state: Cell = (
        (f"given in place {one.place}", "good")
        if one.place
        else (f"left out: {formats.literal(one.why)}", "warn")
    )
    return [
        [(formats.literal(one.content, lines=True), "")],
        [state, (f"   {formats.literal(found)}", "muted")],
        [(worth, "muted")],
        [("score ", "muted"), (answer.formula(one), "")],
    ]
