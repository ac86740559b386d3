"""What the dashboard shows, as frozen values: one snapshot, and what of it is wanted.

Standard library and the read model's rows only. The feed builds snapshots, screens draw them, and
nobody changes one: a part that did not change is the same object in the next snapshot.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, TypeVar

from helix_core.dag.tasks import Task
from helix_core.memory.graph import Shape
from helix_core.viewfigures import (
    Bin,
    CalibrationLine,
    Effectiveness,
    ErrorLine,
    Health,
    Histogram,
    HookLine,
    LiftLine,
    Loop,
    OutcomeLine,
    Refusal,
)
from helix_core.viewrows import (
    AgentLine,
    Counts,
    EvidenceView,
    FeedLine,
    GivenLine,
    InsightDetail,
    InsightLine,
    InsightPage,
    LinkLine,
    MoveLine,
    NeighbourLine,
    NodeLine,
    QuestionDetail,
    QuestionLine,
    RunLine,
    TaskLine,
    TrashLine,
    WitnessLine,
    Wording,
)

__all__ = [
    "AgentLine",
    "Answer",
    "Bin",
    "CalibrationLine",
    "Counts",
    "Effectiveness",
    "ErrorLine",
    "EvidenceView",
    "FeedLine",
    "FileFacts",
    "GivenLine",
    "GraphView",
    "GraphWanted",
    "Health",
    "HealthView",
    "Histogram",
    "HookLine",
    "InsightDetail",
    "InsightLine",
    "InsightPage",
    "InsightsView",
    "InsightsWanted",
    "LearnView",
    "LearnWanted",
    "LiftLine",
    "LinkLine",
    "Loop",
    "MoveLine",
    "NeighbourLine",
    "NodeLine",
    "Nothing",
    "OutcomeLine",
    "Problem",
    "PrunePlan",
    "QuestionDetail",
    "QuestionLine",
    "Refusal",
    "RunLine",
    "RunView",
    "RunWanted",
    "Service",
    "Snapshot",
    "TaskLine",
    "TrashLine",
    "Wanted",
    "WitnessLine",
    "Wording",
    "WorkerFacts",
]

if TYPE_CHECKING:  # a report is seldom looked at
    from helix_core.reportrows import SessionReport

V = TypeVar("V")


@dataclass(frozen=True)
class Nothing:
    """The wish of a view that always shows the same rows."""


@dataclass(frozen=True)
class RunWanted:
    """Which run is looked at, and which of its agents."""

    run: str = ""
    """A run's key; empty follows the newest."""
    agent: int | None = None
    """An agent's row id; None is the first one that has been given something."""
    whole: bool = False
    """Everything a replay shows: what every agent was given, and all events."""
    report: bool = False
    """Whether the report of the run's session is open."""


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
    trash: bool = False
    """Whether the list of the trash is open."""


@dataclass(frozen=True)
class Wanted:
    """What is visible, and so all that is read."""

    view: str = "run"
    rows: object = None
    """The view's own wish, such as `RunWanted`; None is what it wants at first."""


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
    plan: tuple[Task, ...] = ()
    """The tasks with their attempts, out of which their states follow; for a replay."""
    all_given: tuple[tuple[int, tuple[GivenLine, ...]], ...] = ()
    """What each agent was given, by its row id; for a replay."""
    report: SessionReport | None = None
    """The report of its session, where that is wanted."""


@dataclass(frozen=True)
class InsightsView:
    """The window of insights that is looked at, and the selected one."""

    wanted: InsightsWanted
    page: InsightPage
    detail: InsightDetail | None = None
    trash: tuple[TrashLine, ...] = ()


@dataclass(frozen=True)
class FileFacts:
    """The database's files, and the newest complaints of the log."""

    size: int = 0
    """Bytes of the database."""
    wal: int = 0
    """Bytes of its write-ahead log."""
    backups: int = 0
    log: tuple[ErrorLine, ...] = ()
    """Warnings and errors of `helix.log`, newest first."""


@dataclass(frozen=True)
class HealthView:
    """What rows and files tell of helix itself."""

    rows: Health
    files: FileFacts


@dataclass(frozen=True)
class PrunePlan:
    """What the rules would prune now: name and reason."""

    lines: tuple[tuple[str, str], ...]


@dataclass(frozen=True)
class GraphWanted:
    """Which part of the insight graph is looked at."""

    focus: int | None = None
    """An insight whose neighbourhood is wanted; None is the whole graph, or as much as is drawn."""


@dataclass(frozen=True)
class GraphView:
    """The insight graph, or a part of it."""

    nodes: tuple[NodeLine, ...] = ()
    links: tuple[LinkLine, ...] = ()
    total: int = 0
    """All insights there are."""
    shape: Shape | None = None
    """The figures of the whole graph; None where networkx is missing."""
    cut: frozenset[int] = frozenset()
    """Insights without which their component would fall apart."""
    focus: int | None = None


@dataclass(frozen=True)
class LearnWanted:
    """Which question is looked at."""

    key: int | None = None
    """Its number; None is the first one of the queue."""


@dataclass(frozen=True)
class LearnView:
    """The questions of the LEARN phase, those that wait first, and one of them whole."""

    lines: tuple[QuestionLine, ...] = ()
    open: int = 0
    detail: QuestionDetail | None = None
    stored: tuple[tuple[str, str], ...] = ()
    """What its answer stored or confirmed: names and texts, as they are now."""


@dataclass(frozen=True)
class Problem:
    """Why there is nothing to show, in words for a person, and what they can do."""

    kind: str
    """missing, misplaced, locked, corrupt, too new, read only, gone or unreadable."""
    title: str
    what: str
    todo: str
    blocking: bool = True
    """Whether it takes the place of the view; else it is one line above it."""


@dataclass(frozen=True)
class WorkerFacts:
    """What the worker says of itself. Moments, not spans, so that it is the same while it idles."""

    pid: int
    version: str
    model: str
    model_state: str
    """loading, ready, or none."""
    model_error: str
    started_at: str
    asked_at: str
    """When it was last asked for something."""
    requests: int
    memory_mb: int | None
    projects: int


@dataclass(frozen=True)
class Service:
    """Whether agents get insights: ok, degraded (keyword only) or off."""

    state: str = "degraded"
    model: str = ""
    note: str = ""
    worker: WorkerFacts | None = None


@dataclass(frozen=True)
class Answer:
    """What was read for one view, and for which wish."""

    view: str
    wanted: object
    value: object


@dataclass(frozen=True)
class Snapshot:
    """Everything on the screen at one moment."""

    project: str = ""
    """The project's name."""
    place: str = ""
    """Its database."""
    service: Service = field(default_factory=Service)
    counts: Counts = field(default_factory=Counts)
    parts: tuple[Answer, ...] = ()
    """What has been read, one answer per view that was in front once."""
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

    def of(self, kind: type[V]) -> V | None:
        """The part of that type, such as `RunView`; None where it was not read yet."""
        return next((a.value for a in self.parts if isinstance(a.value, kind)), None)
