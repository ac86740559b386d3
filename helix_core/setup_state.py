"""The set-up as everybody but itself sees it: begun in the background, watched, told in one line.

Standard library only. The set-up process (`provision`) writes what it is doing into one small file
in the data folder; whether it still runs is told by its lock, never by a pid.
"""

from __future__ import annotations

import contextlib
import json
import os
import subprocess
import sys
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import helix_core
from helix_core import atomic, paths, settings
from helix_core.embed import client
from helix_core.errors import HelixError

STATE = "setup-state.json"
LOG = "setup.log"
LOCK = "setup.lock"
STAMP = "helix-ready.json"
RETRY_SECONDS = 600.0
"""How long a set-up that failed is left alone before a session tries again."""


@dataclass(frozen=True)
class Progress:
    """A set-up that runs or failed: its step, how long it has been at it, and its error."""

    step: str
    seconds: float
    error: str = ""
    stalled: bool = False
    """It neither runs nor failed: it was interrupted."""

    @property
    def line(self) -> str:
        """One line for a person, with what to do where there is something to do."""
        if self.error:
            return f"set-up failed: {self.error}; `helix setup` tries again"
        if self.stalled:
            return "set-up was interrupted; the next session or `helix setup` goes on with it"
        minutes = int(self.seconds // 60)
        since = f"for {minutes} min" if minutes else "just begun"
        return f"setting up in the background: {self.step} ({since}); recall goes by keyword"


def is_ready(venv: Path) -> bool:
    """Whether the environment is complete and of this version."""
    found = (venv / "bin" / "python").exists()
    return found and stamp(venv).get("version") == helix_core.__version__


def stamp(venv: Path) -> dict[str, Any]:
    """What the set-up that ended there last left to say of it; empty where none did."""
    return _object(venv / STAMP)


def _made_by(venv: Path) -> list[int]:
    """The version whose set-up ended there last; empty where none did."""
    if not (venv / "bin" / "python").exists():
        return []
    return client.numbers(stamp(venv).get("version")) if stamp(venv) else []


def _wanted() -> bool:
    try:
        return settings.load(None).worker_enabled  # else nothing of what it brings would be used
    except HelixError:
        return False


def interpreter() -> str:
    """This Python itself: in an environment `sys.executable` is a link that may be replaced."""
    return str(Path(sys.executable).resolve())


def state_file(venv: Path) -> Path:
    """Where the set-up of an environment says what it is doing."""
    return venv.parent / STATE


STARTING = "starting"
BEGIN_SECONDS = 3.0


def note(venv: Path, step: str, error: str = "") -> None:
    """Say what the set-up is doing, or why it ended; keeps the time it began."""
    known = _read(venv)
    began = time.time() if error or "error" in known else known.get("began", time.time())
    value = {"step": step, "began": began, "at": time.time()}
    with contextlib.suppress(OSError):
        atomic.write_json(state_file(venv), {**value, **({"error": error} if error else {})})


def done(venv: Path) -> None:
    """The environment is ready: there is nothing left to tell."""
    with contextlib.suppress(OSError):
        state_file(venv).unlink(missing_ok=True)


def progress(venv: Path | None = None) -> Progress | None:
    """What a set-up that has not succeeded yet is doing; None where there is none."""
    place = paths.environment_dir() if venv is None else venv
    known = _read(place)
    if not known or is_ready(place):
        return None
    seconds = max(0.0, time.time() - float(known.get("began") or 0.0))
    error = str(known.get("error") or "")
    just_begun = (
        known.get("step") == STARTING
        and time.time() - float(known.get("at") or 0.0) < BEGIN_SECONDS
    )
    running = _running(place) or just_begun  # its process takes the lock a moment later
    return Progress(
        str(known.get("step") or STARTING),
        seconds,
        "" if running else error,
        stalled=not running and not error,
    )


def greeting() -> dict[str, Any] | None:
    """What a session is told about a set-up; None where there is nothing to tell."""
    found = progress()
    if found is None:
        return None
    told = {"hookEventName": "SessionStart", "additionalContext": f"helix: {found.line}"}
    return {"hookSpecificOutput": told}


def begin() -> bool:
    """Start the set-up detached, where one is wanted and none runs; returns at once.

    Not where `HELIX_VENV` names an environment (its owner takes care of it), where the settings or
    `HELIX_SETUP=off` say so, inside of a worker, or right after one that failed.
    """
    if os.environ.get("HELIX_VENV") or os.environ.get("HELIX_HOOK_ACTIVE"):
        return False
    if os.environ.get("HELIX_SETUP") == "off" or os.name != "posix":
        return False
    venv = paths.environment_dir()
    source = Path(__file__).resolve().parent.parent
    if not (source / "pyproject.toml").is_file() or _made_by(venv) >= client.numbers(
        helix_core.__version__
    ):
        return False
    if not _wanted() or _running(venv):
        return False
    known = _read(venv)
    lately = time.time() - float(known.get("at") or 0.0) < RETRY_SECONDS
    if known.get("error") and lately:
        return False
    note(venv, STARTING)
    return _start(venv, source)


def _start(venv: Path, source: Path) -> bool:
    dropped = ("CLAUDE_", "ANTHROPIC_", "PYTHON", "VIRTUAL_ENV")
    env = {k: v for k, v in os.environ.items() if not k.startswith(dropped)}
    try:
        with (venv.parent / LOG).open("wb") as log:
            subprocess.Popen(
                [interpreter(), "-m", "helix_core.provision"],
                cwd=source,
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
                close_fds=True,
                start_new_session=True,
                env=env,
            )
    except OSError:
        return False
    return True


def _running(venv: Path) -> bool:
    lock = venv.parent / LOCK
    if not lock.exists():
        return False
    try:
        with atomic.exclusive(lock) as free:
            return not free
    except OSError:
        return False


def _read(venv: Path) -> dict[str, Any]:
    return _object(state_file(venv))


def _object(file: Path) -> dict[str, Any]:
    try:
        value = json.loads(file.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return {}
    return value if isinstance(value, dict) else {}
