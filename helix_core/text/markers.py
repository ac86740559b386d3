"""Read one final message: how it ended, what it taught, what it hands over.

Standard library and this package. This is the module to import; the parts live in `lessons`
(insights), `handoff` (plans, findings) and `blocks` (where a marker counts at all).
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Literal

from helix_core.text.blocks import Marker, markers, normal_lines
from helix_core.text.clean import fold, shorten
from helix_core.text.credentials import mask
from helix_core.text.handoff import read_findings, read_plan
from helix_core.text.lessons import RawInsight, clean_tags, derive_content, read_insights, specific

__all__ = [
    "Outcome",
    "OutcomeKind",
    "RawInsight",
    "clean_tags",
    "derive_content",
    "read_findings",
    "read_insights",
    "read_outcome",
    "read_plan",
    "specific",
]

OutcomeKind = Literal["delivered", "partial", "blocked", "plan_complete", "unknown"]

SUMMARY_LIMIT = 1_000

_BUILDER: dict[str, OutcomeKind] = {
    "DELIVERED": "delivered",
    "PARTIAL": "partial",
    "BLOCKED": "blocked",
}
_PLANNER: dict[str, OutcomeKind] = {
    "PLAN_COMPLETE": "plan_complete",
    "ERROR": "blocked",
    "BLOCKED": "blocked",
}
_INLINE_REMAINING = re.compile(r"(?:^|\s)\W{0,2}REMAINING\W{0,2}:\W{0,2}\s*")


@dataclass(frozen=True)
class Outcome:
    """How an agent says its run ended; `remaining` is filled for a partial one."""

    kind: OutcomeKind
    summary: str
    remaining: str = ""


def read_outcome(message: str, agent_type: str) -> Outcome:
    """Read the last outcome marker of a final message (contracts, "What agents write").

    Planners end with PLAN_COMPLETE or ERROR, explorers have no marker, everybody else is read as
    a builder. Without a marker the kind is `unknown` and the summary is the message itself.
    Summaries are one line of at most 1,000 characters, with secrets masked. Never raises.
    """
    text = mask(normal_lines(message))
    words = _vocabulary(agent_type)
    found = markers(text)
    last = _last_outcome(text, found, words)
    if last is None:
        return Outcome("unknown", _line(text))
    kind = words[last.name]
    if kind != "partial":
        return Outcome(kind, _line(last.body))
    rest = [item for item in found if item.name == "REMAINING" and item.own]
    if rest:
        return Outcome(kind, _line(last.body), _line(rest[-1].body))
    done, *left = _INLINE_REMAINING.split(last.body, maxsplit=1)
    return Outcome(kind, _line(done), _line(left[0]) if left else "")


def _vocabulary(agent_type: str) -> dict[str, OutcomeKind]:
    name = agent_type.rpartition(":")[2]
    if "planner" in name:
        return _PLANNER
    return {} if "explorer" in name else _BUILDER


def _last_outcome(text: str, found: list[Marker], words: dict[str, OutcomeKind]) -> Marker | None:
    """The last marker outside of fences; else one in a fence that closes the message."""
    candidates = [item for item in found if item.name in words]
    open_ones = [item for item in candidates if item.fence is None]
    if open_ones:
        return open_ones[-1]
    for item in reversed(candidates):
        if item.own and _closes(text, found, item):
            return item
    return None


def _closes(text: str, found: list[Marker], item: Marker) -> bool:
    """Whether nothing but further markers follows the fence: prose after it makes it a quote."""
    if item.fence is None:
        return True
    tail = text[item.fence.end :]
    if not tail.strip():
        return True
    first = item.fence.end + len(tail) - len(tail.lstrip())
    return any(
        first <= (other.fence.start if other.fence else other.start)
        and not text[first : other.fence.start if other.fence else other.start].strip()
        for other in found
        if other.own
    )


def _line(text: str) -> str:
    return shorten(fold(text), SUMMARY_LIMIT)
