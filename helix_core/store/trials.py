"""SQL for the hold-out: every insight that a coin was tossed for, and how its agent ended.

Standard library only. crashed and unknown ends are no outcome, and nobody knows how a contradicted
task ended: none of them is a trial. An insight given by the orchestrator's hand is none either.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable

from helix_core.holdout import Pair

TRIALS = (
    "SELECT j.agent_run_id AS run, j.insight_id AS insight, j.withheld = 0 AS shown,"
    " a.state IN ('delivered', 'plan_complete') AS delivered, j.holdout AS probability"
    " FROM injection j JOIN agent_run a ON a.id = j.agent_run_id"
    " WHERE j.holdout > 0 AND j.holdout < 1"
    " AND a.state IN ('delivered', 'partial', 'blocked', 'plan_complete')"
    " AND coalesce(a.outcome_source, '') <> 'contradicted'"
)
"""Of a trial: whether the insight was shown, and whether the task was delivered."""


def pairs(conn: sqlite3.Connection, insight_id: int | None = None) -> list[Pair]:
    """All trials, or those of one insight, oldest first."""
    if insight_id is None:
        return _read(conn.execute(f"{TRIALS} ORDER BY j.id"))
    return _read(conn.execute(f"{TRIALS} AND j.insight_id = ? ORDER BY j.id", (insight_id,)))


def _read(rows: Iterable[tuple[int, int, int, int, float]]) -> list[Pair]:
    return [
        Pair(int(run), int(insight), bool(shown), bool(delivered), float(probability))
        for run, insight, shown, delivered, probability in rows
    ]
