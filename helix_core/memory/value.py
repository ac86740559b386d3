"""What an insight is worth for the task at hand, from its own past (decision 29b)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from helix_core import formulas
from helix_core.formulas import ContextOutcome
from helix_core.memory.context import Memory
from helix_core.memory.recall import adjusted
from helix_core.model import Insight
from helix_core.store import vectors

EVENTS_PER_INSIGHT = 50
TASKS_FOR_BASELINE = 300


@dataclass(frozen=True)
class Worth:
    """A value in [0, 1] and the number of causal events it rests on."""

    value: float
    causal_events: int


def plain(insight: Insight) -> Worth:
    """The value without any context: the adjusted effectiveness."""
    return Worth(adjusted(insight), insight.causal_hits)


def in_context(
    mem: Memory, rows: Sequence[Insight], task: Sequence[float] | None
) -> dict[int, Worth]:
    """The value of each insight for a task vector; its plain value where no vector is known."""
    if task is None or mem.profile is None:
        return {row.id: plain(row) for row in rows}
    return {
        row.id: Worth(
            formulas.context_value(_past(mem, row.id, task, mem.profile.name), adjusted(row)),
            row.causal_hits,
        )
        for row in rows
    }


def _past(mem: Memory, insight_id: int, task: Sequence[float], model: str) -> list[ContextOutcome]:
    """The insight's past uses with how close each one's task was to this one."""
    past = []
    for blob, outcome, baseline in mem.conn.execute(
        "SELECT a.query_vector, f.outcome, f.baseline FROM feedback_event f"
        " JOIN agent_run a ON a.id = f.agent_run_id"
        " WHERE f.insight_id = ? AND f.undone_by IS NULL AND a.embedding_model = ?"
        " ORDER BY f.id DESC LIMIT ?",
        (insight_id, model, EVENTS_PER_INSIGHT),
    ):
        context = vectors.unpack(blob)
        similarity = vectors.cosine(task, context) if context else None
        if similarity is not None and outcome in formulas.OUTCOME_VALUES:
            past.append(
                ContextOutcome(
                    similarity,
                    formulas.OUTCOME_VALUES[outcome],
                    0.5 if baseline is None else float(baseline),
                )
            )
    return past


def baseline(mem: Memory, run_id: int, task: Sequence[float], model: str) -> float:
    """What tasks like this one delivered anyway: kernel-weighted mean outcome, one
    pseudo-observation at 0.5, over the latest ended agent runs but this one."""
    weight, total = 1.0, 0.5
    for blob, state in mem.conn.execute(
        "SELECT query_vector, state FROM agent_run WHERE id <> ? AND embedding_model = ?"
        " AND state IN ('delivered', 'partial', 'blocked') AND query_vector IS NOT NULL"
        " ORDER BY id DESC LIMIT ?",
        (run_id, model, TASKS_FOR_BASELINE),
    ):
        context = vectors.unpack(blob)
        similarity = vectors.cosine(task, context) if context else None
        if similarity is not None:
            k = formulas.kernel(similarity)
            weight += k
            total += k * formulas.OUTCOME_VALUES[state]
    return total / weight
