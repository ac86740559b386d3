"""Starting and stopping the one worker of a user. Standard library only.

Truth is a connection that answers, never a pid file. The worker runs from the installed
environment, never from a plugin's folder, and holds nothing of the process that started it.
"""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import helix_core
from helix_core import folders, paths
from helix_core.embed import client, holder
from helix_core.errors import WorkerError

PATIENCE_MS = 3000.0
"""How long a worker may take for a sign of life before it counts as hanging."""
ENDING_SECONDS = 3.0
_started: list[subprocess.Popen[bytes]] = []
"""Our children that may still run: kept, so that a long-lived caller leaves no zombies behind."""


def environment_python() -> Path | None:
    """The Python of the installed environment, if it is there."""
    python = paths.environment_dir() / "bin" / "python"
    return python if python.is_file() else None


def start(python: Path | None = None) -> bool:
    """Start the worker detached; False where no environment can run it, or one hangs in its place.

    Returns at once. Starting it twice is harmless: only one holds the lock, the other leaves.
    """
    chosen = python or environment_python()
    if chosen is None or os.environ.get("HELIX_HOOK_ACTIVE") or hindrance():
        return False
    data = paths.data_dir()
    try:
        data.mkdir(parents=True, exist_ok=True, mode=0o700)
        folders.tighten(data, deep=False)
        with (data / "worker.log").open("ab") as log:
            process = subprocess.Popen(
                [str(chosen), "-m", holder.MODULE],
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
                cwd="/",
                close_fds=True,
                start_new_session=True,
                env=_environment(),
            )
    except OSError:
        return False
    _started[:] = [each for each in _started if each.poll() is None] + [process]
    return True


def hindrance() -> str:
    """Why no worker can be started beside one that has long held the place; empty for none.

    For those who have just had no answer: one that does answer holds the place by right.
    """
    held = holder.find()
    return held.line if held and held.overdue else ""


def _environment() -> dict[str, str]:
    """The worker's environment: the user's, without what belongs to one session or project."""
    dropped = (
        "CLAUDE_", "ANTHROPIC_", "PYTHON", "HELIX_DB_PATH", "HELIX_PROJECT_DIR", "HELIX_NOW"
    )  # fmt: skip
    kept = {k: v for k, v in os.environ.items() if not k.startswith(dropped)}
    kept["HELIX_HOOK_ACTIVE"] = "worker"  # nothing the worker runs may start hooks again
    # One product of the matrix with a query: beside busy agents 0.6 ms on one thread, 16 on two.
    kept.setdefault("OPENBLAS_NUM_THREADS", "1")
    return kept


def ensure(wait_seconds: float = 0.0) -> bool:
    """Make sure a worker runs; with `wait_seconds`, wait until its model is settled."""
    found = client.status()
    if found is None:
        if not start() and not start(_own_python()):
            return False
        if wait_seconds <= 0:
            return True
    if wait_seconds > 0:
        found = client.wait_ready(wait_seconds)
        return bool(found and found.get("model_state") in {"ready", "none"})
    return True


def _own_python() -> Path | None:
    """This interpreter, where it has what the worker needs."""
    import importlib.util

    found = all(importlib.util.find_spec(name) for name in ("numpy", "sentence_transformers"))
    return Path(sys.executable) if found else None


def renew() -> bool:
    """Replace a worker whose code is older than the environment's; False where there is none.

    It is of an earlier version, or of the same one but began before the environment was last set
    up. Only where the environment holds our version: else the next one would be as old.
    """
    found = client.status()
    theirs, ours = (
        client.numbers((found or {}).get("version")),
        client.numbers(helix_core.__version__),
    )
    if not found or theirs > ours:
        return False
    from helix_core import setup_state

    venv = paths.environment_dir()
    if not setup_state.is_ready(venv):
        return False
    began = float(found.get("started") or 0.0)
    if theirs == ours and (venv / setup_state.STAMP).stat().st_mtime < began:
        return False
    return stop() and start()


def stop(first_ms: float = 2000) -> bool:
    """Ask the worker to leave; False where there was none, or none that answered in that time.

    A worker that is loading its model on a busy machine takes its time to look up; where there is
    none at all, the answer is immediate.
    """
    try:
        client.request("stop", {}, first_ms=first_ms, answer_ms=3000)
    except WorkerError:
        return False
    return True


def end_hanging() -> int | None:
    """End a worker that holds its place without answering; its process id, None for none.

    First by SIGTERM, which lets it tidy up, then by SIGKILL. Before each it is made sure that the
    process is this user's worker. Raises WorkerError where it stays.
    """
    held = holder.find()
    if held is None or client.status(first_ms=PATIENCE_MS) is not None:
        return None
    for number in (signal.SIGTERM, signal.SIGKILL):
        if not holder.is_worker(held.pid):
            return held.pid
        try:
            os.kill(held.pid, number)
        except ProcessLookupError:
            return held.pid
        if wait_gone(held.pid, ENDING_SECONDS):
            return held.pid
    raise WorkerError(f"worker process {held.pid} cannot be ended")


def wait_gone(pid: int, seconds: float = 10.0) -> bool:
    """Wait until a worker that was asked to leave has left; whether it has."""
    deadline = time.monotonic() + seconds
    while time.monotonic() < deadline:
        _started[:] = [each for each in _started if each.poll() is None]
        try:
            os.kill(pid, 0)
        except ProcessLookupError:
            return True
        except PermissionError:
            return False
        time.sleep(0.05)
    return False
