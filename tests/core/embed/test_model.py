"""Choosing and loading the embedding model (decisions 24 and 25), with real model folders."""

from __future__ import annotations

from pathlib import Path

import pytest

from helix_core import profiles
from helix_core.embed import model, sources
from helix_core.memory.context import Embedder

pytestmark = [pytest.mark.model, pytest.mark.xdist_group("worker")]


@pytest.fixture(scope="module")
def small_arctic(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A model folder named like the default model, as wide (768), with one untrained layer."""
    import torch
    from sentence_transformers import SentenceTransformer, models
    from transformers import BertConfig, BertModel, BertTokenizerFast

    folder = tmp_path_factory.mktemp("hub") / "snowflake-arctic-embed-m-v1.5"
    packaged = model.packaged_folder()
    assert packaged is not None
    torch.manual_seed(7)
    tokenizer = BertTokenizerFast.from_pretrained(str(packaged))
    bert = BertModel(
        BertConfig(
            vocab_size=len(tokenizer),
            hidden_size=768,
            num_hidden_layers=1,
            num_attention_heads=12,
            intermediate_size=64,
        )
    )
    raw = tmp_path_factory.mktemp("raw")
    bert.save_pretrained(raw)
    tokenizer.save_pretrained(raw)
    whole = SentenceTransformer(modules=[models.Transformer(str(raw)), models.Pooling(768, "cls")])
    whole.save(str(folder))
    return folder


@pytest.mark.filterwarnings("ignore::DeprecationWarning", "ignore::FutureWarning")
def test_the_default_models_loading_code_on_a_local_folder(small_arctic: Path) -> None:
    loaded: Embedder = model.load(str(small_arctic))
    assert loaded.profile.dim == 768
    assert loaded.profile.query_prompt == profiles.ARCTIC.query_prompt
    assert loaded.profile.causal_threshold == profiles.ARCTIC.causal_threshold
    [document] = loaded.embed_documents(["rebuild the index"])
    query = loaded.embed_query("rebuild the index")
    assert sum(x * x for x in query) == pytest.approx(1.0, abs=1e-4)
    assert query != document  # the query prompt was put before the query only
    assert loaded.embed_query("rebuild the index") is query  # remembered


def test_without_cache_or_hub_the_packaged_model_serves(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("HF_HOME", str(tmp_path / "empty"))
    monkeypatch.setattr(model, "hub_answers", lambda seconds=1.5: False)
    loaded = model.load("")
    assert loaded.profile.name == profiles.MINILM.name and loaded.profile.dim == 384
    assert loaded.profile.causal_threshold == profiles.MINILM.causal_threshold


def test_b27_half_a_download_in_the_cache_is_passed_over(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    folder = tmp_path / "hub" / f"models--{profiles.ARCTIC.name.replace('/', '--')}"
    snapshot = folder / "snapshots" / ("0" * 40)
    snapshot.mkdir(parents=True)
    (folder / "refs").mkdir()
    (folder / "refs" / "main").write_text("0" * 40)
    (snapshot / "config.json").write_text("{")
    monkeypatch.setenv("HF_HOME", str(tmp_path))
    monkeypatch.setattr(model, "hub_answers", lambda seconds=1.5: False)
    assert model.load("").profile.name == profiles.MINILM.name


def test_the_order_in_which_models_are_tried(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(model, "hub_answers", lambda seconds=1.5: True)
    tried = [(name, offline) for _, name, offline in model._sources("")]
    arctic, minilm = profiles.ARCTIC.name, profiles.MINILM.name
    assert tried == [(arctic, True), (arctic, False), (minilm, True)]
    assert [s[1:] for s in model._sources(str(tmp_path))] == [(tmp_path.name, True)]


def test_what_cannot_be_loaded_is_said_in_one_line(tmp_path: Path) -> None:
    (tmp_path / "broken").mkdir()
    with pytest.raises(model.ModelUnavailableError) as caught:
        model.load(str(tmp_path / "broken"))
    assert "broken" in str(caught.value) and "\n" not in str(caught.value)


def test_no_network_is_noticed_quickly(monkeypatch: pytest.MonkeyPatch) -> None:
    import time

    monkeypatch.delenv("HF_HUB_OFFLINE", raising=False)
    monkeypatch.setattr(sources, "HUB", "http://127.0.0.1:9")
    began = time.monotonic()
    assert model.hub_answers() is False
    assert time.monotonic() - began < 30  # one try, however busy the machine
