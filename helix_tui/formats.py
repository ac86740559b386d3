"""Numbers, times and foreign text as short strings of a known width. Pure: no Textual, no clock.

Widths are terminal cells as rich measures them, because that is what draws them.
"""

from __future__ import annotations

import re
from datetime import datetime

from rich.cells import cell_len, set_cell_size

from helix_core.text import wording
from helix_core.timestamps import parse_time

ELLIPSIS = "…"
_SURROGATE = re.compile("[\ud800-\udfff]")
# Direction overrides and isolates could reorder the cells of a whole row.
_BIDI = re.compile("[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]")
_CONTROL = re.compile("[\x00-\x1f\x7f-\x9f\u2028\u2029]")


def literal(text: str, *, lines: bool = False) -> str:
    """Foreign text as it may be shown: controls as symbols (ESC is `␛`), halves replaced.

    With `lines` line feeds stay and tabs become spaces; without, both become one space.
    """
    whole = _BIDI.sub("\ufffd", _SURROGATE.sub("\ufffd", text))
    whole = whole.replace("\r\n", "\n").replace("\t", "    " if lines else " ")
    if not lines:
        whole = whole.replace("\n", " ")
    return _CONTROL.sub(_symbol, whole)


def _symbol(match: re.Match[str]) -> str:
    code = ord(match[0])
    if code == 0x0A:
        return "\n"
    if code < 0x20:
        return chr(0x2400 + code)
    return "␡" if code == 0x7F else "\ufffd"


def fit(text: str, width: int, *, right: bool = False) -> str:
    """One line of exactly `width` cells: padded, or cut with an ellipsis, never through a cell."""
    if width <= 0:
        return ""
    have = cell_len(text)
    if have > width:
        cut = set_cell_size(text, width - 1).rstrip() + ELLIPSIS
        return set_cell_size(cut, width)
    pad = " " * (width - have)
    return pad + text if right else text + pad


def percent(value: float | None) -> str:
    """A share as a whole percentage; a dash where there is none."""
    return "-" if value is None else f"{round(value * 100)}%"


def interval(low: float, high: float, n: int) -> str:
    """An interval of shares in percent; a dash without evidence."""
    return f"{round(low * 100)}-{round(high * 100)}" if n else "-"


def moved(before: float | None, after: float | None) -> str:
    """A score before and after, in percent."""
    if before is None or after is None:
        return ""
    return f"{percent(before)} -> {percent(after)}"


def seconds(value: float) -> str:
    """A span of seconds in at most five characters: 8s, 4m12, 3h05, 12d."""
    whole = max(0, int(value))
    if whole < 60:
        return f"{whole}s"
    if whole < 3600:
        return f"{whole // 60}m{whole % 60:02d}"
    if whole < 86_400:
        return f"{whole // 3600}h{whole % 3600 // 60:02d}"
    return f"{whole // 86_400}d"


def span(start: str, end: str, now: datetime) -> str:
    """How long something took or has been taking; empty where the start is no time."""
    begun = parse_time(start)
    if begun is None:
        return ""
    over = parse_time(end) or now
    return seconds((over - begun).total_seconds())


def age(moment: str, now: datetime) -> str:
    """How long ago something was, coarse: now, 45s, 12m, 3h, 20d; a dash for no time."""
    then = parse_time(moment)
    if then is None:
        return "-"
    past = (now - then).total_seconds()
    for limit, unit, size in ((60, "s", 1), (3600, "m", 60), (86_400, "h", 3600)):
        if past < limit:
            return "now" if past < 1 else f"{int(past) // size}{unit}"
    return f"{int(past) // 86_400}d"


def clock_time(moment: str) -> str:
    """The local time of day of a stored time."""
    then = parse_time(moment)
    return then.astimezone().strftime("%H:%M:%S") if then else "--:--:--"


def day_time(moment: str) -> str:
    """The local date and time of a stored time."""
    then = parse_time(moment)
    return then.astimezone().strftime("%Y-%m-%d %H:%M") if then else "no date"


def plural(count: int, word: str) -> str:
    """A count with its noun: 1 insight, 2 insights."""
    return wording.counted(count, word)


def short(count: int) -> str:
    """A count in at most four characters: 999, 12k, 3M."""
    for size, unit in ((1_000_000, "M"), (10_000, "k")):
        if count >= size:
            return f"{count // (size if unit == 'M' else 1000)}{unit}"
    return str(count)


def size(count: int) -> str:
    """Bytes as a person reads them: 812 B, 4.0 KiB, 3.2 MiB."""
    value = float(count)
    for unit in ("B", "KiB", "MiB"):
        if value < 1024:
            return f"{value:.0f} B" if unit == "B" else f"{value:.1f} {unit}"
        value /= 1024
    return f"{value:.1f} GiB"


def millis(value: float) -> str:
    """Milliseconds in at most six characters: 40ms, 1.5s, 12s."""
    if value < 1000:
        return f"{value:.0f}ms"
    return f"{value / 1000:.1f}s" if value < 10_000 else f"{value / 1000:.0f}s"


def bare_type(agent_type: str) -> str:
    """An agent's type without the plugin's name: helix-builder is a builder."""
    return agent_type.removeprefix("helix-")
