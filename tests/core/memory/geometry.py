"""A memory whose vectors are given by the test, so that every cosine in it is known exactly.

The real matrix, store and rules; only the sentence model is replaced by a table of directions.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime, timedelta, timezone
from pathlib import Path

from helix_core.embed.index import MatrixIndex
from helix_core.memory.context import Memory
from helix_core.paths import Project
from helix_core.profiles import MINILM
from helix_core.settings import Settings
from helix_core.store.connection import open_store
from tests import blank

START = datetime(2026, 3, 1, 12, tzinfo=timezone.utc)
PROFILE = replace(MINILM, name="test/plane", dim=32)


def at(degrees: float, axis: int = 1) -> list[float]:
    """The unit vector at an angle from the first axis, in the plane of the first and `axis`."""
    vector = [0.0] * PROFILE.dim
    vector[0] = math.cos(math.radians(degrees))
    vector[axis] = math.sin(math.radians(degrees))
    return vector


def degrees(cosine: float) -> float:
    """The angle of a cosine."""
    return math.degrees(math.acos(cosine))


class Directions:
    """An embedder that knows its texts' directions; an unknown text points away from all."""

    profile = PROFILE

    def __init__(self) -> None:
        self.known: dict[str, list[float]] = {}

    def embed_query(self, text: str) -> list[float]:
        return self.known.get(text, at(90, 31))

    def embed_documents(self, texts: Sequence[str]) -> list[list[float]]:
        return [self.known.get(text, at(90, 31)) for text in texts]


def open_memory(folder: Path, *, vectors: bool = True, **settings: object) -> Memory:
    """A fresh memory in a folder."""
    home = folder / ".helix"
    project = Project(folder, home, home / "helix.db", "test")
    blank.lay(project.database)
    conn = open_store(project.database, create=True)
    chosen = replace(Settings(), **settings)  # type: ignore[arg-type]
    return Memory(
        conn=conn,
        project=project,
        settings=chosen,
        now=START,
        embedder=Directions() if vectors else None,
        index=MatrixIndex(PROFILE) if vectors else None,
        actor="cli",
    )


def later(mem: Memory, **delta: float) -> Memory:
    """The same memory at a later moment."""
    return replace(mem, now=mem.now + timedelta(**delta))


def directions(mem: Memory) -> dict[str, list[float]]:
    """The table of directions of a memory."""
    assert isinstance(mem.embedder, Directions)
    return mem.embedder.known


def dump(mem: Memory) -> dict[str, list[dict[str, object]]]:
    """Everything that taking changes back must give back, every column of it."""
    found = {}
    for table, order in (
        ("insight", "id"),
        ("insight_edges", "src_id, dst_id, relation"),
        ("trash", "insight_id"),
        ("tombstone", "content_hash"),
    ):
        cursor = mem.conn.execute(f"SELECT * FROM {table} ORDER BY {order}")
        names = [column[0] for column in cursor.description]
        rows = [dict(zip(names, row, strict=True)) for row in cursor.fetchall()]
        for row in rows:
            for name in ("row_version", "updated_at"):
                row.pop(name, None)
        found[table] = rows
    return found
