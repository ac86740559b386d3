"""What the ended tasks say about an insight: helped and hurt apart, n, and a 90% interval.

Standard library and the store's rows only. One ended task is one observation, however many
insights it was given: each causal one has the part of it that its causal weight has in their sum.
A blocked task with three causal insights is one failure in these counts, never three. (The moving
average that an insight is shown with stays the spec's.)
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable
from dataclasses import dataclass

from helix_core import formulas
from helix_core.model import Insight
from helix_core.store import credit


@dataclass(frozen=True)
class Evidence:
    """What tasks say about one insight.

    `helped` and `hurt` are in tasks and add up to `n`; a partial outcome is 0.3 of the one and 0.7
    of the other. `tasks` counts the tasks it was causal in, whole. `low` and `high` bound the share
    of `helped` in `n` with 90% (Wilson 1927); without any task they are 0 and 1. `estimated`: the
    row is of an older database that kept no events, its average stands in for them.
    """

    helped: float
    hurt: float
    tasks: int
    low: float
    high: float
    estimated: bool = False

    @property
    def n(self) -> float:
        """Observations, in tasks; fractional where tasks were shared."""
        return self.helped + self.hurt


def of_insights(conn: sqlite3.Connection, rows: Iterable[Insight]) -> dict[int, Evidence]:
    """The evidence about each of some insights, by id; each id is there."""
    wanted = list(rows)
    counted = credit.by_insight(conn, [row.id for row in wanted])
    return {row.id: _evidence(row, counted.get(row.id)) for row in wanted}


def _evidence(row: Insight, counted: tuple[float, float, int] | None) -> Evidence:
    if counted is None:
        hits = max(0, row.causal_hits)
        helped = min(1.0, max(0.0, row.effectiveness)) * hits
        low, high = formulas.wilson(helped, hits)
        return Evidence(helped, hits - helped, hits, low, high, estimated=hits > 0)
    helped, hurt, tasks = counted
    low, high = formulas.wilson(helped, helped + hurt)
    return Evidence(helped, hurt, tasks, low, high)
