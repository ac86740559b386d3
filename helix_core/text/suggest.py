"""What somebody who mistyped a name may have meant. Pure; standard library only."""

from __future__ import annotations

from collections.abc import Iterable

MOST = 3
ALIKE = 0.7
"""How alike two words have to be (`difflib`'s ratio) to be taken for each other."""
COMPARED = 20_000
"""Names compared at most: about a third of a second."""


def closest(word: str, known: Iterable[str], most: int = MOST) -> list[str]:
    """Of the known names those that `word` may stand for, best first: it begins or misspells them.

    At most `most`; empty where none is near.
    """
    from difflib import get_close_matches  # deferred: only a mistake needs it

    low = word.strip().lower()
    names = {name.lower(): name for _, name in zip(range(COMPARED), known, strict=False)}
    if not low:
        return []
    begun = sorted(name for name in names if len(low) > 1 and name.startswith(low))
    alike = get_close_matches(low, names, most, ALIKE)
    return [names[name] for name in dict.fromkeys([*begun, *alike])][:most]


def hint(word: str, known: Iterable[str]) -> str:
    """The end of an error about an unknown name: "; did you mean a or b?", "" for no idea."""
    found = closest(word, known)
    if not found:
        return ""
    return f"; did you mean {' or '.join(filter(None, (', '.join(found[:-1]), found[-1])))}?"
