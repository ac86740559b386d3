"""One key after the other, each for what it was pressed at. May import textual and the base screen.

A terminal sends keys faster than a view can read or a dialog can open. A key that is bound is
carried out before the next one is looked at. One that comes before what it is meant for waits, and
all behind it wait with it: a key about a row until that row was read, a letter until the dialog it
is typed into is there, F2 until the letters before it have arrived.
"""

from __future__ import annotations

import time
from collections import deque

from textual import events
from textual.app import App
from textual.widgets import Input, TextArea

from helix_tui.screens.base import ViewScreen

LOOK = 0.02
"""Seconds between two looks at whether a key's time has come, while one waits."""
PATIENCE = 10.0
"""Seconds a key waits; what is older was meant for something that does not come."""
LATE = "The memory did not answer in time: the last keys were not carried out."
GIVES_UP = "escape"
"""The key that lets go of those that wait; it is carried out itself."""
NEVER_WAITS = "ctrl+c"


class Keyboard(App[None]):
    """An application whose keys keep their order and their meaning."""

    def __init__(self) -> None:
        super().__init__()
        self._early: deque[events.Key] = deque()
        self._early_since = 0.0
        self._opening = False
        self.going = False
        """Whether another view is on its way with what it was asked for."""

    async def on_event(self, event: events.Event) -> None:
        """Take a key, or keep it; everything else as always."""
        leaving = not self.screen_stack
        if not isinstance(event, events.Key) or event.is_forwarded or leaving:
            await super().on_event(event)
            return
        if self._early and event.key == GIVES_UP:
            self._early.clear()
        if event.key != NEVER_WAITS and (self._early or self._too_early(event)):
            if not self._early:
                self._early_since = time.monotonic()
                self.set_timer(LOOK, self._go_on)
            self._early.append(event)
            return
        await self._take(event)

    async def _take(self, event: events.Key) -> None:
        """Carry out what is bound to a key; else it goes the way of every event."""
        self._opening = event.key == "enter"
        zoomed = self.screen.maximized is not None
        if not self._typing and not zoomed:
            for priority in (True, False):
                if await self._check_bindings(event.key, priority=priority):
                    return
        await super().on_event(event)

    async def _go_on(self) -> None:
        """Take the keys that waited, as far as their time has come."""
        if not self.screen_stack:  # leaving
            self._early.clear()
        while self._early and not self._too_early(self._early[0]):
            await self._take(self._early.popleft())
            self._early_since = time.monotonic()
        if not self._early:
            return
        if time.monotonic() - self._early_since > PATIENCE:
            self._early.clear()
            self.notify(LATE, severity="warning", markup=False)
        else:
            self.set_timer(LOOK, self._go_on)

    @property
    def _typing(self) -> bool:
        return isinstance(self.focused, (Input, TextArea))

    def _too_early(self, event: events.Key) -> bool:
        """Whether what a key is meant for is still on its way."""
        screen = self.screen
        if self.going or not screen.is_mounted or (self._opening and self._busy()):
            return True
        if self._typing:
            assert self.focused is not None
            return not event.is_printable and self.focused.message_queue_size > 0
        return isinstance(screen, ViewScreen) and screen.is_early(event.key)

    def _busy(self) -> bool:
        """Whether something was said and not heard yet, such as a row that is to be opened."""
        everything = (self, self.screen, *self.screen.query("*"))
        return any(node.message_queue_size > 0 for node in everything)
