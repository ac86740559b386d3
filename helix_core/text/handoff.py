"""What planners and explorers hand over: the plan's tasks and the findings.

Standard library and this package. The shape is read here, and secrets are masked before a text
is cut; whether a plan makes sense (cycles, unknown blockers) is the task graph's business.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from helix_core.text.blocks import markers, normal_lines
from helix_core.text.clean import fold, scrub, scrub_tree
from helix_core.text.credentials import mask_tree
from helix_core.text.loose_json import objects, parse_at

_TEXT_LIMIT = 4_000
_FILE_LIMIT = 500
_MAX_FINDINGS = 500
_MAX_REPAIRS = 20
_OBJECT = re.compile(r'\{\s*\\?["\u201c\u201d\u201e]')


def read_plan(message: str) -> tuple[list[dict[str, Any]] | None, str]:
    """Read the task array after PLAN_SPEC; the last readable one wins.

    Returns the entries as written (strings made safe) and an empty reason, or None and one line
    that says what is wrong. An entry that is no object makes the whole plan unreadable: a plan
    with a hole would let its dependents run too early.
    """
    reason = "no PLAN_SPEC in the message"
    plan: list[dict[str, Any]] | None = None
    for marker in markers(normal_lines(message)):
        if marker.name != "PLAN_SPEC" or not marker.own:
            continue
        if marker.payload is None:
            reason = "the text after PLAN_SPEC is no readable JSON array"
            continue
        entries = _entries(marker.payload[0])
        if entries is None:
            reason = "PLAN_SPEC is no array of task objects"
        else:
            plan = entries
    return (plan, "") if plan is not None else (None, reason)


def read_findings(message: str) -> dict[str, Any] | None:
    """Read an explorer's JSON object, fenced or bare: `scope, focus, status, findings`.

    Of several objects the last one that has findings counts. Findings for the same file are
    merged into one, in the order of first mention. None where there is no such object.
    """
    empty: dict[str, Any] | None = None
    full: dict[str, Any] | None = None
    for candidate in _candidates(normal_lines(message)):
        candidate = mask_tree(candidate)
        findings = _findings(candidate["findings"])
        report = {key: scrub(candidate.get(key), _TEXT_LIMIT) for key in ("scope", "focus")}
        report["status"] = fold(scrub(candidate.get("status"), 100))
        result: dict[str, Any] = {**report, "findings": findings}
        if findings:
            full = result
        else:
            empty = result
    return full or empty


def _entries(value: object) -> list[dict[str, Any]] | None:
    """The task objects of a plan; some models wrap the array in an object with one list."""
    if isinstance(value, dict):
        lists = [item for item in value.values() if isinstance(item, list)]
        value = lists[0] if len(lists) == 1 else None
    if not isinstance(value, list):
        return None
    safe = [scrub_tree(mask_tree(item), _TEXT_LIMIT) for item in value]
    return safe if all(isinstance(item, dict) for item in safe) else None  # type: ignore[return-value]


def _candidates(text: str) -> Iterator[dict[str, Any]]:
    """Objects with a `findings` key, outermost or wrapped; repaired ones only if none is exact."""
    exact = [inner for outer in objects(text) for inner in _holders(outer, depth=4)]
    if exact:
        yield from exact
        return
    position = 0
    for _ in range(_MAX_REPAIRS):
        brace = _OBJECT.search(text, position)
        if brace is None:
            return
        repaired = parse_at(text, brace.start())
        if repaired:
            yield from _holders(repaired[0], depth=4)
        position = repaired[1] if repaired else brace.end()


def _holders(value: object, depth: int) -> Iterator[dict[str, Any]]:
    if depth <= 0:
        return
    if isinstance(value, dict):
        if isinstance(value.get("findings"), (list, dict)):
            yield value
            return
        for item in value.values():
            yield from _holders(item, depth - 1)
    elif isinstance(value, list):
        for item in value:
            yield from _holders(item, depth - 1)


def _findings(value: object) -> list[dict[str, str]]:
    """Clean, merge by file and bound a list of findings (or a `{file: what}` object)."""
    if isinstance(value, dict):
        value = [{"file": key, "what": item} for key, item in value.items()]
    merged: dict[str, list[str]] = {}
    for item in value if isinstance(value, list) else []:
        entry = item if isinstance(item, dict) else {"what": item}
        path = fold(scrub(entry.get("file"), _FILE_LIMIT))
        what = scrub(entry.get("what"), _TEXT_LIMIT).strip()
        if not path and not what:
            continue
        notes = merged.setdefault(path, [])
        if what and what not in notes:
            notes.append(what)
    files = list(merged.items())[:_MAX_FINDINGS]
    return [{"file": path, "what": "; ".join(notes)} for path, notes in files]
