"""Lessons in an agent's final message: INSIGHT objects, and the lesson of a failure.

Standard library, `helix_core.model` and this package. Nothing here decides whether a lesson is
kept: screening, size limits and duplicates are the store's.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from helix_core.model import USER_TAGS
from helix_core.text.blocks import Marker, markers, normal_lines
from helix_core.text.clean import fold, scrub, shorten
from helix_core.text.loose_json import parse_at

MAX_INSIGHTS = 3
MAX_TAGS = 8
MAX_TAG_LENGTH = 40
MIN_REASON = 20
# Far above what the store accepts: it must see an oversized text to refuse it with a reason.
_CONTENT_LIMIT = 20_000
_TASK_LIMIT = 160
_REASON_LIMIT = 600

_WORD = re.compile(r"[^\W\d_]+")
# A reason made of these words alone names no cause that anybody could act on.
_EMPTY_TEXT = """
a after agent an and any at be because been before by cancelled command complete completed could
deadline detail details did due during encountered error errors exceeded exception expired fail
failed failure finish finished for from generic given happened has have i in internal is issue it
its limit m min mins minute minutes ms more my no not occurred of on operation or out reached
reason request run s sec secs second seconds server so some something task than the there this
time timed timeout to tried try trying unable unclear undetermined unexpected unhandled unknown
unspecified was we went were while with wrong
"""
_EMPTY_WORDS = frozenset(_EMPTY_TEXT.split())


@dataclass(frozen=True)
class RawInsight:
    """One INSIGHT object of an agent: safe text and cleaned tags, nothing judged yet."""

    content: str
    tags: tuple[str, ...]


def read_insights(message: str) -> tuple[list[RawInsight], list[str]]:
    """Read up to three INSIGHT objects from one final message.

    Returns the insights in order and, for each object refused, one line that says why. A marker
    quoted in a code fence is not the agent's own and is passed over without a word. Never raises.
    """
    text = normal_lines(message)
    found: list[RawInsight] = []
    refused: list[str] = []
    for marker in markers(text):
        if marker.name != "INSIGHT" or not marker.own:
            continue
        for value in _values(text, marker):
            insight = _insight(value)
            if isinstance(insight, str):
                refused.append(insight)
            elif insight in found:
                continue
            elif len(found) >= MAX_INSIGHTS:
                refused.append(f"more than {MAX_INSIGHTS} insights in one message")
            else:
                found.append(insight)
    return found, refused


def clean_tags(value: object) -> tuple[str, ...]:
    """Clean what an agent gave as tags: a list of strings, or one string with commas.

    Lower case, one line, at most 40 characters and 8 of them, no repeats; what is not text is
    dropped, and so are the tags that only a person may give (`user-provided`, ...).
    """
    if isinstance(value, str):
        items: list[object] = [*re.split(r"[,;\n]", value)]
    elif isinstance(value, list):
        items = value
    else:
        return ()
    tags: list[str] = []
    for item in items:
        if not isinstance(item, str):
            continue
        tag = fold(item).lower().lstrip("#").strip("\"'` ")
        reserved = re.sub(r"[\s_]+", "-", tag) in USER_TAGS
        if tag and not reserved and len(tag) <= MAX_TAG_LENGTH and tag not in tags:
            tags.append(tag)
    return tuple(tags[:MAX_TAGS])


def derive_content(task: str, outcome_kind: str, reason: str) -> str | None:
    """Turn the reason of a BLOCKED or PARTIAL outcome into a lesson (spec, decision 14).

    `task` is the run's own TASK line and `reason` what blocked it (or what remains). Returns one
    line, "When ..., be aware that ... can block progress.", or None where the outcome is another
    one, the task is unnamed, or the reason is too short or too vague to help anybody.
    """
    subject = quotable(task, _TASK_LIMIT)
    cause = quotable(reason, _REASON_LIMIT)
    if outcome_kind not in ("blocked", "partial") or not subject or not specific(reason):
        return None
    return f'When working on "{subject}", be aware that "{cause}" can block progress.'


def specific(reason: str) -> bool:
    """Whether a reason names a cause: 20 characters or more, and not a bare timeout or error."""
    line = fold(reason)
    if len(line) < MIN_REASON:
        return False
    return any(word.lower() not in _EMPTY_WORDS for word in _WORD.findall(line))


def _values(text: str, marker: Marker) -> list[object]:
    """The JSON values of one INSIGHT section; some models put several behind one marker."""
    if marker.payload is None:
        return [None]
    value, end = marker.payload
    values: list[object] = [*value] or [None] if isinstance(value, list) else [value]
    while len(values) <= MAX_INSIGHTS:
        gap = re.compile(r"[\s,]*(?=\{)").match(text, end, max(end, marker.end))
        following = parse_at(text, gap.end()) if gap else None
        if following is None:
            break
        values.append(following[0])
        end = following[1]
    return values


def _insight(value: object) -> RawInsight | str:
    """A cleaned insight, or why the object was refused."""
    if not isinstance(value, dict):
        return "no readable JSON object after INSIGHT"
    content = value.get("content")
    if not isinstance(content, str):
        return f"content is {_kind(content)}, not text"
    safe = scrub(content, _CONTENT_LIMIT).strip()
    if not safe:
        return "content is empty"
    return RawInsight(safe, clean_tags(value.get("tags")))


def _kind(value: object) -> str:
    names = {list: "a list", dict: "an object", bool: "true or false", type(None): "missing"}
    return names.get(type(value), "a number")


def quotable(text: str, limit: int) -> str:
    """`text` as one line that can stand between double quotes, without its final full stop."""
    line = fold(text).translate(str.maketrans('"\u201c\u201d', "'''"))
    return shorten(line, limit).rstrip(" .;,:!")
