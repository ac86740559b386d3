"""The last line of every view: the keys that apply now. One widget, drawn again where they change.

Textual's own footer is a widget for each key, all of them taken down and put up again, with a new
layout of the whole screen, whenever a snapshot comes: more than everything else a key costs.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from rich.cells import cell_len
from rich.segment import Segment
from rich.style import Style
from textual import events
from textual.screen import Screen
from textual.strip import Strip
from textual.widget import Widget

GAP = 1
"""Cells between two keys."""
STEP = 8
"""Cells the wheel moves a line that is longer than the screen."""


@dataclass(frozen=True)
class Entry:
    """One key, and what it does."""

    key: str
    shown: str
    label: str
    tooltip: str
    enabled: bool

    @property
    def width(self) -> int:
        """Its cells, without the gap behind it."""
        return cell_len(self.shown) + 1 + cell_len(self.label)


class KeyLine(Widget):
    """Draws the bindings of the screen that are shown, in their order; each can be clicked."""

    ALLOW_SELECT = False
    COMPONENT_CLASSES: ClassVar[set[str]] = {
        "key-line--key",
        "key-line--label",
        "key-line--hover",
        "key-line--off",
    }

    def __init__(self) -> None:
        super().__init__(id="keys")
        self._entries: tuple[Entry, ...] = ()
        self._hover: Entry | None = None
        self._left = 0
        self._asked = False

    def on_mount(self) -> None:
        """Be told when other keys apply."""
        self.screen.bindings_updated_signal.subscribe(self, self._changed)

    def on_unmount(self) -> None:
        """Nobody is there to be told."""
        self.screen.bindings_updated_signal.unsubscribe(self)

    def _changed(self, screen: Screen[object]) -> None:
        """Look once, however often it is said until then."""
        if not self._asked and self.app.app_focus and screen is self.screen:
            self._asked = True
            self.call_after_refresh(self._look)

    def _look(self) -> None:
        self._asked = False
        if not self.is_attached:
            return
        firsts = {}  # by action: of several keys for one, the first
        for _, binding, enabled, tooltip in self.screen.active_bindings.values():
            if binding.show and binding.action not in firsts:
                firsts[binding.action] = Entry(
                    key=binding.key,
                    shown=self.app.get_key_display(binding),
                    label=binding.description,
                    tooltip=tooltip or binding.description,
                    enabled=enabled,
                )
        entries = tuple(firsts.values())
        if entries != self._entries:
            self._entries = entries
            self._scroll(0)
            self.refresh()

    # -- mouse --------------------------------------------------------------------------------

    def _at(self, x: int) -> Entry | None:
        left = -self._left
        for entry in self._entries:
            if left <= x < left + entry.width:
                return entry
            left += entry.width + GAP
        return None

    def _scroll(self, by: int) -> None:
        whole = sum(entry.width + GAP for entry in self._entries)
        left = max(0, min(self._left + by, whole - self.size.width))
        if left != self._left:
            self._left = left
            self.refresh()

    def _point(self, entry: Entry | None) -> None:
        if entry != self._hover:
            self._hover = entry
            self.tooltip = entry.tooltip if entry else None
            self.refresh()

    def on_mouse_down(self, event: events.MouseDown) -> None:
        """Press the key that is under the mouse."""
        entry = self._at(event.x)
        if entry is not None and entry.enabled:
            self.app.simulate_key(entry.key)

    def on_mouse_move(self, event: events.MouseMove) -> None:
        """Say what the key under the mouse does."""
        self._point(self._at(event.x))

    def on_leave(self) -> None:
        """The mouse is elsewhere."""
        self._point(None)

    def on_mouse_scroll_down(self) -> None:
        """Keys that are beyond the right edge."""
        self._scroll(STEP)

    def on_mouse_scroll_up(self) -> None:
        """Back to the first ones."""
        self._scroll(-STEP)

    def on_resize(self) -> None:
        """More room, or less."""
        self._scroll(0)

    # -- drawing ------------------------------------------------------------------------------

    def render_line(self, y: int) -> Strip:
        """The one line there is."""
        base = self.rich_style
        empty = Style(bgcolor=base.bgcolor)
        key, label, hover, off = (
            self.get_component_rich_style(f"key-line--{name}", partial=True)
            for name in ("key", "label", "hover", "off")
        )
        segments = []
        for entry in self._entries:
            over = base if entry.enabled else base + off
            if entry == self._hover:
                over += hover
            segments.append(Segment(entry.shown, over + key))
            segments.append(Segment(f" {entry.label}", over + label))
            segments.append(Segment(" " * GAP, empty))
        return Strip(segments).crop_extend(self._left, self._left + self.size.width, empty)
