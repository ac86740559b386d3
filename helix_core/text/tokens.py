"""Cutting text into words and identifiers, for the keyword index and the duplicate guards.

Standard library only. One tokenizer serves index, query and comparison, so that they cannot
disagree. Everything is linear in the length of the text.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise

from helix_core.text.stopwords import COMMON_NAMES

MAX_TOKEN = 100
"""Longer runs of letters are data (hashes, base64), not words: neither indexed nor searched."""

# Scripts written without spaces between words; unicode61 makes one token of a whole sentence.
_UNSPACED = (
    "\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3100-\u318f\u31f0-\u31ff"
    "\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7af\uf900-\ufaff\U00020000-\U0003134f"
)
_UNSPACED_RUN = re.compile(f"[{_UNSPACED}]+")
_WORD = re.compile(rf"[^\W_{_UNSPACED}]+(?:['’][^\W\d_{_UNSPACED}]{{1,2}}(?![^\W_]))?")
# A run that may be an identifier: word characters joined by the symbols code is joined with.
_RUN = re.compile(r"(?:--?|[~./@$#]+|:(?=\w))?[^\W_](?:[\w\-./:@\\$+#']*)|_[\w\-./:]*\w")
_TRAILING = ".:/-'$@\\"
_CAMEL = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+|[^\W\d_a-zA-Z]+")
_SYMBOL_LANGUAGE = re.compile(r"[A-Za-z]\+\+|[A-Za-z]#")
_VERSION = re.compile(r"v?\d+(?:\.\d+)*\.?[a-z]{0,4}\d*", re.IGNORECASE)


@dataclass(frozen=True)
class Identifier:
    """One identifier as written: `text`, its `parts` (lower case), whether it is `rare` by form."""

    text: str
    parts: tuple[str, ...]
    rare: bool

    @property
    def key(self) -> str:
        """The form two spellings of one identifier share."""
        return self.text.lower().rstrip("(")


def normalise(text: str) -> str:
    """Compatibility-composed text: full-width letters and ligatures become the plain ones."""
    return text if text.isascii() else unicodedata.normalize("NFKC", text)


def words(text: str) -> Iterator[str]:
    """Lower-case words in order, runs of unspaced scripts as overlapping pairs of characters."""
    for match in _WORD.finditer(text):
        word = match.group().replace("’", "'").lower()
        if len(word) <= MAX_TOKEN:
            yield word
    yield from unspaced(text)


def unspaced(text: str) -> Iterator[str]:
    """Overlapping character pairs of Chinese, Japanese, Korean, Thai ... runs; a lone one whole."""
    if text.isascii():
        return
    for match in _UNSPACED_RUN.finditer(text):
        # unicode61 ends a token at a combining mark; dropping marks keeps index and query equal.
        run = "".join(c for c in match.group() if unicodedata.category(c)[0] != "M")
        if len(run) == 1:
            yield run
        for i in range(len(run) - 1):
            yield run[i : i + 2]


def identifiers(text: str) -> Iterator[Identifier]:
    """Identifiers in order: names with symbols, camelCase, letters with digits, long capitals."""
    for match in _RUN.finditer(text):
        run = match.group().rstrip(_TRAILING)
        if not run.endswith(("++", "#")):
            run = run.rstrip("+#")
        if not 2 <= len(run) <= MAX_TOKEN:
            continue
        found = _classify(run)
        if found is not None:
            yield found


@lru_cache(maxsize=4096)
def _classify(run: str) -> Identifier | None:
    """An Identifier if `run` looks like one by form alone, else None."""
    core = run.lstrip("-~./@$#:")
    has_symbol = core != run or any(c in "_./:@\\$#+-" for c in core)
    # Any letter case counts, the scripts of the world included; digits alone are numbers.
    letters = [c for c in core if c.isalpha()]
    if not letters or _VERSION.fullmatch(core):
        return None
    digits = any(c.isdigit() for c in core)
    humps = any(a.islower() and b.isupper() for a, b in pairwise(core))
    capitals = len(letters) >= 3 and all(c.isupper() for c in letters)
    plain = core == run and core.replace("'", "").isalpha() and not humps and not capitals
    if plain or not (has_symbol or digits or humps or capitals):
        return None
    parts = tuple(dict.fromkeys(p.lower() for p in _CAMEL.findall(core)))
    return Identifier(run, parts, _is_rare(run, core, digits, humps, capitals))


def _is_rare(run: str, core: str, digits: bool, humps: bool, capitals: bool) -> bool:
    """Whether a shared identifier alone shows that two texts speak of one thing."""
    if core.lower() in COMMON_NAMES:
        return False
    if _SYMBOL_LANGUAGE.fullmatch(core) or "_" in core or "::" in core or humps:
        return True
    if "." in core.strip(".") or core.count("/") >= 2 or run.startswith(("--", "/", "~", "@")):
        return True
    if digits:
        return len(core) >= 4
    return capitals and len(core) >= 6


def stem(word: str) -> str:
    """A crude common form of an English word, so that tests/testing/tested/test compare equal.

    Only equality of stems means anything. Lighter than FTS5's porter, made for comparing two texts.
    """
    if not word.isascii() or not word.isalpha() or len(word) < 4:
        return word
    return _stem_ascii(word)


@lru_cache(maxsize=8192)
def _stem_ascii(word: str) -> str:
    base = word
    if base.endswith("ies") and len(base) > 4:
        base = base[:-3] + "y"
    elif base.endswith(("sses", "shes", "ches", "xes", "zes")):
        base = base[:-2]
    elif base.endswith("s") and not base.endswith(("ss", "us", "is")):
        base = base[:-1]
    for suffix in ("ing", "ed"):
        root = base[: -len(suffix)]
        if base.endswith(suffix) and len(root) >= 3 and any(v in root for v in "aeiouy"):
            base = root
            # A doubled consonant came with the suffix: running, stopped.
            if base[-1] == base[-2] and base[-1] not in "lsz":
                base = base[:-1]
            break
    if base.endswith("ly") and len(base) > 5:
        base = base[:-2]
    return base[:-1] if base.endswith("e") and len(base) > 3 else base
