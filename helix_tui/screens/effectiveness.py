"""View 3: what the memory is worth. Every bar opens the insights behind it."""

from __future__ import annotations

from datetime import datetime
from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import BindingType
from textual.containers import Container, Vertical

from helix_tui import bindings, formats
from helix_tui.messages import Chosen, RowsAsked
from helix_tui.screens.base import ViewScreen
from helix_tui.state import Effectiveness, Histogram, Nothing, Snapshot, Wanted
from helix_tui.widgets import figure_rows
from helix_tui.widgets.bar_chart import BarChart
from helix_tui.widgets.live_table import LiveTable

CALIBRATION = "Calibration"
NO_TASK = "No task has ended with a causal insight yet."
NO_AGENT = "No agent has ended yet."


class EffectivenessScreen(ViewScreen):
    """Three charts between the loop above and two tables below."""

    VIEW = "effectiveness"
    CSS_PATH = "effectiveness.tcss"
    AUTO_FOCUS = "#by-effectiveness"
    BINDINGS: ClassVar[list[BindingType]] = bindings.for_place("effectiveness")

    _shown: Effectiveness | None = None

    def compose_view(self) -> ComposeResult:
        """The loop, the charts, the tables."""
        glyphs = self.glyphs
        with Container(id="figures"):
            with Vertical(id="measures"):
                yield LiveTable(figure_rows.LOOP_COLUMNS, id="loop", glyphs=glyphs, head=False)
                with Container(id="charts"):
                    yield BarChart("Effectiveness", id="by-effectiveness", glyphs=glyphs)
                    yield BarChart("Generality, %", id="by-generality", glyphs=glyphs)
                    yield BarChart("Velocity, 14 days", id="by-velocity", glyphs=glyphs)
            with Container(id="records"):
                yield LiveTable(
                    figure_rows.CALIBRATION_COLUMNS,
                    id="calibration",
                    glyphs=glyphs,
                    empty=NO_TASK,
                    least=0,
                )
                yield LiveTable(
                    figure_rows.OUTCOME_COLUMNS,
                    id="outcomes",
                    glyphs=glyphs,
                    empty=NO_AGENT,
                    least=10,
                )

    def on_mount(self) -> None:
        """Name the panes."""
        for pane, title in (
            ("loop", "The loop"),
            ("calibration", CALIBRATION),
            ("outcomes", "Outcomes by agent over time"),
        ):
            self.query_one(f"#{pane}").border_title = title

    def wanted(self) -> Wanted:
        """Always the same."""
        return Wanted(self.VIEW, Nothing())

    def draw(self, snapshot: Snapshot, now: datetime) -> None:
        """Fill the panes."""
        found = snapshot.of(Effectiveness)
        if found is None or found is self._shown:
            return
        self._shown = found
        rows = figure_rows.loop_rows(found.loop, found.lift, self.glyphs)
        loop = self.query_one("#loop", LiveTable)
        loop.show(rows)
        loop.styles.height = len(rows) + 1  # and its border
        self._chart("by-effectiveness", found.effectiveness)
        self._chart("by-generality", found.generality)
        self._chart("by-velocity", found.velocity)
        calibration = self.query_one("#calibration", LiveTable)
        calibration.show(figure_rows.calibration_rows(found.calibration, self.glyphs))
        error = found.loop.calibration_error
        off = f", off by {formats.percent(error)} on average" if error is not None else ""
        calibration.border_title = f"{CALIBRATION}{off}"
        outcomes = self.query_one("#outcomes", LiveTable)
        outcomes.show(figure_rows.outcome_rows(found.outcomes, self.glyphs))

    def _chart(self, name: str, histogram: Histogram) -> None:
        note = f"{histogram.unknown:,} not known yet" if histogram.unknown else ""
        self.query_one(f"#{name}", BarChart).show(figure_rows.bars(histogram), note)

    def on_chosen(self, message: Chosen) -> None:
        """Open the insights behind a row."""
        found = self._shown
        if found is None:
            return
        filters = {
            "loop": dict(enumerate(figure_rows.LOOP_FILTERS)),
            "calibration": {line.tenth: line.filter for line in found.calibration},
            "outcomes": {n: line.filter for n, line in enumerate(found.outcomes)},
        }[message.table]
        if message.key in filters:
            self.post_message(RowsAsked(filters[message.key]))
