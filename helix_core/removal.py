"""Taking helix off a machine: everything it made for a user, except each project's `.helix/`.

Standard library only.
"""

from __future__ import annotations

import contextlib
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
    """What goes, or went, and what is left with the reason."""

    gone: list[str]
    left: list[str]


def planned(environ: Mapping[str, str] | None = None) -> Removed:
    """What `remove` would take away now, and what it would leave; nothing is changed.

    An environment that helix did not make (no stamp of its set-up) is left.
    """
    env = os.environ if environ is None else environ
    data, venv = paths.data_dir(env), paths.environment_dir(env)
    wanted = [data, paths.socket_path(env).parent, paths.config_file(env).parent]
    left: list[str] = []
    if venv.is_dir() and venv.parent != data:
        if (venv / provision.STAMP).exists():
            wanted.append(venv)
        else:
            left.append(f"{venv}: not made by helix setup")
        names = (provision.LOCK, setup_state.STATE, setup_state.LOG)
        wanted += [venv.parent / name for name in names]
    cache = sources.cache_folder(profiles.ARCTIC.name, env)
    if cache.is_dir():
        left.append(f"{cache}: a cache that other programs may use")
    there = [path for path in dict.fromkeys(wanted) if path.exists()]
    return Removed([str(p) for p in there if not any(q in p.parents for q in there)], left)


def remove(environ: Mapping[str, str] | None = None) -> Removed:
    """Stop the worker; remove environment, data folder, socket folder and configuration.

    Raises RefusedError where a set-up is running or the worker cannot be stopped.
    """
    env = os.environ if environ is None else environ
    _stop_worker()
    socket = paths.socket_path(env)
    try:
        for base in dict.fromkeys((paths.environment_dir(env).parent, paths.data_dir(env))):
            if base.is_dir():
                with atomic.exclusive(base / provision.LOCK) as mine:
                    if not mine:
                        raise RefusedError("a set-up is running; try again when it has ended")
        plan = planned(env)
        for path in map(Path, plan.gone):
            shutil.rmtree(path) if path.is_dir() else path.unlink()
        if socket.parent.parent.name == f"helix-{os.getuid()}":  # the one under /tmp
            with contextlib.suppress(OSError):
                socket.parent.parent.rmdir()  # unless another home's worker has its socket there
    except OSError as error:
        raise RefusedError(f"{error.filename} cannot be removed: {error.strerror}") from error
    return plan


def _stop_worker() -> None:
    status = client.status(first_ms=PATIENCE_MS)
    if status is None:
        lifecycle.end_hanging()
        return
    try:
        stopped = lifecycle.stop(PATIENCE_MS)
    except WorkerError:
        stopped = False
    except HelixError as error:
        raise RefusedError(f"the worker does not stop: {error}") from error
    if stopped:
        lifecycle.wait_gone(int(status["pid"]))
