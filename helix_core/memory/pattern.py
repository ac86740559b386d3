"""A failure that keeps coming back, as synthesis speaks of it. Pure, but for `clusters`."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from helix_core.memory import clusters
from helix_core.store.patterns import Failure
from helix_core.text.patterns import pattern_content


@dataclass(frozen=True)
class Pattern:
    """One recurring failure and what synthesis makes of it.

    `action`: created, reinforced, withheld (its insight was with the agents that failed) or
    refused; `reason` says why. `members` are ids of `session_log`.
    """

    action: str
    name: str | None
    summary: str
    members: tuple[int, ...]
    sessions: int
    tightness: float
    confidence: float
    reason: str = ""
    before: float | None = None
    after: float | None = None


def lesson(pattern: Pattern, members: Sequence[Failure]) -> str:
    """The text of the insight that a pattern of these failures becomes."""
    return pattern_content(pattern.summary, [failure.task for failure in members])


def of_failures(members: Sequence[Failure], points: Sequence[Sequence[float]]) -> Pattern:
    """All of these failures as one pattern, nothing decided yet; there has to be one at least."""
    one = clusters.measure(points, [failure.session for failure in members])
    return Pattern(
        action="",
        name=None,
        summary=members[one.typical].reason,
        members=tuple(sorted(failure.id for failure in members)),
        sessions=one.sessions,
        tightness=one.tightness,
        confidence=one.confidence,
    )


def evidence(pattern: Pattern) -> str:
    """What a pattern rests on, in words."""
    return (
        f"{len(pattern.members)} failures in {pattern.sessions} sessions,"
        f" tightness {pattern.tightness:.2f}, confidence {pattern.confidence:.2f}"
    )


def line(pattern: Pattern) -> str:
    """What was done with a pattern and why, as one line of the log."""
    moved = ""
    if pattern.before is not None and pattern.after is not None:
        moved = f" {pattern.before:.3f} -> {pattern.after:.3f}"
    subject = pattern.name or f"{pattern.summary[:60]!r}"
    return f"synthesis {pattern.action} {subject}{moved} ({evidence(pattern)}; {pattern.reason})"
