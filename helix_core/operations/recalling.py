"""Operations of the RECALL phase and of a wave: strategic-recall, batch-inject.

Standard library only at import.
"""

from __future__ import annotations

from dataclasses import asdict, replace
from typing import Any

from helix_core import constants
from helix_core.errors import UsageError
from helix_core.hooks import choosing, frame
from helix_core.memory import inject, strategic
from helix_core.memory.context import Memory
from helix_core.model import Ranked, Recall
from helix_core.operations.registry import operation
from helix_core.operations.shapes import query_of, ranked_json
from helix_core.store import offers, runs
from helix_core.store.connection import writing
from helix_core.text import fields, wave


@operation("strategic-recall")
def _strategic_recall(mem: Memory, args: dict[str, Any]) -> Any:
    query = query_of(args, constants.STRATEGIC_LIMIT)
    if query.min_relevance is None:
        query = replace(query, min_relevance=constants.STRATEGIC_MIN_RELEVANCE)
    found = strategic.strategic_recall(mem, query)
    notice = "" if found.ranked else choosing.nothing(mem)
    return {
        "insights": [{**ranked_json(item), "_through": item.through} for item in found.ranked],
        "summary": {**asdict(found.summary), "notice": notice},
    }


@operation("batch-inject")
def _batch_inject(mem: Memory, args: dict[str, Any]) -> Any:
    session_id = str(args.get("session_id") or "")
    if not session_id:
        raise UsageError("which session? (--session, else $CLAUDE_CODE_SESSION_ID)")
    prompts = wave.read_tasks(args.get("tasks"))
    wants = [_want(mem, prompt) for prompt in prompts]
    with writing(mem.conn):
        claimed = runs.claimed(mem.conn, session_id, mem.now)
        chosen = choosing.share_out(mem, wants, claimed)
        for prompt, items in zip(prompts, chosen, strict=True):
            for item in items:
                given = choosing.given(item)
                offers.add(mem.conn, session_id, prompt.task_id or "", given, mem.moment)
    return {
        "session_id": session_id,
        "mode": "keyword" if mem.profile is None else "vector",
        "note": next((want.found.note for want in wants if want.found.mode == "keyword"), ""),
        "tasks": [_task(mem, prompt, items) for prompt, items in zip(prompts, chosen, strict=True)],
    }


def _want(mem: Memory, prompt: fields.Prompt) -> choosing.Want:
    query = choosing.query_of(mem, prompt)
    found = inject.rank(mem, query) if prompt.query else Recall(ranked=())
    return choosing.Want(query, found)


def _task(mem: Memory, prompt: fields.Prompt, items: list[Ranked]) -> dict[str, Any]:
    text, _ = frame.render([choosing.given(item) for item in items], mem.settings.max_chars)
    return {
        "task_id": prompt.task_id,
        "block": text or (choosing.nothing(mem) if prompt.query else ""),
        "injected": [item.insight.name for item in items],
    }
