"""What every operation of the memory works with. Standard library only at import.

The same functions run in three places: in the worker (with the model and the vectors), in a hook
process that found no worker, and in the command line. `Memory` says which of the resources are
there; without an embedder and an index everything goes by keyword.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Protocol

from helix_core import clock, log
from helix_core.paths import Project
from helix_core.profiles import ModelProfile
from helix_core.settings import Settings


class Embedder(Protocol):
    """Turns texts into unit vectors."""

    @property
    def profile(self) -> ModelProfile:
        """The model's name, dimension and thresholds."""

    def embed_query(self, text: str) -> list[float]:
        """The unit vector of a question or task."""

    def embed_documents(self, texts: Sequence[str]) -> list[list[float]]:
        """The unit vectors of stored texts, one per text."""


class VectorIndex(Protocol):
    """The vectors of one project for one model, kept in step with the database."""

    def refresh(self, conn: sqlite3.Connection) -> None:
        """Take in what changed since the last refresh."""

    def top(self, vector: Sequence[float], depth: int, minimum: float) -> list[tuple[int, float]]:
        """The best (id, cosine) at or above `minimum`, best first, at most `depth`."""

    def cosines(self, vector: Sequence[float], ids: Iterable[int]) -> dict[int, float]:
        """The cosine of each id that has a vector."""


@dataclass(frozen=True)
class Memory:
    """One project's memory, open for use, at one moment."""

    conn: sqlite3.Connection
    project: Project
    settings: Settings
    now: datetime
    embedder: Embedder | None = None
    index: VectorIndex | None = None
    actor: str = "hook"

    @property
    def moment(self) -> str:
        """`now` as it is stored."""
        return clock.iso(self.now)

    @property
    def profile(self) -> ModelProfile | None:
        """The thresholds in force; None where recall goes by keyword alone."""
        if self.embedder is None or self.index is None:
            return None
        return self.embedder.profile

    def note(self, level: str, message: str) -> None:
        """One line in the project's log."""
        log.write(self.project.home, level, message)
