"""An empty memory, made once in a process and copied.

Making one takes some twenty steps of its schema, ten times what opening one takes; that they do
what they should is tested in `core/store`. May import helix_core.
"""

from __future__ import annotations

import functools
import tempfile
from pathlib import Path

from helix_core.store.connection import open_store


def lay(database: Path) -> None:
    """Put an empty memory where there is no database yet."""
    if not database.exists():
        database.parent.mkdir(parents=True, exist_ok=True)
        database.write_bytes(_image())


@functools.cache
def _image() -> bytes:
    with tempfile.TemporaryDirectory(prefix="hx-") as folder:
        database = Path(folder) / "helix.db"
        conn = open_store(database, create=True)
        conn.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        conn.close()
        return database.read_bytes()
