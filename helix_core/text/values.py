"""Single values inside prompt fields: ids, lists of names and files, bare codes.

Standard library and this package.
"""

from __future__ import annotations

import json
import re

from helix_core.text import credentials
from helix_core.text.clean import fold

_MAX_ITEMS = 100
_MAX_ITEM = 300
_NO_ID = frozenset({"", "-", "none", "null", "n/a", "na", "tbd", "?"})
_BULLET = re.compile(r"^[ \t]*(?:[-*+\u2022]|\d{1,3}[.)])[ \t]+")
_TICKED = re.compile(r"`([^`\n]+)`")
# What follows a path in a list: a comment after a dash, a colon or in brackets.
_COMMENT = re.compile(r"\s+[-\u2013\u2014(#].*$|:\s.*$")
_FENCE_LINE = re.compile(r"^[ \t]*(?:`{3,}|~{3,})[^`\n]*$", re.MULTILINE)
_PLAIN_WORD = re.compile(r"[^\W\d_]{2,}")


def task_id(value: str) -> str | None:
    """The id in the text after `TASK_ID:` on its own line, or None where there is none.

    A secret in its place is masked, the same way wherever the id stands.
    """
    words = credentials.label(value).split()
    token = words[0].strip("\"'`*[]()<>,;#") if words else ""
    return None if token.lower() in _NO_ID else token[:64]


def task_key(seq: str) -> str:
    """A task's number as it is compared: 3, 03, 3.0 and " 3" are one task; 3.1 is another."""
    bare = seq.strip()
    whole, _, rest = bare.partition(".")
    if not (whole.isascii() and whole.isdigit()) or rest.strip("0"):
        return bare
    return whole.lstrip("0") or "0"


def first_paragraph(text: str) -> str:
    """The text up to its first blank line, without code fence lines around it."""
    return re.split(r"\n[ \t]*\n", _FENCE_LINE.sub("", text).strip(), maxsplit=1)[0].strip()


def name_list(value: str) -> tuple[str, ...]:
    """The names of an INJECTED line: a JSON list, or names with commas between. No repeats."""
    text = value.strip()
    if text.startswith("["):
        try:
            found, _ = json.JSONDecoder().raw_decode(text)
        except (ValueError, RecursionError):
            found = text.partition("\n")[0].partition("]")[0].lstrip("[").split(",")
    else:
        found = text.partition("\n")[0].split(",")
    names = (fold(item).strip("\"'`[] ") for item in found if isinstance(item, str))
    return tuple(dict.fromkeys(name[:_MAX_ITEM] for name in names if name))[:_MAX_ITEMS]


def path_list(value: str) -> tuple[str, ...]:
    """The paths of a RELEVANT_FILES field: JSON, commas, or one a line. Comments are dropped."""
    text = first_paragraph(value)
    if text.startswith("["):
        return _real(name_list(text))
    found: list[str] = []
    for line in text.split("\n"):
        item = _BULLET.sub("", line, count=1)
        for part in item.split(","):
            ticked = _TICKED.findall(part)
            found += ticked or [_COMMENT.sub("", part)]
    return _real(tuple(fold(path).strip("\"'` ")[:_MAX_ITEM] for path in found))


def bare(text: str) -> bool:
    """Whether `text` is nothing but codes, identifiers or file names (or nothing at all).

    A plain word is letters only, not all capitals and not camelCase; a script without case
    counts as plain.
    """
    return not any(_plain(token.strip("\"'`()[]{},.;:!?*")) for token in text.split())


def _plain(token: str) -> bool:
    if not all(_PLAIN_WORD.fullmatch(part) for part in token.split("'")[:1]):
        return False
    return not (token.isupper() or any(char.isupper() for char in token[1:]))


def _real(paths: tuple[str, ...]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(path for path in paths if path.lower() not in _NO_ID))[:_MAX_ITEMS]
