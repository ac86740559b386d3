"""Maintenance: decay of the dormant, pruning of the poor, vectors and credit that had to wait.

Everything here can be interrupted between two small transactions and goes on later.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import timedelta

from helix_core import clock, formulas
from helix_core.errors import StoreError
from helix_core.memory import feedback, remember
from helix_core.memory.context import Memory
from helix_core.model import Insight
from helix_core.store import (
    backups,
    curation,
    edges,
    insights,
    journal,
    past,
    results,
    revisions,
    runs,
    unlearn,
    vectors,
)
from helix_core.store.connection import writing

SESSION_STALE_DAYS = 1.0


@dataclass(frozen=True)
class Change:
    """One insight that maintenance moves or removes, and why."""

    name: str
    reason: str
    before: float
    after: float | None = None


def decay(mem: Memory, days: float | None = None, *, dry_run: bool = False) -> list[Change]:
    """Move insights unused for `days` towards neutral, at most once per insight and UTC day."""
    limit = mem.settings.decay_days if days is None else days
    today = mem.now.date().isoformat()
    changes = []
    mark = f"decay-{mem.moment if mem.actor in revisions.BY_HAND else today}"
    moved: dict[int, str | None] = {}
    with writing(mem.conn):
        for row in insights.all_insights(mem.conn):
            unused = clock.days_since(row.last_used or row.created_at, mem.now) or 0.0
            if not formulas.should_decay(
                row.effectiveness,
                unused,
                decayed_today=row.decayed_on == today,
                after_days=limit,
            ):
                continue
            spread = row.context_spread if formulas.spread_counts(row.context_count) else None
            after = formulas.decay(row.effectiveness, spread)
            reason = f"unused for {unused:.0f} days"
            changes.append(Change(row.name, reason, row.effectiveness, after))
            if not dry_run:
                insights.update(mem.conn, row.id, mem.moment, effectiveness=after, decayed_on=today)
                moved[row.id] = row.decayed_on
                results.add_event(
                    mem.conn,
                    insight_id=row.id,
                    kind=results.DECAY,
                    agent_id="maintenance",
                    message_hash=mark,
                    outcome="decay",
                    source="maintenance",
                    similarity=None,
                    weight=0.0,
                    causal=False,
                    before=row.effectiveness,
                    after=after,
                    moment=mem.moment,
                )
        if moved and mem.actor in revisions.BY_HAND:
            unlearn.record_decay(mem.conn, mem.actor, moved, mem.now, mark, today)
    for change in changes if not dry_run else ():
        mem.note("info", f"decay {change.name} {change.before:.3f} -> {change.after:.3f}")
    return changes


def prune(
    mem: Memory,
    threshold: float | None = None,
    min_uses: int | None = None,
    *,
    dry_run: bool = False,
) -> list[Change]:
    """Move insights that failed, or that nobody ever needed, to the trash (decision 12).

    A backup is made first; StoreError, and nothing is moved, where there is no room for it.
    """
    changes = []
    with writing(mem.conn):
        for row in insights.all_insights(mem.conn):
            reason = _prune_reason(mem, row, threshold, min_uses)
            if reason is None:
                continue
            changes.append(Change(row.name, reason, row.effectiveness))
        if changes and not dry_run:
            backups.make(mem.project.database, "before-prune")
            curation.prune(
                mem.conn,
                {change.name: change.reason for change in changes},
                actor=mem.actor,
                moment=mem.now,
                keep_days=mem.settings.trash_days,
            )
    for change in changes if not dry_run else ():
        mem.note("info", f"prune {change.name} ({change.reason}), restorable from the trash")
    return changes


def _prune_reason(
    mem: Memory, row: Insight, threshold: float | None, min_uses: int | None
) -> str | None:
    injected = mem.conn.execute(
        "SELECT max(created_at) FROM injection WHERE insight_id = ?", (row.id,)
    ).fetchone()[0]
    reason = formulas.prune_reason(
        effectiveness=row.effectiveness,
        use_count=row.use_count,
        causal_hits=row.causal_hits,
        days_since_created=clock.days_since(row.created_at, mem.now) or 0.0,
        days_since_injected=clock.days_since(injected, mem.now),
        pinned=row.pinned,
        user_provided=row.protected,
        lift=_lift(mem, row) if mem.settings.prune_contrast else None,
        threshold=mem.settings.prune_threshold if threshold is None else threshold,
        min_uses=mem.settings.prune_min_uses if min_uses is None else min_uses,
        ghost_days=mem.settings.ghost_days,
    )
    if reason == "ghost" and _waits_for_vector(mem, row):
        return None  # it could not be recalled: it is embedded first, and has its chance then
    return reason


def _waits_for_vector(mem: Memory, row: Insight) -> bool:
    wanted = mem.profile.name if mem.profile else row.embedding_model
    return row.embedding_model is None or row.embedding_model != wanted


def _lift(mem: Memory, row: Insight) -> float | None:
    """How an insight did against similar tasks; None where no task was compared."""
    found = past.surpluses(mem.conn, row.id)
    return formulas.mean_lift(found) if found else None


def empty_trash(mem: Memory) -> int:
    """Forget what has been in the trash for longer than it is kept; returns how many."""
    with writing(mem.conn):
        return mem.conn.execute("DELETE FROM trash WHERE expires_at < ?", (mem.moment,)).rowcount


def maintain(mem: Memory) -> list[str]:
    """Decay and prune once for every session that is over; returns the sessions served."""
    stale = clock.iso(mem.now - timedelta(days=SESSION_STALE_DAYS))
    served = []
    for session_id in journal.sessions_to_maintain(mem.conn, stale):
        with writing(mem.conn):
            mine = journal.mark_maintained(mem.conn, session_id, mem.moment)
            if mine:
                decay(mem)
                _prune_later(mem)
                journal.set_meta(mem.conn, "last_maintenance", mem.moment)
        if mine:
            served.append(session_id)
            mem.note("info", f"maintenance after session {session_id}")
    empty_trash(mem)
    return served


def _prune_later(mem: Memory) -> None:
    """Prune where a backup can be made; without room for one a later session does it."""
    try:
        prune(mem)
    except StoreError as error:
        mem.note("warn", f"nothing pruned: {error}")


def settle_feedback(mem: Memory, limit: int = 20) -> int:
    """Apply feedback that had to wait for a vector, with its provenance; returns how many runs."""
    if mem.profile is None:
        return 0
    settled = 0
    for run in runs.pending_feedback(mem.conn, limit):
        row = mem.conn.execute(
            "SELECT message_hash, outcome FROM agent_result WHERE agent_id = ?"
            " ORDER BY created_at DESC LIMIT 1",
            (run.agent_id,),
        ).fetchone()
        if row is None:
            continue
        source = runs.outcome_source(mem.conn, run.id) or "self"
        if feedback.for_run(mem, run, row[0], row[1], source) is not None:
            connect_children(mem, run, str(row[0]))
            settled += 1
    return settled


def connect_children(mem: Memory, run: runs.AgentRun, mark: str) -> int:
    """`led_to` edges from the causal insights of a result to what came out of it."""
    if run.agent_id is None:
        return 0
    children = results.children_of(mem.conn, run.agent_id, mark)
    parents = results.causal_insights(mem.conn, run.agent_id, mark)
    alive = insights.by_ids(mem.conn, [*children, *parents])
    with writing(mem.conn):
        return edges.add_edges(
            mem.conn,
            [
                (parent, child, 1.0, "led_to")
                for child in children
                for parent in parents
                if parent in alive and child in alive and child not in parents
            ],
            mem.moment,
        )


def reindex(mem: Memory, batch: int = 32) -> int:
    """Embed one batch of insights that have no sound vector of this model; returns how many.

    What arrived without the model is compared now: a duplicate nobody used yet is merged into the
    older insight, everything else is linked to what it is related to.
    """
    if mem.profile is None or mem.index is None:
        return 0
    waiting = insights.without_vector(mem.conn, mem.profile.name, batch)
    if len(waiting) < batch:
        mem.index.refresh(mem.conn)
        broken = insights.by_ids(mem.conn, mem.index.unusable()[: batch - len(waiting)])
        waiting += [(i, row.content) for i, row in broken.items()]
    _embed(mem, waiting)
    return len(waiting)


def embed(mem: Memory, ids: Sequence[int]) -> None:
    """Embed and link these insights now, where there is a model; else `reindex` does it later."""
    rows = insights.by_ids(mem.conn, ids)
    _embed(mem, [(i, rows[i].content) for i in ids if i in rows])


def _embed(mem: Memory, waiting: Sequence[tuple[int, str]]) -> None:
    if not waiting or mem.profile is None or mem.embedder is None or mem.index is None:
        return
    made = mem.embedder.embed_documents([text for _, text in waiting])
    for (insight_id, text), vector in zip(waiting, made, strict=True):
        with writing(mem.conn):
            row = insights.by_ids(mem.conn, [insight_id]).get(insight_id)
            if row is None or row.content != text:
                continue  # edited or gone meanwhile: the next batch sees it
            mem.index.refresh(mem.conn)
            alike = mem.index.top(vector, 50, mem.profile.related)
            insights.set_vector(
                mem.conn, insight_id, vectors.pack(vector), mem.profile.name, mem.moment
            )
            if not _folded(mem, row, alike):
                remember.link(mem, insight_id, alike)
                if row.source == "agent" and not row.protected:
                    remember.ask_about_conflicts(mem, insight_id, alike)


def _folded(mem: Memory, row: Insight, alike: list[tuple[int, float]]) -> bool:
    """Merge an untried latecomer into the older insight that says the same."""
    if mem.profile is None or row.protected or row.use_count or row.source != "agent":
        return False
    if revisions.edited_by_hand(mem.conn, row.id):
        return False
    near = [i for i, cosine in alike if cosine >= mem.profile.duplicate and i < row.id]
    others = insights.by_ids(mem.conn, near)
    for other in (others[i] for i in near if i in others):
        if remember.says_the_same(other.content, row.content, mem.profile.window_chars):
            curation.merge(
                mem.conn,
                other.name,
                row.name,
                actor="maintenance",
                moment=mem.now,
                reason=f"says the same as {other.name}",
                keep_days=mem.settings.trash_days,
            )
            mem.note("info", f"merged {row.name} into {other.name}")
            return True
    return False
