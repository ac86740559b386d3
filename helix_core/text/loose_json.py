"""Read JSON the way language models write it. Standard library only.

Models wrap objects in prose and fences, leave a comma before the closing bracket, use
typographic quotes, and break strings over lines. What is unmistakable is repaired; anything
else is reported as unreadable. All functions run in (nearly) linear time and never raise.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator

_LENIENT = json.JSONDecoder(strict=False)
_CURLY = str.maketrans("\u201c\u201d\u201e\u201f\u00ab\u00bb", '""""""')
_OBJECT = re.compile(r'\{\s*["}]')
_OPENERS = re.compile(r"[{\[]")
_STRUCTURE = re.compile(r'["{}\[\]]')
_TRAILING_COMMA = re.compile(r",(?=\s*[}\]])")
_STRING = re.compile(r'"[^"\\]*(?:\\.[^"\\]*)*"', re.DOTALL)
_ESCAPED_OBJECT = re.compile(r'[{\[]\s*\\"')
_MAX_REPAIR = 400_000
_WORK = 4_000_000


def parse_at(text: str, start: int) -> tuple[object, int] | None:
    """Read the JSON object or array that begins at `text[start]`, repaired where needed.

    Returns the value and the offset just past it, or None where nothing sensible stands there.
    """
    exact = _decode(text, start)
    if exact is not None:
        return exact
    window = text[start : start + _MAX_REPAIR]
    candidates = [window, window.translate(_CURLY)]
    if _ESCAPED_OBJECT.match(window):
        candidates.append(window.replace('\\"', '"'))
    for candidate in candidates:
        end = _extent(candidate)
        if end is None:
            continue
        whole = _decode(_without_trailing_commas(candidate[:end]), 0)
        if whole is not None:
            return whole[0], start + _length_before(window, candidate, end)
    return None


def objects(text: str) -> Iterator[dict[str, object]]:
    """Yield every outermost JSON object in `text`, in order; braces of prose are passed over."""
    position = work = 0
    while work < _WORK:
        brace = _OBJECT.search(text, position)
        if brace is None:
            return
        try:
            value, position = _LENIENT.raw_decode(text, brace.start())
        except json.JSONDecodeError as error:
            # Hostile nesting would cost the square of its length, so failed work is budgeted.
            # Every error also counts the lines before it.
            work += error.pos - brace.start() + error.pos // 20 + 200
            position = brace.start() + 1
            continue
        except (ValueError, RecursionError):
            work += 400_000
            position = brace.start() + 1
            continue
        if isinstance(value, dict):
            yield value


def first_opener(text: str, start: int, within: int) -> int | None:
    """Offset of the first `{` or `[` in the `within` characters from `start`, or None."""
    found = _OPENERS.search(text, start, min(len(text), start + within))
    return found.start() if found else None


def _decode(text: str, start: int) -> tuple[object, int] | None:
    try:
        value, end = _LENIENT.raw_decode(text, start)
    except (ValueError, RecursionError):
        return None
    return (value, end) if isinstance(value, (dict, list)) else None


def _extent(text: str) -> int | None:
    """Length of the balanced bracket expression at the start of `text`, strings respected."""
    depth = position = 0
    while (found := _STRUCTURE.search(text, position)) is not None:
        char, position = found.group(), found.end()
        if char == '"':
            string = _STRING.match(text, found.start())
            if string is None:
                return None
            position = string.end()
        elif char in "{[":
            depth += 1
        else:
            depth -= 1
            if depth <= 0:
                return position
    return None


def _without_trailing_commas(text: str) -> str:
    """Drop commas that stand before a closing bracket, outside of strings."""
    parts: list[str] = []
    last = 0
    for string in _STRING.finditer(text):
        # A comma just before this string is never trailing, so gaps can be treated one by one.
        parts += [_TRAILING_COMMA.sub("", text[last : string.start()]), string.group()]
        last = string.end()
    parts.append(_TRAILING_COMMA.sub("", text[last:]))
    return "".join(parts)


def _length_before(window: str, candidate: str, end: int) -> int:
    """Map an offset of a repaired candidate back to the original window."""
    if len(candidate) == len(window):
        return end
    # Only the un-escaped candidate is shorter: count the removed backslashes up to there.
    kept = offset = 0
    while kept < end and offset < len(window):
        offset += 2 if window.startswith('\\"', offset) else 1
        kept += 1
    return offset
