"""Records of a transcript file, as many as can be saved. Standard library only.

A transcript is one JSON object a line, written by several threads of a program that may be
killed at any time. So lines are torn, joined, or spliced into one another, and blocks of NUL
bytes appear after a crash. What parses is used; nothing here raises on bad content.
"""

from __future__ import annotations

import json
import re
import stat
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

Record = dict[str, Any]

_DECODER = json.JSONDecoder(strict=False)
_BOM = "\ufeff"
# Where, inside a broken line, another record may begin: its first key is one of these.
_START = re.compile(
    r'\{\s*"(?:type|parentUuid|sessionId|isSidechain|agentId|uuid|timestamp|message|requestId)"\s*:'
)
_FIRST_KEY = b'{"parentUuid"'
_MARKS = ("parentUuid", "sessionId", "uuid", "timestamp", "agentId")
_MAX_FAILURES = 64


def read_tail(path: Path, size: int) -> tuple[bytes, bool]:
    """The last `size` bytes of a regular file, and whether that is all of it.

    What is missing, unreadable or no regular file (a pipe would block) reads as empty.
    """
    return _read(path, size, from_end=True)


def read_head(path: Path, size: int) -> tuple[bytes, bool]:
    """The first `size` bytes of a regular file, and whether that is all of it."""
    return _read(path, size, from_end=False)


def lines_of(data: bytes, *, drop_first: bool = False, drop_last: bool = False) -> list[bytes]:
    """Split on line feeds only (U+2028 is legal inside JSON); NUL bytes are dropped.

    `drop_first` / `drop_last` leave out the line that a window's edge cut through.
    """
    lines = data.replace(b"\0", b"").split(b"\n")
    if drop_first:
        lines = lines[1:]
    if drop_last:
        lines = lines[:-1]
    return lines


def records(lines: Iterable[bytes], needles: tuple[bytes, ...] = ()) -> Iterator[Record]:
    """Yield the records of `lines` in order, recovered where the lines are damaged.

    With `needles`, whole-looking lines that contain none of them are passed over unread, which
    makes megabytes of other records cheap. Two records on one line give both; a record spliced
    into another gives the inner one, then the outer one once its rest has been seen.
    """
    torn = ""
    for raw in lines:
        line = raw.strip()
        if not line:
            continue
        # With another record's beginning inside, a line only looks whole: it is a splice.
        whole = line[:1] == b"{" and line[-1:] == b"}" and line.find(_FIRST_KEY, 1) < 0
        if whole and needles and not any(needle in line for needle in needles):
            continue
        text = line.decode("utf-8", "replace").lstrip(_BOM)
        try:
            value = json.loads(text)
        except (ValueError, RecursionError):
            found, rest = _salvage(text)
            yield from found
            mended = _mend("", rest) if found else None
            mended = mended or _mend(torn, text) or _mend(torn, rest)
            if mended:
                yield mended
            torn = "" if mended else rest if rest.startswith("{") else torn
            continue
        if isinstance(value, dict):
            yield value


def _read(path: Path, size: int, *, from_end: bool) -> tuple[bytes, bool]:
    try:
        status = path.stat()
        if not stat.S_ISREG(status.st_mode):
            return b"", True
        with path.open("rb") as stream:
            start = max(0, status.st_size - size) if from_end else 0
            stream.seek(start)
            data = stream.read(size)
    except (OSError, ValueError):  # ValueError: NUL or half a surrogate pair in the path
        return b"", True
    return data, start == 0 and len(data) >= status.st_size


def _salvage(text: str) -> tuple[list[Record], str]:
    """The records inside a line that is no JSON as a whole, and the text left around them."""
    found: list[Record] = []
    rest: list[str] = []
    position = failures = 0
    while failures < _MAX_FAILURES:
        start = _START.search(text, position)
        if start is None:
            break
        rest.append(text[position : start.start()])
        position = start.start()
        try:
            value, end = _DECODER.raw_decode(text, position)
        except (ValueError, RecursionError):
            # The torn record itself, or an object that its tear runs through: look inside.
            failures += 1
            end = position + 1
            value = None
        if isinstance(value, dict) and _is_record(value, text, position):
            found.append(value)
        else:
            rest.append(text[position:end])
        position = end
    rest.append(text[position:])
    return found, "".join(rest).strip()


def _is_record(value: Record, text: str, start: int) -> bool:
    """Tell a record of its own from an object nested in a torn one.

    A record names itself by an id or a time; without one it must not stand where a JSON value
    would, since a torn progress record may carry another agent's message inside.
    """
    if not isinstance(value.get("type"), str):
        return False
    if "sessionId" in value or "parentUuid" in value:
        return True
    before = text[:start].rstrip()[-1:]
    return before not in (":", ",", "[") or (before != ":" and any(k in value for k in _MARKS))


def _mend(torn: str, rest: str) -> Record | None:
    """The record whose two halves were parted by another one."""
    try:
        value = json.loads(torn + rest)
    except (ValueError, RecursionError):
        return None
    return value if isinstance(value, dict) else None
