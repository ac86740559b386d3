"""A text that is longer than its place, and scrolls. May import textual and `bindings`."""

from __future__ import annotations

from typing import ClassVar

from textual.binding import BindingType
from textual.containers import VerticalScroll

from helix_tui import bindings


class ReadingPane(VerticalScroll, can_focus=True):
    """Scrolled by the keys of a table."""

    BINDINGS: ClassVar[list[BindingType]] = bindings.for_place("text")
