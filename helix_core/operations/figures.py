"""Operations that say how the memory does and why, and those that learn from its past.

explain, health, stats; synthesize, calibrate. Standard library only at import.
"""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

from helix_core.memory import calibrate, evidence, explain, figure, report, stats, synthesis
from helix_core.memory.context import Memory
from helix_core.memory.evidence import Evidence
from helix_core.memory.explain import Explained
from helix_core.model import Insight
from helix_core.operations.registry import operation
from helix_core.operations.shapes import query_of, ranked_json


@operation("explain")
def _explain(mem: Memory, args: dict[str, Any]) -> Any:
    found = explain.explain(mem, query_of(args, 15))
    return {
        "as": "recall",
        "mode": found.mode,
        "note": found.note,
        "candidates": [_candidate(one) for one in found.candidates],
        "left_out": [asdict(item) for item in found.left],
    }


def _candidate(one: Explained) -> dict[str, Any]:
    item = one.item
    own = item.direct if item.hop else item.rrf
    return {
        **ranked_json(item),
        "_rank": one.rank,
        "_left_out": one.left_out or None,
        "_vector_rank": item.vector_rank,
        "_keyword_rank": item.keyword_rank,
        "_rrf": own,
        "_activation": item.rrf if item.hop else None,
        "_through": item.through,
        "_recency": item.recency,
        "_velocity": item.velocity,
        "_evidence": evidence_json(one.evidence),
        "_value": one.worth.value,
        "_causal_events": one.worth.causal_events,
        "_injection_rank": one.injection_rank,
        "_injection_score": one.injection_score,
    }


def evidence_json(found: Evidence) -> dict[str, Any]:
    """What tasks say about an insight, as commands print it."""
    return {**asdict(found), "n": found.n}


def evidence_about(mem: Memory, row: Insight) -> dict[str, Any]:
    """What ended tasks say about one insight."""
    return evidence_json(evidence.of_insights(mem.conn, [row])[row.id])


@operation("health")
def _health(mem: Memory, args: dict[str, Any]) -> Any:
    found = report.figures(mem)
    return figure.explained(found) if args.get("explain") else figure.values(found)


@operation("stats")
def _stats(mem: Memory, args: dict[str, Any]) -> Any:
    found = stats.stats(mem)
    return figure.explained(found) if args.get("explain") else figure.values(found)


@operation("synthesize")
def _synthesize(mem: Memory, args: dict[str, Any]) -> Any:
    found = synthesis.synthesize(mem, dry_run=bool(args.get("dry_run")))
    note = "" if mem.profile else "synthesis needs the embedding model (helix worker start)"
    return {"patterns": [asdict(pattern) for pattern in found], "note": note}


@operation("calibrate")
def _calibrate(mem: Memory, args: dict[str, Any]) -> Any:
    return calibrate.calibrate(mem, dry_run=bool(args.get("dry_run")))
