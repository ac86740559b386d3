"""Reading cells that may hold anything: one odd cell costs its value, never the row or the view.

Each begins with what nearly every cell is: a recall reads hundreds of them.
"""

from __future__ import annotations

import json
import math
from functools import lru_cache


def text(value: object) -> str:
    """A cell as text; empty for NULL, bytes decoded as far as they go."""
    if type(value) is str and value.isascii():
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
    if value is None:
        return None
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
    if type(value) is float and 0.0 <= value <= 1.0:
        return value
    return min(1.0, max(0.0, number(value, default)))


def whole(value: object) -> int:
    """A cell as an integer of at least 0."""
    if type(value) is int:
        return value if value > 0 else 0
    return max(0, int(number(value)))


def names(value: object) -> tuple[str, ...]:
    """A cell that holds a JSON list, as texts; empty for anything else."""
    return () if value == "[]" else _names(text(value))


@lru_cache(maxsize=1024)  # memories have few sets of tags
def _names(listed: str) -> tuple[str, ...]:
    try:
        found = json.loads(listed or "[]")
    except ValueError:
        return ()
    return tuple(text(item) for item in found) if isinstance(found, list) else ()
