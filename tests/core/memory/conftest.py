from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from geometry import open_memory

from helix_core.memory.context import Memory


@pytest.fixture
def mem(tmp_path: Path) -> Iterator[Memory]:
    """A memory with known vectors."""
    memory = open_memory(tmp_path)
    yield memory
    memory.conn.close()


@pytest.fixture
def blind(tmp_path: Path) -> Iterator[Memory]:
    """A memory without an embedding model."""
    memory = open_memory(tmp_path / "blind", vectors=False)
    yield memory
    memory.conn.close()
