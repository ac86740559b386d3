"""The things helix speaks of, as frozen dataclasses. Standard library only, no behaviour."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

Source = Literal["agent", "derived", "synthesis", "user", "import"]

USER_TAGS = frozenset({"user-provided", "user-preference"})
PROCEDURE_TAG = "procedure"
MAX_CONTENT = 4000
"""Characters of one insight."""


@dataclass(frozen=True)
class Insight:
    """One row of `insight`, without its vector."""

    id: int
    name: str
    content: str
    tags: tuple[str, ...]
    effectiveness: float
    use_count: int
    causal_hits: int
    recent_uses: int
    context_spread: float | None
    context_count: int
    created_at: str
    last_used: str | None
    last_feedback_at: str | None
    pinned: bool
    source: str
    embedding_model: str | None
    row_version: int
    updated_at: str | None
    confirmations: int = 0
    decayed_on: str | None = None

    @property
    def protected(self) -> bool:
        """Pinned or from a person: never pruned, never overwritten by an agent's text."""
        return self.pinned or self.source == "user" or bool(USER_TAGS & set(self.tags))


@dataclass(frozen=True)
class Ranked:
    """One candidate of a recall with every part of its score (spec, decisions 17 to 20)."""

    insight: Insight
    relevance: float | None
    """Cosine with the query; None when recall went by keyword alone."""
    effectiveness: float
    """Causally adjusted."""
    vector_rank: int | None
    keyword_rank: int | None
    rrf: float
    recency: float
    velocity: float
    score: float
    hop: int = 0
    through: str | None = None
    """The name of the parent that carried activation, where the graph decided (`rrf` is it)."""
    direct: float | None = None
    """Its own fused score, where the graph decided over it."""
    value: float | None = None
    """Value in this context (decision 29b), where injection asked for it."""
    causal_events: int = 0


@dataclass(frozen=True)
class Left:
    """A candidate that was left out, and why."""

    name: str
    reason: str
    relevance: float | None = None


@dataclass(frozen=True)
class Recall:
    """What a recall found: the ranked list, what was left out, and how it went."""

    ranked: tuple[Ranked, ...]
    left: tuple[Left, ...] = ()
    mode: Literal["vector", "keyword"] = "vector"
    note: str = ""


@dataclass(frozen=True)
class Given:
    """One insight as it was shown to an agent."""

    insight_id: int
    name: str
    content: str
    tags: tuple[str, ...]
    effectiveness: float
    relevance: float | None
    score: float
    hop: int


@dataclass(frozen=True)
class Option:
    """One answer that a question offers."""

    label: str
    description: str = ""
    evidence: str = ""
    value: str = ""
    """What choosing it does, where the question is helix's own; its kind says which there are."""
    insight: str = ""
    """The text that choosing it stores; empty where it stores nothing."""
    tags: tuple[str, ...] = ()
