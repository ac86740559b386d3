"""View 1: a run with its tasks and agents, what each agent was given, and what happened."""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime
from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import BindingType
from textual.containers import Container, Vertical

from helix_core.timestamps import parse_time
from helix_tui import bindings, replay
from helix_tui.messages import Chosen, InsightAsked, Selected
from helix_tui.screens.replaying import ReplayingScreen
from helix_tui.screens.runs import Runs
from helix_tui.state import GivenLine, RunView, RunWanted, Snapshot, Wanted
from helix_tui.widgets import run_rows
from helix_tui.widgets.live_table import LiveTable
from helix_tui.widgets.pieces import Pieces, retitle
from helix_tui.widgets.plan_pane import PlanPane
from helix_tui.widgets.run_layout import Room, room_for

EMPTY = "No agent has run in this project yet; /helix in Claude Code starts some."
IN_REPLAY = frozenset({"moment", "play", "live"})
WITH_OTHERS = frozenset({"older_run", "newer_run", "latest_run", "runs"})


class RunScreen(ReplayingScreen):
    """Follows the newest run unless another one is chosen."""

    VIEW = "run"
    CSS_PATH = "run.tcss"
    AUTO_FOCUS = "#agents"
    BINDINGS: ClassVar[list[BindingType]] = bindings.for_place("run")
    about = frozenset({"enter"})

    _given: tuple[GivenLine, ...] = ()

    def compose_view(self) -> ComposeResult:
        """The plan, the agents beside what the selected one got, events below."""
        glyphs = self.glyphs
        yield Pieces("run-line")
        yield self._bar
        with Container(id="panes"):
            yield PlanPane(glyphs)
            with Container(id="upper"):
                yield LiveTable(
                    run_rows.AGENT_COLUMNS, id="agents", glyphs=glyphs, empty=EMPTY, selects=True
                )
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
            ("agents", "Agents"),
            ("right", "Given to this agent"),
            ("feed", "What happened"),
        ):
            self.query_one(f"#{pane}").border_title = title

    def on_resize(self) -> None:
        """Another size has other room for the plan."""
        self.redraw()

    @property
    def _room(self) -> Room:
        return room_for(*self.size)

    def wanted(self) -> Wanted:
        """The chosen run and agent."""
        return Wanted(self.VIEW, self._wanted)

    def moment(self, snapshot: Snapshot, now: datetime) -> str:
        """Running clocks are drawn by the second, except in a replay."""
        moment = self._bar.moment
        if moment:
            return moment
        view = snapshot.of(RunView)
        ticking = view is not None and view.run and view.run.running
        return now.isoformat(timespec="seconds") if ticking else super().moment(snapshot, now)

    def draw(self, snapshot: Snapshot, now: datetime) -> None:
        """Fill the panes from the snapshot's run, as it is or as it was."""
        view = snapshot.of(RunView)
        if view is None:
            return
        bar = self._bar
        if bar.moment:
            bar.take(view)
            view = replay.as_of(view, bar.moment, self._agent)
            now = parse_time(bar.moment) or now
        self._view = view
        if self._wanted.agent is None or bar.moment:
            self.query_one("#agents", LiveTable).select(view.agent)
        self._show_clocks(view, now)
        agent = next((a for a in view.agents if a.id == view.agent), None)
        note = run_rows.agent_note(agent, len(view.given), self.glyphs)
        self.query_one("#agent-note", Pieces).show(note)
        self._given = view.given
        self.query_one("#given", LiveTable).show(run_rows.given_rows(view.given, self.glyphs))
        retitle(self.query_one("#right"), run_rows.given_title(agent, view.given))
        self._show_given()
        self.query_one("#feed", LiveTable).show(run_rows.feed_rows(view.feed, self.glyphs))
        number = run_rows.task_of(view, view.agent)
        if number is not None:
            self.query_one(PlanPane).select(number)

    def tick(self, snapshot: Snapshot, now: datetime) -> None:
        """The clocks of what runs; nothing else depends on the time."""
        if self._bar.moment:
            self.draw(snapshot, now)
        else:
            self._show_clocks(self._view, now)

    def _show_clocks(self, view: RunView, now: datetime) -> None:
        self.query_one("#run-line", Pieces).show(run_rows.run_line(view, now))
        self.query_one(PlanPane).show(view.tasks, self._room, now)
        rows = run_rows.agent_rows(view.agents, self.glyphs, now)
        self.query_one("#agents", LiveTable).show(rows)

    def _show_given(self) -> None:
        """The text of the selected insight, where there is room for it."""
        key = self.query_one("#given", LiveTable).key
        line = next((g for g in self._given if g.insight_id == key), None)
        self.query_one("#given-text", Pieces).show(run_rows.given_text(line))

    def lacks(self, snapshot: Snapshot) -> bool:
        """Whether what the chosen agent was given is on its way."""
        view, agent = snapshot.of(RunView), self._wanted.agent
        return view is None or (agent is not None and view.agent != agent)

    # -- what is selected ---------------------------------------------------------------------

    def on_selected(self, message: Selected) -> None:
        """Another row under a cursor: its insights are wanted."""
        if message.table == "given":
            self._show_given()
        elif message.table in ("plan", "tasks"):
            if self.query_one(PlanPane).walked:
                self._task_selected(message.key)
        elif message.table == "agents" and self.query_one("#agents").has_focus:
            self._agent_selected(message.key)

    def _task_selected(self, number: int | None) -> None:
        """A task selects the newest of its agents, unless one of them is selected already."""
        if number is None or run_rows.task_of(self._view, self._view.agent) == number:
            return
        tried = [a.id for a in self._view.agents if run_rows.task_of(self._view, a.id) == number]
        if tried:
            self._agent_selected(tried[-1])
            self.query_one("#agents", LiveTable).select(tried[-1])

    def _agent_selected(self, key: int | None) -> None:
        if key == self._view.agent:
            return  # the feed's own choice: go on following it
        if self._bar.moment:
            self._agent = key
            self.redraw()
        elif key != self._wanted.agent:
            self._wanted = replace(self._wanted, agent=key)
            self.ask_soon()

    def on_chosen(self, message: Chosen) -> None:
        """Open an insight; from a task go on to its agents, from an agent to what it was given."""
        if message.table == "given":
            self.post_message(InsightAsked(message.key))
        elif message.table == "agents":
            self.set_focus(self.query_one("#given"))
        elif message.table in ("plan", "tasks"):
            self.set_focus(self.query_one("#agents"))
        elif message.table == "feed":
            self._open_event(message.key)

    def _open_event(self, key: int) -> None:
        """From something that happened to the agent or the insight it happened to."""
        event = next((e for e in self._view.feed if run_rows.event_key(e) == key), None)
        if event is None or event.about is None:
            return
        if event.kind in ("moved", "curation"):
            self.post_message(InsightAsked(event.about))
        elif any(agent.id == event.about for agent in self._view.agents):
            self.query_one("#agents", LiveTable).select(event.about)
            self._agent_selected(event.about)
            self.set_focus(self.query_one("#agents"))

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Other runs are offered where there are any, a replay's keys in a replay."""
        if not self.is_mounted or not self._bar.is_attached:
            return True
        replaying = bool(self._bar.moment)
        if action in IN_REPLAY:
            return replaying
        snapshot, _ = self.latest()
        blocked = bool(snapshot and snapshot.problem and snapshot.problem.blocking)
        view = snapshot.of(RunView) if snapshot else None
        if action in WITH_OTHERS:
            return bool(view and len(view.runs) > 1 and not blocked and not replaying)
        if action in ("replay", "report"):
            return bool(view and view.agents and not blocked and not replaying)
        if action == "as_list":
            return bool(self.query_one(PlanPane).drawing.drawing.boxes) and not blocked
        return True

    # -- which run ----------------------------------------------------------------------------

    def action_older_run(self) -> None:
        """The run before this one."""
        self._step(1)

    def action_newer_run(self) -> None:
        """The run after this one; from the newest one on it is followed again."""
        self._step(-1)

    def action_latest_run(self) -> None:
        """Follow the newest run."""
        self._choose("")

    def action_runs(self) -> None:
        """Choose one of all runs."""

        def answered(key: str | None) -> None:
            if key is not None:
                newest = self._view.runs[0].key if self._view.runs else ""
                self._choose("" if key == newest else key)

        self.app.push_screen(Runs(self.glyphs, self.latest, self._view.run), answered)

    def _step(self, by: int) -> None:
        view = self._view
        if view.run is None:
            return
        place = [run.key for run in view.runs].index(view.run.key) + by
        if place >= len(view.runs):
            self.notify("That is the oldest run there is.", markup=False)
            return
        self._choose(view.runs[place].key if place > 0 else "")

    def _choose(self, key: str) -> None:
        self._wanted = RunWanted(run=key)
        self.query_one(PlanPane).restart()
        for table in ("agents", "given", "feed"):
            self.query_one(f"#{table}", LiveTable).restart()
        self.ask()
        self.redraw()

    def action_report(self) -> None:
        """What the run's session delivered, and what the memory learned from it."""

        def closed(_: None) -> None:
            self._wanted = replace(self._wanted, report=False)
            self.ask()

        from helix_tui.screens.report import Report

        self._wanted = replace(self._wanted, report=True)
        self.ask()
        self.app.push_screen(Report(self.glyphs, self.latest), closed)

    def action_as_list(self) -> None:
        """The tasks as a list, or drawn."""
        self.query_one(PlanPane).turn()
