"""The only source of the current time. Standard library only.

All times in the database are ISO 8601 in UTC. Databases of the earlier plugin hold naive times:
they are read as UTC. A time that cannot be read, or lies in the future, counts as now, so that
nothing is scored or pruned because of a date alone.
"""

from __future__ import annotations

import os
from datetime import datetime, timezone

from helix_core import timestamps


def now() -> datetime:
    """The current time in UTC; `HELIX_NOW` (ISO 8601) freezes it, for tests and demos."""
    frozen = os.environ.get("HELIX_NOW")
    if frozen:
        moment = parse(frozen, default=None)
        if moment is not None:
            return moment
    return datetime.now(timezone.utc)


def parse(value: object, default: datetime | None) -> datetime | None:
    """Read a stored time; `default` where it is missing or no time at all."""
    return timestamps.parse_time(value) or default


def days_since(value: object, moment: datetime) -> float | None:
    """Fractional days from a stored time to `moment`; None without a time, 0.0 for the future."""
    then = parse(value, default=None)
    if then is None:
        return None if not value else 0.0
    return max(0.0, (moment - then).total_seconds() / 86400.0)


def iso(moment: datetime) -> str:
    """The form in which every time is stored."""
    return moment.astimezone(timezone.utc).isoformat(timespec="milliseconds")
