"""How much memory this process holds, and whether that is too much. Standard library only."""

from __future__ import annotations

import os
import subprocess
import time
from pathlib import Path

from helix_core import log

MIB = 1024 * 1024
LOOK_SECONDS = 2.0
ROOM = 1.5
"""What a worker may hold whose model alone is above the ceiling, in times of that."""


def resident_mb(pid: int | None = None) -> float:
    """Resident memory in MiB of a process, by default this one; 0 where nobody can tell."""
    number = os.getpid() if pid is None else pid
    try:
        pages = int(Path(f"/proc/{number}/statm").read_text(encoding="ascii").split()[1])
        return pages * os.sysconf("SC_PAGE_SIZE") / MIB
    except (OSError, ValueError, IndexError):
        return _asked(number)


def _asked(pid: int) -> float:
    """By asking ps, where there is no /proc."""
    try:
        told = subprocess.run(
            ["ps", "-o", "rss=", "-p", str(pid)], capture_output=True, text=True, check=False
        ).stdout
        return int(told) / 1024
    except (OSError, ValueError):
        return 0.0


class Ceiling:
    """Watches this process from its first look on, which comes once its model is loaded.

    A model that is itself above the ceiling is no reason to leave, since the next worker would be
    as big: then half as much again is allowed, and the log says so.
    """

    def __init__(self, limit_mb: float) -> None:
        self._limit = float(limit_mb)
        self._looked = 0.0
        self._began = False

    def exceeded(self) -> bool:
        """Whether too much is held; looks every other second at most."""
        now = time.monotonic()
        if self._limit <= 0 or now - self._looked < LOOK_SECONDS:
            return False
        self._looked = now
        held = resident_mb()
        if not self._began and held > self._limit:
            log.say(f"{held:.0f} MiB with the model alone, over worker_memory_mb={self._limit:.0f}")
            self._limit = held * ROOM
        self._began = True
        if held > self._limit:
            log.say(f"leaving: {held:.0f} MiB, over {self._limit:.0f}")
        return held > self._limit
