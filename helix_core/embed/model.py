"""Choosing and loading the embedding model: the only file that names sentence-transformers.

Imported by the worker alone. The order (decisions 24 and 25): what `HELIX_EMBED_MODEL` or the
configuration names; arctic, from the cache or, where a hub answers, downloaded; else the packaged
all-MiniLM-L6-v2.
"""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from helix_core import profiles
from helix_core.embed.sources import hub_answers, packaged_folder
from helix_core.profiles import ModelProfile

if TYPE_CHECKING:
    import numpy as np

__all__ = ["ModelUnavailableError", "TextEmbedder", "hub_answers", "load", "packaged_folder"]

CACHED_QUERIES = 2048


class ModelUnavailableError(Exception):
    """No embedding model can be loaded; its text says why."""


def load(wanted: str = "") -> TextEmbedder:
    """Load the embedding model for this user. Raises ModelUnavailableError with each attempt."""
    tried = []
    for source, name, offline in _sources(wanted):
        try:
            return TextEmbedder(_sentence_transformer(source, offline), name)
        except Exception as error:  # noqa: BLE001 - any loading failure means: try the next
            first = (str(error).splitlines() or ["?"])[0]
            tried.append(f"{name}: {type(error).__name__}: {first[:160]}")
    raise ModelUnavailableError("; ".join(tried) or "no embedding model is installed")


def _sources(wanted: str) -> list[tuple[str, str, bool]]:
    """(what to load, the name vectors are stored under, offline only), in order."""
    found: list[tuple[str, str, bool]] = []
    if wanted:
        local = Path(wanted).expanduser()
        if local.is_dir():
            return [(str(local), local.name, True)]
        found.append((wanted, wanted, True))
        if hub_answers():
            found.append((wanted, wanted, False))
        return found
    default = profiles.ARCTIC.name
    found.append((default, default, True))
    if hub_answers():
        found.append((default, default, False))
    folder = packaged_folder()
    if folder is not None:
        found.append((str(folder), profiles.MINILM.name, True))
    return found


def _sentence_transformer(source: str, offline: bool) -> Any:
    import torch
    from sentence_transformers import SentenceTransformer

    torch.set_num_threads(1)  # one short text: 16 ms on one thread, 77 to 420 with the default
    return SentenceTransformer(source, device="cpu", local_files_only=offline)


class TextEmbedder:
    """A loaded model. Safe for threads: one text at a time, recent queries remembered."""

    def __init__(self, model: Any, name: str) -> None:
        self._model = model
        self._lock = threading.Lock()
        self._recent: OrderedDict[str, list[float]] = OrderedDict()
        self._profile = profiles.profile_for(name, len(self._encode(["dimension"])[0]))

    @property
    def profile(self) -> ModelProfile:
        """The model's name, dimension and thresholds."""
        return self._profile

    def embed_query(self, text: str) -> list[float]:
        """The unit vector of a question or task, with the model's query prompt."""
        with self._lock:
            known = self._recent.get(text)
            if known is not None:
                self._recent.move_to_end(text)
                return known
            vector: list[float] = self._encode([f"{self._profile.query_prompt}{text}"])[0].tolist()
            self._recent[text] = vector
            if len(self._recent) > CACHED_QUERIES:
                self._recent.popitem(last=False)
            return vector

    def embed_documents(self, texts: Sequence[str]) -> list[list[float]]:
        """The unit vectors of stored texts."""
        with self._lock:
            rows: list[list[float]] = self._encode(list(texts)).tolist()
            return rows

    def anchor(self) -> TextEmbedder | None:
        """The packaged model, whose thresholds are measured; loaded anew unless it is this one."""
        folder = packaged_folder()
        if folder is None or self._profile.name == profiles.MINILM.name:
            return None if folder is None else self
        return TextEmbedder(_sentence_transformer(str(folder), True), profiles.MINILM.name)

    def _encode(self, texts: list[str]) -> np.ndarray[Any, Any]:
        vectors: np.ndarray[Any, Any] = self._model.encode(
            texts, normalize_embeddings=True, show_progress_bar=False, convert_to_numpy=True
        )
        return vectors
