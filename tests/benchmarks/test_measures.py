"""The measures against values worked out by hand, and helix's own set against itself."""

from __future__ import annotations

import math
from pathlib import Path

import pytest

from benchmarks import corpora, measures, retrieval


@pytest.mark.parametrize(
    ("ranked", "gold", "k", "recall", "ndcg"),
    [
        (["a", "b", "c"], {"a"}, 3, 1.0, 1.0),
        (["b", "a", "c"], {"a"}, 3, 1.0, 1 / math.log2(3)),
        (["b", "c", "d", "a"], {"a"}, 3, 0.0, 0.0),
        (["a", "x", "b"], {"a", "b"}, 3, 1.0, (1 + 0.5) / (1 + 1 / math.log2(3))),
        (["a", "b"], {"a", "b", "c", "d"}, 2, 1.0, 1.0),
        ([], {"a"}, 3, 0.0, 0.0),
    ],
)
def test_recall_and_gain(
    ranked: list[str], gold: set[str], k: int, recall: float, ndcg: float
) -> None:
    assert measures.recall_at(ranked, gold, k) == pytest.approx(recall)
    assert measures.ndcg_at(ranked, gold, k) == pytest.approx(ndcg)


def test_reciprocal_rank() -> None:
    assert measures.reciprocal_rank(["x", "a"], {"a"}) == 0.5
    assert measures.reciprocal_rank(["x"], {"a"}) == 0.0


def test_the_interval_holds_the_mean_and_shrinks_with_the_sample() -> None:
    few, many = measures.interval([0.0, 1.0] * 10), measures.interval([0.0, 1.0] * 1000)
    assert few["low"] < few["mean"] == 0.5 < few["high"]
    assert many["high"] - many["low"] < (few["high"] - few["low"]) / 5
    # Of a share of one half in 2,000 draws: 1.96 standard errors to either side.
    assert many["high"] - many["low"] == pytest.approx(2 * 1.96 * 0.5 / 2000**0.5, rel=0.1)


def test_our_own_set_is_whole() -> None:
    own = corpora.read(corpora.OWN)
    names = [p.id for p in own.passages]
    assert len(names) == len(set(names)) >= 100 and len(own.questions) >= 100
    assert all(question.gold <= set(names) for question in own.questions)


def test_the_folder_comes_from_the_argument_or_the_environment(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for place in ("given", "named"):
        (tmp_path / place / "notes").mkdir(parents=True)
        (tmp_path / place / "notes" / "passages.jsonl").write_text("")
    monkeypatch.setenv("HELIX_BENCH_DATA", str(tmp_path / "named"))
    assert corpora.folders(None) == [corpora.OWN, tmp_path / "named" / "notes"]
    assert corpora.folders(tmp_path / "given") == [corpora.OWN, tmp_path / "given" / "notes"]


def _result(full: float, **others: float) -> dict[str, object]:
    names = {"vector": "vector only", "keyword": "keyword only", "fusion": "fusion, no graph"}
    return {
        "measures": {"full recall": {"R@3": {"mean": full}}},
        "R@3 of full recall minus": {names[k]: {"mean": full - v} for k, v in others.items()},
    }


def test_verdicts_tell_what_is_missed() -> None:
    good = _result(0.91, vector=0.88, keyword=0.905, fusion=0.911)
    low = _result(0.90, vector=0.91, keyword=0.92, fusion=0.9)
    found = retrieval.verdicts({"til": good, "ruff_msg": low})
    missed = [(name, what) for name, what, _, held in found if not held]
    assert [name for name, _ in missed] == ["ruff_msg", "ruff_msg", "ruff_msg", "mean of both"]
    assert all(held for *_, held in retrieval.verdicts({"til": good}))
