"""Operations that carry the whole memory, or knowledge, from one place to another."""

from __future__ import annotations

from typing import Any

from helix_core.memory.context import Memory
from helix_core.operations.registry import operation
from helix_core.store import backups


@operation("backup")
def _backup(mem: Memory, args: dict[str, Any]) -> Any:
    made = backups.make(mem.conn, mem.project.database, backups.BY_HAND)
    return {"file": str(made), "bytes": made.stat().st_size}
