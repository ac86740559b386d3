"""What an agent would get for a task, as frozen values. Pure; standard library only."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class Candidate:
    """One insight that was ranked for the task, with each part of its score."""

    id: int
    name: str
    content: str
    place: int | None
    """Where it stands among those given, from 1; None where it is left out."""
    why: str
    """Why it is left out."""
    score: float
    relevance: float | None
    effectiveness: float
    value: float | None
    causal_events: int
    rrf: float
    vector_rank: int | None
    keyword_rank: int | None
    through: str
    """Whose neighbour it is, where the graph decided."""
    direct: float | None
    recency: float
    velocity: float


@dataclass(frozen=True)
class LeftOut:
    """One insight that never became a candidate."""

    name: str
    why: str
    relevance: float | None


@dataclass(frozen=True)
class WhatIf:
    """The answer to one task."""

    task: str
    query: str
    """What is asked by; empty where the task says nothing to ask by."""
    mode: str
    note: str
    siblings: int
    """Insights that running agents of the session have."""
    block: str
    """What would stand in the prompt."""
    spec: bool
    """Whether the ranking is the spec's, by effectiveness instead of value."""
    strength: float
    recency: bool
    candidates: tuple[Candidate, ...]
    left: tuple[LeftOut, ...]

    @property
    def given(self) -> tuple[Candidate, ...]:
        """Those that would be given, in order."""
        chosen = [one for one in self.candidates if one.place is not None]
        return tuple(sorted(chosen, key=lambda one: one.place or 0))

    @property
    def others(self) -> tuple[Candidate, ...]:
        """Those that were ranked and left out, best first."""
        return tuple(one for one in self.candidates if one.place is None)

    def formula(self, one: Candidate) -> str:
        """How a score comes about, in figures."""
        if self.spec:
            weight = f"(0.5 + 0.5 x effectiveness {one.effectiveness:.3f})"
        else:
            value = one.effectiveness if one.value is None else one.value
            weight = f"({1 - self.strength:.2f} + {self.strength:.2f} x value {value:.3f})"
        text = f"{one.rrf:.5f} x {weight}"
        if self.recency:
            text += f" x recency {one.recency:.3f} x velocity {one.velocity:.3f}"
        return f"{text} = {one.score:.5f}"


def read(found: Mapping[str, Any]) -> WhatIf:
    """The answer of the operation `what-if`."""
    return WhatIf(
        task=str(found["task"]),
        query=str(found["query"]),
        mode=str(found["mode"]),
        note=str(found["note"]),
        siblings=int(found["siblings"]),
        block=str(found["block"]),
        spec=found["ranking"] == "spec",
        strength=float(found["strength"]),
        recency=bool(found["recency"]),
        candidates=tuple(_candidate(one) for one in found["candidates"]),
        left=tuple(
            LeftOut(str(one["name"]), str(one["reason"]), one["relevance"])
            for one in found["left_out"]
        ),
    )


def _candidate(one: Mapping[str, Any]) -> Candidate:
    return Candidate(
        id=int(one["_id"]),
        name=str(one["name"]),
        content=str(one["content"]),
        place=one["_place"],
        why=str(one["_left_out"] or ""),
        score=float(one["_score"]),
        relevance=one["_relevance"],
        effectiveness=float(one["_effectiveness"]),
        value=one["_value"],
        causal_events=int(one["_causal_events"]),
        rrf=float(one["_rrf"]),
        vector_rank=one["_vector_rank"],
        keyword_rank=one["_keyword_rank"],
        through=str(one["_through"] or ""),
        direct=one["_direct"],
        recency=float(one["_recency"]),
        velocity=float(one["_velocity"]),
    )
