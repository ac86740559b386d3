"""The table of whole requests: the same functions in the worker, in a hook and on the command line.

Each operation takes an open `Memory` and plain arguments and gives back plain JSON values. Nothing
here knows where it runs; standard library only at import.
"""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

from helix_core import constants, profiles
from helix_core.errors import UnknownOperationError
from helix_core.memory import feedback, recall, remember, trials, upkeep
from helix_core.memory.context import Memory
from helix_core.model import Insight
from helix_core.operations import (
    curating,
    dag,
    figures,
    foreseeing,
    learning,
    moving,
    recalling,
    sessions,
)
from helix_core.operations.registry import OPERATIONS, Operation, operation
from helix_core.operations.shapes import edited_json, insight_json, query_of, ranked_json
from helix_core.store import curation, edges, insights, patterns, revisions

__all__ = [
    "OPERATIONS",
    "Operation",
    "curating",
    "dag",
    "figures",
    "foreseeing",
    "insight_json",
    "learning",
    "moving",
    "ranked_json",
    "recalling",
    "run",
    "sessions",
]


def run(mem: Memory, op: str, args: dict[str, Any]) -> Any:
    """Carry out one operation; raises UnknownOperationError for an unknown one."""
    found = OPERATIONS.get(op)
    if found is None:
        raise UnknownOperationError(f"unknown operation {op!r}")
    return found(mem, args)


@operation("store")
def _store(mem: Memory, args: dict[str, Any]) -> Any:
    done = remember.store(
        mem,
        args.get("content"),
        list(args.get("tags", ())),
        effectiveness=float(args.get("effectiveness", constants.NEUTRAL_EFFECTIVENESS)),
        source=str(args.get("source", "user" if mem.actor == "cli-user" else "agent")),
        undoable=mem.actor in revisions.BY_HAND,
    )
    return {"status": done.status, "name": done.name, "reason": done.reason}


@operation("recall")
def _recall(mem: Memory, args: dict[str, Any]) -> Any:
    found = recall.recall(mem, query_of(args, 5))
    return {
        "results": [ranked_json(item) for item in found.ranked],
        "mode": found.mode,
        "note": found.note,
    }


def _named(mem: Memory, name: object) -> Insight:
    return curation.required(mem.conn, str(name))


@operation("get")
def _get(mem: Memory, args: dict[str, Any]) -> Any:
    return edited_json(_named(mem, args.get("name")))


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
    return {
        "insight": insight_json(row),
        "injected": shown,
        "evidence": figures.evidence_about(mem, row),
        "lift": trials.of_insight(mem, row.id),
        "events": events,
        "synthesis": patterns.of_insight(mem.conn, row.id),
        "revisions": revisions.of(mem.conn, row.id),
        "changes": revisions.changes_of(mem.conn, row.id),
    }


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


@operation("maintain")
def _maintain(mem: Memory, args: dict[str, Any]) -> Any:
    return {"sessions": upkeep.maintain(mem)}


@operation("reindex")
def _reindex(mem: Memory, args: dict[str, Any]) -> Any:
    return {"embedded": upkeep.reindex(mem, int(args.get("batch", 64)))}
