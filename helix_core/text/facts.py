"""Numbers, versions and identifiers of a text, compared. Standard library and siblings only."""

from __future__ import annotations

import re

from helix_core.text.stopwords import STOP_WORDS
from helix_core.text.tokens import Identifier, identifiers, stem, words

# An integer after one of these only counts occurrences: the lesson is the same in run 3 and run 4.
_RUN_NOUNS = (
    r"runs?|attempts?|tries|try|retry|retries|builds?|jobs?|iterations?|pids?|pipelines?|sessions?|"
    r"executions?|trials?|invocations?|workers?|agents?|tasks?|commits?"
)
# "run 3 times", "give the job 2 GB": a number before a plural or a unit is a quantity, no counter.
_NO_QUANTITY = (
    r"(?! (?!(?:fails|hangs|crashes|passes|times out|is|was|has|does|this)\b)[a-z]+s\b"
    r"| ?(?:[kmgt]i?b|ms|sec|s|min|m|h|%)(?!\w))"
)
# These count too, unless they name a place in something: "step 3 of the wizard" is a fact.
_PLACE_NOUNS = r"cases?|lines?|steps?|issues?|tickets?|prs?|pull requests?|examples?|samples?|rows?"
_LABEL = r"(?: id| number| no\.?)?[ :=]*"
_COUNTER = re.compile(
    rf"\b(?:process(?= id)|{_RUN_NOUNS}){_LABEL}#?\d+\b(?![.%]\d){_NO_QUANTITY}"
    rf"|\b(?:{_PLACE_NOUNS}){_LABEL}#?\d+\b(?![.%]\d| (?:of|in|from)\b){_NO_QUANTITY}"
    # Values that no lesson depends on: UUIDs, addresses, times of day with seconds.
    r"|\b[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}\b"
    r"|\b0x[0-9a-f]{6,}\b"
    r"|\b\d\d:\d\d:\d\d(?:[.,]\d+)?\b",
    re.IGNORECASE,
)
_KEEP_NOUN = re.compile(r"[a-z]+", re.IGNORECASE)

_NUMBER_WORDS = {
    word: str(number)
    # "one" is a pronoun more often than a number.
    for number, word in enumerate(
        (
            "two",
            "three",
            "four",
            "five",
            "six",
            "seven",
            "eight",
            "nine",
            "ten",
            "eleven",
            "twelve",
        ),
        start=2,
    )
} | {"zero": "0", "once": "1", "twice": "2", "thrice": "3"}
_NUMBER_WORD = re.compile(
    rf"\b({'|'.join(_NUMBER_WORDS.keys() - {'once'})}|once(?= (?:per|an?|every|each|only)\b))\b",
    re.IGNORECASE,
)
UNITS = {
    "ms": "ms", "millisecond": "ms", "milliseconds": "ms", "msec": "ms",
    "s": "s", "sec": "s", "secs": "s", "second": "s", "seconds": "s",
    "m": "min", "min": "min", "mins": "min", "minute": "min", "minutes": "min",
    "h": "h", "hr": "h", "hrs": "h", "hour": "h", "hours": "h", "d": "d", "day": "d", "days": "d",
    "b": "b", "byte": "b", "bytes": "b", "k": "kb", "kb": "kb", "kib": "kb", "kilobytes": "kb",
    "mb": "mb", "mib": "mb", "megabyte": "mb", "megabytes": "mb", "gb": "gb", "gib": "gb",
    "gigabyte": "gb", "gigabytes": "gb", "tb": "tb", "%": "%", "percent": "%", "x": "x",
}  # fmt: skip
_NUMBER = re.compile(
    r"(?P<compare><=|>=|==|!=|~=|[<>=^~])?\s?(?P<sign>(?<![\w)])-)?(?<![\w.-])v?"
    r"(?P<value>\d+(?:[.,]\d+)*)(?:(?P<glued>%|[a-z]{1,5})(?![\w])|[ -](?P<unit>%|[a-z]+))?",
    re.IGNORECASE,
)


def without_counters(text: str) -> list[str]:
    """Lower-case tokens in order: counters gone, identifiers whole, paths by their last name."""
    plain = _COUNTER.sub(lambda match: _noun(match.group()), text)
    tokens: list[str] = []
    for run in plain.split():
        found = next(iter(identifiers(run)), None)
        if found is not None and any(c in found.text for c in "_./\\:+#"):
            tokens.append(_name(found))
        else:
            tokens.extend(words(run.strip("-")))
    return tokens


def numbers_differ(a: str, b: str) -> str:
    """The reason "numbers: ..." where the texts state different numbers or versions, else ""."""
    ours, theirs = _numbers(a), _numbers(b)
    if set(ours) != set(theirs):
        only = set(ours) - set(theirs), set(theirs) - set(ours)
        return "numbers: " + " / ".join(", ".join(sorted(n)) or "none" for n in only)
    # The same numbers given to other things: "2.31, since 2.32 breaks" and the reverse.
    for word in sorted(set(ours.values()) & set(theirs.values())):
        here, there = (sorted(n for n, w in side.items() if w == word) for side in (ours, theirs))
        if word and not set(here) & set(there):
            return f"numbers: {word} {', '.join(here)} / {', '.join(there)}"
    return ""


def identifiers_differ(a: str, b: str) -> str:
    """The reason "identifiers: ..." where the texts name different things, else "".

    A name on one side only is an addition, not a contradiction, unless it is an option or holds
    a digit: those change what the advice does.
    """
    ours, theirs = _unmatched(a, b), _unmatched(b, a)
    changing = [i for i in (*ours, *theirs) if i.text.startswith("-") or _has_digit(i.text)]
    if (ours and theirs) or changing:
        return "identifiers: " + " / ".join(
            ", ".join(i.text for i in side) or "none" for side in (ours, theirs)
        )
    return ""


def _noun(counter: str) -> str:
    found = _KEEP_NOUN.match(counter)
    return found.group() if found else ""


def _numbers(text: str) -> dict[str, str]:
    """Each number as compared (comparison, sign, value, unit), with the word it follows."""
    plain = _COUNTER.sub(" ", text)
    plain = _NUMBER_WORD.sub(lambda match: _NUMBER_WORDS[match.group().lower()], plain)
    found: dict[str, str] = {}
    for match in _NUMBER.finditer(plain):
        value = match["value"]
        if re.fullmatch(r"\d{1,3}(?:,\d{3})+", value):
            value = value.replace(",", "")
        unit = UNITS.get((match["glued"] or match["unit"] or "").lower(), "")
        compare = match["compare"] or ""
        compare = "" if compare in ("=", "==", "^", "~") else compare
        number = f"{compare}{match['sign'] or ''}{value}{unit}"
        if number not in found:
            start = match.start()
            before = [w for w in words(plain[max(0, start - 80) : start]) if w not in STOP_WORDS]
            found[number] = stem(before[-1]) if before else ""
    return found


def _unmatched(text: str, other: str) -> list[Identifier]:
    """Identifiers of `text` that `other` neither names nor spells out as words."""
    named = list(identifiers(_COUNTER.sub(" ", other)))
    spoken = {stem(word) for word in words(other)}
    spoken |= {stem(part) for item in named for part in item.parts}
    missing = []
    for item in identifiers(_COUNTER.sub(" ", text)):
        if _is_prose(item) or any(_same(item, candidate) for candidate in named):
            continue
        # "userId" against "user id" is one spelling; a.b against b.a is two names.
        rival = any(set(item.parts) == set(candidate.parts) for candidate in named)
        in_words = all(stem(part) in spoken for part in item.parts)
        if in_words and not rival and not item.text.startswith("-"):
            continue
        missing.append(item)
    return missing


def _is_prose(item: Identifier) -> bool:
    """A hyphenated or slashed pair of plain words is language, not a name."""
    return (
        not item.rare
        and item.text.replace("-", "").replace("/", "").islower()
        and not (_has_digit(item.text) or item.text.startswith("-"))
    )


def _same(one: Identifier, other: Identifier) -> bool:
    if one.key == other.key:
        return True
    ours, theirs = _path(one), _path(other)
    if not ours or not theirs or len(ours) == len(theirs) == 1:
        return False
    shorter = min(len(ours), len(theirs))
    if ours[-shorter:] == theirs[-shorter:]:
        return True
    # The same file under two roots: a checkout in a home folder and one in a temporary folder.
    rooted = all(item.text[0] in "/~" or ":\\" in item.text for item in (one, other))
    return rooted and ours[-2:] == theirs[-2:]


def _path(item: Identifier) -> list[str]:
    return [part for part in re.split(r"[/\\]+", item.key) if part not in ("", ".", "~")]


def _name(item: Identifier) -> str:
    parts = _path(item)
    return parts[-1] if parts else item.key


def _has_digit(text: str) -> bool:
    return any(c.isdigit() for c in text)
