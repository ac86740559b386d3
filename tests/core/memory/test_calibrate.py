"""Thresholds of a model nobody measured, from the project's own insights (decision 28)."""

from __future__ import annotations

import json
import math
import random
from collections.abc import Sequence
from dataclasses import replace

import pytest

from helix_core import profiles
from helix_core.embed.index import MatrixIndex
from helix_core.errors import RefusedError
from helix_core.memory import calibrate, recall
from helix_core.memory.context import Memory
from helix_core.profiles import MINILM, ModelProfile, calibrated, profile_for
from helix_core.store import insights, vectors
from helix_core.store.connection import writing

SHARED = 0.5  # what every two texts have in common for the compressed model
DIM = 24


class Anchor:
    """A measured model: texts of one topic are alike, the rest is not."""

    profile = replace(MINILM, name="test/anchor", dim=DIM)

    def direction(self, text: str) -> list[float]:
        topic = text.split()[1]
        centre, own = random.Random(topic), random.Random(text)
        # How much a text is its own differs, so that cosines fill the whole scale.
        much = own.random()
        raw = [centre.gauss(0, 1) + much * own.gauss(0, 1) for _ in range(DIM)]
        norm = math.sqrt(sum(x * x for x in raw))
        return [x / norm for x in raw]

    def embed_query(self, text: str) -> list[float]:
        return self.direction(text)

    def embed_documents(self, texts: Sequence[str]) -> list[list[float]]:
        return [self.direction(text) for text in texts]

    def anchor(self) -> Anchor | None:
        return self


class Compressed(Anchor):
    """An unmeasured model whose cosines are those of the anchor squeezed into 0.5 to 1."""

    profile = profile_for("acme/unknown", DIM + 1)

    def direction(self, text: str) -> list[float]:
        return [
            math.sqrt(SHARED),
            *(math.sqrt(1 - SHARED) * x for x in Anchor().direction(text)),
        ]

    def anchor(self) -> Anchor | None:
        return Anchor()


class Alone(Compressed):
    """The same without a packaged model to compare with."""

    def anchor(self) -> Anchor | None:
        return None


def with_model(mem: Memory, embedder: Anchor, count: int) -> Memory:
    """The memory under another model, holding `count` insights over twelve topics."""
    with writing(mem.conn):
        for number in range(count):
            text = f"When {'abcdefghijkl'[number % 12]} breaks take road {number}"
            insights.insert(
                mem.conn, content=text, tags=[], effectiveness=0.5, source="agent",
                moment=mem.moment, embedding=vectors.pack(embedder.direction(text)),
                embedding_model=embedder.profile.name,
            )  # fmt: skip
    return replace(mem, embedder=embedder, index=MatrixIndex(embedder.profile))


def squeezed(cosine: float) -> float:
    return SHARED + (1 - SHARED) * cosine


def test_a_squeezed_model_gets_squeezed_thresholds(mem: Memory) -> None:
    mem = with_model(mem, Compressed(), 150)
    assert mem.profile and mem.profile.gate == 0.35
    planned = calibrate.calibrate(mem, dry_run=True)
    assert mem.profile.gate == 0.35 and not planned["written"]
    done = calibrate.calibrate(mem)
    assert done["written"] and done["derived"] == planned["derived"]
    got = mem.profile
    assert got.gate == pytest.approx(squeezed(0.35), abs=0.02)
    assert got.related == pytest.approx(squeezed(0.60), abs=0.02)
    assert got.duplicate == pytest.approx(squeezed(0.85), abs=0.02)
    assert got.causal_threshold == pytest.approx(squeezed(0.35), abs=0.02)
    assert got.causal_threshold + got.causal_ramp == pytest.approx(squeezed(0.70), abs=0.02)
    assert (got.name, got.dim, got.measured) == ("acme/unknown", DIM + 1, False)


def test_recall_goes_by_the_calibrated_gate(mem: Memory) -> None:
    mem = with_model(mem, Compressed(), 60)
    query = recall.Query("When zzz is unheard of", limit=50)
    before = recall.recall(mem, query)
    calibrate.calibrate(mem)
    after = recall.recall(mem, query)
    assert len(after.ranked) < len(before.ranked), "what shares nothing passed the raw gate"
    assert all(item.relevance is None or item.relevance >= 0.6 for item in after.ranked)


def test_the_anchor_calibrated_by_itself_stays_as_it_is(mem: Memory) -> None:
    mem = with_model(mem, Anchor(), 150)
    done = calibrate.calibrate(mem)
    assert done["derived"] == pytest.approx(done["before"], abs=0.002)
    assert done["measured"] and not done["written"]
    assert mem.conn.execute("SELECT count(*) FROM meta WHERE key LIKE 'calib%'").fetchone() == (0,)


def test_how_alike_the_insights_are_does_not_matter(mem: Memory) -> None:
    """A project about one thing shifts both distributions alike."""
    model = Compressed()
    texts = [f"When {topic} breaks take road {n}" for n in range(60) for topic in "ab"]
    narrow = calibrate.derive(
        calibrate.pair_cosines([model.direction(t) for t in texts]),
        calibrate.pair_cosines([Anchor().direction(t) for t in texts]),
        MINILM,
    )
    assert narrow.related == pytest.approx(squeezed(0.60), abs=0.02)
    assert narrow.gate < narrow.related < narrow.duplicate < 1.0


def test_too_little_is_refused_and_said(mem: Memory, blind: Memory) -> None:
    few = with_model(mem, Compressed(), 29)
    with pytest.raises(RefusedError, match="30 insights"):
        calibrate.calibrate(few)
    enough = with_model(replace(few, embedder=Alone()), Alone(), 5)
    with pytest.raises(RefusedError, match="packaged model"):
        calibrate.calibrate(enough)
    with pytest.raises(RefusedError, match="embedding model"):
        calibrate.calibrate(blind)


GOOD = {
    "gate": 0.5, "related": 0.7, "duplicate": 0.9, "causal_threshold": 0.5, "causal_ramp": 0.3,
}  # fmt: skip


@pytest.mark.parametrize(
    "stored",
    [
        None,
        "",
        "{",
        "[]",
        "{}",
        json.dumps({**GOOD, "gate": "nan"}),
        json.dumps({**GOOD, "gate": 1.5}),
        json.dumps({**GOOD, "related": None}),
    ],
)
def test_what_is_not_usable_is_not_used(stored: str | None) -> None:
    unknown = profile_for("acme/unknown", 12)
    assert calibrated(unknown, stored) == unknown


def test_measured_models_keep_their_numbers() -> None:
    for profile in (profiles.ARCTIC, profiles.MINILM):
        assert calibrated(profile, json.dumps(GOOD)) == profile
    unknown: ModelProfile = calibrated(profile_for("acme/unknown", 12), json.dumps(GOOD))
    assert (unknown.gate, unknown.causal_ramp) == (0.5, 0.3)


def test_feedback_without_the_model_goes_by_the_calibration_too(mem: Memory) -> None:
    from helix_core.memory.context import in_force

    mem = with_model(mem, Compressed(), 60)
    calibrate.calibrate(mem)
    away = replace(mem, embedder=None, index=None)
    assert away.profile is None
    assert in_force(away.conn, profile_for("acme/unknown", DIM + 1)) == mem.profile
