"""Patterns over sessions: archived failures that keep coming back become insights (decision 15).

Runs in the worker after a session (`step`) or on demand (`synthesize`). May import the store, the
formulas and the text modules; numpy and scikit-learn only through `clusters`, when needed. A
pattern acts only where it holds a failure newer than its last use, so that running it again
changes nothing.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace

from helix_core import constants, formulas
from helix_core.memory import clusters, feedback, remember
from helix_core.memory.context import Memory
from helix_core.memory.pattern import Pattern, evidence, lesson, line, of_failures
from helix_core.model import Insight
from helix_core.store import insights, journal, patterns, retract, revisions, unlearn, vectors
from helix_core.store.connection import writing
from helix_core.store.patterns import Failure
from helix_core.text.lessons import specific

WINDOW = 1500  # newest failures looked at: clustering needs the square of it in memory
# Where between "related" and "duplicate" an insight is about the same failure as a pattern.
# Measured with MiniLM on five subjects: the lesson for a failure 0.72 to 0.93, another lesson on
# the same subject up to 0.55.
MATCH_BETWEEN = 0.4
TAG = "synthesis"


def step(mem: Memory, batch: int = 8) -> bool:
    """One small step of the worker: embed some reasons, then synthesize once per maintenance.

    Returns whether there was anything to do. Nothing happens without a model.
    """
    maintained = journal.get_meta(mem.conn, "last_maintenance") or ""
    if mem.profile is None or maintained <= (journal.get_meta(mem.conn, "last_synthesis") or ""):
        return False
    if embed_some(mem, batch):
        return True
    try:
        synthesize(mem)
    except ImportError as error:
        mem.note("warn", f"no synthesis: {error}")
    with writing(mem.conn):
        journal.set_meta(mem.conn, "last_synthesis", maintained)
    return True


def embed_some(mem: Memory, batch: int) -> int:
    """Embed and store the reasons of up to `batch` failures; returns how many."""
    if mem.profile is None or mem.embedder is None:
        return 0
    model = mem.profile.name
    waiting = [f for f in _candidates(mem) if f.embedding_model != model][:batch]
    if not waiting:
        return 0
    made = mem.embedder.embed_documents([failure.reason for failure in waiting])
    with writing(mem.conn):
        for failure, vector in zip(waiting, made, strict=True):
            patterns.keep_vector(mem.conn, failure.id, vectors.pack(vector), model)
    return len(waiting)


def synthesize(mem: Memory, *, dry_run: bool = False) -> list[Pattern]:
    """Cluster the archived failures; create or reinforce an insight for each fresh pattern.

    Returns what was done (with `dry_run`: what would be, and nothing is written). An empty list
    without a model. Raises ImportError where scikit-learn is missing.
    """
    if mem.profile is None or mem.embedder is None or mem.index is None:
        return []
    if not dry_run:
        while embed_some(mem, 64):
            pass
    failures, points = _points(mem)
    found = clusters.cluster(points, [failure.session for failure in failures])
    sure = [c for c in found if c.confidence >= constants.MIN_CLUSTER_CONFIDENCE]
    done = []
    # The oldest pattern first, so that one result does not hang on how clusters are numbered.
    for one in sorted(sure, key=lambda c: max(failures[i].id for i in c.members)):
        members = [failures[i] for i in one.members]
        pattern = _settle(mem, members, [points[i] for i in one.members], dry_run)
        if pattern is not None:
            done.append(pattern)
            if not dry_run:
                mem.note("info", line(pattern))
    return done


def _candidates(mem: Memory) -> list[Failure]:
    return [f for f in patterns.failures(mem.conn, WINDOW) if specific(f.reason)]


def _points(mem: Memory) -> tuple[list[Failure], list[list[float]]]:
    """The failures that have a direction, with it; what is not stored yet is embedded now."""
    assert mem.profile is not None and mem.embedder is not None
    found = _candidates(mem)
    known = {
        f.id: vectors.unpack(f.vector, mem.profile.dim)
        for f in found
        if f.embedding_model == mem.profile.name
    }
    missing = [f for f in found if f.id not in known]
    made = mem.embedder.embed_documents([f.reason for f in missing]) if missing else []
    known.update({f.id: vector for f, vector in zip(missing, made, strict=True)})
    pairs = [(f, vector) for f in found if (vector := known[f.id]) is not None]
    return [f for f, _ in pairs], [vector for _, vector in pairs]


def _settle(
    mem: Memory, members: list[Failure], points: list[list[float]], dry_run: bool
) -> Pattern | None:
    """What becomes of one sure cluster; None where it holds nothing new."""
    if dry_run:
        return _decide(mem, members, points, dry_run=True)
    with writing(mem.conn):  # evidence is read and written in one transaction: no pattern twice
        pattern = _decide(mem, members, points, dry_run=False)
        if pattern is not None:
            row = insights.get(mem.conn, pattern.name) if pattern.name else None
            patterns.record(
                mem.conn,
                insight_id=row.id if row else None,
                name=pattern.name,
                action=pattern.action,
                reason=pattern.reason,
                summary=pattern.summary,
                members=pattern.members,
                sessions=pattern.sessions,
                tightness=pattern.tightness,
                confidence=pattern.confidence,
                moment=mem.moment,
            )
        return pattern


def _decide(
    mem: Memory, members: list[Failure], points: list[list[float]], *, dry_run: bool
) -> Pattern | None:
    ids = {failure.id for failure in members}
    earlier = [use for use in patterns.used(mem.conn) if use.members & ids]
    last = max((use.newest for use in earlier), default=0)
    fresh = [i for i, failure in enumerate(members) if failure.id > last]
    if not fresh:
        return None
    row = _known(mem, earlier, ids) or _matching(mem, members, points)
    if row is not None:
        return _reinforced(mem, row, members, points, last, dry_run)
    if patterns.rejected(mem.conn, earlier):
        # Its wording follows the typical failure and may differ by now: it is the same knowledge.
        return replace(of_failures(members, points), action="refused", reason="tombstone")
    if any(use.insight_id is not None for use in earlier):
        # Its insight is gone again, for reasons: only what happened since can bring it back.
        members, points = [members[i] for i in fresh], [points[i] for i in fresh]
    pattern = of_failures(members, points)
    if pattern.confidence < constants.MIN_CLUSTER_CONFIDENCE:
        return None
    return _created(mem, pattern, members, dry_run)


def _known(mem: Memory, earlier: Sequence[patterns.Used], ids: set[int]) -> Insight | None:
    """The insight this pattern was made into before: that of the largest common evidence."""
    for use in sorted(earlier, key=lambda use: (-len(use.members & ids), -use.newest)):
        alive = patterns.living(mem.conn, use.insight_id) if use.insight_id is not None else None
        if alive is not None:
            return insights.by_ids(mem.conn, [alive]).get(alive)
    return None


def _matching(
    mem: Memory, members: Sequence[Failure], points: Sequence[Sequence[float]]
) -> Insight | None:
    """The insight that is about the same failure, if there is one.

    Either close to the middle of the reasons, or a duplicate of the lesson they would become.
    """
    assert mem.index is not None and mem.profile is not None and mem.embedder is not None
    mem.index.refresh(mem.conn)
    profile = mem.profile
    enough = profile.related + MATCH_BETWEEN * (profile.duplicate - profile.related)
    centre = [sum(column) for column in zip(*points, strict=True)]
    norm = math.sqrt(math.fsum(x * x for x in centre))
    best = mem.index.top([x / norm for x in centre], 1, enough) if norm else []
    if not best:
        text = lesson(of_failures(members, points), members)
        best = mem.index.top(mem.embedder.embed_documents([text])[0], 1, profile.duplicate)
    return insights.by_ids(mem.conn, [best[0][0]]).get(best[0][0]) if best else None


def _reinforced(
    mem: Memory,
    row: Insight,
    members: list[Failure],
    points: list[list[float]],
    last: int,
    dry_run: bool,
) -> Pattern | None:
    """Confirm an insight by the failures that happened without it."""
    with_it = patterns.shown_to(
        mem.conn, row.id, [f.agent_run_id for f in members if f.agent_run_id is not None]
    )
    apart = [i for i, f in enumerate(members) if f.agent_run_id not in with_it]
    whole = replace(of_failures(members, points), name=row.name)
    clean = of_failures([members[i] for i in apart], [points[i] for i in apart]) if apart else None
    fresh = clean is not None and max(clean.members) > last
    if clean is None or not fresh or clean.confidence < constants.MIN_CLUSTER_CONFIDENCE:
        why = f"was given to {len(members) - len(apart)} of the agents that failed"
        return replace(whole, action="withheld", reason=why)
    before = row.effectiveness
    reinforced = replace(whole, action="reinforced", reason="seen again", before=before)
    assert mem.profile is not None
    profile = mem.profile
    if dry_run:
        weight = formulas.causal_weight(
            constants.REINFORCEMENT_SIMILARITY, profile.causal_threshold, profile.causal_ramp
        )
        return replace(reinforced, after=formulas.ema(before, weight, 1.0))
    mark = f"synthesis-{max(whole.members)}"
    by = feedback.Attribution("synthesis", mark, "delivered", "maintenance", kind="synthesis")
    noted = retract.noted(mem.conn, [row.id])
    moved = feedback.move(mem, row, constants.REINFORCEMENT_SIMILARITY, profile, by, None)
    if moved is not None and mem.actor in revisions.BY_HAND:
        unlearn.record_outcome(
            mem.conn,
            unlearn.SYNTHESIS,
            mem.actor,
            [row.id],
            mem.now,
            agent_id=by.agent_id,
            mark=mark,
            noted=noted,
            reason="seen again",
        )
    return replace(reinforced, after=moved.after if moved else before)


def _created(mem: Memory, pattern: Pattern, members: list[Failure], dry_run: bool) -> Pattern:
    content = lesson(pattern, members)
    planned = replace(pattern, action="created", after=constants.SYNTHESIS_EFFECTIVENESS)
    if dry_run:
        return replace(planned, reason=content)
    done = remember.store(
        mem,
        content,
        [TAG],
        effectiveness=constants.SYNTHESIS_EFFECTIVENESS,
        source="synthesis",
    )
    if done.status == "rejected" or done.insight_id is None:
        return replace(pattern, action="refused", reason=done.reason)
    if done.status == "merged":
        return replace(pattern, action="reinforced", name=done.name, reason=done.reason)
    revisions.record(
        mem.conn,
        unlearn.SYNTHESIS,
        mem.actor if mem.actor in revisions.BY_HAND else "maintenance",
        [done.insight_id],
        mem.now,
        detail={"members": list(pattern.members), "confidence": pattern.confidence},
        reason=evidence(pattern),
    )
    return replace(planned, name=done.name, reason="a new pattern")
