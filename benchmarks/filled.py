"""A real memory filled in bulk: the product's tables, search index, matrix and graph.

Texts go in as `remember.store` would put them, without looking for duplicates first, so that a
benchmark's passages stay the rows it counts. Needs numpy.
"""

from __future__ import annotations

import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

import numpy as np
import numpy.typing as npt

from helix_core import clock, constants, profiles
from helix_core.embed.index import MatrixIndex
from helix_core.memory.context import Embedder, Memory
from helix_core.paths import Project
from helix_core.profiles import ModelProfile
from helix_core.settings import Settings
from helix_core.store import edges, insights
from helix_core.store.connection import open_store, writing

Vectors = npt.NDArray[np.float32]
BLOCK = 1024
"""Rows compared at once when the graph is made."""


class Known:
    """An embedder of texts whose vectors are known beforehand: what a cached query costs."""

    def __init__(self, profile: ModelProfile = profiles.MINILM) -> None:
        self.profile = profile
        self.vectors: dict[str, list[float]] = {}

    def learn(self, texts: Sequence[str], rows: Vectors) -> None:
        """Remember the vectors of texts."""
        self.vectors.update(zip(texts, rows.tolist(), strict=True))

    def embed_query(self, text: str) -> list[float]:
        """The vector of a known query; KeyError for another."""
        return self.vectors[text]

    def embed_documents(self, texts: Sequence[str]) -> list[list[float]]:
        """The vectors of known texts; KeyError for another."""
        return [self.vectors[text] for text in texts]

    def anchor(self) -> None:
        """None: its thresholds are those of its profile."""


@contextmanager
def memory(embedder: Embedder) -> Iterator[Memory]:
    """An empty memory in a scratch folder, open as the worker has it."""
    with tempfile.TemporaryDirectory(prefix="helix-bench-") as folder:
        home = Path(folder) / ".helix"
        project = Project(Path(folder), home, home / "helix.db", "benchmark")
        conn = open_store(project.database, create=True)
        try:
            yield Memory(
                conn=conn,
                project=project,
                settings=Settings(),
                now=clock.now(),
                embedder=embedder,
                index=MatrixIndex(embedder.profile),
                actor="benchmark",
            )
        finally:
            conn.close()


def fill(
    mem: Memory,
    texts: Sequence[str],
    tags: Sequence[Sequence[str]],
    rows: Vectors,
    *,
    reach: int | None = None,
) -> list[int]:
    """Insert texts with their vectors and `similar` edges; returns their ids in order.

    `reach` limits how far back an edge may go: the degree stays, the time to fill stays linear.
    """
    assert mem.profile is not None
    blobs = np.ascontiguousarray(rows, dtype="<f4")
    with writing(mem.conn):
        ids = [
            insights.insert(
                mem.conn,
                content=text,
                tags=labels,
                effectiveness=constants.NEUTRAL_EFFECTIVENESS,
                source="agent",
                moment=mem.moment,
                embedding=blob.tobytes(),
                embedding_model=mem.profile.name,
            )[0]
            for text, labels, blob in zip(texts, tags, blobs, strict=True)
        ]
        for start in range(0, len(ids), BLOCK):
            made = _links(ids, rows, start, mem.profile.related, reach)
            edges.add_edges(mem.conn, made, mem.moment)
    return ids


def _links(
    ids: Sequence[int], rows: Vectors, start: int, related: float, reach: int | None
) -> list[tuple[int, int, float, str]]:
    """What storing one after the other links: the closest five of those that were there before."""
    stop = min(start + BLOCK, len(ids))
    first = 0 if reach is None else max(0, start - reach)
    scores = rows[start:stop] @ rows[first:stop].T
    found = []
    for n in range(start, stop):
        earlier = scores[n - start, : n - first]
        near = np.flatnonzero(earlier >= related)
        best = near[np.argsort(-earlier[near], kind="stable")][: constants.MAX_AUTOLINK_EDGES]
        found += [(ids[n], ids[first + m], min(1.0, float(earlier[m])), "similar") for m in best]
    return found
