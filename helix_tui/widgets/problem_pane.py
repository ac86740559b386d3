"""What stands in place of a view that has nothing to show: what it is, and what to do."""

from __future__ import annotations

from textual.app import ComposeResult
from textual.containers import Center, Middle, Vertical

from helix_tui.formats import literal
from helix_tui.state import Problem
from helix_tui.widgets.pieces import Pieces


class ProblemPane(Middle):
    """Calm, in words, and gone as soon as the problem is."""

    def compose(self) -> ComposeResult:
        """A title, what happened, what to do."""
        with Center(), Vertical(id="problem-box"):
            for part in ("title", "what", "todo"):
                yield Pieces(f"problem-{part}")

    def show(self, problem: Problem) -> None:
        """Say what the problem is; every word is literal."""
        for part, text in (
            ("title", problem.title),
            ("what", problem.what),
            ("todo", problem.todo),
        ):
            self.query_one(f"#problem-{part}", Pieces).show([(literal(text), "")])
