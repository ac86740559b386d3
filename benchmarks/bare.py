"""What Textual itself costs on this machine: an application of one table and a footer.

The dashboard's figures are read beside its own; it is started by `benchmarks.tui`.
"""

from __future__ import annotations

from typing import ClassVar

from textual.app import App, ComposeResult
from textual.binding import BindingType
from textual.widgets import DataTable, Footer

ROWS, COLUMNS = 200, 8
SIGN = b"cell"
"""In every row."""


class Bare(App[None]):
    """One table."""

    BINDINGS: ClassVar[list[BindingType]] = [("j", "move(1)", "Down"), ("k", "move(-1)", "Up")]

    def compose(self) -> ComposeResult:
        """The table and the footer."""
        yield DataTable(cursor_type="row")
        yield Footer()

    def on_mount(self) -> None:
        """Fill it."""
        table = self.query_one(DataTable)
        table.add_columns(*(f"column {n}" for n in range(COLUMNS)))
        table.add_rows([f"cell {row * n}" for n in range(COLUMNS)] for row in range(ROWS))

    def action_move(self, step: int) -> None:
        """Another row."""
        table = self.query_one(DataTable)
        table.move_cursor(row=table.cursor_row + step)


if __name__ == "__main__":
    Bare().run()
