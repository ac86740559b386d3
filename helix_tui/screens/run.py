"""View 1: a run with its tasks and agents, what each agent was given, and what happened."""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime
from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import BindingType
from textual.containers import Container, Vertical

from helix_tui import bindings, formats
from helix_tui.messages import Chosen, InsightAsked, Selected
from helix_tui.screens.base import ViewScreen
from helix_tui.state import GivenLine, RunLine, RunView, RunWanted, Snapshot, Wanted
from helix_tui.widgets import run_rows
from helix_tui.widgets.live_table import LiveTable
from helix_tui.widgets.pieces import Pieces
from helix_tui.widgets.table_layout import Cell

EMPTY = "No agent has run in this project yet; /helix in Claude Code starts some."


class RunScreen(ViewScreen):
    """Follows the newest run unless another one is chosen."""

    VIEW = "run"
    CSS_PATH = "run.tcss"
    AUTO_FOCUS = "#agents"
    BINDINGS: ClassVar[list[BindingType]] = bindings.for_place("run")

    _wanted = RunWanted()
    _given: tuple[GivenLine, ...] = ()

    def compose_view(self) -> ComposeResult:
        """Tasks and agents beside what the selected agent got; events below."""
        glyphs = self.glyphs
        yield Pieces("run-line")
        with Container(id="upper"):
            with Vertical(id="left"):
                yield LiveTable(
                    run_rows.AGENT_COLUMNS, id="agents", glyphs=glyphs, empty=EMPTY, selects=True
                )
                yield LiveTable(run_rows.TASK_COLUMNS, id="tasks", glyphs=glyphs)
            with Vertical(id="right"):
                yield Pieces("agent-note")
                yield LiveTable(
                    run_rows.GIVEN_COLUMNS,
                    id="given",
                    glyphs=glyphs,
                    empty="This agent was given nothing.",
                    least=20,
                )
                yield Pieces("given-text")
        yield LiveTable(
            run_rows.FEED_COLUMNS,
            id="feed",
            glyphs=glyphs,
            empty="Nothing yet.",
            head=False,
            follows=True,
        )

    def on_mount(self) -> None:
        """Name the panes."""
        for pane, title in (
            ("tasks", "Tasks by layer"),
            ("agents", "Agents"),
            ("right", "Given to this agent"),
            ("feed", "What happened"),
        ):
            self.query_one(f"#{pane}").border_title = title
        super().on_mount()

    def wanted(self) -> Wanted:
        """The chosen run and agent."""
        return Wanted(self.VIEW, self._wanted)

    def moment(self, snapshot: Snapshot, now: datetime) -> str:
        """Running clocks are drawn by the second."""
        view = snapshot.of(RunView)
        ticking = view is not None and view.run and view.run.running
        return now.isoformat(timespec="seconds") if ticking else super().moment(snapshot, now)

    def draw(self, snapshot: Snapshot, now: datetime) -> None:
        """Fill the panes from the snapshot's run."""
        view = snapshot.of(RunView)
        if view is None:
            return
        self.query_one("#run-line", Pieces).show(_run_line(view, now))
        tasks = self.query_one("#tasks", LiveTable)
        tasks.display = bool(view.tasks)
        tasks.show(run_rows.task_rows(view.tasks, self.glyphs, now))
        agents = self.query_one("#agents", LiveTable)
        if self._wanted.agent is None:
            agents.select(view.agent)
        agents.show(run_rows.agent_rows(view.agents, self.glyphs, now))
        agent = next((a for a in view.agents if a.id == view.agent), None)
        note = run_rows.agent_note(agent, len(view.given), self.glyphs)
        self.query_one("#agent-note", Pieces).show(note)
        self._given = view.given
        self.query_one("#given", LiveTable).show(run_rows.given_rows(view.given, self.glyphs))
        self._show_given()
        self.query_one("#feed", LiveTable).show(run_rows.feed_rows(view.feed, self.glyphs))

    def _show_given(self) -> None:
        """The text of the selected insight, where there is room for it."""
        key = self.query_one("#given", LiveTable).key
        line = next((g for g in self._given if g.insight_id == key), None)
        self.query_one("#given-text", Pieces).show(run_rows.given_text(line))

    def on_selected(self, message: Selected) -> None:
        """Another agent under the cursor: its insights are wanted."""
        if message.table == "given":
            self._show_given()
        if message.table != "agents" or message.key == self._wanted.agent:
            return
        snapshot, _ = self.latest()
        view = snapshot.of(RunView) if snapshot else None
        shown = view.agent if view else None
        if self._wanted.agent is None and message.key == shown:
            return  # the feed's own choice: go on following it
        self._wanted = replace(self._wanted, agent=message.key)
        self.ask()

    def on_chosen(self, message: Chosen) -> None:
        """Open an insight; from an agent go on to what it was given."""
        if message.table == "given":
            self.post_message(InsightAsked(message.key))
        elif message.table == "agents":
            self.set_focus(self.query_one("#given"))

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Other runs are offered where there are any."""
        if action in {"older_run", "newer_run", "latest_run"}:
            snapshot, _ = self.latest()
            blocked = bool(snapshot and snapshot.problem and snapshot.problem.blocking)
            view = snapshot.of(RunView) if snapshot else None
            return bool(view and len(view.runs) > 1 and not blocked)
        return True

    def action_older_run(self) -> None:
        """The run before this one."""
        self._step(1)

    def action_newer_run(self) -> None:
        """The run after this one; from the newest one on it is followed again."""
        self._step(-1)

    def action_latest_run(self) -> None:
        """Follow the newest run."""
        self._choose("")

    def _step(self, by: int) -> None:
        snapshot, _ = self.latest()
        view = snapshot.of(RunView) if snapshot else None
        if view is None or view.run is None:
            return
        place = view.runs.index(view.run) + by
        if place >= len(view.runs):
            self.notify("That is the oldest run there is.", markup=False)
            return
        self._choose(view.runs[place].key if place > 0 else "")

    def _choose(self, key: str) -> None:
        self._wanted = RunWanted(run=key)
        for table in ("agents", "tasks", "given", "feed"):
            self.query_one(f"#{table}", LiveTable).restart()
        self.ask()
        self.redraw()


def _run_line(view: RunView, now: datetime) -> list[Cell]:
    run = view.run
    if run is None:
        return [("No run yet", "muted")]
    place = view.runs.index(run)
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
