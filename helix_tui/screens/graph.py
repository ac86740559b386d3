"""View 4: the insight graph, drawn; one insight of it, and what it is linked to."""

from __future__ import annotations

from datetime import datetime
from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import BindingType
from textual.containers import Container, Vertical

from helix_tui import bindings
from helix_tui.messages import Chosen, InsightAsked, Selected
from helix_tui.screens.base import ViewScreen
from helix_tui.state import GraphView, GraphWanted, Snapshot, Wanted
from helix_tui.widgets import graph_rows
from helix_tui.widgets.graph_canvas import GraphCanvas
from helix_tui.widgets.live_table import LiveTable
from helix_tui.widgets.pieces import Pieces, retitle

EMPTY = "The memory is empty: there is nothing to link yet."


class GraphScreen(ViewScreen):
    """Shows the whole graph, or the neighbourhood of one insight."""

    VIEW = "graph"
    CSS_PATH = "graph.tcss"
    AUTO_FOCUS = "#graph"
    BINDINGS: ClassVar[list[BindingType]] = bindings.for_place("graph")

    _wanted = GraphWanted()
    _view = GraphView()

    def compose_view(self) -> ComposeResult:
        """Figures above, the drawing beside the neighbours, the selected insight below."""
        yield Pieces("graph-figures")
        with Container(id="graph-panes"):
            with Vertical(id="graph-pane"):
                yield GraphCanvas(self.glyphs)
                yield Pieces("graph-empty")
                yield Pieces("graph-legend")
            with Vertical(id="graph-side"):
                yield Pieces("graph-about")
                yield LiveTable(
                    graph_rows.BESIDE_COLUMNS,
                    id="beside",
                    glyphs=self.glyphs,
                    empty="Linked to nothing.",
                )
                yield Pieces("beside-text")

    def on_mount(self) -> None:
        """Name the panes."""
        self.query_one("#graph-side").border_title = "The selected one"
        self.query_one("#beside").border_title = "Linked to"
        self.query_one("#graph-legend", Pieces).show(graph_rows.legend(self.glyphs))
        self.query_one("#graph-empty", Pieces).show([(EMPTY, "muted")])

    @property
    def canvas(self) -> GraphCanvas:
        """The drawing."""
        return self.query_one(GraphCanvas)

    def wanted(self) -> Wanted:
        """Everything, or one neighbourhood."""
        return Wanted(self.VIEW, self._wanted)

    def moment(self, snapshot: Snapshot, now: datetime) -> str:
        """No part of it depends on the time."""
        return ""

    def draw(self, snapshot: Snapshot, now: datetime) -> None:
        """Show the graph, unless it is the neighbourhood that was looked at before."""
        view = snapshot.of(GraphView)
        if view is None or view.focus != self._wanted.focus:
            return
        if view.focus is not None and not view.nodes:
            self._near(None)  # the insight is gone, and its neighbourhood with it
            return
        self._view = view
        self.query_one("#graph-figures", Pieces).show(graph_rows.figures(view, self.glyphs))
        retitle(self.query_one("#graph-pane"), graph_rows.title(view))
        for name, shown in (("#graph", bool(view.nodes)), ("#graph-empty", not view.nodes)):
            self.query_one(name).display = shown
        self.canvas.show(view)
        self._show_selected()

    def _show_selected(self) -> None:
        key = self.canvas.key
        self.query_one("#graph-about", Pieces).show(*graph_rows.about(self._view, key, self.glyphs))
        self.query_one("#beside", LiveTable).show(graph_rows.beside(self._view, key))
        self._show_beside()

    def _show_beside(self) -> None:
        """The whole text of the linked insight under the cursor, where there is room for it."""
        key = self.query_one("#beside", LiveTable).key
        self.query_one("#beside-text", Pieces).show(graph_rows.whole(self._view, key))

    def on_selected(self, message: Selected) -> None:
        """Another insight under the cursor."""
        if message.table == "graph":
            self._show_selected()
        else:
            self._show_beside()

    def on_chosen(self, message: Chosen) -> None:
        """All about an insight."""
        self.post_message(InsightAsked(message.key))

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Keys that would do nothing are not offered."""
        if action in {"neighbourhood", "next_part", "lay_out"}:
            return bool(self._view.nodes)
        if action == "everything":
            return self._wanted.focus is not None
        return True

    def action_neighbourhood(self) -> None:
        """Only what the selected insight is linked to, or everything again."""
        self._near(self.canvas.key if self._wanted.focus is None else None)

    def action_everything(self) -> None:
        """The whole graph again."""
        self._near(None)

    def _near(self, focus: int | None) -> None:
        if focus != self._wanted.focus:
            self._wanted = GraphWanted(focus)
            self.ask()
            self.refresh_bindings()

    def action_next_part(self) -> None:
        """The next component."""
        self.canvas.next_part()

    def action_lay_out(self) -> None:
        """Make the layout anew."""
        self.canvas.lay_out()
