"""The dashboard's own themes. Blue and orange tell good from bad, so no eye has to tell red from
green; the words beside them tell it again.
"""

from __future__ import annotations

from textual.theme import Theme

DARK = Theme(
    name="helix-dark",
    primary="#6ea8fe",
    secondary="#9aa5b8",
    accent="#c9a5f7",
    success="#6ea8fe",
    warning="#e5c07b",
    error="#ff9e64",
    foreground="#d8dee9",
    background="#14171c",
    surface="#1a1e25",
    panel="#232831",
    dark=True,
    variables={"text-muted": "#9aa5b8"},  # its default, "auto", is white to what draws cells itself
)
LIGHT = Theme(
    name="helix-light",
    primary="#0b5cad",
    secondary="#5a6472",
    accent="#6f3fb0",
    success="#0b5cad",
    warning="#7a5b00",
    error="#b04a00",
    foreground="#1c2128",
    background="#f7f8fa",
    surface="#eef0f3",
    panel="#e2e6eb",
    dark=False,
    variables={"text-muted": "#5a6472"},
)
THEMES = (DARK, LIGHT)
"""The first one is the default."""

ROLE_STYLES = {
    "": "",
    "good": "$text-success",
    "bad": "$text-error bold",
    "warn": "$text-warning",
    "active": "$text-primary bold",
    "muted": "$text-muted",
    "accent": "$text-accent",
    "strong": "bold",
}
"""The roles of `glyphs.ROLES` as styles of textual's Content."""
