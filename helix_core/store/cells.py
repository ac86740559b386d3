"""Reading cells that may hold anything: one odd cell costs its value, never the row or the view."""

from __future__ import annotations

import json
import math


def text(value: object) -> str:
    """A cell as text; empty for NULL, bytes decoded as far as they go."""
    if isinstance(value, str) and value.isascii():  # nearly every cell: a recall reads hundreds
        return value
    if value is None:
        return ""
    if isinstance(value, bytes):
        return value.decode("utf-8", "replace")
    return str(value).encode("utf-8", "replace").decode("utf-8")


def number(value: object, default: float = 0.0) -> float:
    """A cell as a finite number; `default` for anything else."""
    found = maybe(value)
    return default if found is None else found


def maybe(value: object) -> float | None:
    """A cell as a finite number, or None."""
    if type(value) is float and math.isfinite(value):
        return value
    if not isinstance(value, (int, float, str)):
        return None
    try:
        found = float(value)
    except ValueError:
        return None
    return found if math.isfinite(found) else None


def share(value: object, default: float = 0.5) -> float:
    """A cell as a number in [0, 1]."""
    return min(1.0, max(0.0, number(value, default)))


def whole(value: object) -> int:
    """A cell as an integer of at least 0."""
    if type(value) is int:
        return max(0, value)
    return max(0, int(number(value)))


def names(value: object) -> tuple[str, ...]:
    """A cell that holds a JSON list, as texts; empty for anything else."""
    if value == "[]":
        return ()
    try:
        found = json.loads(text(value) or "[]")
    except ValueError:
        return ()
    return tuple(text(item) for item in found) if isinstance(found, list) else ()
