"""Who holds the worker's place, also where nobody answers there. Standard library only.

That a worker is there is told by a connection that answers; this is for one that hangs. Its lock
file carries its process id, which is believed only while the lock is held, and only of a process of
this user that runs the worker's module: a number alone may belong to anybody by now.
"""

from __future__ import annotations

import contextlib
import os
import subprocess
import time
from dataclasses import dataclass
from pathlib import Path

from helix_core import atomic, paths

MODULE = "helix_core.embed.server"
STARTING_SECONDS = 15.0
"""One that starts is silent for a few seconds, while it loads its packages; one that hangs, on."""


@dataclass(frozen=True)
class Holder:
    """A worker's process, and for how many seconds it has held the place."""

    pid: int
    seconds: float

    @property
    def overdue(self) -> bool:
        """Whether it should have been heard of by now."""
        return self.seconds > STARTING_SECONDS

    @property
    def line(self) -> str:
        """One line for a person, with what to do."""
        return (
            f"worker process {self.pid} holds its place but does not answer;"
            " `helix worker stop` ends it"
        )


def lock_file(address: Path | None = None) -> Path:
    """The lock file of the worker that listens at an address."""
    return (address or paths.socket_path()).with_suffix(".lock")


def note(lock: Path) -> None:
    """Say in the lock file, which the caller holds, that this process has the place."""
    lock.write_text(f"{os.getpid()}\n", encoding="ascii")


def forget(lock: Path) -> None:
    """Say that whoever holds the lock is on its way out: the next worker may wait for it."""
    with contextlib.suppress(OSError):
        lock.write_text("", encoding="ascii")


def find(address: Path | None = None) -> Holder | None:
    """The worker's process that holds the lock; None where none does, or none can be told."""
    lock = lock_file(address)
    try:
        pid = int(lock.read_text(encoding="ascii"))
        seconds = max(0.0, time.time() - lock.stat().st_mtime)
        with atomic.exclusive(lock) as free:
            if free:
                return None
    except (OSError, ValueError):
        return None
    return Holder(pid, seconds) if is_worker(pid) else None


def is_worker(pid: int) -> bool:
    """Whether a process is this user's and runs the worker's module."""
    try:
        folder = Path(f"/proc/{pid}")
        if folder.is_dir():
            words = (folder / "cmdline").read_bytes().split(b"\0")
            return folder.stat().st_uid == os.getuid() and MODULE.encode() in words
        told = subprocess.run(
            ["ps", "-o", "uid=,args=", "-p", str(pid)], capture_output=True, text=True, check=False
        ).stdout.split()
        return told[:1] == [str(os.getuid())] and MODULE in told
    except OSError:
        return False
