"""Moving insights by outcomes: weighted EMA, erosion, context spread (spec; decisions 6 to 10).

One transaction per agent run or hand-given outcome; every move leaves a feedback event. Unknown is
not non-causal: where a similarity cannot be computed there is no feedback at all.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from helix_core import formulas
from helix_core.constants import LINEAGE_CREDIT_SHARE
from helix_core.errors import UsageError
from helix_core.memory import value
from helix_core.memory.context import Memory, in_force
from helix_core.model import Given, Insight
from helix_core.profiles import ModelProfile
from helix_core.store import (
    ancestry,
    curation,
    insights,
    results,
    retract,
    revisions,
    runs,
    unlearn,
    vectors,
)
from helix_core.store.connection import writing


@dataclass(frozen=True)
class Moved:
    """One insight and what an outcome did to it."""

    name: str
    similarity: float
    weight: float
    causal: bool
    before: float
    after: float


@dataclass(frozen=True)
class Attribution:
    """The facts that one piece of feedback carries."""

    agent_id: str
    message_hash: str
    outcome: str
    source: str
    kind: str = "outcome"
    run: runs.AgentRun | None = None
    baseline: float | None = None


def for_run(
    mem: Memory, run: runs.AgentRun, mark: str, outcome: str, source: str
) -> list[Moved] | None:
    """Apply an ended agent's outcome to what it was given.

    Returns the moves; an empty list where this outcome is no feedback; None where attribution has
    to wait for a vector (the run is then marked pending).
    """
    given = runs.injections(mem.conn, run.id)
    if outcome not in formulas.OUTCOME_VALUES or source == "contradicted" or not given:
        with writing(mem.conn):
            runs.update(mem.conn, run.id, feedback="none")
        return []
    task = task_vector(mem, run)
    if task is None:
        with writing(mem.conn):
            runs.update(mem.conn, run.id, feedback="pending")
        return None
    vector, profile = task
    if _wait_for_vectors(mem, given, profile):
        with writing(mem.conn):
            runs.update(mem.conn, run.id, feedback="pending")
        return None
    attribution = Attribution(
        agent_id=run.agent_id or f"run-{run.id}",
        message_hash=mark,
        outcome=outcome,
        source=source,
        run=run,
    )
    expected = value.expected(mem, run.id, vector, profile.name, [i.insight_id for i in given])
    with writing(mem.conn):
        moved: dict[int, Moved] = {}
        for item in given:
            similarity = _similarity(mem, item.insight_id, vector, profile)
            row = insights.by_ids(mem.conn, [item.insight_id]).get(item.insight_id)
            if similarity is not None and row is not None:
                by = replace(attribution, baseline=expected[row.id])
                done = move(mem, row, similarity, profile, by, vector)
                moved.update({row.id: done} if done else {})
        back = flow_back(mem, moved, attribution)
        runs.update(mem.conn, run.id, feedback="applied")
    return [*moved.values(), *back]


def _wait_for_vectors(mem: Memory, given: Sequence[Given], profile: ModelProfile) -> bool:
    """Whether an insight that was shown has no vector of this model yet: credit comes whole."""
    waiting = {
        insight_id
        for item in given
        for insight_id, model in mem.conn.execute(
            "SELECT id, embedding_model FROM insight WHERE id = ?", (item.insight_id,)
        )
        if model != profile.name
    }
    return bool(waiting)


def task_vector(mem: Memory, run: runs.AgentRun) -> tuple[list[float], ModelProfile] | None:
    """The vector of a run's task and its model's thresholds; made now where it was missing."""
    from helix_core.profiles import profile_for

    stored = vectors.unpack(run.query_vector)
    current = mem.profile
    if stored and run.embedding_model and (current is None or current.name == run.embedding_model):
        known = profile_for(run.embedding_model, len(stored))
        return stored, current or in_force(mem.conn, known)
    if current is None or mem.embedder is None or not run.query:
        return None
    vector = mem.embedder.embed_query(run.query)
    with writing(mem.conn):
        runs.update(
            mem.conn, run.id, query_vector=vectors.pack(vector), embedding_model=current.name
        )
    return vector, current


def _similarity(
    mem: Memory, insight_id: int, task: Sequence[float], profile: ModelProfile
) -> float | None:
    blob, model = insights.vector_of(mem.conn, insight_id)
    if model != profile.name:
        return None
    vector = vectors.unpack(blob, len(task))
    return vectors.cosine(task, vector) if vector else None


def step(
    effectiveness: float, similarity: float, outcome: str, profile: ModelProfile
) -> tuple[float, float]:
    """New effectiveness and causal weight after one use; weight 0 is no causal hit. Pure."""
    weight = formulas.causal_weight(similarity, profile.causal_threshold, profile.causal_ramp)
    if weight > 0.0:
        return formulas.ema(effectiveness, weight, formulas.OUTCOME_VALUES[outcome]), weight
    return formulas.erode(effectiveness), 0.0


def move(
    mem: Memory,
    row: Insight,
    similarity: float,
    profile: ModelProfile,
    by: Attribution,
    context: Sequence[float] | None,
) -> Moved | None:
    """Move one insight and write its event; None where this event was counted before.

    A causal event (weight above 0) applies the EMA and refreshes `last_used`; any other erodes
    towards neutral, from above only, and refreshes nothing. Both count as a use.
    """
    after, weight = step(row.effectiveness, similarity, by.outcome, profile)
    causal = weight > 0.0
    if not _note(mem, row, by, similarity, weight, causal, after):
        return None
    changes: dict[str, object] = {"effectiveness": after, "use_count": row.use_count + 1}
    if causal:
        changes.update(
            causal_hits=row.causal_hits + 1,
            recent_uses=row.recent_uses + 1,
            last_used=mem.moment,
            last_feedback_at=mem.moment,
            **_context(mem, row, context),
        )
    insights.update(mem.conn, row.id, mem.moment, **changes)
    return Moved(row.name, similarity, weight, causal, row.effectiveness, after)


def passed_back(effectiveness: float, weight: float, outcome: str) -> tuple[float, float]:
    """New effectiveness and weight of a parent whose child moved by `weight`. Pure."""
    part = LINEAGE_CREDIT_SHARE * weight
    return formulas.ema(effectiveness, part, formulas.OUTCOME_VALUES[outcome]), part


def flow_back(mem: Memory, moved: Mapping[int, Moved], by: Attribution) -> list[Moved]:
    """Move the `led_to` parents of causal insights by a share of what moved those; one step.

    In: what one outcome moved, by insight. Of several children the one that moved most counts. A
    parent with an event of its own from this outcome keeps that one alone. It was not in this task:
    its counts, contexts, recency and velocity stay, and the event is no evidence (`lineage`).
    """
    if not mem.settings.lineage_credit:
        return []
    weights: dict[int, float] = {}
    children = [i for i, one in moved.items() if one.causal]
    for child, parents in ancestry.parents(mem.conn, children, 1).items():
        for parent in parents:
            weights[parent] = max(weights.get(parent, 0.0), moved[child].weight)
    done = []
    for row in insights.by_ids(mem.conn, list(weights)).values():
        after, weight = passed_back(row.effectiveness, weights[row.id], by.outcome)
        given_back = replace(by, kind=results.LINEAGE, baseline=None)
        if _note(mem, row, given_back, None, weight, False, after):
            insights.update(mem.conn, row.id, mem.moment, effectiveness=after)
            done.append(Moved(row.name, 0.0, weight, False, row.effectiveness, after))
    return done


def _note(
    mem: Memory,
    row: Insight,
    by: Attribution,
    similarity: float | None,
    weight: float,
    causal: bool,
    after: float,
) -> bool:
    """Write the event of one move; False where this outcome has one for this insight."""
    return results.add_event(
        mem.conn,
        insight_id=row.id,
        kind=by.kind,
        agent_id=by.agent_id,
        message_hash=by.message_hash,
        outcome=by.outcome,
        source=by.source,
        similarity=similarity,
        weight=weight,
        causal=causal,
        before=row.effectiveness,
        after=after,
        moment=mem.moment,
        run=by.run,
        baseline=by.baseline,
    )


def _context(mem: Memory, row: Insight, context: Sequence[float] | None) -> dict[str, object]:
    """The running mean of causal contexts, and the spread once it means something."""
    if context is None:
        return {}
    blob = mem.conn.execute(
        "SELECT context_centroid FROM insight WHERE id = ?", (row.id,)
    ).fetchone()[0]
    mean = vectors.unpack(blob, len(context))
    seen = row.context_count if mean is not None else 0
    updated = formulas.context_mean(mean, seen, context)
    spread = formulas.spread_of(updated) if formulas.spread_counts(seen + 1) else None
    return {
        "context_centroid": vectors.pack(updated),
        "context_count": seen + 1,
        "context_spread": spread,
    }


def by_hand(
    mem: Memory,
    names: Sequence[str],
    outcome: str,
    similarities: Mapping[str, float],
    profile: ModelProfile,
) -> list[Moved]:
    """Apply an outcome a person gives to named insights; similarity 1 where none is given."""
    if outcome not in formulas.OUTCOME_VALUES:
        known = ", ".join(formulas.OUTCOME_VALUES)
        raise UsageError(f"outcome must be one of {known}, not {outcome!r}")
    for name in similarities:
        if name not in names:
            raise UsageError(f"a similarity is given for {name!r}, but no outcome")
    mark = hashlib.sha256(f"{mem.moment}\0{mem.conn.total_changes}".encode()).hexdigest()[:32]
    with writing(mem.conn):
        number = mem.conn.execute("SELECT coalesce(max(id), 0) FROM feedback_event").fetchone()[0]
        by = Attribution(f"hand-{number + 1}", mark, outcome, "user", kind="hand")
        rows = [curation.required(mem.conn, name) for name in dict.fromkeys(names)]
        noted = retract.noted(mem.conn, [row.id for row in rows])
        moved: dict[int, Moved] = {}
        for row in rows:
            done = move(mem, row, similarities.get(row.name, 1.0), profile, by, None)
            moved.update({row.id: done} if done else {})
        back = flow_back(mem, moved, by)
        if moved and mem.actor in revisions.BY_HAND:
            unlearn.record_outcome(
                mem.conn,
                unlearn.FEEDBACK,
                mem.actor,
                moved,
                mem.now,
                agent_id=by.agent_id,
                mark=mark,
                noted=noted,
                reason=outcome,
            )
        return [*moved.values(), *back]
