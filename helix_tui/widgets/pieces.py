"""From pieces of text with roles to textual's Content. The text is always literal."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from textual.content import Content
from textual.style import Style
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


def clickable(text: Content, action: str) -> Content:
    """The same text; a click on it does what a key does, such as `screen.close`."""
    return text.stylize(Style.from_meta({"@click": action})) if action else text


def clicks(*parts: tuple[str, str]) -> Content:
    """Hints with their actions, with commas between them, for the edge of a box."""
    return Content(", ").join([clickable(Content(text), action) for text, action in parts])


class Pieces(Static):
    """A text of pieces that draws itself again only where it changed."""

    def __init__(self, id: str) -> None:  # noqa: A002 - the name Textual gives it
        super().__init__("", id=id)
        self.auto_links = False  # what can be clicked looks as it is meant to look
        self._parts: list[list[Cell]] | None = None
        self._actions: tuple[str, ...] = ()
        self._late = False

    def show(self, *rows: Iterable[Cell], actions: Sequence[str] = ()) -> None:
        """One or more lines of pieces; `actions` are what a click on each of them does."""
        parts, actions = [list(row) for row in rows], tuple(actions)
        if (parts, actions) != (self._parts, self._actions):
            self._parts, self._actions = parts, actions
            whole = [line(row) for row in parts]
            for number, action in enumerate(actions):
                whole[number] = clickable(whole[number], action)
            self.update(Content("\n").join(whole), layout=False)
            self.clear_cached_dimensions()
            self._fit()

    def _fit(self) -> None:
        """Have the screen laid out where this needs another height; while hidden, once it shows."""
        self._late = not all(node.display for node in self.ancestors_with_self)
        if self._late:
            return
        width, height = self.content_size
        if not width or self.visual.get_height(self.styles.get_rules(), width) != height:
            self.refresh(layout=True)

    def on_show(self) -> None:
        """In sight again, perhaps with another text than before."""
        if self._late:
            self._late = False
            self.refresh(layout=True)
