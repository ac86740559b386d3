"""A memory with something to ask about, for the tests of questions."""

from __future__ import annotations

from typing import Any

from geometry import PROFILE, at, degrees, directions

from helix_core.memory import questions, remember
from helix_core.memory.context import Memory
from helix_core.model import Given, Insight
from helix_core.store import (
    curation,
    insights,
    runs,
    vectors,
    view_questions,
)
from helix_core.store import questions as rows
from helix_core.store.connection import writing

ALWAYS = "When deploying, always run migrations first because the schema is older"
NEVER = "When deploying, never run migrations first because the schema is older"
OLDER = "When building on Python 3.10, pin tomli because tomllib is missing"
NEWER = "When building on Python 3.12, pin tomli because tomllib is missing"
HANGS = "When pytest hangs in CI, pass -x because a fixture leaks"
OTHER = "When pytest hangs in CI, use -x because one fixture leaks"
MINE = "When deploying on Fridays, run migrations last because nobody is there"


def place(mem: Memory, text: str, cosine: float) -> str:
    directions(mem)[text] = at(degrees(cosine))
    return text


def known(mem: Memory) -> dict[str, Insight]:
    return {row.content: row for row in insights.all_insights(mem.conn)}


def open_ones(mem: Memory) -> list[rows.Question]:
    found = [rows.get(mem.conn, line.id) for line in view_questions.queue(mem.conn)]
    return [question for question in found if question is not None]


def only(mem: Memory) -> rows.Question:
    [question] = open_ones(mem)
    return question


def conflict(mem: Memory, old: str = ALWAYS, new: str = NEVER) -> rows.Question:
    """Two insights of agents that contradict each other, and the question about them."""
    remember.store(mem, place(mem, old, 1.0), ["deploy"])
    remember.store(mem, place(mem, new, 0.99))
    return only(mem)


def builder(
    mem: Memory, given: list[Insight], *, agent: str = "a1", source: str = "contradicted"
) -> runs.AgentRun:
    """A builder that says it delivered and was given these insights."""
    with writing(mem.conn):
        run_id = runs.create(
            mem.conn, "s1", "helix-builder", mem.moment, tool_use_id=f"toolu_{agent}",
            agent_id=agent, task_id="3", task="Add the cache", verify="pytest tests/cache",
            state="delivered", outcome_source=source, summary="the cache works", query="cache",
            query_vector=vectors.pack(at(10)), embedding_model=PROFILE.name,
        )  # fmt: skip
        run = runs.by_id(mem.conn, run_id)
        assert run is not None
        for rank, row in enumerate(given):
            shown = Given(row.id, row.name, row.content, row.tags, 0.5, 0.9, 1.0, 0)
            runs.add_injection(
                mem.conn, run, shown, rank=rank, value=None, chars=9, source="t", moment=mem.moment
            )
    return run


def contradicted(mem: Memory) -> tuple[rows.Question, Insight]:
    remember.store(mem, place(mem, HANGS, 0.95))
    insight = known(mem)[HANGS]
    run = builder(mem, [insight])
    with writing(mem.conn):
        questions.about_outcome(mem, run, "delivered")
    return only(mem), insight


def candidate(mem: Memory) -> rows.Question:
    """A text that a person threw out, and that an agent comes up with in other words."""
    done = remember.store(mem, place(mem, HANGS, 1.0))
    curation.discard(mem.conn, [str(done.name)], actor="cli", moment=mem.now)
    again = remember.store(mem, place(mem, OTHER, 0.95), ["ci"])
    assert (again.status, again.reason) == ("rejected", "tombstone")
    return only(mem)


def document(**changes: Any) -> dict[str, Any]:
    """One question as an orchestrator hands it in."""
    return {
        "header": "Redis?",
        "question": 'Task 3 ended with "the cache works" in src/cache.py, the tests fail. Why?',
        "options": [
            {"label": "Only here", "description": "this machine has no redis"},
            {"label": "Never redis", "insight": {"content": MINE, "tags": ["cache"]}},
            {"label": "Both", "insight": OTHER},
        ],
        **changes,
    }
