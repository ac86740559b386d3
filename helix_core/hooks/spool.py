"""Events that could not be written in time: kept as files, taken in by the next writer.

Standard library only. A spooled event is the whole payload, so that nothing of it is lost; taking
it in is the ordinary, idempotent handling.
"""

from __future__ import annotations

import contextlib
import json
import os
import time
from pathlib import Path
from typing import Any

from helix_core import atomic
from helix_core.memory.context import Memory

FOLDER = "spool"
VERSION = 1
MAX_AT_ONCE = 20


def put(home: Path, event: str, payload: dict[str, Any]) -> Path:
    """Keep an event for later; returns the file."""
    name = f"{time.time_ns():020d}-{os.getpid()}.json"
    file = home / FOLDER / name
    atomic.write_json(file, {"version": VERSION, "event": event, "payload": payload})
    return file


def waiting(home: Path) -> list[Path]:
    """Spooled events, oldest first."""
    try:
        return sorted((home / FOLDER).glob("*.json"))
    except OSError:
        return []


def take_in(mem: Memory) -> int:
    """Handle what was spooled; returns how many. A file nobody can read is set aside."""
    files = waiting(mem.project.home)[:MAX_AT_ONCE]
    if not files:
        return 0
    from helix_core.hooks import events

    taken = 0
    with atomic.exclusive(mem.project.home / FOLDER / ".lock") as mine:
        if not mine:
            return 0
        for file in files:
            try:
                kept = json.loads(file.read_text(encoding="utf-8"))
                event, payload = str(kept["event"]), dict(kept["payload"])
            except (OSError, ValueError, KeyError, TypeError):
                with contextlib.suppress(OSError):
                    file.replace(file.with_suffix(".bad"))
                mem.note("warn", f"spooled event {file.name} cannot be read; set aside")
                continue
            events.HANDLERS[event](mem, payload)
            file.unlink(missing_ok=True)
            taken += 1
            mem.note("info", f"took in a spooled {event}")
    return taken
