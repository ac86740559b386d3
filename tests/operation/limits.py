"""Real limits for tests of operation: a small disk, a user whom permissions bind, a file size.

Each skips, with the reason, where the machine does not allow it. Standard library and pytest only.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

BINDING = "-dac_override,-dac_read_search"


def bound() -> list[str]:
    """What to put before a command so that permissions hold for it, also where we are root."""
    if os.geteuid() != 0:
        return []
    command = ["setpriv", "--bounding-set", BINDING]
    if not shutil.which("setpriv") or subprocess.run([*command, "true"], check=False).returncode:
        pytest.skip("root without setpriv: permissions bind nobody here")
    return command


@contextmanager
def small_disk(kib: int) -> Iterator[Path]:
    """A file system of so many KiB, mounted for this test alone."""
    if os.geteuid() != 0 or not shutil.which("mount"):
        pytest.skip("only root can mount a small disk")
    folder = Path(tempfile.mkdtemp(prefix="hx-disk-"))
    mount = ["mount", "-t", "tmpfs", "-o", f"size={kib}k", "tmpfs", str(folder)]
    if subprocess.run(mount, capture_output=True, check=False).returncode:
        folder.rmdir()
        pytest.skip("nothing can be mounted here")
    try:
        yield folder
    finally:
        subprocess.run(["umount", "-l", str(folder)], check=True)
        folder.rmdir()


def fill(folder: Path, leave: int = 0) -> None:
    """Use up a small disk, but for about so many bytes."""
    room = os.statvfs(folder)
    with (folder / "filler").open("wb") as stream:
        stream.write(b"\0" * max(0, room.f_bavail * room.f_frsize - leave))
