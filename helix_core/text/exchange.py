"""Whether two texts are word for word the same but for one place, where they name other things.

"Look at the queue first" and "look at the index first" are two lessons, and a cosine hardly tells
them apart. Who says the same thing again seldom keeps every other word; where he does, only the
words of one place have to be compared. May import the standard library and its siblings. Pure and
linear in the length of the texts.
"""

from __future__ import annotations

from helix_core.text import clauses
from helix_core.text.facts import UNITS
from helix_core.text.opposites import (
    ANTONYMS,
    NEGATED_WORDS,
    NEGATORS,
    OPPOSITE_PARTICLES,
    SYNONYMS,
)
from helix_core.text.stopwords import STOP_WORDS
from helix_core.text.tokens import stem

PLACE = 3
"""Words one place may hold; where more differ, the texts were worded apart."""

# Articles and the like come and go with style.
_UNSAID = frozenset(("a", "an", "the", "its", "their", "this", "that", "it", "them", "also"))
_READ_ELSEWHERE = frozenset(map(stem, (*NEGATORS, *NEGATED_WORDS, *UNITS, *STOP_WORDS)))
_PIVOTS = frozenset(("into", "onto", "to", "from", "with", "by", "over", "under", "on", "in"))
_JOINING = frozenset(("and", "or", "plus", "nor"))
_ALIKE = tuple(
    frozenset(map(stem, group))
    for group in (*SYNONYMS, *(side for pair in ANTONYMS for side in pair))
)


def differ(a: str, b: str) -> str:
    """The reason "words: x / y" where one place of otherwise equal texts names another thing.

    Or "order: ..." where two things change places: "X into Y", "Y into X"; "when the client fails,
    restart the server" and the other way round.
    """
    ours, theirs = _place(_spoken(a), _spoken(b))
    if _turned(ours, theirs) or _traded(ours, theirs):
        return f"order: {' '.join(ours[:12])}"
    if not ours or not theirs or max(len(ours), len(theirs)) > PLACE:
        return ""
    if "".join(ours) == "".join(theirs):  # "lock file" and "lockfile"
        return ""
    reason = f"words: {' '.join(ours)} / {' '.join(theirs)}"
    if len(ours) == len(theirs) == 1 and {*ours, *theirs} in OPPOSITE_PARTICLES:
        return reason
    left, right = _content(ours), _content(theirs)
    if not left or not right or _covered(left, right) or _covered(right, left):
        return ""
    return reason


def _spoken(text: str) -> list[str]:
    return [w for w in clauses.read(text) if w != clauses.BREAK and w not in _UNSAID]


def _place(a: list[str], b: list[str]) -> tuple[list[str], list[str]]:
    """What is left of both without their common beginning and end, compared by stems."""
    x, y = [stem(w) for w in a], [stem(w) for w in b]
    shorter = min(len(x), len(y))
    start = next((n for n in range(shorter) if x[n] != y[n]), shorter)
    rest = shorter - start
    end = next((n for n in range(rest) if x[-1 - n] != y[-1 - n]), rest)
    return a[start : len(a) - end], b[start : len(b) - end]


def _turned(ours: list[str], theirs: list[str]) -> bool:
    if len(ours) != len(theirs) or sorted(ours) != sorted(theirs):
        return False
    pivots = (n for n, word in enumerate(ours) if 0 < n < len(ours) - 1 and word in _PIVOTS)
    return any(theirs == [*ours[n + 1 :], ours[n], *ours[:n]] for n in pivots)


def _traded(ours: list[str], theirs: list[str]) -> bool:
    """Whether one pair of words has changed places throughout, and everything else stands.

    Around "and" or "or" the places mean nothing.
    """
    if len(ours) != len(theirs):
        return False
    x, y = [stem(w) for w in ours], [stem(w) for w in theirs]
    moved = [n for n, word in enumerate(x) if word != y[n]]
    pairs = {frozenset((x[n], y[n])) for n in moved}
    if len(moved) < 2 or len(pairs) != 1 or len({x[n] for n in moved}) != 2:
        return False
    between = set(ours[moved[0] + 1 : moved[-1]])
    return not (between and between <= _JOINING) and bool(_content([ours[n] for n in moved]))


def _content(words: list[str]) -> list[str]:
    """Stems of what names something; numbers, names from code and negation are compared apart."""
    return [stem(w) for w in words if w.isalpha() and stem(w) not in _READ_ELSEWHERE]


def _covered(some: list[str], others: list[str]) -> bool:
    return all(any(_kin(a, b) for b in others) for a in some)


def _kin(a: str, b: str) -> bool:
    """Whether two stems are forms of one word, or words of one meaning."""
    if a == b or any(a in group and b in group for group in _ALIKE):
        return True
    short, long = sorted((a, b), key=len)
    common = next((n for n, c in enumerate(short) if c != long[n]), len(short))
    if common == len(short):  # "config" for "configuration"; "new" and "newer"
        return common >= 5 or len(long) - common <= (3 if common >= 3 else 1)
    return common >= max(4.0, 0.7 * len(long))
