"""What showing insights is worth, by the hold-out: over all of them and one by one.

Standard library and the store's rows only; the arithmetic is in `helix_core/holdout.py`.
"""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

from helix_core import holdout
from helix_core.constants import LIFT_HALF_WIDTH_ONE
from helix_core.holdout import Lift, Pair
from helix_core.memory.context import Memory
from helix_core.memory.figure import Figure
from helix_core.store import insights, trials

POOLED_NOTE = (
    "share delivered with minus without, in hundredths; 95% interval of Agresti and Caffo, summed"
    " over runs; told once it is known to 10 points"
)
SINGLE_NOTE = "the same for each insight; told once it is known to 25 points"


def pooled(mem: Memory) -> Figure:
    """The lift over all insights, or how many pairs there are of about how many."""
    found = holdout.lift(trials.pairs(mem.conn), mem.settings.holdout)
    return Figure("lift", as_json(found), trials.TRIALS, POOLED_NOTE)


def by_insight(mem: Memory) -> Figure:
    """The lift of each insight that has enough trials, the most useful first."""
    groups: dict[int, list[Pair]] = {}
    for pair in trials.pairs(mem.conn):
        groups.setdefault(pair.insight, []).append(pair)
    found = {i: holdout.lift(own, half_width=LIFT_HALF_WIDTH_ONE) for i, own in groups.items()}
    told = {i: one for i, one in found.items() if one.lift is not None}
    rows = insights.by_ids(mem.conn, list(told))
    value = [
        {"name": rows[i].name if i in rows else f"#{i}", **as_json(one)}
        for i, one in sorted(told.items(), key=lambda item: (-(item[1].lift or 0.0), item[0]))
    ]
    return Figure("lift_by_insight", value, trials.TRIALS, SINGLE_NOTE)


def of_insight(mem: Memory, insight_id: int) -> dict[str, Any]:
    """The lift of one insight, or how many trials it has of about how many."""
    own = trials.pairs(mem.conn, insight_id)
    return as_json(holdout.lift(own, mem.settings.holdout, LIFT_HALF_WIDTH_ONE))


def as_json(found: Lift) -> dict[str, Any]:
    """A lift as commands print it: `told` in words, then its parts."""
    return {"told": holdout.told(found), **asdict(found)}
