"""From the registry to Textual bindings. May import textual's Binding and `actions`."""

from __future__ import annotations

from textual.binding import Binding, BindingType
from textual.keys import format_key

from helix_tui import actions


def for_place(where: str) -> list[BindingType]:
    """The bindings of one place, each with an id by which it can be remapped."""
    return [
        Binding(
            ",".join(action.keys),
            action.action,
            action.label,
            show=action.footer,
            priority=action.priority,
            tooltip=action.help,
            id=f"{action.where}.{action.id}",
        )
        for action in actions.of(where)
    ]


def keys(where: str, *, about: bool = False) -> frozenset[str]:
    """The keys of a place; with `about` those that are about what is selected there."""
    found = (action for action in actions.of(where) if action.about or not about)
    return frozenset(key for action in found for key in action.keys)


def shown(key: str) -> str:
    """A key as a person reads it: `question_mark` is ?."""
    return format_key(key)


def table() -> str:
    """All keys as the table of the README: one row per place."""
    rows = ["| where | keys |", "| --- | --- |"]
    for place, title in actions.PLACES.items():
        said = [
            f"`{' '.join(shown(key) for key in action.keys)}` {action.label.lower()}".replace(
                "|", "\\|"
            )
            for action in actions.of(place)
        ]
        if said:
            rows.append(f"| {title} | {', '.join(said)} |")
    return "\n".join(rows)
