"""What a cosine cannot see: whether two similar texts really say the same (decision 13).

May import the standard library and its siblings. Pure. The guards err on one side: a refused merge
leaves two linked rows, a wrong one loses knowledge.
"""

from __future__ import annotations

from helix_core.text import exchange, facts, polarity
from helix_core.text.stopwords import STOP_WORDS
from helix_core.text.tokens import normalise, stem

AGREE = "agree"
"""The reason given with a permitted merge."""

GUARDS = (facts.numbers_differ, facts.identifiers_differ, polarity.differ, exchange.differ)


def may_merge(a: str, b: str) -> tuple[bool, str]:
    """Whether two texts that a model finds alike may become one, and the reason.

    The reason is "agree", or what they differ in: "polarity", "order", "numbers", "identifiers",
    "alternatives" or "words", a colon and the detail. Symmetric in `a` and `b`.
    """
    a, b = normalise(a), normalise(b)
    for differs in GUARDS:
        reason = differs(a, b)
        if reason:
            return False, reason
    return True, AGREE


def skeleton(text: str) -> list[str]:
    """The content of `text` in order: stems without stop words, counters and folders of paths.

    Two texts with one skeleton differ in case, punctuation, little words and run numbers only.
    """
    tokens = facts.without_counters(normalise(text))
    return [stem(token) for token in tokens if token not in STOP_WORDS]
