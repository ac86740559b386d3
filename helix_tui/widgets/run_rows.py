"""The rows of the run view: tasks in layers, agents, what an agent was given, events. Pure."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime

from helix_tui import formats
from helix_tui.glyphs import Glyphs
from helix_tui.state import AgentLine, FeedLine, GivenLine, TaskLine
from helix_tui.widgets.dag_layout import layers
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
        Row(
            agent.id,
            (
                (formats.literal(formats.bare_type(agent.agent_type)), ""),
                _state(glyphs, agent.state),
                (_named(agent.task_id, agent.task or "no task known"), ""),
                (str(agent.given) if agent.given else "-", ""),
                (formats.span(agent.started_at, agent.ended_at, now), ""),
            ),
        )
        for agent in agents
    ]


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


def feed_rows(events: Sequence[FeedLine], glyphs: Glyphs) -> list[Row]:
    """One row per event, newest first; a key is the same event in every refresh."""
    return [
        Row(
            hash(event.key),
            (
                (formats.clock_time(event.at), "muted"),
                (KINDS.get(event.kind, event.kind), "muted"),
                _state(glyphs, event.state),
                (formats.literal(event.text), ""),
                _value(event, glyphs),
            ),
        )
        for event in events
    ]


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
