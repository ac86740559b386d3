"""The lines of an export: what each kind holds, and reading one that may be hostile.

Pure; standard library and this package. One line is one JSON object with its `kind`. A line that
does not fit costs itself only: `Unfit` says why, without repeating what it held.
"""

from __future__ import annotations

import base64
import binascii
import json
import math
from collections.abc import Callable
from typing import Any, NoReturn, get_args

from helix_core import timestamps
from helix_core.formulas import OUTCOME_VALUES
from helix_core.model import MAX_CONTENT, Source
from helix_core.text import clean, scanner

FORMAT = "helix-export"
VERSION = 1
MAX_LINE = 1_000_000
MAX_NAME = 200
MAX_TAGS = 64
Reader = Callable[[Any], Any]


class Unfit(ValueError):  # noqa: N818 - it is no fault of ours
    """A line, or a value in it, that is not taken in; its text says why."""


def decoded(data: bytes) -> list[tuple[int, str | None]]:
    """The numbered lines of a file; None for one that is not UTF-8.

    UTF-16 with its mark at the beginning is read too; empty lines are left out.
    """
    if data[:2] in (b"\xff\xfe", b"\xfe\xff"):
        data = data.decode("utf-16", "replace").encode("utf-8", "replace")
    lines = data.removeprefix(b"\xef\xbb\xbf").split(b"\n")
    return [(n, _text_of(line)) for n, line in enumerate(lines, 1) if line.strip()]


def _text_of(line: bytes) -> str | None:
    try:
        return line.decode("utf-8").rstrip("\r")
    except UnicodeDecodeError:
        return None


def read_line(line: str | None) -> dict[str, Any]:
    """One line as a record with its `kind`, every value checked. Raises Unfit."""
    if line is None:
        raise Unfit("not UTF-8")
    if len(line) > MAX_LINE:
        raise Unfit(f"longer than {MAX_LINE:,} characters")
    try:
        value = json.loads(line, parse_constant=_no_number)
    except (ValueError, RecursionError):
        raise Unfit("not JSON") from None
    if not isinstance(value, dict):
        raise Unfit("not a JSON object")
    kind = value.get("kind")
    shape = SHAPES.get(kind) if isinstance(kind, str) else None
    if shape is None:
        raise Unfit("of no known kind")
    record = {"kind": kind}
    for key, read in shape.items():
        try:
            record[key] = read(value.get(key))
        except Unfit as error:
            raise Unfit(f"{key} {error}") from None
    return record


def _no_number(name: str) -> NoReturn:
    raise ValueError(name)


def text(limit: int, *, empty: bool = False) -> Reader:
    """A text of at most `limit` characters that the scanner lets pass."""

    def read(value: Any) -> str:
        if not isinstance(value, str):
            raise Unfit("is no text")
        if len(value) > limit:
            raise Unfit(f"is longer than {limit:,} characters")
        safe = clean.scrub(value, limit).strip()
        if not safe and not empty:
            raise Unfit("is empty")
        found = scanner.scan(safe)
        if found:
            raise Unfit(f"refused ({found.category}: {found.rule})")
        return safe

    return read


def label(value: Any) -> str:
    """An identifier that nobody reads as a sentence: one short line."""
    if not isinstance(value, str) or not value or len(value) > MAX_NAME:
        raise Unfit("is no identifier")
    return clean.fold(value)


def screened(value: Any) -> str | None:
    """A text that only explains: left out where the scanner would refuse it."""
    try:
        return str(text(MAX_CONTENT)(value)) if value else None
    except Unfit:
        return None


def maybe(read: Reader) -> Reader:
    """The same, or nothing."""
    return lambda value: None if value is None else read(value)


def word(*allowed: str) -> Reader:
    """One of some words."""

    def read(value: Any) -> str:
        if not isinstance(value, str) or value not in allowed:
            raise Unfit(f"must be one of {', '.join(sorted(allowed))}")
        return value

    return read


def number(low: float, high: float) -> Reader:
    """A finite number between two bounds."""

    def read(value: Any) -> float:
        if isinstance(value, bool) or not isinstance(value, (int, float)):
            raise Unfit("is no number")
        if not low <= value <= high or not math.isfinite(value):
            raise Unfit(f"must lie between {low:g} and {high:g}")
        return float(value)

    return read


def whole(value: Any) -> int:
    """A count."""
    if isinstance(value, bool) or not isinstance(value, int) or not 0 <= value < 2**31:
        raise Unfit("is no count")
    return value


def flag(value: Any) -> bool:
    """True or false."""
    if not isinstance(value, bool):
        raise Unfit("is not true or false")
    return value


def moment(value: Any) -> str:
    """A time in ISO 8601."""
    if not isinstance(value, str) or len(value) > 40 or timestamps.parse_time(value) is None:
        raise Unfit("is no time")
    return value


def day(value: Any) -> str:
    """A date in ISO 8601."""
    return str(moment(value))[:10]


def tags(value: Any) -> list[str]:
    """A list of short texts."""
    if not isinstance(value, list) or len(value) > MAX_TAGS:
        raise Unfit("are no list of tags")
    return [str(text(80)(tag)) for tag in value]


def vector(value: Any) -> bytes:
    """Little-endian float32 in base64; every number finite."""
    import array

    try:
        data = base64.b64decode(value if isinstance(value, str) else "!", validate=True)
    except (binascii.Error, ValueError):
        raise Unfit("is no vector") from None
    if not data or len(data) % 4 or len(data) > 4 * 8192:
        raise Unfit("is no vector")
    if not all(map(math.isfinite, array.array("f", data))):
        raise Unfit("is no vector")
    return data


def encoded(blob: bytes | None) -> str | None:
    """A stored vector as `vector` reads it."""
    return base64.b64encode(blob).decode("ascii") if isinstance(blob, bytes) and blob else None


_NAME = text(MAX_NAME)
_SHARE = number(0.0, 1.0)
_LABEL = maybe(label)

SHAPES: dict[str, dict[str, Reader]] = {
    "header": {"format": word(FORMAT), "version": whole},
    "insight": {
        "name": _NAME,
        "content": text(MAX_CONTENT),
        "tags": tags,
        "effectiveness": _SHARE,
        "use_count": whole,
        "causal_hits": whole,
        "recent_uses": whole,
        "context_spread": maybe(number(0.0, 2.0)),
        "context_count": whole,
        "context_centroid": maybe(vector),
        "created_at": moment,
        "updated_at": maybe(moment),
        "last_used": maybe(moment),
        "last_feedback_at": maybe(moment),
        "decayed_on": maybe(day),
        "pinned": flag,
        "source": word(*get_args(Source)),
        "confirmations": whole,
        "row_version": whole,
    },
    "edge": {
        "source": label,
        "target": label,
        "relation": word("similar", "led_to"),
        "weight": number(0.0, 1.0),
        "created_at": moment,
    },
    "event": {
        "insight": label,
        "event": word("outcome", "hand", "synthesis", "decay", "lineage"),
        "agent_id": label,
        "session_id": _LABEL,
        "task_id": _LABEL,
        "task": screened,
        "outcome": word(*OUTCOME_VALUES, "decay"),
        "source": word("verified", "self", "contradicted", "user", "maintenance", "synthesis"),
        "similarity": maybe(number(-1.0, 1.0)),
        "weight": _SHARE,
        "causal": flag,
        "before": _SHARE,
        "after": _SHARE,
        "baseline": maybe(_SHARE),
        "message_hash": label,
        "created_at": moment,
    },
    "revision": {
        "insight": label,
        "row_version": whole,
        "content": text(MAX_CONTENT),
        "tags": tags,
        "pinned": flag,
        "effectiveness": _SHARE,
        "reason": text(MAX_NAME, empty=True),
        "actor": label,
        "created_at": moment,
    },
    "tombstone": {
        "content": text(MAX_CONTENT),
        "reason": text(MAX_NAME, empty=True),
        "created_at": moment,
    },
}
"""kind -> its keys, each with what reads it."""
