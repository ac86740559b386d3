"""What the keyword side indexes and searches, and likeness of two texts without a model.

May import the standard library and its siblings `tokens`, `stopwords` and `guards`. Pure. The FTS5
table is expected to use `tokenize='porter unicode61'`; nothing here depends on its other settings.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from itertools import islice

from helix_core.text.stopwords import COMMON_NAMES, STOP_WORDS
from helix_core.text.tokens import identifiers, normalise, stem, unspaced, words

MAX_QUERY_TERMS = 64
"""More terms cost time and only add noise: the first words of a task say what it is about."""

# FTS5 splits at symbols, so a whole identifier is stored with them spelled out. "0" escapes (and
# itself becomes "00"), and a final "0" keeps the porter stemmer from cutting an ending off.
_SPELLED = {
    "0": "00", "_": "0u", ".": "0d", "-": "0h", "/": "0s", "+": "0p", "#": "0n", ":": "0c",
    "@": "0a", "\\": "0b", "$": "0m", "~": "0t", "'": "0q",
}  # fmt: skip
_SPELL = str.maketrans(_SPELLED)
_FTS_TOKEN = re.compile(r"[^\W_]+")  # how unicode61 cuts plain text


@dataclass(frozen=True)
class QueryTerms:
    """What to search for: content `words` (lower case) and whole `identifiers` (lower case)."""

    words: tuple[str, ...]
    identifiers: tuple[str, ...]


def encode(identifier: str) -> str:
    """The one token an identifier is indexed as: letters and digits only, told apart by symbol."""
    return identifier.lower().translate(_SPELL) + "0"


def index_terms(text: str) -> str:
    """The value of the `terms` column for `text`: identifiers whole and in parts, script pairs.

    Words that FTS5 finds in the text by itself are not repeated: counted twice, the parts of a
    snake_case name would outweigh every other word of the text.
    """
    plain = normalise(text)
    heard = set(_FTS_TOKEN.findall(plain.lower()))
    terms: dict[str, None] = {}
    for found in identifiers(plain):
        terms[encode(found.text)] = None
        terms.update(dict.fromkeys(part for part in found.parts if part not in heard))
    if not text.isascii():
        pairs = list(unspaced(plain))
        terms.update(dict.fromkeys(pairs))
        # Single characters too, for a query of one; and words glued to an unspaced script.
        terms.update(dict.fromkeys(c for pair in pairs for c in pair))
        terms.update(dict.fromkeys(words(plain)))
    return " ".join(terms)


def query_terms(text: str) -> QueryTerms:
    """The searchable terms of `text`, in order, without repeats.

    Stop words go, unless nothing else is left. Parts of identifiers count as words.
    """
    plain = normalise(text)
    found = list(identifiers(plain))
    every = dict.fromkeys(words(plain))
    every.update(dict.fromkeys(part for item in found for part in item.parts))
    content = [word for word in every if word not in STOP_WORDS]
    return QueryTerms(tuple(content or every), tuple(dict.fromkeys(item.key for item in found)))


def match_expression(text: str) -> str | None:
    """An FTS5 MATCH string that ORs the quoted terms of `text`, or None if it has none.

    Valid for any input: every term is letters, digits and apostrophes in double quotes. At most
    64 terms; identifiers first, since they discriminate best.
    """
    terms = query_terms(text)
    wholes = [encode(name) for name in terms.identifiers[: MAX_QUERY_TERMS // 2]]
    chosen = islice(dict.fromkeys([*wholes, *terms.words]), MAX_QUERY_TERMS)
    return " OR ".join(f'"{term}"' for term in chosen) or None


def keyword_relevant(query: str, text: str) -> bool:
    """Whether `text` may answer `query` by keyword alone: two shared words or a rare identifier.

    A query with a single content word cannot share two: for it that one is enough.
    """
    theirs = {item.key for item in identifiers(normalise(text)) if item.rare}
    if any(item.key in theirs for item in identifiers(normalise(query)) if item.rare):
        return True
    asked, offered = _content(query), _content(text)
    return bool(asked) and len(asked & offered) >= min(2, len(asked))


def near_text(a: str, b: str) -> bool:
    """Whether two texts are one lesson up to spelling: case, punctuation, counters, path roots.

    Works without a model, for near-copies only; a true paraphrase is left to the embedding. The
    guards of decision 13 hold here as well.
    """
    # Deferred: only storing compares texts, and the recall of a hook has milliseconds.
    from helix_core.text import guards

    ours, theirs = guards.skeleton(a), guards.skeleton(b)
    return bool(ours) and ours == theirs and guards.may_merge(a, b)[0]


def _content(text: str) -> set[str]:
    """Stems of the content words; a common name such as README.md counts once, not in parts."""
    plain = normalise(text)
    common = {item.key for item in identifiers(plain) if item.key in COMMON_NAMES}
    in_parts = {part for key in common for part in words(key)}
    return common | {stem(word) for word in query_terms(text).words if word not in in_parts}
