"""What the report of a session says, as frozen rows. Standard library only, no SQL.

`helix_core.store.view_report` fills them; the command line and the dashboard show them. All times
are the stored ISO texts; None means that nobody knows.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class TaskReport:
    """One task and how it stands: its state is that of its newest agent, or what was decided."""

    seq: str
    slug: str
    description: str
    state: str
    source: str
    """Where the outcome comes from: verified, self, contradicted, user; empty without one."""
    summary: str
    reason: str
    """Why it was decided so, what remains, or what it is blocked by; empty where the summary says
    it all."""
    attempts: int
    agent_id: str
    decided_by: str
    """Who last decided about it by hand; empty where nobody did."""


@dataclass(frozen=True)
class RunReport:
    """One plan and its tasks; without a plan (`run_id` None) the builders of the session."""

    run_id: int | None
    objective: str
    started_at: str
    ended_at: str
    agents: int
    running: int
    tasks: tuple[TaskReport, ...]


@dataclass(frozen=True)
class StoredInsight:
    """One insight that is there since this session, and who brought it.

    `source`: agent, derived, synthesis, user, import. `by`: the agent, "the command line" or
    "maintenance"; `gone`: why it is in the trash already, empty where it is not.
    """

    name: str
    content: str
    source: str
    by: str
    task_id: str
    effectiveness: float | None
    created_at: str
    gone: str


@dataclass(frozen=True)
class Move:
    """One feedback event: what it was for and what it did."""

    at: str
    kind: str
    outcome: str
    source: str
    task_id: str
    agent_id: str
    similarity: float | None
    weight: float
    causal: bool
    before: float
    after: float

    @property
    def why(self) -> str:
        """The event in words."""
        who = f"task {self.task_id}" if self.task_id else self.agent_id
        cosine = "" if self.similarity is None else f", similarity {self.similarity:.2f}"
        effect = f"weight {self.weight:.2f}" if self.causal else "not causal: eroded"
        return f"{self.outcome} ({self.source}) by {who}{cosine}, {effect}"


@dataclass(frozen=True)
class MovedInsight:
    """One insight that moved: before its first event here, after its last, and each of them."""

    name: str
    before: float
    after: float
    moves: tuple[Move, ...]


@dataclass(frozen=True)
class AskedQuestion:
    """One question of the session and what became of it."""

    id: int
    kind: str
    state: str
    header: str
    question: str
    answer: str
    answered_by: str


@dataclass(frozen=True)
class LoopEnd:
    """One agent that was given insights and has not fed back, and why."""

    agent_id: str
    agent_type: str
    task_id: str
    state: str
    injected: tuple[str, ...]
    why: str


@dataclass(frozen=True)
class Loop:
    """Whether the learning loop has closed: every agent's insights got its outcome.

    `given` agents had insights, of which `applied` have fed back. `open` are those still to come;
    `exempt` those whose end is no feedback by rule (crashed, unknown, contradicted). It is closed
    where none is open.
    """

    closed: bool
    given: int
    applied: int
    open: tuple[LoopEnd, ...]
    exempt: tuple[LoopEnd, ...]


@dataclass(frozen=True)
class HookTrouble:
    """One hook call that failed."""

    at: str
    event: str
    agent_id: str
    error: str


@dataclass(frozen=True)
class HookReport:
    """How the hooks did: calls, those that failed, those that went by keyword for lack of a worker.

    Only the last 5,000 calls of a project are kept.
    """

    calls: int
    failed: int
    degraded: int
    troubles: tuple[HookTrouble, ...]


@dataclass(frozen=True)
class SessionReport:
    """What a session, or one run of it, has delivered and what the memory has learned from it."""

    session_id: str
    run_id: int | None
    started_at: str
    ended_at: str
    outcomes: dict[str, int]
    """Builders by their state."""
    sources: dict[str, int]
    """Outcomes of builders by where they come from."""
    runs: tuple[RunReport, ...]
    stored: tuple[StoredInsight, ...]
    moved: tuple[MovedInsight, ...]
    questions: tuple[AskedQuestion, ...]
    loop: Loop
    hooks: HookReport
