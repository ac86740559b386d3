"""The folders helix keeps its things in: real folders, and their user's alone.

Standard library only. Folders are 0700, files 0600: new ones because every entry point narrows its
umask, older ones because they are narrowed when helix next writes there. Rights are only taken from
others, never given: a folder that its owner made read-only stays so.
"""

from __future__ import annotations

import contextlib
import errno
import os
import stat
from collections.abc import Iterator
from pathlib import Path

OTHERS = 0o077


def keep_private() -> None:
    """From here on this process makes private files only."""
    os.umask(OTHERS)


def obstacle(folder: Path) -> str:
    """What lies where a folder should be, in a few words; empty for a folder, or for nothing."""
    try:
        found = folder.lstat()
        if stat.S_ISLNK(found.st_mode):
            found = folder.stat()
    except FileNotFoundError:
        return f"a link to nothing ({folder.readlink()})" if folder.is_symlink() else ""
    except OSError as error:
        return "a link that leads round in a circle" if error.errno == errno.ELOOP else ""
    if stat.S_ISDIR(found.st_mode):
        return ""
    return "a file" if stat.S_ISREG(found.st_mode) else "a pipe or device"


def tighten(folder: Path, *, deep: bool = True) -> None:
    """Take every right of others from a folder, the files in it, and the open folders below it.

    Without `deep`, folders below are left. What cannot be changed, as it is another user's, is
    left too; `helix doctor` names it.
    """
    for path, _ in exposed(folder, deep=deep):
        _narrow(path)


def tighten_file(path: Path) -> None:
    """Take every right of others from one file; nothing happens where it is not there."""
    with contextlib.suppress(OSError):
        if _is_open(path.lstat()):
            _narrow(path)


def exposed(folder: Path, *, deep: bool = True) -> Iterator[tuple[Path, int]]:
    """What others have rights on in a folder, itself included, each with its mode.

    A folder below that is closed itself is not looked into, so that a look costs one listing where
    all is well; without `deep` none below is. Links are not followed.
    """
    try:
        found = folder.lstat()
        if not stat.S_ISDIR(found.st_mode):
            return
        if _is_open(found):
            yield folder, stat.S_IMODE(found.st_mode)
        entries = list(os.scandir(folder))
    except OSError:
        return
    for entry in entries:
        try:
            found = entry.stat(follow_symlinks=False)
        except OSError:
            continue
        if stat.S_ISDIR(found.st_mode):
            if deep and _is_open(found):
                yield from exposed(Path(entry.path))
        elif _is_open(found):
            yield Path(entry.path), stat.S_IMODE(found.st_mode)


def _is_open(found: os.stat_result) -> bool:
    return not stat.S_ISLNK(found.st_mode) and bool(found.st_mode & OTHERS)


def _narrow(path: Path) -> None:
    with contextlib.suppress(OSError):
        path.chmod(stat.S_IMODE(path.lstat().st_mode) & ~OTHERS)
