"""Find the lines of a message that speak to helix. Standard library and this package.

A marker is a capital word at the start of a line followed by a colon (contracts: leading spaces,
a list dash, `#`, `**` and back-ticks may stand before it). Text an agent quotes inside a code
fence is not its own word; `own_fence` tells a fence that *is* the agent's report from a quotation.
"""

from __future__ import annotations

import bisect
import re
from dataclasses import dataclass

from helix_core.text.loose_json import first_opener, parse_at

_LEAD = r"[ \t]*(?:[-*+][ \t]+)?(?P<hash>\#{1,6}[ \t]*)?(?P<open>(?:\*\*|__|`){0,3})"
_NAMES = "DELIVERED|PARTIAL|BLOCKED|PLAN_COMPLETE|PLAN_SPEC|ERROR|REMAINING|INSIGHT"
_MARKER = re.compile(
    rf"^{_LEAD}(?P<name>{_NAMES})(?P<close>(?:\*\*|__|`){{0,3}})"
    r"(?:[ \t]*(?P<colon>:)(?P<after>(?:\*\*|__|`){0,3})[ \t]*"
    r"|[ \t]+[-\u2013\u2014][ \t]+|[ \t]*$)",
    re.MULTILINE,
)
_FENCE = re.compile(
    r"^[ \t]*(?:[-*+][ \t]+)?(?P<ticks>`{3,}|~{3,})(?P<info>[^`\n]*)$", re.MULTILINE
)
_MAX_PAYLOADS = 40
_JSON_MARKERS = frozenset({"INSIGHT", "PLAN_SPEC"})
# Words that announce somebody else's text on the line above a fence.
_QUOTING = re.compile(
    r"\b(examples?|samples?|templates?|formats?|contains?|says?|prints?|printed|outputs?|reads?|"
    r"files?|logs?|shows?|quotes?|quoted|prompts?|returned|stdout|stderr)\b",
    re.IGNORECASE,
)
_OWN_INFO = frozenset({"", "text", "txt", "markdown", "md", "plain", "plaintext", "json"})


@dataclass(frozen=True)
class Fence:
    """One fenced block: `start`/`end` with the delimiters, `inner`/`stop` without them."""

    start: int
    inner: int
    stop: int
    end: int
    info: str


@dataclass(frozen=True)
class Marker:
    """One marker line: its word, and where its section begins and ends."""

    name: str
    start: int
    end: int
    fence: Fence | None
    own: bool
    """Whether the agent speaks here itself: outside of fences, or in a fence it reports in."""
    body: str
    """The section's raw text without the marker's decoration and without fence lines."""
    payload: tuple[object, int] | None = None
    """For INSIGHT and PLAN_SPEC: the JSON value after it, and the offset just past that."""


_Head = tuple["re.Match[str]", "Fence | None", bool, "tuple[object, int] | None"]


def normal_lines(text: str) -> str:
    """Use line feeds only, so that one rule for the start of a line is enough."""
    return text.replace("\r\n", "\n").replace("\r", "\n")


def fences(text: str) -> list[Fence]:
    """All closed code fences of `text`; a fence nobody closes hides nothing."""
    found: list[Fence] = []
    opened: re.Match[str] | None = None
    for line in _FENCE.finditer(text):
        if opened is None:
            opened = line
            continue
        ticks = opened["ticks"]
        # As in CommonMark, a closing line has the same character, no fewer, and no info string.
        if line["ticks"].startswith(ticks) and not line["info"].strip():
            inner = min(opened.end() + 1, line.start())
            info = opened["info"].strip().lower()
            found.append(Fence(opened.start(), inner, line.start(), line.end(), info))
            opened = None
    return found


def fence_at(spans: list[Fence], offset: int) -> Fence | None:
    """The fence whose inside covers `offset`, by bisection."""
    index = bisect.bisect_right(spans, offset, key=lambda span: span.start) - 1
    return spans[index] if index >= 0 and offset < spans[index].end else None


def markers(text: str) -> list[Marker]:
    """All marker lines of `text` in order, with line feeds normalised beforehand.

    Lines inside the JSON that follows INSIGHT or PLAN_SPEC are data, never markers.
    """
    spans = fences(text)
    heads: list[_Head] = []
    skip = attempts = 0
    own: dict[int, bool] = {}
    for match in _MARKER.finditer(text):
        if match.start() < skip or not _counts(match, text):
            continue
        payload = None
        if match["name"] in _JSON_MARKERS and attempts < _MAX_PAYLOADS:
            attempts += 1
            payload = _payload(text, match)
        if payload:
            skip = payload[1]
        fence = fence_at(spans, match.start())
        if fence and fence.start not in own:
            own[fence.start] = own_fence(text, fence)
        heads.append((match, fence, fence is None or own[fence.start], payload))
    return [_marker(text, heads, index) for index in range(len(heads))]


def own_fence(text: str, fence: Fence) -> bool:
    """Whether a fence is the agent's own report: it opens with a marker and quotes nothing."""
    if fence.info not in _OWN_INFO:
        return False
    inside = text[fence.inner : fence.stop]
    lead = len(inside) - len(inside.lstrip())
    first = _MARKER.match(inside, inside.rfind("\n", 0, lead) + 1)
    if first is None or not _counts(first, inside):
        return False
    before = text[: fence.start].rstrip().rpartition("\n")[2]
    return _QUOTING.search(before) is None


def _counts(match: re.Match[str], text: str) -> bool:
    """A marker without its colon needs a heading, bold type, or a line to itself."""
    if match["colon"]:
        return True
    ends_line = match.end() >= len(text) or text[match.end()] == "\n"
    return bool(match["hash"] or match["open"] or ends_line)


def _payload(text: str, match: re.Match[str]) -> tuple[object, int] | None:
    opener = first_opener(text, match.end(), within=200)
    if opener is None or _MARKER.search(text, match.end(), opener):
        return None
    return parse_at(text, opener)


def _marker(text: str, heads: list[_Head], index: int) -> Marker:
    match, fence, own, payload = heads[index]
    end = len(text) if fence is None else fence.stop
    for later, other, counts, _ in heads[index + 1 :]:
        # A marker quoted in some other fence does not end a section that began outside of it.
        if other is fence or counts:
            end = min(end, later.start() if other is fence or other is None else other.start)
            break
    body = _FENCE.sub("", _undecorate(text[match.end() : end], match))
    return Marker(match["name"], match.start(), end, fence, own, body, payload)


def _undecorate(body: str, match: re.Match[str]) -> str:
    """Remove the closing `**` or back-tick that belongs to the marker's own decoration."""
    opened = match["open"]
    if not opened or match["close"] or match["after"]:
        return body
    first, newline, rest = body.partition("\n")
    return first.replace(opened, "", 1) + newline + rest
