"""From pieces of text with roles to textual's Content. The text is always literal."""

from __future__ import annotations

from collections.abc import Iterable

from textual.content import Content
from textual.widget import Widget
from textual.widgets import Static

from helix_tui.themes import ROLE_STYLES
from helix_tui.widgets.table_layout import Cell


def line(parts: Iterable[Cell]) -> Content:
    """One line of pieces; no text in it is read as markup."""
    return Content.assemble(*(Content.styled(text, _style(role)) for text, role in parts))


def _style(role: str) -> str:
    return " ".join(ROLE_STYLES[name] for name in role.split())


def lines(rows: Iterable[Iterable[Cell]]) -> Content:
    """Several lines of pieces."""
    return Content("\n").join([line(parts) for parts in rows])


def retitle(widget: Widget, text: str) -> None:
    """Give a pane its title, literally; all of the pane is drawn again where it is another one."""
    title = Content(text)
    if widget.border_title != title.markup:
        widget.border_title = title


class Pieces(Static):
    """A text of pieces that draws itself again only where it changed."""

    def __init__(self, id: str) -> None:  # noqa: A002 - the name Textual gives it
        super().__init__("", id=id)
        self._parts: list[list[Cell]] | None = None

    def show(self, *rows: Iterable[Cell]) -> None:
        """One or more lines of pieces."""
        parts = [list(row) for row in rows]
        if parts != self._parts:
            self._parts = parts
            self.update(lines(parts), layout=False)
            width, height = self.content_size
            if not width or self.visual.get_height(self.styles.get_rules(), width) != height:
                self.refresh(layout=True)  # lays out all of the screen
