"""What the drawn views share: a scrolling canvas of cells with roles. Knows nothing of what it
shows. May import textual, rich, `glyphs`.
"""

from __future__ import annotations

from collections.abc import Iterable
from itertools import groupby
from typing import ClassVar

from rich.segment import Segment
from rich.style import Style
from textual.geometry import Region, Size
from textual.scroll_view import ScrollView
from textual.strip import Strip

from helix_tui.glyphs import ROLES
from helix_tui.widgets.table_layout import Cell


class Canvas(ScrollView, can_focus=True):
    """Draws lines of (text, role) pieces; only those in sight."""

    COMPONENT_CLASSES: ClassVar[set[str]] = {
        "canvas--cursor",
        *(f"canvas--{role}" for role in ROLES if role),
    }

    def __init__(self, id: str) -> None:  # noqa: A002 - the name Textual gives it
        super().__init__(id=id)
        self._styles: dict[str, Style] = {"": Style()}

    def line(self, y: int, left: int, right: int) -> tuple[int, Iterable[Cell]]:
        """The pieces of one line of the drawing between two columns, and the column they begin at,
        which may lie before `left`."""
        raise NotImplementedError

    def render_line(self, y: int) -> Strip:
        """One line of the screen."""
        left, top = self.scroll_offset
        width = self.scrollable_content_region.width
        start, pieces = self.line(top + y, left, left + width)
        strip = Strip([Segment(text, self._style(role)) for text, role in pieces])
        return strip.crop_extend(left - start, left - start + width, self._style(""))

    def render_lines(self, crop: Region) -> list[Strip]:
        """The visible lines; a style is looked up once, not once a piece."""
        self._styles = {"": self.rich_style}
        return super().render_lines(crop)

    def _style(self, role: str) -> Style:
        style = self._styles.get(role)
        if style is None:
            style = self._styles[""]
            for name in role.split():
                style += self.get_component_rich_style(f"canvas--{name}", partial=True)
            self._styles[role] = style
        return style

    def resize_drawing(self, width: int, height: int) -> None:
        """How large the whole drawing is."""
        if self.virtual_size != (width, height):
            self.virtual_size = Size(width, height)

    def bring(self, x: int, y: int, width: int, height: int) -> None:
        """Scroll as little as brings a part of the drawing into sight, with a little around it."""
        room = self.scrollable_content_region
        left = _brought(self.scroll_offset.x, room.width, x, width)
        top = _brought(self.scroll_offset.y, room.height, y, height)
        self.scroll_to(left, top, animate=False, force=True, immediate=True)


def _brought(start: int, room: int, at: int, size: int) -> int:
    if at < start:
        return max(0, at - 2)
    if at + size > start + room:
        return max(0, min(at, at + size - room + 2))
    return start


def runs(cells: Iterable[tuple[str, str]]) -> Iterable[Cell]:
    """Single cells as pieces: neighbours of one role are one piece."""
    for role, part in groupby(cells, key=lambda cell: cell[1]):
        yield "".join(text for text, _ in part), role
