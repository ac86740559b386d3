"""The project's log: `.helix/helix.log`, rotated at 1 MiB, three kept. Never stdout.

Standard library only, without the logging package: a hook writes at most a line or two.
"""

from __future__ import annotations

import contextlib
import os
import sys
from pathlib import Path

from helix_core import clock
from helix_core.text import credentials

MAX_BYTES = 1024 * 1024
KEPT = 3


def write(home: Path, level: str, message: str) -> None:
    """Append one line, without secrets; a log that cannot be written is not worth failing for."""
    line = " ".join(credentials.mask(str(message)).split())[:2000]
    with contextlib.suppress(OSError):
        if not home.is_dir():
            return
        path = home / "helix.log"
        _rotate(path)
        with path.open("a", encoding="utf-8", errors="replace") as stream:
            stream.write(f"{clock.iso(clock.now())} {level:<5} {os.getpid()} {line}\n")


def say(message: str) -> None:
    """One line on standard error, without secrets: what the worker's own log is made of."""
    print(" ".join(credentials.mask(message).split())[:2000], file=sys.stderr, flush=True)  # noqa: T201


def _rotate(path: Path) -> None:
    try:
        if path.stat().st_size < MAX_BYTES:
            return
    except OSError:
        return
    for number in range(KEPT - 1, 0, -1):
        older = path.with_name(f"{path.name}.{number}")
        if older.exists():
            older.replace(path.with_name(f"{path.name}.{number + 1}"))
    path.replace(path.with_name(f"{path.name}.1"))
