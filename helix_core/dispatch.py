"""Carrying out one request on an open memory: a hook event, or an operation of the service.

Standard library only; what an operation needs is imported when it is asked for, since a hook
process pays for every import.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from helix_core.memory.context import Memory

HOOK = "hook:"
READING = frozenset(
    {
        *("recall", "explain", "get", "history", "neighbors", "count", "health", "stats"),
        *("trash-list", "backup", "export", "promote", "what-if"),
        *("dag-status", "dag-ready", "dag-show", "dag-deliveries"),
        *("strategic-recall", "sessions-search", "session-report"),
        *("learn-list", "learn-show", "learn-evidence"),
        *("synthesize", "calibrate", "learn-answer", "learn-dismiss"),
    }
)
"""Operations that never create a database; all but the last four change nothing in it either."""
REPAIRING = frozenset({f"{HOOK}SessionStart"})
"""Operations that put a damaged database aside; every other one reports it."""


def run(mem: Memory, op: str, args: dict[str, Any]) -> Any:
    """Carry out `op`; raises UnknownOperationError for an unknown one."""
    if op.startswith(HOOK):
        from helix_core.hooks import events

        return events.handle(mem, op.removeprefix(HOOK), args)
    from helix_core import service

    return service.run(mem, op, args)
