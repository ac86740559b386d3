"""Taking helix off a machine: everything it made for a user, except each project's `.helix/`.

Standard library only.
"""

from __future__ import annotations

import os
import shutil
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from helix_core import atomic, paths, profiles, provision, setup_state
from helix_core.embed import client, lifecycle, sources
from helix_core.errors import HelixError, RefusedError, WorkerError

PATIENCE_MS = 5000.0  # one that loads its model may be silent for a second or two


@dataclass(frozen=True)
class Removed:
    """What was removed, and what was left with the reason."""

    gone: list[str]
    left: list[str]


def remove(environ: Mapping[str, str] | None = None) -> Removed:
    """Stop the worker; remove environment, data folder, socket folder and configuration.

    An environment that helix did not make (no stamp of its set-up) is left. Raises RefusedError
    where a set-up is running or the worker cannot be stopped.
    """
    env = os.environ if environ is None else environ
    _stop_worker()
    data, venv = paths.data_dir(env), paths.environment_dir(env)
    gone: list[Path] = []
    left: list[str] = []
    try:
        for base in dict.fromkeys((venv.parent, data)):
            if base.is_dir():
                with atomic.exclusive(base / provision.LOCK) as mine:
                    if not mine:
                        raise RefusedError("a set-up is running; try again when it has ended")
        if venv.is_dir() and venv.parent != data:
            if (venv / provision.STAMP).exists():
                gone += _tree(venv)
            else:
                left.append(f"{venv}: not made by helix setup")
            for name in (provision.LOCK, setup_state.STATE, setup_state.LOG):
                gone += _file(venv.parent / name)
        socket = paths.socket_path(env)
        for folder in (data, socket.parent, paths.config_file(env).parent):
            gone += _tree(folder)
        if socket.parent.parent.name == f"helix-{os.getuid()}":  # the one under /tmp
            gone += _empty(socket.parent.parent)
    except OSError as error:
        raise RefusedError(f"{error.filename} cannot be removed: {error.strerror}") from error
    cache = sources.cache_folder(profiles.ARCTIC.name, env)
    if cache.is_dir():
        left.append(f"{cache}: a cache that other programs may use")
    return Removed([str(path) for path in gone], left)


def _stop_worker() -> None:
    status = client.status(first_ms=PATIENCE_MS)
    if status is None:
        return
    try:
        stopped = lifecycle.stop(PATIENCE_MS)
    except WorkerError:
        stopped = False
    except HelixError as error:
        raise RefusedError(f"the worker does not stop: {error}") from error
    if stopped:
        lifecycle.wait_gone(int(status["pid"]))


def _tree(folder: Path) -> list[Path]:
    if not folder.is_dir():
        return []
    shutil.rmtree(folder)
    return [folder]


def _file(path: Path) -> list[Path]:
    if not path.exists():
        return []
    path.unlink()
    return [path]


def _empty(folder: Path) -> list[Path]:
    try:
        folder.rmdir()
    except OSError:
        return []
    return [folder]
