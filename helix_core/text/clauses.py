"""A text as lower-case words with the breaks between its clauses.

May import the standard library, `tokens` and the word lists. Identifiers stay whole, and word
groups that mean one thing become one word, so that texts can be compared word by word.
"""

# ruff: noqa: SIM905
from __future__ import annotations

import re

from helix_core.text.opposites import PHRASES
from helix_core.text.tokens import identifiers

BREAK = "|"
"""Stands where a clause ends."""

_CONTRACTION = re.compile(r"\b([a-z]+)n['’]?t\b", re.IGNORECASE)
_NT = {"ca": "can not", "wo": "will not", "sha": "shall not", "ai": "is not"}
# Only verbs that have the contraction, so that "print" and "client" stay whole.
_VERBS = frozenset(
    "do does did is are was were has have had would could should must need might".split(" ")
)
_TOKEN = re.compile(r"[\w./\\:@$#+~'’-]*\w(?:\+\+|#)?|[,;.!?():\n]|[—–]")


def read(text: str) -> list[str]:
    """Lower-case words with clause breaks; identifiers stay whole, phrases become one word."""
    opened = _CONTRACTION.sub(
        _open_contraction, text.replace("cannot", "can not").replace("()", "")
    )
    tokens: list[str] = []
    for match in _TOKEN.finditer(opened):
        run = match.group()
        if not any(c.isalnum() for c in run):
            tokens.append(BREAK)
            continue
        found = next(iter(identifiers(run)), None)
        if found is not None and found.rare:
            tokens.append(found.key)
        else:
            tokens.extend(part for part in re.split(r"[^\w]+", run.lower()) if part)
        if run[-1] in ".:":
            tokens.append(BREAK)
    joined = f" {' '.join(tokens)} "
    for phrase, word in PHRASES:
        if phrase in joined:
            joined = joined.replace(f" {phrase} ", f" {word} ")
    return _preferences(joined.split())


def _preferences(tokens: list[str]) -> list[str]:
    """The "over" of "prefer X over Y" leaves Y aside; that of "over HTTP" is a place."""
    out = list(tokens)
    for i, token in enumerate(tokens):
        if token.startswith(("prefer", "favour", "favor", "choose", "pick")):
            nearby = range(i + 1, min(i + 8, len(tokens)))
            marks = ("over", "to") if token.startswith(("prefer", "fav")) else ("over",)
            # Not the next word: "prefer to use X" names no rival.
            over = next((j for j in nearby[1:] if tokens[j] in marks), None)
            if over is not None and BREAK not in tokens[i:over]:
                out[over] = "ratherthan"
    return out


def _open_contraction(match: re.Match[str]) -> str:
    verb = match.group(1)
    known = _NT.get(verb.lower())
    if known and ("'" in match.group() or "’" in match.group() or verb.lower() == "ca"):
        return known
    if verb.lower() in _VERBS:
        return f"{verb} not"
    return match.group()
