"""Any number of made-up lessons and tasks, with vectors that agree with their words. Needs numpy.

Words are drawn with the law of Zipf and Mandelbrot: the terms of a task stand in as many of all
texts as those of real queries do, which is what makes a keyword search slow. A text's vector is the
mean of random directions of its words plus one direction all share: texts with words in common are
close, and the share of pairs above the gate is near that of a real model on texts of one field.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Sequence
from functools import cache

import numpy as np
import numpy.typing as npt

Vectors = npt.NDArray[np.float32]

SUBJECTS = (
    "parser", "cache", "migration", "token", "queue", "worker", "schema", "fixture", "session",
    "router", "lexer", "socket", "index", "logger", "mailer", "importer", "scheduler", "uploader",
    "renderer", "compiler", "linter", "formatter", "installer", "packager", "debugger", "profiler",
    "broker", "proxy", "gateway", "balancer", "ledger", "invoice", "checkout", "catalogue",
    "sitemap", "crawler", "tokenizer", "embedding", "snapshot", "replica", "shard", "cursor",
    "transaction", "deadline", "heartbeat", "certificate", "credential", "webhook", "dashboard",
    "histogram",
)  # fmt: skip
FAULTS = (
    "hangs", "leaks", "drifts", "times out", "loses rows", "double counts", "deadlocks", "crashes",
    "returns stale data", "rejects input", "grows without bound", "starts twice", "skips a page",
    "swallows errors", "blocks the loop", "writes half a file", "forgets its offset", "overflows",
    "reorders events", "truncates names", "rounds wrongly", "retries forever", "ignores the flag",
    "locks the table", "fails on Windows", "breaks under load", "warns at import", "flickers",
)  # fmt: skip
CURES = (
    "freeze the clock", "pin the driver", "take the write lock first", "rebuild the index",
    "clear the temp folder", "raise the batch size", "check the locale", "seed the generator",
    "drain it before the deploy", "compare the checksums", "close the handle", "flush the buffer",
    "run it with one thread", "copy the row before editing", "sort by identifier",
    "quote the path", "set a timeout", "add jitter", "vacuum the database", "mock nothing",
    "read the header again", "log the request body", "use a monotonic clock", "escape the braces",
    "split the transaction", "warm the pool", "unset the proxy variable", "delete the lockfile",
)  # fmt: skip
CAUSES = (
    "two writers race", "the default changed", "the buffer is shared", "the order is undefined",
    "the time zone differs", "the handle is inherited", "the plan is cached", "a signal interrupts",
    "the encoding is guessed", "the path is relative", "the index is partial", "the timer restarts",
    "the callback runs late", "the header is optional", "the cache key lacks the tenant",
    "floats compare unequal", "the mirror lags", "the image lacks certificates",
    "the pool is exhausted", "the iterator is consumed", "the mock hides the call",
    "the test shares state", "the lock is advisory", "the version is a string",
)  # fmt: skip
SHARED = 0.42  # weight of the direction that all texts have in common
_TOPIC = re.compile(r"[a-zA-Z]{4,}")


def _draw(rng: np.random.Generator, words: Sequence[str]) -> str:
    """One of the words, the n-th with weight 1 / (n + 10) (Zipf-Mandelbrot).

    What `rng.choice` with these weights draws, in a hundredth of its time.
    """
    return words[int(_sums(len(words)).searchsorted(rng.random(), side="right"))]


@cache
def _sums(count: int) -> npt.NDArray[np.float64]:
    """The weights of so many words, added up; the last sum is 1."""
    weights = 1.0 / (np.arange(1, count + 1) + 10)
    sums = (weights / weights.sum()).cumsum()
    return np.asarray(sums / sums[-1])


def lessons(count: int, start: int = 0, seed: int = 11) -> list[str]:
    """Different lessons of the usual form, each with a name from the code."""
    rng = np.random.default_rng([seed, start])
    return [
        f"When the {_draw(rng, SUBJECTS)} {_draw(rng, FAULTS)} near the {_draw(rng, SUBJECTS)},"
        f" {_draw(rng, CURES)} in {_draw(rng, SUBJECTS)}_{n % 997} because {_draw(rng, CAUSES)};"
        f" case {n}"
        for n in range(start, start + count)
    ]


def tasks(count: int, seed: int = 12) -> list[str]:
    """Tasks such as a planner writes, in the words of the lessons."""
    rng = np.random.default_rng(seed)
    return [
        f"The {_draw(rng, SUBJECTS)} {_draw(rng, FAULTS)} since {_draw(rng, SUBJECTS)}_{n * 37}"
        f" changed, perhaps because {_draw(rng, CAUSES)}"
        for n in range(count)
    ]


def vectors(texts: Sequence[str], dim: int) -> Vectors:
    """Unit vectors, one row per text.

    Numbers and short function words say nothing and stay out; the latter would be a second
    direction that all texts share.
    """
    place: dict[str, int] = {}
    found = [[place.setdefault(w, len(place)) for w in _TOPIC.findall(text)] for text in texts]
    directions = np.stack([_direction(word, dim) for word in place])
    shared = SHARED * _direction("", dim)
    rows = np.empty((len(texts), dim), dtype=np.float32)
    for n, words in enumerate(found):
        total = directions[words].sum(axis=0)
        rows[n] = shared + total / np.linalg.norm(total)
    return np.asarray(rows / np.linalg.norm(rows, axis=1, keepdims=True), dtype=np.float32)


def _direction(word: str, dim: int) -> Vectors:
    """A random unit vector that belongs to a word."""
    digest = hashlib.sha256(word.encode()).digest()
    found = np.random.default_rng(list(digest[:16])).standard_normal(dim).astype(np.float32)
    return np.asarray(found / np.linalg.norm(found), dtype=np.float32)
