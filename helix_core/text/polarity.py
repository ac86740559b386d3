"""Whether two texts tell to do and to leave the same thing, or swap its order.

May import the standard library, `tokens` and the word lists. Works on words and clauses, without
a parser: good for advice of the form "When X, do Y because Z", not for literature.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass

from helix_core.text import clauses
from helix_core.text.clauses import BREAK
from helix_core.text.opposites import ALTERNATIVES, ANTONYMS, NEGATED_WORDS, NEGATORS
from helix_core.text.stopwords import STOP_WORDS
from helix_core.text.tokens import stem

SCOPE = 3
"""Content words after a negator that it speaks of."""

MAX_SEQUENCES = 12
"""Orders read from one text; advice has one or two, and all pairs of them are compared."""

# ruff: noqa: SIM905
_CLAUSE_WORDS = frozenset(
    "because since so otherwise but when if while then whenever although as and or".split(" ")
)
_UN = re.compile(r"(?:un|non)(\w{3,}(?:ed|able|ible|ing))")
_UN_PLAIN = frozenset(("united", "understanding", "undertaking", "underlying", "unioned"))


@dataclass(frozen=True)
class _Reading:
    """One text, as far as contradictions need it; words are stems."""

    words: tuple[str, ...]
    heads: frozenset[str]
    negated: frozenset[str]
    affirmed: frozenset[str]
    negations: int


def differ(a: str, b: str) -> str:
    """Why two texts contradict each other ("polarity: ...", "order: ...", ...), or ""."""
    left, right = clauses.read(a), clauses.read(b)
    return (
        _negation_differs(_read(left), _read(right))
        or _antonyms_differ(left, right)
        or _order_differs(left, right)
        or _alternatives_differ(Counter(left), Counter(right))
    )


# -- reading ------------------------------------------------------------------------------------


def _negates(token: str) -> str | None:
    """The word that `token` is the opposite of ("unsafe": "safe"), or None."""
    if token in NEGATED_WORDS:
        return NEGATED_WORDS[token]
    match = _UN.fullmatch(token)
    if match and token not in _UN_PLAIN:
        return match.group(1)
    return None


def _read(tokens: list[str]) -> _Reading:
    heads: set[str] = set()
    negated: set[str] = set()
    covered: set[int] = set()
    count = 0
    skip_until = -1
    for i, token in enumerate(tokens):
        opposite = _negates(token)
        if opposite:
            heads.add(stem(opposite))
            negated.add(stem(opposite))
            covered.add(i)
            count += 1
            continue
        stops = (
            token in ("stop", "quit") and tokens[i + 1 : i + 2] and tokens[i + 1].endswith("ing")
        )
        if not (token in NEGATORS or stops) or i <= skip_until:
            continue
        scope, second = _scope(tokens, i)
        if second is not None:
            # "never skip": the second negator takes the first one back.
            skip_until = second
            continue
        count += 1
        covered.update(scope)
        stems = [stem(tokens[j]) for j in scope]
        heads.update(stems[:1])
        negated.update(stems)
    affirmed = {
        stem(token)
        for i, token in enumerate(tokens)
        if i not in covered and token not in NEGATORS and token not in STOP_WORDS
    }
    return _Reading(
        tuple(tokens), frozenset(heads), frozenset(negated), frozenset(affirmed - {BREAK}), count
    )


def _scope(tokens: list[str], start: int) -> tuple[list[int], int | None]:
    """Positions of the content words a negator at `start` covers; the second negator, if any."""
    scope: list[int] = []
    for j in range(start + 1, len(tokens)):
        token = tokens[j]
        if token == BREAK or token in _CLAUSE_WORDS or len(scope) == SCOPE:
            break
        if not scope and (token in NEGATORS or _negates(token)):
            return [], j
        if token not in STOP_WORDS:
            scope.append(j)
    return scope, None


# -- comparing ----------------------------------------------------------------------------------


def _negation_differs(a: _Reading, b: _Reading) -> str:
    if (a.negations == 0) != (b.negations == 0):
        return "polarity: only one is negated"
    for ours, theirs in ((a, b), (b, a)):
        for head in sorted(ours.heads):
            if head in theirs.affirmed and head not in theirs.negated and head not in ours.affirmed:
                return f"polarity: {head}"
    return ""


def _antonyms_differ(a: list[str], b: list[str]) -> str:
    left, right = set(a), set(b)
    for positive, negative in ANTONYMS:
        up, down = left & positive, left & negative
        other_up, other_down = right & positive, right & negative
        for has, lacks, meets, misses in (
            (up, down, other_down, other_up),
            (other_up, other_down, down, up),
        ):
            if has and meets and not lacks and not misses:
                return f"polarity: {min(has)} / {min(meets)}"
        if up and down and other_up and other_down:
            swapped = _neighbours(a, up) & _neighbours(b, other_down)
            swapped -= _neighbours(a, down) | _neighbours(b, other_up)
            if swapped:
                return f"polarity: {min(swapped)}"
    return ""


def _neighbours(tokens: list[str], cues: set[str]) -> set[str]:
    """Stems of the content words next to any of `cues` within a clause."""
    found: set[str] = set()
    for i, token in enumerate(tokens):
        if token not in cues:
            continue
        for step in (range(i - 1, -1, -1), range(i + 1, len(tokens))):
            for j in step:
                if tokens[j] == BREAK or tokens[j] in _CLAUSE_WORDS:
                    break
                if tokens[j] not in STOP_WORDS:
                    found.add(stem(tokens[j]))
                    break
    return found


def _alternatives_differ(a: Counter[str], b: Counter[str]) -> str:
    """Names of one group that only one text has, or has more often, on both sides."""
    for group in ALTERNATIVES:
        ours, theirs = group & set(a - b), group & set(b - a)
        # A repeated mention is style; a name the other text lacks altogether is a difference.
        if ours and theirs and not (set(ours) <= set(b) and set(theirs) <= set(a)):
            return f"alternatives: {', '.join(sorted(ours))} / {', '.join(sorted(theirs))}"
    return ""


def _order_differs(a: list[str], b: list[str]) -> str:
    """Whether "X before Y" meets "Y before X", in any wording of before, after and from-to."""
    others = _sequences(b)
    for ours in _sequences(a):
        for theirs in others:
            straight = len(ours[0] & theirs[0]) + len(ours[1] & theirs[1])
            crossed = len(ours[0] & theirs[1]) + len(ours[1] & theirs[0])
            swapped = ours[0] & theirs[1] and ours[1] & theirs[0] and not ours[1] & theirs[1]
            if crossed > straight or swapped:
                return f"order: {' '.join(sorted(ours[0] & theirs[1] or ours[1] & theirs[0]))}"
    return ""


def _sequences(tokens: list[str]) -> list[tuple[frozenset[str], frozenset[str]]]:
    """(what comes first, what comes second) for each before, after and from-to."""
    found: list[tuple[frozenset[str], frozenset[str]]] = []
    for i, token in enumerate(tokens):
        if len(found) == MAX_SEQUENCES:
            break
        if token in ("before", "after"):
            left, right = _clause_before(tokens, i), _clause_after(tokens, i + 1)
            if not left:
                # "Before X, do Y": the main clause follows the comma.
                comma = next((j for j in range(i, len(tokens)) if tokens[j] == BREAK), len(tokens))
                left = _clause_after(tokens, comma + 1)
            found.append((left, right) if token == "before" else (right, left))
        elif token == "then":
            first = i
            while first > 0 and tokens[first - 1] in ("and", BREAK):
                first -= 1
            found.append((_clause_before(tokens, first), _clause_after(tokens, i + 1)))
        elif token == "from":
            end = next(
                (
                    j
                    for j in range(i, min(i + 6, len(tokens)))
                    if tokens[j] in ("to", "into", "onto")
                ),
                None,
            )
            if end is not None:
                found.append((_content(tokens[i + 1 : end]), _clause_after(tokens, end + 1)))
            else:  # "derive X from Y": Y is there first
                found.append((_clause_after(tokens, i + 1), _clause_before(tokens, i)))
    return found


def _clause_after(tokens: list[str], start: int) -> frozenset[str]:
    end = start
    while end < len(tokens) and tokens[end] not in _CLAUSE_WORDS | {BREAK, "before", "after"}:
        end += 1
    return _content(tokens[start:end])


def _clause_before(tokens: list[str], end: int) -> frozenset[str]:
    start = end
    while start > 0 and tokens[start - 1] not in _CLAUSE_WORDS | {BREAK}:
        start -= 1
    return _content(tokens[start:end])


def _content(tokens: Iterable[str]) -> frozenset[str]:
    return frozenset(stem(t) for t in tokens if t not in STOP_WORDS and t != BREAK)
