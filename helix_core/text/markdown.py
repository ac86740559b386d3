"""Lessons in a Markdown file that people or agents keep: CLAUDE.md, MEMORY.md, lessons.md.

Pure; standard library and this package. Finds what could be a lesson; whether it is kept is the
store's to decide.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from helix_core.text.clean import fold

MIN_CHARS = 20
MIN_WORDS = 4

_FENCE = re.compile(r"\s*(```+|~~~+)")
_HEADING = re.compile(r"\s{0,3}#{1,6}\s+(.*?)\s*#*$")
_ITEM = re.compile(r"(\s*)(?:[-*+]|\d{1,3}[.)])\s+(?:\[[ xX]\]\s+)?(.*)")
_RULE = re.compile(r"\s*(?:[-=*_]\s*){3,}$")
_COMMENT = re.compile(r"<!--.*?(?:-->|\Z)", re.DOTALL)
_LINK = re.compile(r"!?\[([^\]\n]*)\]\([^)\n]*\)")
_BOLD = re.compile(r"(\*\*|__)(?=\S)(.+?)(?<=\S)\1")
_ADVICE = re.compile(
    r"(?:when|if|always|never|avoid|prefer|before|after|remember|make sure|do not|don't|use|run)\b",
    re.IGNORECASE,
)
_WORD = re.compile(r"[^\W\d_]+")
# What helix's own export says behind a lesson; it is no part of it.
_STANDING = re.compile(r"\s\(\d{1,3}%; helped in [\d.]+ of [\d.]+ tasks; `[^`]*`[^()]*\)$")


@dataclass(frozen=True)
class Note:
    """One candidate: the line it begins at, its text as one line, the heading above it."""

    line: int
    content: str
    heading: str


@dataclass
class _Open:
    """A list item or paragraph that is still being read."""

    line: int
    indent: int
    item: bool
    parts: list[str]


def read_notes(text: str) -> list[Note]:
    """Every list item, and every paragraph that begins like advice, in order.

    Code, tables, comments, front matter and texts of fewer than four words are passed over. An item
    under one that ends with a colon is read together with it.
    """
    page, fence = _Page(), ""
    for number, line in enumerate(_lines(text), 1):
        mark = _FENCE.match(line)
        if fence or mark:
            if mark and not fence:
                fence = mark[1]
            elif mark and mark[1].startswith(fence):
                fence = ""
            page.close()
        else:
            page.take(number, line)
    page.close()
    return page.notes


class _Page:
    """A Markdown file, read line by line."""

    def __init__(self) -> None:
        self.notes: list[Note] = []
        self._heading = ""
        self._leads: list[tuple[int, str]] = []  # items that end with a colon, by indentation
        self._now: _Open | None = None

    def take(self, number: int, line: str) -> None:
        """One line outside of code."""
        title, item = _HEADING.match(line), _ITEM.match(line)
        if title or not line.strip() or _RULE.match(line) or line.lstrip().startswith("|"):
            self.close()
            if title:
                self._heading, self._leads = fold(_plain(title[1])), []
        elif item:
            self.close()
            self._now = _Open(number, len(item[1].expandtabs(4)), True, [item[2]])
        elif self._now is not None:
            self._now.parts.append(line.strip())
        else:
            self._now = _Open(number, 0, False, [line.strip().lstrip("> ")])

    def close(self) -> None:
        """End what was being read: a note, the lead of notes to come, or neither."""
        now, self._now = self._now, None
        if now is None:
            return
        text = _STANDING.sub("", fold(_plain(" ".join(now.parts))))
        if now.item:
            while self._leads and self._leads[-1][0] >= now.indent:
                self._leads.pop()
            if text.endswith(":"):
                self._leads.append((now.indent, text))
                return
            text = " ".join([*(lead for _, lead in self._leads), text])
        elif not _ADVICE.match(text):
            return
        if len(text) >= MIN_CHARS and len(_WORD.findall(text)) >= MIN_WORDS and text[0] != "@":
            self.notes.append(Note(now.line, text, self._heading))


def _lines(text: str) -> list[str]:
    """The lines, with comments and front matter emptied so that line numbers stay true."""
    whole = _COMMENT.sub(lambda match: "\n" * match[0].count("\n"), text.replace("\r\n", "\n"))
    lines = whole.split("\n")
    if lines and lines[0].strip() == "---" and "---" in [line.strip() for line in lines[1:60]]:
        end = [line.strip() for line in lines].index("---", 1)
        lines[: end + 1] = [""] * (end + 1)
    return lines


def _plain(text: str) -> str:
    """Without links and emphasis; code spans stay as they are."""
    return _BOLD.sub(r"\2", _LINK.sub(r"\1", text))
