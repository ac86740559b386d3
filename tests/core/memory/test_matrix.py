"""The matrix of vectors against what the database holds, whatever came, changed and went."""

from __future__ import annotations

import random

import pytest
from geometry import PROFILE, at, directions

from helix_core.memory import remember
from helix_core.memory.context import Memory
from helix_core.store import vectors


def put(mem: Memory, number: int, angle: float) -> int:
    """One insight at an angle from the query."""
    text = f"When part{number} of the plant leaks, close valve{number} because of pressure"
    directions(mem)[text] = at(angle, number % 30 + 1)
    done = remember.store(mem, text)
    assert done.insight_id is not None
    return done.insight_id


def stored(mem: Memory, minimum: float) -> list[tuple[int, float]]:
    """What a search has to find, worked out without the matrix."""
    found = []
    for row_id, blob in mem.conn.execute("SELECT id, embedding FROM insight"):
        vector = vectors.unpack(blob, PROFILE.dim)
        cosine = vectors.cosine(at(0), vector) if vector else None
        if cosine is not None and cosine >= minimum:
            found.append((row_id, cosine))
    return sorted(found, key=lambda pair: (-pair[1], pair[0]))


def test_it_follows_the_database_through_growth_changes_and_removals(mem: Memory) -> None:
    assert mem.index is not None
    rng = random.Random(5)
    ids = [put(mem, n, rng.uniform(5, 120)) for n in range(150)]
    for round_ in range(3):
        for insight_id in rng.sample(ids, 20):
            mem.conn.execute("DELETE FROM insight WHERE id = ?", (insight_id,))
        for insight_id in rng.sample(ids, 10):
            blob = vectors.pack(at(rng.uniform(5, 120), round_ + 1))
            mem.conn.execute("UPDATE insight SET embedding = ? WHERE id = ?", (blob, insight_id))
        ids += [put(mem, 1000 * (round_ + 1) + n, rng.uniform(5, 120)) for n in range(10)]
        mem.index.refresh(mem.conn)
        for minimum in (-1.0, 0.0, 0.35, 0.9):
            expected = stored(mem, minimum)
            found = mem.index.near(at(0), minimum)
            assert [i for i, _ in found] == [i for i, _ in expected]
            assert [c for _, c in found] == pytest.approx([c for _, c in expected], abs=1e-5)
            assert mem.index.top(at(0), 7, minimum) == found[:7]
        alive = mem.conn.execute("SELECT count(*) FROM insight").fetchone()[0]
        assert len(mem.index) == alive


def test_nothing_is_near_an_empty_memory_or_asked_for(mem: Memory) -> None:
    assert mem.index is not None
    assert mem.index.near(at(0), -1.0) == []
    put(mem, 1, 10)
    mem.index.refresh(mem.conn)
    assert mem.index.top(at(0), 0, -1.0) == []
    assert mem.index.near(at(0), 1.1) == []
