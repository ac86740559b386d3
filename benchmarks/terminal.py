"""The dashboard in a real pseudo-terminal: keys in, bytes out, its cost read from /proc (Linux)."""

from __future__ import annotations

import contextlib
import fcntl
import os
import pty
import select
import signal
import struct
import subprocess
import sys
import termios
import time
from collections.abc import Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
TICKS = os.sysconf("SC_CLK_TCK")
PATIENCE = 60.0
SIZE = (120, 36)


class Dashboard:
    """One running `helix-tui`, seen from its terminal."""

    def __init__(self, child: subprocess.Popen[bytes], master: int) -> None:
        self._child = child
        self._master = master
        self.begun = time.perf_counter()

    @property
    def pid(self) -> int:
        """Its process."""
        return self._child.pid

    def read(self, seconds: float) -> bytes:
        """What it writes within this time at most; returns at the first piece."""
        if not select.select([self._master], [], [], seconds)[0]:
            return b""
        with contextlib.suppress(OSError):  # the other side is closed
            return os.read(self._master, 1 << 20)
        return b""

    def quiet(self, seconds: float = 0.25, most: float = 20.0) -> bytes:
        """Read until nothing has come for so long, or for `most` seconds; what came."""
        found, end = b"", time.perf_counter() + most
        while time.perf_counter() < end and (piece := self.read(seconds)):
            found += piece
        return found

    def until(self, sign: bytes) -> float:
        """Read until `sign` was written; seconds since the start of this call."""
        begun, found = time.perf_counter(), b""
        while sign not in found:
            assert time.perf_counter() - begun < PATIENCE, f"{sign!r} never came"
            assert self._child.poll() is None, "the dashboard has ended"
            found += self.read(0.5)
        return time.perf_counter() - begun

    def press(self, keys: str) -> None:
        """Type."""
        os.write(self._master, keys.encode())

    def resize(self, width: int, height: int) -> None:
        """Another size of the terminal."""
        size = struct.pack("HHHH", height, width, 0, 0)
        fcntl.ioctl(self._master, termios.TIOCSWINSZ, size)
        self._child.send_signal(signal.SIGWINCH)

    def processor_seconds(self) -> float:
        """What it has used of a core."""
        fields = Path(f"/proc/{self.pid}/stat").read_text().rpartition(")")[2].split()
        return (int(fields[11]) + int(fields[12])) / TICKS

    def memory_mb(self, name: str = "VmRSS") -> float:
        """Resident memory in MiB now, or with `VmHWM` the most it ever was."""
        lines = Path(f"/proc/{self.pid}/status").read_text().splitlines()
        line = next(line for line in lines if line.startswith(f"{name}:"))
        return int(line.split()[1]) / 1024


def dashboard(
    project: Path,
    view: str = "run",
    *,
    size: tuple[int, int] = SIZE,
    env: Mapping[str, str] | None = None,
) -> AbstractContextManager[Dashboard]:
    """Start it on a project in a terminal of its own; it has ended when this ends."""
    return program("helix_tui", "--project", str(project), "--view", view, size=size, env=env)


@contextmanager
def program(
    module: str, *args: str, size: tuple[int, int] = SIZE, env: Mapping[str, str] | None = None
) -> Iterator[Dashboard]:
    """A module as a program in a terminal of its own; it has ended when this ends.

    Nothing about Python is inherited: with PYTHONDONTWRITEBYTECODE every start would compile.
    """
    master, slave = pty.openpty()
    fcntl.ioctl(slave, termios.TIOCSWINSZ, struct.pack("HHHH", size[1], size[0], 0, 0))
    places = {"PYTHONPATH": str(ROOT), "TERM": "xterm-256color", "COLORTERM": "truecolor"}
    gone = ("NO_COLOR", "COLUMNS", "LINES")
    keep = {k: v for k, v in os.environ.items() if k not in gone and not k.startswith("PYTHON")}
    child = subprocess.Popen(
        [sys.executable, "-m", module, *args],
        stdin=slave,
        stdout=slave,
        stderr=slave,
        cwd=ROOT,
        env={**keep, **places, **(env or {})},
        start_new_session=True,
    )
    os.close(slave)
    found = Dashboard(child, master)
    try:
        yield found
    finally:
        child.terminate()
        end = time.perf_counter() + 10
        while child.poll() is None and time.perf_counter() < end:
            found.read(0.1)  # it must be able to write its last words
        child.kill()
        child.wait()
        os.close(master)
