"""Printing: one JSON document, or text for people. Standard library only.

Agents read what is printed here, and most of it was written by others: nothing leaves with a tag
in it that could end the frame a client puts around a command's output.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Sequence
from typing import Any

from helix_core.text import clean
from helix_core.text.wording import counted

__all__ = ["columns", "counted", "emit_json", "line", "percent", "say", "table"]


def emit_json(value: Any) -> None:
    """The one JSON document of a `--json` call."""
    document = json.dumps(value, ensure_ascii=False, indent=1)
    sys.stdout.write(clean.json_untagged(document) + "\n")


def say(text: str) -> None:
    """A line on standard error: talk, never data."""
    sys.stderr.write(clean.untagged(clean.scrub(text, 100_000)) + "\n")


def line(text: str = "") -> None:
    """A line of text on standard output, with control characters made harmless."""
    sys.stdout.write(clean.untagged(clean.scrub(text, 100_000)) + "\n")


def table(head: Sequence[str], rows: Sequence[Sequence[object]]) -> None:
    """Print columns, the last one unbounded."""
    for text in columns(head, rows):
        line(text)


def columns(head: Sequence[str], rows: Sequence[Sequence[object]]) -> list[str]:
    """The lines of a table, the last column unbounded."""
    cells = [[clean.fold(str(cell)) for cell in row] for row in rows]
    widths = [max([len(head[n]), *(len(row[n]) for row in cells)]) for n in range(len(head))]
    return [
        "  ".join([*(cell.ljust(widths[n]) for n, cell in enumerate(row[:-1])), row[-1]]).rstrip()
        for row in ([*head], *cells)
    ]


def percent(value: float | None) -> str:
    """A share as a whole percentage."""
    return "-" if value is None else f"{round(value * 100)}%"
