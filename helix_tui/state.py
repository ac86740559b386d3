"""What the dashboard shows, as frozen values: one snapshot, and what of it is wanted.

Standard library and the read model's rows only. The feed builds snapshots, screens draw them, and
nobody changes one: a part that did not change is the same object in the next snapshot.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from helix_core.viewrows import (
    AgentLine,
    Counts,
    FeedLine,
    GivenLine,
    InsightDetail,
    InsightLine,
    InsightPage,
    MoveLine,
    RunLine,
    TaskLine,
)

__all__ = [
    "AgentLine",
    "Counts",
    "FeedLine",
    "GivenLine",
    "InsightDetail",
    "InsightLine",
    "InsightPage",
    "InsightsView",
    "InsightsWanted",
    "MoveLine",
    "Problem",
    "RunLine",
    "RunView",
    "RunWanted",
    "Service",
    "Snapshot",
    "TaskLine",
    "Wanted",
]


@dataclass(frozen=True)
class RunWanted:
    """Which run is looked at, and which of its agents."""

    run: str = ""
    """A run's key; empty follows the newest."""
    agent: int | None = None
    """An agent's row id; None is the first one that has been given something."""


@dataclass(frozen=True)
class InsightsWanted:
    """Which window of the insights is looked at (see `store.views.PageQuery`)."""

    sort: str = "effectiveness"
    reverse: bool = False
    text: str = ""
    offset: int = 0
    limit: int = 200
    key: int | None = None
    key_index: int | None = None


@dataclass(frozen=True)
class Wanted:
    """What is visible, and so all that is read."""

    view: str = "run"
    run: RunWanted = field(default_factory=RunWanted)
    insights: InsightsWanted = field(default_factory=InsightsWanted)


@dataclass(frozen=True)
class RunView:
    """The run that is looked at."""

    runs: tuple[RunLine, ...] = ()
    """Newest first."""
    run: RunLine | None = None
    agents: tuple[AgentLine, ...] = ()
    tasks: tuple[TaskLine, ...] = ()
    agent: int | None = None
    """Whose insights `given` are."""
    given: tuple[GivenLine, ...] = ()
    feed: tuple[FeedLine, ...] = ()


@dataclass(frozen=True)
class InsightsView:
    """The window of insights that is looked at, and the selected one."""

    wanted: InsightsWanted
    page: InsightPage
    detail: InsightDetail | None = None


@dataclass(frozen=True)
class Problem:
    """Why there is nothing to show, in words for a person, and what they can do."""

    kind: str
    """missing, locked, corrupt, too new, gone or unreadable."""
    title: str
    what: str
    todo: str
    blocking: bool = True
    """Whether it takes the place of the view; else it is one line above it."""


@dataclass(frozen=True)
class Service:
    """Whether agents get insights: ok, degraded (keyword only) or off."""

    state: str = "degraded"
    model: str = ""
    note: str = ""


@dataclass(frozen=True)
class Snapshot:
    """Everything on the screen at one moment."""

    project: str = ""
    """The project's name."""
    place: str = ""
    """Its database."""
    service: Service = field(default_factory=Service)
    counts: Counts = field(default_factory=Counts)
    run: RunView | None = None
    insights: InsightsView | None = None
    problem: Problem | None = None
    read_at: str = ""
    """When the shown rows were last known to be what the database holds."""
    stale: bool = False
    """The rows are from before the problem."""
    held_back: bool = False
    """Paused, and the database has changed since."""
    note: str = ""
    """Something worth a line, such as: no file events, polling only."""
    number: int = 0
    """Counts the snapshots of one feed."""
