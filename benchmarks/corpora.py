"""Sets of passages and queries with known answers, and their vectors from the packaged model.

A set is a folder with `passages.jsonl` (`id`, `text`, `tags`: words in one string) and
`queries.jsonl` (`id`, `text`, `gold`: ids of the right passages). Vectors are kept in the user's
cache folder, so that a second run starts at once. Needs numpy; the model only for what is new.
"""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from helix_core import profiles

ROOT = Path(__file__).resolve().parent.parent
OWN = ROOT / "benchmarks" / "data" / "own"
SHARED = ROOT.parent / "shared" / "data" / "retrieval"
BATCH = 256

Vectors = npt.NDArray[np.float32]


@dataclass(frozen=True)
class Passage:
    """One text that will be an insight."""

    id: str
    text: str
    tags: tuple[str, ...]


@dataclass(frozen=True)
class Question:
    """One query and the ids of the passages that answer it."""

    id: str
    text: str
    gold: frozenset[str]


@dataclass(frozen=True)
class Corpus:
    """A whole set, in the order of its files."""

    name: str
    passages: tuple[Passage, ...]
    questions: tuple[Question, ...]


def read(folder: Path) -> Corpus:
    """The set in a folder. Raises OSError, ValueError or KeyError where it is not one."""
    passages = tuple(
        Passage(str(row["id"]), str(row["text"]), tuple(str(row.get("tags", "")).split()))
        for row in _rows(folder / "passages.jsonl")
    )
    questions = tuple(
        Question(str(row["id"]), str(row["text"]), frozenset(map(str, row["gold"])))
        for row in _rows(folder / "queries.jsonl")
    )
    return Corpus(folder.name, passages, questions)


def _rows(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines() if line]


def folders(data: Path | None) -> list[Path]:
    """Where the sets are: helix's own, then those below `data`.

    `data` None: `HELIX_BENCH_DATA`, else the folder the project's material usually lies in.
    """
    base = data or Path(os.environ.get("HELIX_BENCH_DATA") or SHARED)
    found = sorted(path.parent for path in base.glob("*/passages.jsonl"))
    return [OWN, *(path for path in found if path != OWN)]


class Embeddings:
    """Vectors by the packaged MiniLM, remembered in a file per list of texts."""

    def __init__(self) -> None:
        base = os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache"
        self._folder = Path(base) / "helix" / "benchmarks"
        self._model: object = None

    def of(self, texts: Sequence[str], *, queries: bool = False) -> Vectors:
        """Unit vectors, one row per text, as the worker would make them."""
        mark = hashlib.sha256(repr((profiles.MINILM.name, queries, list(texts))).encode())
        path = self._folder / f"{mark.hexdigest()[:24]}.npy"
        if path.is_file():
            known: Vectors = np.load(path)
            return known
        fresh = self._embed(list(texts), queries)
        path.parent.mkdir(parents=True, exist_ok=True)
        part = path.with_suffix(f".{os.getpid()}.npy")
        np.save(part, fresh)
        part.replace(path)
        return fresh

    def _embed(self, texts: list[str], queries: bool) -> Vectors:
        from helix_core.embed import model

        if self._model is None:
            # An empty cache and no hub leave the packaged model as the only one there is.
            os.environ.update(HF_HUB_OFFLINE="1", HF_HOME=str(self._folder / "no-models"))
            self._model = model.load()
        embedder = self._model
        assert isinstance(embedder, model.TextEmbedder)
        if embedder.profile.name != profiles.MINILM.name:
            raise RuntimeError(f"expected the packaged model, not {embedder.profile.name}")
        if queries:
            rows = [embedder.embed_query(text) for text in texts]
        else:
            rows = []
            for start in range(0, len(texts), BATCH):
                rows += embedder.embed_documents(texts[start : start + BATCH])
        return np.asarray(rows, dtype=np.float32)
