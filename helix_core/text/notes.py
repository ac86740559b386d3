"""What an orchestrator draws from its recall (`recall_synthesis.json`), checked and masked.

Standard library and this package.
"""

from __future__ import annotations

from typing import Any

from helix_core.text import scanner
from helix_core.text.clean import fold
from helix_core.text.schema import Check

LISTS = ("constraints", "risk_areas", "exploration_targets")
MAX_OBJECTIVE = 2_000
MAX_ENTRIES = 30
MAX_ENTRY = 600
MAX_INSIGHTS = 50
MAX_NAME = 120


def read_notes(value: Any) -> dict[str, Any]:
    """The notes of the RECALL phase, safe to store; raises UsageError naming each fault's place.

    In: `{objective, constraints, risk_areas, exploration_targets, insights?}`, the last four lists
    of texts that may be empty, `insights` the names the notes rest on. Secrets are masked.
    """
    check = Check()
    if not isinstance(value, dict):
        check.fault("recall synthesis", "must be an object")
        check.done()
    check.keys("", value, ("objective", *LISTS), ("insights",))
    found: dict[str, Any] = {}
    if "objective" in value:
        found["objective"] = _safe(check.text("objective", value["objective"], MAX_OBJECTIVE))
    for key in LISTS:
        if key in value:
            entries = check.texts(key, value[key], MAX_ENTRIES, MAX_ENTRY)
            found[key] = [_safe(entry) for entry in entries]
    names = check.texts("insights", value.get("insights", []), MAX_INSIGHTS, MAX_NAME)
    found["insights"] = [_safe(name) for name in names]
    check.done()
    return found


def _safe(text: str) -> str:
    """One line without secrets; masked first, since a key may go over several lines."""
    return fold(scanner.mask(text))
