"""Vectors as little-endian float32 blobs. Standard library only (numpy reads the same bytes)."""

from __future__ import annotations

import array
import math
import sys
from collections.abc import Sequence


def pack(vector: Sequence[float]) -> bytes:
    """A vector as the bytes stored in the database, 4 per dimension."""
    data = array.array("f", vector)
    if sys.byteorder == "big":
        data.byteswap()
    return data.tobytes()


def unpack(blob: bytes | None, dim: int | None = None) -> list[float] | None:
    """The vector of a blob; None where it is missing, of another length, zero or not finite."""
    if not blob or len(blob) % 4 or (dim is not None and len(blob) != 4 * dim):
        return None
    data = array.array("f")
    data.frombytes(blob)
    if sys.byteorder == "big":
        data.byteswap()
    values = data.tolist()
    norm = math.fsum(x * x for x in values)
    return values if math.isfinite(norm) and norm > 0.0 else None


def cosine(a: Sequence[float], b: Sequence[float]) -> float | None:
    """Cosine of two vectors in [-1, 1]; None where it is not defined."""
    if len(a) != len(b):
        return None
    dot = math.fsum(x * y for x, y in zip(a, b, strict=True))
    norm = math.sqrt(math.fsum(x * x for x in a) * math.fsum(y * y for y in b))
    if not norm or not math.isfinite(norm):
        return None
    return max(-1.0, min(1.0, dot / norm))


def similarity(vector: Sequence[float], blob: bytes | None) -> float | None:
    """Cosine of a vector and a stored one; None where there is none to compare."""
    other = unpack(blob, len(vector))
    return cosine(vector, other) if other else None
