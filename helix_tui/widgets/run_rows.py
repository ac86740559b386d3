"""The rows of the run view: tasks in layers, agents, what an agent was given, events. Pure."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from functools import lru_cache

from helix_core.dag import states
from helix_core.dag.layers import layers
from helix_core.dag.tasks import task_key
from helix_tui import formats
from helix_tui.glyphs import Glyphs
from helix_tui.state import AgentLine, FeedLine, GivenLine, RunLine, RunView, TaskLine
from helix_tui.widgets.table_layout import Cell, Column, Row

TASK_COLUMNS = (
    Column("layer", "", 2, right=True),
    Column("state", "state", 11),
    Column("task", "task"),
    Column("after", "after", 8, drop=2),
    Column("tries", "tries", 5, right=True, drop=3),
    Column("time", "time", 5, right=True, drop=1),
)
AGENT_COLUMNS = (
    Column("type", "agent", 8),
    Column("state", "state", 11),
    Column("task", "task"),
    Column("given", "given", 5, right=True, drop=2),
    Column("time", "time", 5, right=True, drop=1),
)
GIVEN_COLUMNS = (
    Column("effectiveness", "eff", 4, right=True),
    Column("relevance", "rel", 4, right=True),
    Column("via", "via", 8, drop=3),
    Column("tokens", "tok", 4, right=True, drop=4),
    Column("insight", "insight"),
    Column("outcome", "outcome", 11, drop=5),
    Column("moved", "before -> after", 15),
)
FEED_COLUMNS = (
    Column("at", "", 8),
    Column("kind", "", 8, drop=2),
    Column("state", "", 11),
    Column("text", ""),
    Column("value", "", 12, right=True, drop=1),
)
RUN_COLUMNS = (
    Column("when", "started", 16),
    Column("state", "state", 11),
    Column("agents", "agents", 6, right=True),
    Column("time", "time", 5, right=True, drop=1),
    Column("objective", "objective"),
)
CHARS_PER_TOKEN = 4
KINDS = {"hook": "hook", "start": "agent", "end": "agent", "moved": "moved", "curation": "change"}


def _state(glyphs: Glyphs, name: str) -> Cell:
    state = glyphs.state(name)
    return formats.literal(state.text), state.role


def task_rows(tasks: Sequence[TaskLine], glyphs: Glyphs, now: datetime) -> list[Row]:
    """Tasks layer by layer, the layer's number before its first task; keys count the rows."""
    by_key = {task.key: task for task in tasks}
    order = {key: n for n, key in enumerate(by_key)}
    blockers = {key: task.blocked_by for key, task in by_key.items()}
    rows = []
    for number, layer in enumerate(layers(blockers), 1):
        for place, key in enumerate(layer):
            task = by_key[key]
            rows.append(
                Row(
                    order[key],
                    (
                        (str(number) if not place else "", "muted"),
                        _state(glyphs, task.state),
                        (_named(task.seq, task.slug or task.description), ""),
                        (formats.literal(" ".join(task.blocked_by)), "muted"),
                        (str(task.attempts) if task.attempts else "", "muted"),
                        (formats.span(task.started_at, task.ended_at, now), ""),
                    ),
                )
            )
    return rows


def _named(task_id: str, text: str) -> str:
    return formats.literal(f"{task_id}: {text}" if task_id else text)


def agent_rows(agents: Sequence[AgentLine], glyphs: Glyphs, now: datetime) -> list[Row]:
    """One row per agent, in the order they were called."""
    return [
        _agent_row(agent, glyphs, formats.span(agent.started_at, agent.ended_at, now))
        for agent in agents
    ]


@lru_cache(maxsize=1024)  # every second, while one of hundreds of agents runs
def _agent_row(agent: AgentLine, glyphs: Glyphs, took: str) -> Row:
    return Row(
        agent.id,
        (
            (formats.literal(formats.bare_type(agent.agent_type)), ""),
            _state(glyphs, agent.state),
            (_named(agent.task_id, agent.task or "no task known"), ""),
            (str(agent.given) if agent.given else "-", ""),
            (took, ""),
        ),
    )


def given_rows(given: Sequence[GivenLine], glyphs: Glyphs) -> list[Row]:
    """One row per insight the agent got; before and after once its outcome counted."""
    return [
        Row(
            line.insight_id,
            (
                (formats.percent(line.effectiveness), "strong"),
                (formats.percent(line.relevance), ""),
                (_via(line, glyphs), "accent" if line.hop else "muted"),
                (str(-(-line.chars // CHARS_PER_TOKEN)) if line.chars else "-", "muted"),
                (formats.literal(line.content or f"{line.name} (not there any more)"), ""),
                _state(glyphs, line.outcome) if line.outcome else ("", ""),
                _moved(line, glyphs),
            ),
        )
        for line in given
    ]


def given_text(line: GivenLine | None) -> list[Cell]:
    """The text of one insight an agent got."""
    if line is None:
        return []
    return [(formats.literal(line.content), ""), (f"  {formats.literal(line.name)}", "muted")]


def _via(line: GivenLine, glyphs: Glyphs) -> str:
    word = "graph" if line.hop else "direct"
    return f"{glyphs.mark(word)} {word}"


def _moved(line: GivenLine, glyphs: Glyphs) -> Cell:
    if line.before is None or line.after is None:
        return "", ""
    return _change(line.before, line.after, glyphs)


def _change(before: float, after: float, glyphs: Glyphs) -> Cell:
    name = "rose" if after > before else "fell" if after < before else "same"
    role = {"rose": "good", "fell": "bad", "same": "muted"}[name]
    return f"{glyphs.mark(name)} {formats.moved(before, after)}", role


def event_key(event: FeedLine) -> int:
    """An event as the key of a row."""
    return hash(event.key)


def feed_rows(events: Sequence[FeedLine], glyphs: Glyphs) -> list[Row]:
    """One row per event, newest first; a key is the same event in every refresh."""
    return [_feed_row(event, glyphs) for event in events]


@lru_cache(maxsize=1024)
def _feed_row(event: FeedLine, glyphs: Glyphs) -> Row:
    return Row(
        event_key(event),
        (
            (formats.clock_time(event.at), "muted"),
            (KINDS.get(event.kind, event.kind), "muted"),
            _state(glyphs, event.state),
            (formats.literal(event.text), ""),
            _value(event, glyphs),
        ),
    )


def _value(event: FeedLine, glyphs: Glyphs) -> Cell:
    if event.kind == "hook" and event.value is not None:
        return f"{event.value:.0f} ms", "muted"
    if event.before is not None and event.value is not None:
        return _change(event.before, event.value, glyphs)
    return "", ""


def agent_note(agent: AgentLine | None, given: int, glyphs: Glyphs) -> list[Cell]:
    """What is to be said of the selected agent beside its insights, piece by piece."""
    if agent is None:
        return [("no agent yet", "muted")]
    state = glyphs.state(agent.state)
    parts: list[Cell] = [(formats.literal(state.text), state.role)]
    if agent.source:
        role = {"contradicted": "bad", "verified": "good"}.get(agent.source, "muted")
        parts.append((f" ({formats.literal(agent.source)})", role))
    if agent.source == "contradicted":
        why = states.contradiction(agent.state)
        parts.append((formats.literal(f"  {why}: 5 Learn asks you"), "bad"))
    if agent.mode:
        parts.append((f"  found by {formats.literal(agent.mode)}", "muted"))
    if agent.feedback == "pending":
        parts.append(("  feedback waits for the model", "warn"))
    elif given and agent.ended_at and agent.feedback == "none":
        parts.append(("  no feedback from this outcome", "muted"))
    text = agent.summary or agent.note
    if text:
        parts.append((f"  {formats.literal(text)}", ""))
    return parts


def given_title(agent: AgentLine | None, given: Sequence[GivenLine]) -> str:
    """Whose insights these are, and about how many tokens they took."""
    if agent is None:
        return "Given to this agent"
    whose = formats.bare_type(agent.agent_type)
    if agent.task_id:
        whose += f" of {agent.task_id}"
    tokens = sum(-(-line.chars // CHARS_PER_TOKEN) for line in given)
    rest = f", about {formats.plural(tokens, 'token')}" if tokens else ""
    return formats.literal(f"Given to the {whose}{rest}")


def plan_title(tasks: Sequence[TaskLine], lost: Sequence[tuple[str, str]]) -> str:
    """How many tasks there are and how many are done; links that could not be drawn are named."""
    done = sum(task.state == "delivered" for task in tasks)
    parts = [f"Plan: {formats.plural(len(tasks), 'task')}, {done} delivered"]
    if lost:
        named = ", ".join(f"{b} on {a}" for a, b in lost[:3])
        parts.append(f"in a circle: {named}" + (" ..." if len(lost) > 3 else ""))
    return formats.literal("; ".join(parts))


def task_of(view: RunView, agent_id: int | None) -> int | None:
    """The place in the plan of the task an agent is a builder of; None without one."""
    agent = next((a for a in view.agents if a.id == agent_id), None)
    if agent is None or not agent.task_id or not agent.agent_type.endswith("builder"):
        return None
    key = task_key(agent.task_id)
    return next((n for n, task in enumerate(view.tasks) if task.key == key), None)


def run_line(view: RunView, now: datetime) -> list[Cell]:
    """Which run this is, of how many, and how it stands."""
    run = view.run
    if run is None:
        return [("No run yet", "muted")]
    place = next((n for n, other in enumerate(view.runs) if other.key == run.key), 0)
    number = f"Run {len(view.runs) - place} of {len(view.runs)}"
    parts: list[Cell] = [(number, "strong")]
    if not place:
        parts.append((" newest", "muted"))
    parts.append((f"  {formats.plural(run.agents, 'agent')}", ""))
    parts.append((f", {_run_state(run, now)}", "active" if run.running else "muted"))
    parts.append((f"  {formats.literal(run.objective)}", ""))
    return parts


def _run_state(run: RunLine, now: datetime) -> str:
    took = formats.span(run.started_at, run.ended_at, now)
    if run.running:
        return f"{run.running} running, {took}"
    return f"over after {took}" if run.ended_at else "nothing running"


def run_key(run: RunLine) -> int:
    """A run as the key of a row."""
    return hash(run.key)


def run_list(runs: Sequence[RunLine], glyphs: Glyphs, now: datetime) -> list[Row]:
    """One row per run, newest first."""
    return [
        Row(
            run_key(run),
            (
                (formats.day_time(run.started_at), "muted"),
                _state(glyphs, "running") if run.running else ("over", "muted"),
                (str(run.agents), ""),
                (formats.span(run.started_at, run.ended_at, now) if run.ended_at else "", ""),
                (formats.literal(run.objective or "no objective known"), ""),
            ),
        )
        for run in runs
    ]
