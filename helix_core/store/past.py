"""SQL for what past tasks say about the present one. Standard library only."""

from __future__ import annotations

import sqlite3
from collections.abc import Sequence
from dataclasses import dataclass

from helix_core.store.credit import OUTCOME_WORTH
from helix_core.store.results import NO_USE

CHUNK = 500


@dataclass(frozen=True)
class EndedTask:
    """One agent run that ended with an outcome: its row id, the outcome, and its task's vector."""

    run_id: int
    outcome: str
    vector: bytes


@dataclass(frozen=True)
class Use:
    """One feedback event of an insight; `baseline` is what was expected of the task, if known."""

    run_id: int
    outcome: str
    baseline: float | None


def ended_tasks(conn: sqlite3.Connection, model: str, but: int, limit: int) -> list[EndedTask]:
    """The latest ended runs with a vector of that model, newest first, without the run `but`.

    A contradicted outcome is left out: nobody knows how that task ended.
    """
    rows = conn.execute(
        "SELECT id, state, query_vector FROM agent_run WHERE id <> ? AND embedding_model = ?"
        " AND state IN ('delivered', 'partial', 'blocked', 'plan_complete')"
        " AND query_vector IS NOT NULL AND coalesce(outcome_source, '') <> 'contradicted'"
        " ORDER BY id DESC LIMIT ?",
        (but, model, limit),
    )
    return [EndedTask(int(row[0]), str(row[1]), row[2]) for row in rows]


def uses(conn: sqlite3.Connection, ids: Sequence[int]) -> dict[int, list[Use]]:
    """Every feedback event of each insight that came from an agent run; each id is there."""
    found: dict[int, list[Use]] = {insight_id: [] for insight_id in ids}
    for start in range(0, len(ids), CHUNK):
        part = list(ids[start : start + CHUNK])
        marks = ",".join("?" * len(part))
        for insight_id, run_id, outcome, baseline in conn.execute(
            "SELECT insight_id, agent_run_id, outcome, baseline FROM feedback_event"
            f" WHERE insight_id IN ({marks}) AND agent_run_id IS NOT NULL"
            f" AND undone_by IS NULL AND kind NOT IN {NO_USE} ORDER BY id",
            part,
        ):
            use = Use(int(run_id), str(outcome), None if baseline is None else float(baseline))
            found[int(insight_id)].append(use)
    return found


def surpluses(conn: sqlite3.Connection, insight_id: int) -> list[float]:
    """Outcome minus baseline of each use of an insight, oldest first."""
    rows = conn.execute(
        f"SELECT {OUTCOME_WORTH} - baseline AS surplus FROM feedback_event WHERE insight_id = ?"
        " AND undone_by IS NULL AND surplus IS NOT NULL ORDER BY id",
        (insight_id,),
    )
    return [float(row[0]) for row in rows]
