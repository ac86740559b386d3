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
from helix_core.profiles import ModelProfile, calibrated, calibration_key
from helix_core.settings import Settings
from helix_core.store import journal


def in_force(conn: sqlite3.Connection, profile: ModelProfile) -> ModelProfile:
    """A model's thresholds in this project: the measured ones, else what calibration found."""
    if profile.measured:
        return profile
    return calibrated(profile, journal.get_meta(conn, calibration_key(profile.name)))


class Embedder(Protocol):
    """Turns texts into unit vectors."""

    @property
    def profile(self) -> ModelProfile:
        """The model's name, dimension and thresholds."""

    def embed_query(self, text: str) -> list[float]:
        """The unit vector of a question or task."""

    def embed_documents(self, texts: Sequence[str]) -> list[list[float]]:
        """The unit vectors of stored texts, one per text."""

    def anchor(self) -> Embedder | None:
        """A model with measured thresholds to calibrate this one by; None where there is none."""


class VectorIndex(Protocol):
    """The vectors of one project for one model, kept in step with the database."""

    def refresh(self, conn: sqlite3.Connection) -> None:
        """Take in what changed since the last refresh."""

    def __len__(self) -> int:
        """How many insights have a vector here."""

    def near(self, vector: Sequence[float], minimum: float) -> list[tuple[int, float]]:
        """Every (id, cosine) at or above `minimum`, best first."""

    def top(self, vector: Sequence[float], depth: int, minimum: float) -> list[tuple[int, float]]:
        """The best (id, cosine) at or above `minimum`, best first, at most `depth`."""

    def unusable(self) -> list[int]:
        """Ids whose stored vector is of this model by name, but broken."""

    def cosines(self, vector: Sequence[float], ids: Iterable[int]) -> dict[int, float]:
        """The cosine of each id that has a vector."""

    def similarities(
        self, vector: Sequence[float], blobs: Sequence[bytes | None]
    ) -> list[float | None]:
        """The cosine with each stored vector; None for what cannot be compared."""


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
    def read_only(self) -> bool:
        """Whether a newer helix wrote this database, so that this one only reads it."""
        return bool(getattr(self.conn, "too_new", False))

    @property
    def profile(self) -> ModelProfile | None:
        """The thresholds in force; None where recall goes by keyword alone."""
        if self.embedder is None or self.index is None:
            return None
        return in_force(self.conn, self.embedder.profile)

    def note(self, level: str, message: str) -> None:
        """One line in the project's log."""
        log.write(self.project.home, level, message)
