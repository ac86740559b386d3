"""Make foreign text safe before it is stored, shown or injected. Standard library only.

Everything that comes out of a transcript, a payload or a model passes through here once. Half a
surrogate pair cannot be written as UTF-8, and a raw escape character would drive the terminal
that shows it, so both are dealt with on entry rather than by every reader.
"""

from __future__ import annotations

import json
import re

REPLACEMENT = "\ufffd"
ELLIPSIS = "\u2026"

_SURROGATE = re.compile("[\ud800-\udfff]")
_CONTROL = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f]")
# Everything that could begin a new line or move a cursor, plus ordinary white space.
_FOLDED = re.compile("[\\s\x00-\x1f\x7f-\x9f\u2028\u2029]+")
# With a space after the bracket only where it closes right away: "a < b" is no tag.
_TAG = re.compile(r"<(?=[/!?]?[A-Za-z])([^<>]*)>?|<(\s+[/!?]?\s*[A-Za-z][\w:.-]*\s*/?)>")


def untagged(text: str) -> str:
    """`text` with other brackets around its tags: what is printed where a model reads it.

    The one rule against stored text that ends the frame it is quoted in, or opens another.
    """
    return _TAG.sub(lambda m: f"‹{m.group(1) or m.group(2) or ''}›", text)


def json_untagged(document: str) -> str:
    """The same for a JSON document, without changing what it says: `<` as its escape.

    A bare `<` stands in strings only, where `\\u003c` is the same character for every reader.
    """
    return document.replace("<", "\\u003c")


def fold(text: str) -> str:
    """Return `text` as one line: breaks, controls and runs of white space become one space.

    NUL characters vanish, halves of surrogate pairs become U+FFFD, the ends are stripped.
    """
    whole = _SURROGATE.sub(REPLACEMENT, text.replace("\0", ""))
    return _FOLDED.sub(" ", whole).strip()


def scrub(text: object, limit: int) -> str:
    """Turn any JSON value into a text that is safe to store, of at most `limit` characters.

    None is empty, a list or an object becomes its JSON. Line feeds and tabs stay; every other
    C0 or C1 control goes; halves of surrogate pairs become U+FFFD. Never raises.
    """
    if limit <= 0 or text is None:
        return ""
    plain = text if isinstance(text, str) else _as_text(text)
    return _SURROGATE.sub(REPLACEMENT, _CONTROL.sub("", plain))[:limit]


def scrub_tree(value: object, limit: int, depth: int = 8) -> object:
    """Apply `scrub` to every string of a JSON value, keys included; deeper levels become text."""
    if isinstance(value, str):
        return scrub(value, limit)
    if isinstance(value, (list, dict)) and depth <= 0:
        return scrub(value, limit)
    if isinstance(value, list):
        return [scrub_tree(item, limit, depth - 1) for item in value]
    if isinstance(value, dict):
        return {
            scrub(key, limit): scrub_tree(item, limit, depth - 1) for key, item in value.items()
        }
    return value


def shorten(text: str, limit: int) -> str:
    """Cut `text` to at most `limit` characters, at a word where one is near, with an ellipsis."""
    if len(text) <= limit:
        return text
    if limit <= 1:
        return ELLIPSIS[: max(limit, 0)]
    head = text[: limit - 1]
    space = max(head.rfind(" "), head.rfind("\n"), head.rfind("\t"))
    # A word longer than half the room is cut hard: otherwise hardly anything would be left.
    if not text[limit - 1].isspace() and space >= limit // 2:
        head = head[:space]
    return head.rstrip() + ELLIPSIS


def _as_text(value: object) -> str:
    try:
        return json.dumps(value, ensure_ascii=False, default=str)
    except (TypeError, ValueError, RecursionError):
        return ""
