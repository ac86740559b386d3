"""The table of hook events, and the row every hook call leaves behind about how it went."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

from helix_core.errors import StoreCorruptError, StoreLockedError
from helix_core.hooks import extraction, injection, session, spool
from helix_core.hooks.payload import session_of, text_at
from helix_core.memory.context import Memory
from helix_core.store import journal
from helix_core.store.connection import writing
from helix_core.text import credentials

HURRIED = frozenset({"PreToolUse", "SessionEnd"})
"""An agent waits for the one, the client kills the other: what was spooled is not theirs."""

Handler = Callable[[Memory, dict[str, Any]], dict[str, Any] | None]

HANDLERS: dict[str, Handler] = {
    "SessionStart": session.session_start,
    "PreToolUse": injection.pre_tool_use,
    "PostToolUse": injection.post_tool_use,
    "SubagentStart": injection.subagent_start,
    "SubagentStop": lambda mem, payload: extraction.subagent_stop(mem, payload),
    "StopFailure": lambda mem, payload: extraction.stop_failure(mem, payload),
    "SessionEnd": lambda mem, payload: session.session_end(mem, payload),
}


def take_in_spooled(mem: Memory) -> int:
    """Handle the events that could not be written in their time; returns how many were."""
    return spool.take_in(mem, HANDLERS)


def handle(mem: Memory, event: str, args: dict[str, Any]) -> dict[str, Any] | None:
    """Handle one event; returns the answer for Claude Code, or None.

    `args`: the payload, and `started`, the wall time at which the hook process began. Errors go up
    to the caller, which has another way; the row about the call is written either way.
    """
    payload = dict(args.get("payload") or {})
    started = float(args.get("started") or time.time())
    mode = "worker" if mem.profile is not None else "keyword"
    error = ""
    try:
        if event not in HURRIED:
            take_in_spooled(mem)
        return HANDLERS[event](mem, payload)
    except (StoreLockedError, StoreCorruptError):  # nor could, or should, the row be written
        mode = ""
        raise
    except Exception as problem:
        error = f"{type(problem).__name__}: {problem}"
        raise
    finally:
        if mode and not mem.read_only:
            _record(mem, event, payload, started, mode, error)


def _record(
    mem: Memory, event: str, payload: dict[str, Any], started: float, mode: str, error: str
) -> None:
    try:
        with writing(mem.conn):
            journal.record_hook(
                mem.conn,
                event=event,
                session_id=session_of(payload) or None,
                agent_id=text_at(payload, "agent_id", 200) or None,
                ms=max(0.0, (time.time() - started) * 1000),
                mode=mode,
                ok=not error,
                error=credentials.mask(error),
                moment=mem.moment,
            )
    except Exception as problem:  # noqa: BLE001 - the record must not cost the answer
        mem.note("warn", f"hook call not recorded: {problem}")
