"""Checking JSON that an orchestrator hands in: every fault is named by its place.

Standard library and this package. A `Check` gathers the faults of one document, so that whoever
wrote it can mend all of them at once; values that are out are replaced by empty ones.
"""

from __future__ import annotations

import json
from collections.abc import Collection
from typing import Any

from helix_core.errors import UsageError
from helix_core.text.clean import scrub

FAULTS_SHOWN = 6


class Check:
    """The faults found in one document, in the order of its places."""

    def __init__(self) -> None:
        self.faults: list[str] = []

    def fault(self, place: str, what: str) -> None:
        """Note one fault."""
        self.faults.append(f"{place}: {what}")

    def done(self) -> None:
        """Raise UsageError with the faults, one line, where there are any."""
        if self.faults:
            more = len(self.faults) - FAULTS_SHOWN
            rest = f"; and {more} more" if more > 0 else ""
            raise UsageError("; ".join(self.faults[:FAULTS_SHOWN]) + rest)

    def keys(
        self, place: str, value: dict[str, Any], needed: Collection[str], other: Collection[str]
    ) -> None:
        """An object has all the keys it needs, and none that nobody knows."""
        prefix = f"{place}." if place else ""
        for key in needed:
            if key not in value:
                self.fault(f"{prefix}{key}", "missing")
        for key in value:
            if key not in needed and key not in other:
                known = ", ".join((*needed, *other))
                self.fault(f"{prefix}{scrub(key, 40)}", f"unknown; known: {known}")

    def text(self, place: str, value: object, limit: int, *, empty: bool = False) -> str:
        """A text of at most `limit` characters, safe to store."""
        if not isinstance(value, str):
            self.fault(place, f"must be a text, not {_kind(value)}")
            return ""
        found = scrub(value, len(value)).strip()
        if not found and not empty:
            self.fault(place, "must not be empty")
        if len(found) > limit:
            self.fault(place, f"has {len(found):,} characters, at most {limit:,} are allowed")
        return found

    def texts(self, place: str, value: object, count: int, limit: int) -> list[str]:
        """A list of at most `count` texts of at most `limit` characters each."""
        if not isinstance(value, list):
            self.fault(place, f"must be a list of texts, not {_kind(value)}")
            return []
        if len(value) > count:
            self.fault(place, f"has {len(value)} entries, at most {count} are allowed")
        return [self.text(f"{place}[{n}]", item, limit) for n, item in enumerate(value[:count])]


def read_json(text: str, what: str) -> Any:
    """Parse a document; raises UsageError that names `what` and where it breaks."""
    if not text.strip():
        raise UsageError(f"{what}: empty, JSON is expected")
    try:
        return json.loads(text.lstrip("\ufeff"), parse_constant=_no_number)
    except RecursionError:
        raise UsageError(f"{what}: nested too deeply") from None
    except ValueError as error:
        raise UsageError(f"{what}: no valid JSON: {error}") from None


def _no_number(name: str) -> Any:
    raise ValueError(f"{name} is no number")


def _kind(value: object) -> str:
    kinds = {type(None): "null", bool: "true or false", dict: "an object", list: "a list",
             str: "a text"}  # fmt: skip
    return kinds.get(type(value), "a number")
