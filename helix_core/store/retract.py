"""Taking feedback back: the insight as it would be without it, with all feedback that came later.

Standard library only. Inside a write transaction of the caller. The events stay, marked
by the change that is taken back: nothing counts them any more.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable, Mapping
from typing import Any

from helix_core.model import Insight
from helix_core.store import insights, merging, results, vectors

USED = ("last_used", "last_feedback_at")
CONTEXT = ("context_centroid", "context_count", "context_spread")
COUNTED = "causal = 1 AND undone_by IS NULL AND kind <> 'decay'"


def noted(conn: sqlite3.Connection, ids: Iterable[int]) -> dict[str, dict[str, Any]]:
    """What insights have that feedback overwrites, by id, as JSON values: for `feedback` below."""
    found = {}
    for insight_id in ids:
        row = conn.execute(
            "SELECT last_used, last_feedback_at, hex(context_centroid), context_count,"
            " context_spread FROM insight WHERE id = ?",
            (insight_id,),
        ).fetchone()
        if row is not None:
            found[str(insight_id)] = dict(zip((*USED, *CONTEXT), row, strict=True))
    return found


def feedback(
    conn: sqlite3.Connection,
    agent_id: str,
    mark: str,
    before: Mapping[str, Mapping[str, Any]],
    by: int,
    moment: str,
) -> list[int]:
    """Take back what one result of an agent did to insights; their ids.

    In: the agent and the mark of its result; what was `noted` before it; the curation event that
    is taken back.
    """
    rows = conn.execute(
        "SELECT id, insight_id, before, causal, created_at, agent_run_id, kind FROM feedback_event"
        " WHERE agent_id = ? AND message_hash = ? AND undone_by IS NULL ORDER BY id DESC",
        (agent_id, mark),
    ).fetchall()
    found = insights.by_ids(conn, [int(row[1]) for row in rows])
    for event_id, insight_id, start, causal, at, run_id, kind in rows:
        conn.execute("UPDATE feedback_event SET undone_by = ? WHERE id = ?", (by, event_id))
        insight = found.get(int(insight_id))
        if insight is None:
            continue
        old = before.get(str(insight.id), {})
        changes: dict[str, Any] = {
            "effectiveness": merging.replayed(conn, insight.id, int(event_id), float(start)),
        }
        if kind not in results.NO_USES:
            changes["use_count"] = max(0, insight.use_count - 1)
        if causal:
            changes.update(
                causal_hits=max(0, insight.causal_hits - 1),
                recent_uses=max(0, insight.recent_uses - 1),
                **_last_used(conn, insight, str(at), old),
                **_context_without(conn, insight, run_id, old),
            )
        insights.update(conn, insight.id, moment, **changes)
    return [insight.id for insight in found.values()]


def _last_used(
    conn: sqlite3.Connection, insight: Insight, at: str, old: Mapping[str, Any]
) -> dict[str, str | None]:
    """When it was used last without the use at that moment."""
    newest = conn.execute(
        f"SELECT max(created_at) FROM feedback_event WHERE insight_id = ? AND {COUNTED}",
        (insight.id,),
    ).fetchone()[0]
    return {
        name: merging.later_of(old.get(name), newest)
        for name in USED
        if getattr(insight, name) == at
    }


def _context_without(
    conn: sqlite3.Connection, insight: Insight, run_id: int | None, old: Mapping[str, Any]
) -> dict[str, Any]:
    """The mean of its causal contexts without that of one agent run (decision 10).

    Where no other context came since, the mean from before; else the mean solved for the rest.
    """
    row = conn.execute("SELECT query_vector FROM agent_run WHERE id = ?", (run_id,)).fetchone()
    context = vectors.unpack(row[0]) if row else None
    mean, count = merging.mean_of(conn, insight.id)
    if context is None or mean is None or len(context) != len(mean):
        return {}
    if old.get("context_count") == count - 1:
        blob = bytes.fromhex(old["context_centroid"] or "") or None
        return {**{name: old[name] for name in CONTEXT}, "context_centroid": blob}
    if count <= 1:
        return dict(zip(CONTEXT, (None, 0, None), strict=True))
    left = [(m * count - c) / (count - 1) for m, c in zip(mean, context, strict=True)]
    return merging.context_columns(left, count - 1)
