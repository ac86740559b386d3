"""Numbers in sentences. Pure; standard library only."""

from __future__ import annotations


def counted(count: int, word: str, words: str = "") -> str:
    """A number with its noun: "1 insight", "2 insights"; `words`: a plural of another form."""
    return f"{count:,} {word if count == 1 else words or word + 's'}"
