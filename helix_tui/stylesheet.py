"""The app's style sheets, each of them parsed once. May import textual.

Textual parses all of them anew for every screen that comes up, and for a theme: a screen costs what
all of Textual's widgets cost. What a rule is depends on its text and the theme's colours alone.
"""

from __future__ import annotations

from textual.css.stylesheet import Stylesheet


class SteadyStylesheet(Stylesheet):
    """Keeps what it has parsed until the theme is another one."""

    def __init__(self, *, variables: dict[str, str]) -> None:
        super().__init__(variables=variables)
        self._parsed_with = dict(variables)

    def set_variables(self, variables: dict[str, str]) -> None:
        """Take the theme's colours; other ones make everything be parsed again."""
        if variables != self._parsed_with:
            self._parsed_with = dict(variables)
            super().set_variables(variables)

    def reparse(self) -> None:
        """Take in what has been added; what was parsed already is not parsed again."""
        self.parse()
