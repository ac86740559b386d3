"""What the dashboard reads of the memory as a whole, as frozen rows. Like `viewrows`: no SQL.

`helix_core.store.view_figures` and `view_health` fill them. A `filter` is a text of the filter
language (`store.filters`) that gives the insights behind a figure.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Bin:
    """One bar of a histogram."""

    label: str
    count: int
    filter: str


@dataclass(frozen=True)
class Histogram:
    """Insights by one measure."""

    bins: tuple[Bin, ...]
    unknown: int = 0
    """Those that have no value yet."""

    @property
    def known(self) -> int:
        """Insights in the bins."""
        return sum(one.count for one in self.bins)


@dataclass(frozen=True)
class Loop:
    """Whether what is given comes back as feedback."""

    insights: int = 0
    used: int = 0
    """Insights that have been through an outcome at least once."""
    coverage: float = 0.0
    """`used` over `insights`."""
    uses: int = 0
    causal_uses: int = 0
    causal_ratio: float | None = None
    """Causal uses over uses; None without a use."""
    helped: float = 0.0
    hurt: float = 0.0
    """Tasks with a causal insight, each once, by how they ended."""
    low: float = 0.0
    high: float = 1.0
    """90% Wilson interval of the share that helped."""
    calibration_error: float | None = None
    """Mean distance of score and outcome; None without a task."""


@dataclass(frozen=True)
class CalibrationLine:
    """The tasks whose insight was shown with a score in one tenth."""

    tenth: int
    label: str
    filter: str
    tasks: float
    score: float
    """Mean score shown."""
    rate: float
    """Share of the tasks that delivered."""
    low: float
    high: float
    """Its 90% Wilson interval."""


@dataclass(frozen=True)
class LiftLine:
    """What showing insights is worth, by the hold-out."""

    share: float | None
    """Share of tasks delivered with the insight; None for no such task."""
    told: str
    """The lift with its interval, or how much is missing for it."""


@dataclass(frozen=True)
class OutcomeLine:
    """How the agents of one kind ended in one span of time."""

    period: str
    """A day or a month, in UTC."""
    agent_type: str
    ended: int
    states: tuple[tuple[str, int], ...]
    """How many ended in which state, most frequent first."""
    filter: str


@dataclass(frozen=True)
class Effectiveness:
    """What the memory is worth, in figures."""

    loop: Loop
    effectiveness: Histogram
    generality: Histogram
    velocity: Histogram
    calibration: tuple[CalibrationLine, ...]
    """Tenths with a task, lowest first."""
    outcomes: tuple[OutcomeLine, ...]
    """Newest first."""
    lift: LiftLine | None = None
    """None where no insight was ever held out."""


@dataclass(frozen=True)
class HookLine:
    """How one hook event has been doing, over the calls that are kept."""

    event: str
    calls: int
    p50: float
    p95: float
    """Milliseconds, measured by the hook itself; nearest rank."""
    slowest: float
    last_ok: str
    """When it last succeeded; empty for never."""
    keyword_only: int
    failed: int


@dataclass(frozen=True)
class ErrorLine:
    """One thing that went wrong."""

    at: str
    source: str
    """A hook's event, or the log's level."""
    text: str


@dataclass(frozen=True)
class Refusal:
    """Texts that one rule kept out."""

    rule: str
    count: int
    last_at: str


@dataclass(frozen=True)
class Health:
    """Whether helix works, from what it wrote down."""

    hooks: tuple[HookLine, ...] = ()
    errors: tuple[ErrorLine, ...] = ()
    """Newest first."""
    refusals: tuple[Refusal, ...] = ()
    without_vector: int = 0
    pending: int = 0
    """Agent runs whose feedback waits for the model."""
    last_maintenance: str = ""
    models: tuple[str, ...] = ()
    """Whose vectors the insights have."""
    schema: int = 0
    pages: int = 0
    page_size: int = 0
    free_pages: int = 0
    set_aside: tuple[str, str, str] | None = None
    """A damaged memory before this one: its file in `backups/`, when, and why."""
