"""Reading stored timestamps, whoever wrote them. Standard library only, no clock."""

from __future__ import annotations

import re
from datetime import datetime, timedelta, timezone
from functools import lru_cache

_TIMESTAMP = re.compile(
    r"(\d{4})-(\d\d)-(\d\d)"
    r"(?:[T ](\d\d):(\d\d)(?::(\d\d)(?:[.,](\d{1,9}))?)?)?"
    r"\s*(Z|[+-]\d\d:?\d\d)?",
    re.IGNORECASE | re.ASCII,
)


def parse_time(value: object) -> datetime | None:
    """An aware UTC datetime, or None where `value` is none. Naive times are taken as UTC.

    Takes a datetime or ISO 8601 text with `T` or a space, any fraction of a second, `Z` or an
    offset: more than the parser of Python 3.10 reads. Never raises.
    """
    if isinstance(value, str):
        return _read(value)
    if not isinstance(value, datetime):
        return None
    return _in_utc(value if value.tzinfo else value.replace(tzinfo=timezone.utc))


@lru_cache(maxsize=8192)
def _read(text: str) -> datetime | None:
    """The time of a text. A recall reads the times of the same rows over and over."""
    match = _TIMESTAMP.fullmatch(text.strip())
    try:
        return _in_utc(_build(*match.groups())) if match else None
    except ValueError:
        return None


def _in_utc(moment: datetime) -> datetime | None:
    try:
        return moment.astimezone(timezone.utc)
    except (ValueError, OverflowError):
        return None


def _build(
    year: str,
    month: str,
    day: str,
    hour: str | None,
    minute: str | None,
    second: str | None,
    fraction: str | None,
    zone: str | None,
) -> datetime:
    """The datetime of one match; ValueError for a 30th of February."""
    return datetime(
        int(year),
        int(month),
        int(day),
        int(hour or 0),
        int(minute or 0),
        int(second or 0),
        int((fraction or "").ljust(6, "0")[:6]),
        tzinfo=_zone(zone),
    )


def _zone(text: str | None) -> timezone:
    if text is None or text in "Zz":
        return timezone.utc
    offset = timedelta(hours=int(text[1:3]), minutes=int(text[-2:]))
    return timezone(-offset if text[0] == "-" else offset)
