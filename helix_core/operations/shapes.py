"""How insights and recall results look in JSON: the same on every surface. No I/O."""

from __future__ import annotations

from typing import Any

from helix_core.memory import recall
from helix_core.model import Insight, Ranked


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


def edited_json(row: Insight) -> dict[str, Any]:
    """An insight with the version that an edit of it is based on."""
    return {**insight_json(row), "row_version": row.row_version}


def ranked_json(item: Ranked) -> dict[str, Any]:
    """A recall result: the insight with how it was found."""
    return {
        **insight_json(item.insight),
        "_relevance": item.relevance,
        "_effectiveness": item.effectiveness,
        "_score": item.score,
        "_hop": item.hop,
    }


def query_of(args: dict[str, Any], limit: int) -> recall.Query:
    """The query a request asks for; `limit` where it names none."""
    return recall.Query(
        text=str(args.get("query", "")),
        limit=int(args.get("limit", limit)),
        min_relevance=args.get("min_relevance"),
        min_effectiveness=float(args.get("min_effectiveness", 0.0)),
        suppress=frozenset(map(str, args.get("suppress", ()))),
        hops=int(args.get("graph_hops", 1)),
    )
