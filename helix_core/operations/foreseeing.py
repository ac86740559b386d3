"""What an agent would get for a task, without giving it to anybody: what-if. Records nothing."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

from helix_core.hooks import choosing, frame
from helix_core.memory import explain, inject
from helix_core.memory.context import Memory
from helix_core.model import Left, Ranked, Recall
from helix_core.operations.registry import operation
from helix_core.operations.shapes import ranked_json
from helix_core.store import runs
from helix_core.text import fields


@operation("what-if")
def _what_if(mem: Memory, args: dict[str, Any]) -> Any:
    """The insights that the next agent of a session would get for a task, and why those.

    In: `task`, a task or a whole prompt; `session_id`, whose running agents are the siblings (the
    session of the newest running agent where none is named). The choice is the hook's own, as if
    nothing were held out.
    """
    prompt = read_task(str(args.get("task", "")))
    session_id = args.get("session_id") or runs.running_session(mem.conn)
    claimed = runs.claimed(mem.conn, str(session_id), mem.now) if session_id else set()
    query = choosing.query_of(mem, prompt)
    found = inject.rank(mem, query) if prompt.query else Recall(ranked=())
    sifted = choosing.sift(mem, query, found, claimed)
    places = {item.insight.id: n for n, item in enumerate(sifted.chosen, 1)}
    why = {item.name: item.reason for item in sifted.left}
    text, _ = frame.render([choosing.given(item) for item in sifted.chosen], mem.settings.max_chars)
    nearest = explain.under_the_gate(mem, query, list(sifted.ranked), found.left)
    reasons = explain.injection_reasons(sifted.ranked)
    return {
        "as": "injection",
        "task": str(args.get("task", "")),
        "query": prompt.query,
        "mode": "keyword" if mem.profile is None else "vector",
        "note": found.note,
        "session_id": session_id,
        "siblings": len(claimed),
        "ranking": mem.settings.ranking,
        "strength": mem.settings.ranking_strength,
        "recency": mem.settings.ranking == "spec" or mem.settings.ranking_recency,
        "block": text or (choosing.nothing(mem) if prompt.query else ""),
        "candidates": [
            {
                **_candidate(item, places.get(item.insight.id), why.get(item.insight.name, "")),
                "_why": reason,
            }
            for item, reason in zip(sifted.ranked, reasons, strict=True)
        ],
        "left_out": [asdict(item) for item in (*found.left, *_never(nearest, found.left))],
    }


def read_task(text: str) -> fields.Prompt:
    """A task as the hook would read it from a prompt; a text with fields is a prompt already."""
    return fields.read_prompt(text if fields.parse_fields(text) else f"TASK: {text}")


def _never(nearest: list[Left], known: tuple[Left, ...]) -> list[Left]:
    names = {item.name for item in known}
    return [item for item in nearest if item.name not in names]


def _candidate(item: Ranked, place: int | None, why: str) -> dict[str, Any]:
    return {
        **ranked_json(item),
        "_id": item.insight.id,
        "_place": place,
        "_left_out": None if place else why,
        "_vector_rank": item.vector_rank,
        "_keyword_rank": item.keyword_rank,
        "_rrf": item.rrf,
        "_through": item.through,
        "_direct": item.direct,
        "_recency": item.recency,
        "_velocity": item.velocity,
        "_value": item.value,
        "_causal_events": item.causal_events,
    }
