"""File writes that are whole or absent, and lock files. Standard library only."""

from __future__ import annotations

import contextlib
import json
import os
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any


def write_text(path: Path, text: str, mode: int = 0o600) -> None:
    """Replace `path` by `text` in one step; an interrupted write leaves the old file."""
    path.parent.mkdir(parents=True, exist_ok=True)
    handle, name = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")
    try:
        with os.fdopen(handle, "w", encoding="utf-8", errors="replace") as stream:
            stream.write(text)
        Path(name).chmod(mode)
        Path(name).replace(path)
    except BaseException:
        with contextlib.suppress(OSError):
            Path(name).unlink()
        raise


def write_json(path: Path, value: Any) -> None:
    """Replace `path` by the JSON of `value` in one step."""
    write_text(path, json.dumps(value, ensure_ascii=False, separators=(",", ":")))


def append_line(path: Path, line: str) -> None:
    """Append one line with a single write, which the kernel keeps whole among writers.

    A torn last line of an earlier crash is closed first, so that it costs only itself.
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    handle = os.open(path, os.O_RDWR | os.O_APPEND | os.O_CREAT, 0o600)
    try:
        size = os.fstat(handle).st_size
        torn = size > 0 and os.pread(handle, 1, size - 1) != b"\n"
        data = ("\n" if torn else "") + line + "\n"
        os.write(handle, data.encode("utf-8", "replace"))
    finally:
        os.close(handle)


@contextlib.contextmanager
def exclusive(path: Path, *, inherited: bool = False) -> Iterator[bool]:
    """Try to hold the lock file `path`; yields whether we have it. Released with the process.

    `inherited`: children that are given all open files hold it too, until the last one has ended.
    """
    import fcntl  # deferred: not on Windows, where nothing that locks is used

    path.parent.mkdir(parents=True, exist_ok=True)
    handle = os.open(path, os.O_RDWR | os.O_CREAT, 0o600)
    try:
        try:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            yield False
            return
        os.set_inheritable(handle, inherited)
        yield True
    finally:
        os.close(handle)
