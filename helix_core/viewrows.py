"""What the dashboard reads, as frozen rows. Standard library only, no behaviour, no SQL.

`helix_core.store.views` and `view_runs` fill them; `helix_tui` shows them. All times are the stored
ISO texts, all shares lie in [0, 1], and None means that nobody knows.
"""

from __future__ import annotations

from dataclasses import dataclass

from helix_core.model import Option


@dataclass(frozen=True)
class Counts:
    """The memory in a few figures."""

    insights: int = 0
    trash: int = 0
    running: int = 0
    """Agent runs that have not ended."""
    asking: int = 0
    """Questions of the LEARN phase that wait for a person."""
    changed_at: str = ""
    """The newest thing any row tells of; empty for a memory without rows."""


@dataclass(frozen=True)
class InsightLine:
    """One insight as a line of a table."""

    id: int
    name: str
    content: str
    """The first 400 characters."""
    tags: tuple[str, ...]
    effectiveness: float
    use_count: int
    causal_hits: int
    n: int
    """Outcomes this insight was credited with; what the interval rests on."""
    low: float
    high: float
    """90% Wilson interval of the mean outcome; (0, 1) where there is none."""
    created_at: str
    last_used: str
    source: str
    pinned: bool
    row_version: int
    velocity: int = 0
    """Causal feedback events in the last 14 days."""
    generality: float | None = None
    """Context spread; None until there are contexts enough to tell."""

    @property
    def causal_ratio(self) -> float | None:
        """Causal uses over uses; None for an insight that was never used."""
        return min(1.0, self.causal_hits / self.use_count) if self.use_count else None


@dataclass(frozen=True)
class InsightPage:
    """A window of the sorted and filtered table of insights."""

    total: int
    """All insights."""
    matching: int
    """Those the filter lets through."""
    offset: int
    rows: tuple[InsightLine, ...]
    key: int | None = None
    """The insight whose place was asked for ..."""
    position: int | None = None
    """... and where it is among the matching ones; None where it is not among them."""


@dataclass(frozen=True)
class MoveLine:
    """One feedback event of an insight."""

    id: int
    at: str
    kind: str
    outcome: str
    source: str
    similarity: float | None
    weight: float
    causal: bool
    before: float
    after: float
    task: str
    agent_id: str
    undone: bool


@dataclass(frozen=True)
class NeighbourLine:
    """An insight that another one is linked with."""

    id: int
    name: str
    content: str
    """The first 400 characters."""
    relation: str
    """similar, or led_to."""
    outgoing: bool
    """Of `led_to`: it came of the insight; else the insight came of it."""
    weight: float
    effectiveness: float


@dataclass(frozen=True)
class Wording:
    """An insight as it was before one change of it, and what changed it."""

    row_version: int
    at: str
    reason: str
    actor: str
    content: str
    tags: tuple[str, ...]


@dataclass(frozen=True)
class TrashLine:
    """One insight in the trash."""

    key: int
    name: str
    content: str
    reason: str
    actor: str
    trashed_at: str
    expires_at: str
    merged_into: str
    """The name of the insight that took it in; empty where it was not merged."""


@dataclass(frozen=True)
class InsightDetail:
    """Everything about one insight."""

    line: InsightLine
    content: str
    adjusted: float
    """Effectiveness as recall reads it: scaled by the share of causal uses."""
    injected: int
    """How often it was shown to an agent."""
    edges: int
    confirmations: int
    embedding_model: str
    moves: tuple[MoveLine, ...]
    """Newest first."""
    neighbours: tuple[NeighbourLine, ...] = ()
    wordings: tuple[Wording, ...] = ()
    """Newest first."""
    lift: str = ""
    """What the hold-out says of it, in words; empty where no coin was ever tossed for it."""


@dataclass(frozen=True)
class AncestorLine:
    """One insight that another one was led to by."""

    name: str
    steps: int
    effectiveness: float
    in_trash: bool


@dataclass(frozen=True)
class WitnessLine:
    """One insight that a question speaks of, as it stood when the question was put."""

    name: str
    content: str
    effectiveness: float | None
    """None where nobody noted it."""
    relevance: float | None
    ancestry: tuple[AncestorLine, ...] = ()
    """Nearest first."""
    lineage: float | None = None
    """Mean effectiveness of the ancestors; None where there are none."""
    risky: bool = False
    """Whether the ancestors stand low: it may be passing on an old error."""


@dataclass(frozen=True)
class EvidenceView:
    """What is known about the matter of a question; empty where nothing is."""

    agent_id: str = ""
    task: str = ""
    outcome: str = ""
    source: str = ""
    """verified, self, contradicted or user."""
    reason: str = ""
    """The agent's own words, or those of the question that quotes them."""
    verify: str = ""
    files: tuple[str, ...] = ()
    injected: tuple[WitnessLine, ...] = ()
    """What the agent was given."""
    compared: tuple[WitnessLine, ...] = ()
    """The insights that contradict each other, or the one that was rejected before."""
    differs: str = ""
    """Wherein they do."""


@dataclass(frozen=True)
class QuestionLine:
    """One question of the LEARN phase, or one candidate, as a line of the queue."""

    id: int
    kind: str
    """asked (by a session), conflict, contradicted or candidate."""
    state: str
    """open, answered or dismissed."""
    header: str
    question: str
    """The first 400 characters."""
    options: int
    task_id: str
    session_id: str
    risky: bool
    """Whether an insight of a low lineage was given to its agent."""
    created_at: str
    closed_at: str
    answered_by: str
    """chat, tui or cli; maintenance where it made room for newer ones."""
    answer: str


@dataclass(frozen=True)
class QuestionDetail:
    """One question whole."""

    line: QuestionLine
    question: str
    options: tuple[Option, ...]
    multi_select: bool
    corrects: str
    """The insight that an answer would correct."""
    evidence: EvidenceView
    stored: tuple[str, ...]
    """Names of what its answer stored or confirmed."""


@dataclass(frozen=True)
class RunLine:
    """One run: a plan being carried out, or the agents of a session that has no plan."""

    key: str
    session_id: str
    run_id: int | None
    objective: str
    started_at: str
    ended_at: str
    agents: int
    running: int


@dataclass(frozen=True)
class AgentLine:
    """One subagent of a run."""

    id: int
    agent_id: str
    agent_type: str
    task_id: str
    task: str
    state: str
    source: str
    """Where the outcome comes from: verified, self, contradicted, user; empty while it runs."""
    summary: str
    mode: str
    """How its insights were found: vector, keyword, orchestrator; empty where nothing was."""
    note: str
    feedback: str
    """none, pending (waits for a vector) or applied."""
    given: int
    started_at: str
    ended_at: str


@dataclass(frozen=True)
class GivenLine:
    """One insight that was put into an agent's prompt, and what the outcome did to it."""

    id: int
    insight_id: int
    name: str
    content: str
    """Empty where the insight is not there any more."""
    relevance: float | None
    effectiveness: float
    hop: int
    chars: int
    source: str
    outcome: str
    """Empty until feedback was given."""
    causal: bool
    weight: float
    before: float | None
    after: float | None


@dataclass(frozen=True)
class TaskLine:
    """One task of a plan."""

    seq: str
    key: str
    """Its number as it is compared: 3 and 03 are one task."""
    slug: str
    description: str
    blocked_by: tuple[str, ...]
    """Keys of the tasks it waits for."""
    state: str
    attempts: int
    started_at: str
    ended_at: str


@dataclass(frozen=True)
class FeedLine:
    """One thing that happened."""

    key: str
    at: str
    kind: str
    """hook, start, end, moved or curation."""
    state: str
    """A state, outcome or action; `failed` for a hook that did."""
    text: str
    value: float | None = None
    """Milliseconds of a hook, effectiveness after a move."""
    before: float | None = None
    about: int | None = None
    """The agent run that started or ended, or the insight that moved or was changed, if it is
    still there."""


@dataclass(frozen=True)
class NodeLine:
    """One insight as a node of the graph."""

    id: int
    name: str
    content: str
    """The first 400 characters."""
    effectiveness: float
    use_count: int
    causal_hits: int
    pinned: bool


@dataclass(frozen=True)
class LinkLine:
    """One link between two insights."""

    source: int
    target: int
    relation: str
    """similar, which has no direction, or led_to."""
    weight: float
