"""The vectors of one project in one contiguous matrix, refreshed by what changed.

Imported by the worker and by benchmarks only: it needs numpy.
"""

from __future__ import annotations

import sqlite3
import threading
from collections.abc import Iterable, Sequence

import numpy as np
import numpy.typing as npt

from helix_core.profiles import ModelProfile

Matrix = npt.NDArray[np.float32]


class MatrixIndex:
    """Cosine search over one project's vectors of one model.

    Rows are unit vectors, so that a cosine is a dot product. Removed insights leave a zero row that
    the next newcomer takes. Safe for threads.
    """

    def __init__(self, profile: ModelProfile) -> None:
        self.profile = profile
        self._lock = threading.RLock()
        self._matrix: Matrix = np.zeros((64, profile.dim), dtype=np.float32)
        self._ids = np.full(64, -1, dtype=np.int64)
        self._row: dict[int, int] = {}
        self._free = list(range(63, -1, -1))
        self._used = 0  # rows from here on were never taken
        self._seen = -1
        self._unusable: set[int] = set()

    def __len__(self) -> int:
        return len(self._row)

    def refresh(self, conn: sqlite3.Connection) -> None:
        """Take in the vectors that changed since the last refresh.

        Call it outside a transaction or before the transaction's own writes: what is not committed
        yet could still be rolled back, and the matrix would not notice.
        """
        with self._lock:
            newest = conn.execute("SELECT coalesce(max(seq), 0) FROM vector_change").fetchone()[0]
            if newest == self._seen:
                return
            if self._seen < 0 or newest < self._seen:
                rows = conn.execute("SELECT id, embedding, embedding_model FROM insight").fetchall()
                self._clear(len(rows))
            else:
                rows = conn.execute(
                    "SELECT c.insight_id, i.embedding, i.embedding_model FROM"
                    " (SELECT DISTINCT insight_id FROM vector_change WHERE seq > ?) c"
                    " LEFT JOIN insight i ON i.id = c.insight_id",
                    (self._seen,),
                ).fetchall()
            for insight_id, blob, model in rows:
                unit = self._unit(blob, model)
                self._put(int(insight_id), unit)
                if unit is None and model == self.profile.name:
                    self._unusable.add(int(insight_id))
                else:
                    self._unusable.discard(int(insight_id))
            self._seen = newest

    def unusable(self) -> list[int]:
        """Ids whose stored vector claims to be of this model and cannot be one."""
        with self._lock:
            return sorted(self._unusable)

    def _clear(self, expected: int) -> None:
        size = max(64, int(expected * 1.25))
        self._matrix = np.zeros((size, self.profile.dim), dtype=np.float32)
        self._ids = np.full(size, -1, dtype=np.int64)
        self._row = {}
        self._unusable = set()
        self._free = list(range(size - 1, -1, -1))
        self._used = 0

    def _unit(self, blob: bytes | None, model: str | None) -> Matrix | None:
        """The unit vector of a stored blob; None where it belongs to nothing we can compare."""
        if not isinstance(blob, bytes) or model != self.profile.name:
            return None
        if len(blob) != 4 * self.profile.dim:
            return None
        vector = np.frombuffer(blob, dtype="<f4").astype(np.float32)
        norm = float(np.linalg.norm(vector))
        return vector / norm if np.isfinite(norm) and norm > 0.0 else None

    def _put(self, insight_id: int, vector: Matrix | None) -> None:
        row = self._row.get(insight_id)
        if vector is None:
            if row is not None:
                self._matrix[row] = 0.0
                self._ids[row] = -1
                del self._row[insight_id]
                self._free.append(row)
            return
        if row is None:
            if not self._free:
                self._grow()
            row = self._free.pop()
            self._row[insight_id] = row
            self._ids[row] = insight_id
            self._used = max(self._used, row + 1)
        self._matrix[row] = vector

    def _grow(self) -> None:
        old = len(self._ids)
        self._matrix = np.concatenate([self._matrix, np.zeros_like(self._matrix)])
        self._ids = np.concatenate([self._ids, np.full(old, -1, dtype=np.int64)])
        self._free = list(range(2 * old - 1, old - 1, -1))

    def near(self, vector: Sequence[float], minimum: float) -> list[tuple[int, float]]:
        """Every (id, cosine) at or above `minimum`, best first; O(n)."""
        return self._best(vector, minimum, None)

    def top(self, vector: Sequence[float], depth: int, minimum: float) -> list[tuple[int, float]]:
        """The best (id, cosine) at or above `minimum`, best first, at most `depth`; O(n)."""
        return self._best(vector, minimum, max(0, depth))

    def _best(
        self, vector: Sequence[float], minimum: float, depth: int | None
    ) -> list[tuple[int, float]]:
        with self._lock:
            if not self._row or depth == 0:
                return []
            scores = self._matrix[: self._used] @ np.asarray(vector, dtype=np.float32)
            rows = np.flatnonzero(scores >= minimum)
            rows = rows[self._ids[rows] >= 0]
            if depth is not None and depth < len(rows):
                rows = rows[np.argpartition(scores[rows], -depth)[-depth:]]
            found, ids = scores[rows], self._ids[rows]
        order = np.lexsort((ids, -found))
        cosines = np.minimum(found[order], 1.0)
        return list(zip(ids[order].tolist(), cosines.tolist(), strict=True))

    def cosines(self, vector: Sequence[float], ids: Iterable[int]) -> dict[int, float]:
        """The cosine of each id that has a vector."""
        with self._lock:
            known = [(i, self._row[i]) for i in ids if i in self._row]
            if not known:
                return {}
            scores = self._matrix[[row for _, row in known]] @ np.asarray(vector, dtype=np.float32)
            return {i: min(1.0, float(s)) for (i, _), s in zip(known, scores, strict=True)}

    def similarities(
        self, vector: Sequence[float], blobs: Sequence[bytes | None]
    ) -> list[float | None]:
        """Cosine of a vector with each stored one; None for what cannot be compared."""
        size = 4 * self.profile.dim
        whole = [n for n, blob in enumerate(blobs) if blob is not None and len(blob) == size]
        found: list[float | None] = [None] * len(blobs)
        mine = np.asarray(vector, dtype=np.float32)
        if not whole or mine.shape != (self.profile.dim,):
            return found
        rows = np.frombuffer(b"".join(blobs[n] or b"" for n in whole), dtype="<f4")
        rows = rows.reshape(-1, self.profile.dim)
        with np.errstate(all="ignore"):
            scores = (rows @ mine) / (np.linalg.norm(rows, axis=1) * np.linalg.norm(mine))
        for n, score in zip(whole, scores.tolist(), strict=True):
            found[n] = max(-1.0, min(1.0, score)) if np.isfinite(score) else None
        return found
