"""Events that could not be written in time: kept as files, taken in by the next writer.

Standard library only. A spooled event is the whole payload without its secrets; taking it in is the
ordinary, idempotent handling.
"""

from __future__ import annotations

import contextlib
import json
import os
import time
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from helix_core import atomic
from helix_core.errors import StoreError
from helix_core.memory.context import Memory
from helix_core.text import credentials

Handler = Callable[[Memory, dict[str, Any]], object]

FOLDER = "spool"
VERSION = 1
MAX_AT_ONCE = 20
MAX_WAITING = 1000
SECONDS_AT_ONCE = 1.0


def put(home: Path, event: str, payload: dict[str, Any]) -> Path | None:
    """Keep an event for later; returns the file, None where too many are waiting already."""
    if len(waiting(home)) >= MAX_WAITING:
        return None
    name = f"{time.time_ns():020d}-{os.getpid()}.json"
    file = home / FOLDER / name
    kept = credentials.mask_tree(payload)
    atomic.write_json(file, {"version": VERSION, "event": event, "payload": kept})
    return file


def waiting(home: Path) -> list[Path]:
    """Spooled events, oldest first."""
    try:
        return sorted((home / FOLDER).glob("*.json"))
    except OSError:
        return []


def take_in(mem: Memory, handlers: Mapping[str, Handler]) -> int:
    """Handle what was spooled, for about a second; returns how many events.

    A file that nobody can read or handle is set aside, so that it does not stop the others. A
    database that cannot be used ends the attempt: a StoreError goes up, and the files stay.
    """
    files = waiting(mem.project.home)[:MAX_AT_ONCE]
    if not files or mem.read_only:  # what a newer helix owns is for it to take in
        return 0
    taken = 0
    deadline = time.monotonic() + SECONDS_AT_ONCE
    with atomic.exclusive(mem.project.home / FOLDER / ".lock") as mine:
        for file in files if mine else ():
            if time.monotonic() > deadline:
                break
            taken += _take(mem, file, handlers)
    return taken


def _take(mem: Memory, file: Path, handlers: Mapping[str, Handler]) -> bool:
    try:
        kept = json.loads(file.read_text(encoding="utf-8"))
        event = str(kept["event"])
        handlers[event](mem, dict(kept["payload"]))
    except FileNotFoundError:  # another process was quicker
        return False
    except StoreError:
        raise
    except Exception as problem:  # noqa: BLE001 - one file must not stop every later hook
        with contextlib.suppress(OSError):
            file.replace(file.with_suffix(".bad"))
        mem.note("error", f"spooled event {file.name} set aside: {problem!r}")
        return False
    file.unlink(missing_ok=True)
    mem.note("info", f"took in a spooled {event}")
    return True
