"""SQL for what ended tasks say about insights: each task is one observation, shared by weight.

Standard library only. A blocked task with three causal insights is one failure, of which each has
the part that its causal weight has in their sum.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Sequence

from helix_core import formulas
from helix_core.store import measures

CHUNK = 400

OUTCOME_WORTH = (
    "CASE outcome "
    + " ".join(f"WHEN '{name}' THEN {worth}" for name, worth in formulas.OUTCOME_VALUES.items())
    + " END"
)
"""`formulas.OUTCOME_VALUES` as an SQL expression; NULL for what is no feedback."""

EVENTS = (
    "causal = 1 AND weight > 0 AND undone_by IS NULL AND kind IN ('outcome', 'hand')"
    f" AND {OUTCOME_WORTH} IS NOT NULL"
)
"""Which feedback events are observations: of tasks, by causal insights, not taken back."""

SHARES = (
    "SELECT insight_id, agent_run_id, agent_id, message_hash, outcome, weight,"
    f" {OUTCOME_WORTH} AS worth,"
    " weight / sum(weight) OVER (PARTITION BY agent_id, message_hash) AS share"
    " FROM feedback_event WHERE " + EVENTS
)
"""Every observation with the part of its task that it stands for."""


SHOWN = (
    "SELECT s.insight_id AS insight_id, j.effectiveness AS effectiveness, s.share AS share,"
    f" s.worth AS worth FROM ({SHARES}) s JOIN injection j ON j.agent_run_id = s.agent_run_id"
    " AND j.insight_id = s.insight_id AND j.withheld = 0"
)
"""Every observation with the score that its insight was shown with."""

CALIBRATION = (
    f"SELECT {measures.tenth('effectiveness')} AS tenth, sum(share) AS tasks,"
    " sum(share * effectiveness) / sum(share) AS score,"
    " sum(share * (worth = 1.0)) AS delivered, sum(share * worth) AS worth"
    f" FROM ({SHOWN}) GROUP BY tenth ORDER BY tenth"
)
"""Tasks by the score their insight was shown with, each task once (shared by causal weight)."""

CALIBRATION_ERROR = f"SELECT sum(abs(tasks * score - worth)) / sum(tasks) FROM ({CALIBRATION})"
"""Mean distance of score and outcome over the tenths, by tasks (Naeini 2015); NULL: no task."""

TOTALS = (
    "SELECT coalesce(sum(share * worth), 0.0), coalesce(sum(share * (1.0 - worth)), 0.0)"
    f" FROM ({SHARES})"
)
"""Helped and hurt over all tasks with a causal insight, each task once."""


def by_insight(conn: sqlite3.Connection, ids: Sequence[int]) -> dict[int, tuple[float, float, int]]:
    """(helped, hurt, tasks) of each insight that has an observation, in tasks."""
    found: dict[int, tuple[float, float, int]] = {}
    for start in range(0, len(ids), CHUNK):
        part = list(ids[start : start + CHUNK])
        marks = ",".join("?" * len(part))
        # Whole tasks are read, since the part of one insight depends on the others'.
        statement = (
            f"SELECT insight_id, sum(share * worth), sum(share * (1.0 - worth)), count(*)"
            f" FROM ({SHARES} AND (agent_id, message_hash) IN (SELECT agent_id, message_hash"
            f" FROM feedback_event WHERE insight_id IN ({marks})))"
            f" WHERE insight_id IN ({marks}) GROUP BY insight_id"
        )
        for insight_id, helped, hurt, tasks in conn.execute(statement, [*part, *part]):
            found[int(insight_id)] = (float(helped), float(hurt), int(tasks))
    return found
