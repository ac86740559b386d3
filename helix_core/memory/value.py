"""What an insight is worth for the task at hand, from its own past (decision 29b).

The arithmetic (`baselines`, `worths`) is pure and shared with the simulator in `benchmarks`; the
rest reads rows. Standard library only: cosines in bulk are the index's.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from helix_core import formulas
from helix_core.constants import NEUTRAL_EFFECTIVENESS
from helix_core.formulas import OUTCOME_VALUES, ContextOutcome
from helix_core.memory.context import Memory
from helix_core.memory.recall import adjusted
from helix_core.model import Insight
from helix_core.settings import Settings
from helix_core.store import past, vectors

TASKS = 1000  # the latest tasks that are looked back at
TASKS_BY_HAND = 200  # the same without numpy, where a cosine takes 0.1 ms


@dataclass(frozen=True)
class Worth:
    """A value in [0, 1] and the number of causal events it rests on."""

    value: float
    causal_events: int


class Past(NamedTuple):
    """One ended task as seen from the present one.

    `run`: its agent run; `similarity`: cosine of both tasks; `outcome`: its outcome value;
    `baseline`: what was expected of it then (of an insight's use only).
    """

    run: int
    similarity: float
    outcome: float
    baseline: float | None = None


def plain(insight: Insight) -> Worth:
    """The value without any context: the adjusted effectiveness."""
    return Worth(adjusted(insight), insight.causal_hits)


def baselines(
    history: Sequence[Past], runs_with: Mapping[int, Collection[int]], rule: Settings
) -> dict[int, float]:
    """What tasks like the present one deliver, for each insight of `runs_with`, in [0, 1].

    With `ranking_contrast` it is what they deliver *without* the insight: its own runs are left
    out, and where hardly any other is near, the share that all tasks deliver stands in. Else it is
    one figure for all, leaning on 0.5.
    """
    start = rule.ranking_kernel
    if not rule.ranking_contrast:
        pairs = ((p.similarity, p.outcome) for p in history if p.similarity > start)
        same = formulas.baseline(pairs, NEUTRAL_EFFECTIVENESS, start)
        return dict.fromkeys(runs_with, same)
    near: dict[int, tuple[float, float]] = {}
    delivered = weight = total = 0.0
    for past_task in history:
        delivered += past_task.outcome
        if past_task.similarity > start:
            k = formulas.kernel(past_task.similarity, start)
            near[past_task.run] = (k, past_task.outcome)
            weight += k
            total += k * past_task.outcome
    prior = (delivered + NEUTRAL_EFFECTIVENESS) / (len(history) + 1)
    found = {}
    for insight_id, own in runs_with.items():
        mine = [near[run] for run in own if run in near]
        others = weight - sum(k for k, _ in mine)
        rest = total - sum(k * outcome for k, outcome in mine)
        found[insight_id] = min(1.0, max(0.0, (rest + prior) / (max(0.0, others) + 1.0)))
    return found


def worths(
    history: Sequence[Past],
    uses: Mapping[int, Sequence[Past]],
    fallback: Mapping[int, float],
    rule: Settings,
) -> dict[int, float]:
    """The value of each insight of `uses` for the present task, in [0, 1].

    `history`: the latest ended tasks; `uses`: each insight's own; `fallback`: its value where none
    of its uses is near. Without `ranking_contrast` each use is measured by what was expected then.
    """
    runs_with = {i: {use.run for use in own} for i, own in uses.items()}
    contrast = rule.ranking_contrast
    expected = baselines(history, runs_with, rule) if contrast else {}
    return {
        i: formulas.context_value(
            [
                ContextOutcome(
                    use.similarity,
                    use.outcome,
                    expected[i] if contrast else _or_neutral(use.baseline),
                )
                for use in own
            ],
            fallback[i],
            rule.ranking_kernel,
        )
        for i, own in uses.items()
    }


def _or_neutral(baseline: float | None) -> float:
    return NEUTRAL_EFFECTIVENESS if baseline is None else baseline


def in_context(
    mem: Memory, rows: Sequence[Insight], task: Sequence[float] | None
) -> dict[int, Worth]:
    """The value of each insight for a task vector; its plain value where no vector is known."""
    profile = mem.profile
    if task is None or profile is None:
        return {row.id: plain(row) for row in rows}
    uses = past.uses(mem.conn, [row.id for row in rows])
    tasks = history(mem, task, profile.name) if any(uses.values()) else []
    seen = {item.run: item.similarity for item in tasks}
    found = worths(
        tasks,
        {
            i: [
                Past(use.run_id, seen[use.run_id], OUTCOME_VALUES[use.outcome], use.baseline)
                for use in own
                if use.run_id in seen and use.outcome in OUTCOME_VALUES
            ]
            for i, own in uses.items()
        },
        {row.id: adjusted(row) for row in rows},
        mem.settings,
    )
    return {row.id: Worth(found[row.id], row.causal_hits) for row in rows}


def history(mem: Memory, task: Sequence[float], model: str, but: int = -1) -> list[Past]:
    """The latest ended tasks of agents, without run `but`, seen from a task vector."""
    limit = TASKS_BY_HAND if mem.index is None else TASKS
    rows = past.ended_tasks(mem.conn, model, but, limit)
    blobs = [row.vector for row in rows]
    if mem.index is not None:
        near = mem.index.similarities(task, blobs)
    else:
        near = [vectors.similarity(task, blob) for blob in blobs]
    return [
        Past(row.run_id, similarity, OUTCOME_VALUES[row.outcome])
        for row, similarity in zip(rows, near, strict=True)
        if similarity is not None
    ]


def expected(
    mem: Memory, run_id: int, task: Sequence[float], model: str, ids: Sequence[int]
) -> dict[int, float]:
    """What a run's task would have delivered anyway, for each insight it was given."""
    uses = past.uses(mem.conn, ids)
    runs_with = {i: {use.run_id for use in own} for i, own in uses.items()}
    tasks = history(mem, task, model, but=run_id)
    return baselines(tasks, runs_with, mem.settings)
