"""The table of whole requests: the same functions in the worker, in a hook and on the command line.

Each operation takes an open `Memory` and plain arguments and gives back plain JSON values. Nothing
here knows where it runs; standard library only at import.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import asdict
from typing import Any

from helix_core import constants, profiles
from helix_core.errors import RefusedError, UsageError
from helix_core.memory import feedback, inject, recall, remember, report, upkeep
from helix_core.memory.context import Memory
from helix_core.model import Insight, Ranked
from helix_core.store import curation, edges, insights

Operation = Callable[[Memory, dict[str, Any]], Any]
OPERATIONS: dict[str, Operation] = {}


def operation(name: str) -> Callable[[Operation], Operation]:
    """Register an operation under the name requests use."""

    def register(function: Operation) -> Operation:
        OPERATIONS[name] = function
        return function

    return register


def run(mem: Memory, op: str, args: dict[str, Any]) -> Any:
    """Carry out one operation; raises UsageError for an unknown one."""
    found = OPERATIONS.get(op)
    if found is None:
        raise UsageError(f"unknown operation {op!r}")
    return found(mem, args)


def insight_json(row: Insight) -> dict[str, Any]:
    """An insight as every command prints it."""
    return {
        "name": row.name,
        "content": row.content,
        "tags": list(row.tags),
        "effectiveness": row.effectiveness,
        "use_count": row.use_count,
        "causal_hits": row.causal_hits,
        "recent_uses": row.recent_uses,
        "context_spread": row.context_spread,
        "created_at": row.created_at,
        "last_used": row.last_used,
        "pinned": row.pinned,
        "source": row.source,
    }


def ranked_json(item: Ranked) -> dict[str, Any]:
    """A recall result: the insight with how it was found."""
    return {
        **insight_json(item.insight),
        "_relevance": item.relevance,
        "_effectiveness": item.effectiveness,
        "_score": item.score,
        "_hop": item.hop,
    }


def _query(args: dict[str, Any], limit: int) -> recall.Query:
    return recall.Query(
        text=str(args.get("query", "")),
        limit=int(args.get("limit", limit)),
        min_relevance=args.get("min_relevance"),
        min_effectiveness=float(args.get("min_effectiveness", 0.0)),
        suppress=frozenset(map(str, args.get("suppress", ()))),
        hops=int(args.get("graph_hops", 1)),
    )


@operation("store")
def _store(mem: Memory, args: dict[str, Any]) -> Any:
    done = remember.store(
        mem,
        args.get("content"),
        list(args.get("tags", ())),
        effectiveness=float(args.get("effectiveness", constants.NEUTRAL_EFFECTIVENESS)),
        source=str(args.get("source", "user" if mem.actor == "cli-user" else "agent")),
    )
    return {"status": done.status, "name": done.name, "reason": done.reason}


@operation("recall")
def _recall(mem: Memory, args: dict[str, Any]) -> Any:
    found = recall.recall(mem, _query(args, 5))
    return {
        "results": [ranked_json(item) for item in found.ranked],
        "mode": found.mode,
        "note": found.note,
    }


@operation("explain")
def _explain(mem: Memory, args: dict[str, Any]) -> Any:
    query = _query(args, 15)
    found = recall.recall(mem, query)
    order = {r.insight.id: n for n, r in enumerate(inject.rank(mem, query).ranked, 1)}
    return {
        "mode": found.mode,
        "note": found.note,
        "candidates": [
            {
                **ranked_json(item),
                "_vector_rank": item.vector_rank,
                "_keyword_rank": item.keyword_rank,
                "_rrf": item.rrf,
                "_recency": item.recency,
                "_velocity": item.velocity,
                "_through": item.through,
                "_injection_rank": order.get(item.insight.id),
            }
            for item in found.ranked
        ],
        "left_out": [asdict(item) for item in found.left],
    }


def _named(mem: Memory, name: object) -> Insight:
    row = insights.get(mem.conn, str(name))
    if row is None:
        raise RefusedError(f"there is no insight named {name!r}")
    return row


@operation("get")
def _get(mem: Memory, args: dict[str, Any]) -> Any:
    return insight_json(_named(mem, args.get("name")))


@operation("history")
def _history(mem: Memory, args: dict[str, Any]) -> Any:
    row = _named(mem, args.get("name"))
    cursor = mem.conn.execute(
        "SELECT created_at, kind, outcome, source, similarity, weight, causal, before, after,"
        " baseline, agent_id, session_id, task_id, task, undone_by FROM feedback_event"
        " WHERE insight_id = ? ORDER BY id",
        (row.id,),
    )
    names = [column[0] for column in cursor.description]
    events = [dict(zip(names, values, strict=True)) for values in cursor.fetchall()]
    shown = mem.conn.execute(
        "SELECT count(*) FROM injection WHERE insight_id = ? AND withheld = 0", (row.id,)
    ).fetchone()[0]
    return {"insight": insight_json(row), "injected": shown, "events": events}


@operation("neighbors")
def _neighbors(mem: Memory, args: dict[str, Any]) -> Any:
    row = _named(mem, args.get("name"))
    found = edges.get_neighbors(mem.conn, [row.id], args.get("relation"))
    found = found[: max(0, int(args.get("limit", 5)))]
    others = insights.by_ids(mem.conn, [n.other_id for n in found])
    return [
        {
            **insight_json(others[n.other_id]),
            "_weight": n.weight,
            "_relation": n.relation,
            "_direction": "out" if n.outgoing else "in",
        }
        for n in found
        if n.other_id in others
    ]


@operation("feedback")
def _feedback(mem: Memory, args: dict[str, Any]) -> Any:
    profile = mem.profile or profiles.ARCTIC
    causal = {str(k): float(v) for k, v in dict(args.get("causal", {})).items()}
    names = [str(name) for name in args.get("names", ())]
    moved = feedback.by_hand(mem, names, str(args.get("outcome", "")), causal, profile)
    return [asdict(item) for item in moved]


@operation("decay")
def _decay(mem: Memory, args: dict[str, Any]) -> Any:
    changes = upkeep.decay(mem, args.get("days"), dry_run=bool(args.get("dry_run")))
    return [asdict(change) for change in changes]


@operation("prune")
def _prune(mem: Memory, args: dict[str, Any]) -> Any:
    changes = upkeep.prune(
        mem, args.get("threshold"), args.get("min_uses"), dry_run=bool(args.get("dry_run"))
    )
    return [asdict(change) for change in changes]


@operation("count")
def _count(mem: Memory, args: dict[str, Any]) -> Any:
    return {"count": insights.count(mem.conn)}


@operation("health")
def _health(mem: Memory, args: dict[str, Any]) -> Any:
    return report.health(mem)


@operation("trash")
def _trash(mem: Memory, args: dict[str, Any]) -> Any:
    names = [str(name) for name in args.get("names", ())]
    event = curation.trash(
        mem.conn, names, actor=mem.actor, moment=mem.now, keep_days=mem.settings.trash_days
    )
    return {"trashed": names, "event": event}


@operation("trash-list")
def _trash_list(mem: Memory, args: dict[str, Any]) -> Any:
    return [
        {"name": r[0], "content": r[1], "reason": r[2], "actor": r[3], "trashed_at": r[4]}
        for r in mem.conn.execute(
            "SELECT name, content, reason, actor, trashed_at FROM trash ORDER BY trashed_at DESC"
        )
    ]


@operation("restore")
def _restore(mem: Memory, args: dict[str, Any]) -> Any:
    event = curation.restore(mem.conn, str(args["name"]), actor=mem.actor, moment=mem.now)
    return {"restored": args["name"], "event": event}


@operation("pin")
def _pin(mem: Memory, args: dict[str, Any]) -> Any:
    pinned = bool(args.get("pinned", True))
    curation.set_pinned(mem.conn, str(args["name"]), pinned, actor=mem.actor, moment=mem.now)
    return {"name": args["name"], "pinned": pinned}


@operation("undo")
def _undo(mem: Memory, args: dict[str, Any]) -> Any:
    return curation.undo(mem.conn, actor=mem.actor, moment=mem.now)


@operation("maintain")
def _maintain(mem: Memory, args: dict[str, Any]) -> Any:
    return {"sessions": upkeep.maintain(mem)}


@operation("reindex")
def _reindex(mem: Memory, args: dict[str, Any]) -> Any:
    return {"embedded": upkeep.reindex(mem, int(args.get("batch", 64)))}
