"""What the checks share: a finding, the place they look at, and the table of checks.

Standard library only. A check is one small function from a `Place` to findings; it changes nothing
and starts nothing that stays.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal

from helix_core.paths import Project
from helix_core.settings import Settings

State = Literal["ok", "warn", "fail"]
SETUP = "run: helix setup"


@dataclass(frozen=True)
class Finding:
    """One line of the report: what was looked at, how it is, and what to do about it."""

    name: str
    state: State
    says: str
    remedy: str = ""


@dataclass(frozen=True)
class Place:
    """What is looked at: a project (None where there is none, with the reason), and this user."""

    project: Project | None
    why_none: str
    plugin: Path | None
    environ: Mapping[str, str]
    settings: Settings = field(default_factory=Settings)
    quick: bool = False
    """Leave out what takes seconds: firing hooks, asking whether a model hub answers."""
    notes: dict[str, Any] = field(default_factory=dict)
    """What one check found and a later one needs (the environment's report, the worker's)."""


Check = Callable[[Place], Iterable[Finding]]
CHECKS: list[tuple[str, Check]] = []


def check(name: str) -> Callable[[Check], Check]:
    """Register a check under the name its findings have, in the order of the report."""

    def register(function: Check) -> Check:
        CHECKS.append((name, function))
        return function

    return register


def look(place: Place) -> list[Finding]:
    """Every finding, in order. A check that fails itself is a finding too."""
    found: list[Finding] = []
    for name, function in CHECKS:
        try:
            found += function(place)
        except Exception as error:  # noqa: BLE001 - one broken check must not hide the others
            says = f"could not be looked at: {type(error).__name__}: {error}"
            found.append(Finding(name, "warn", says, "report this with the line above"))
    return found


def worst(found: Iterable[Finding]) -> State:
    """The worst state among findings."""
    states = {one.state for one in found}
    return "fail" if "fail" in states else "warn" if "warn" in states else "ok"
