"""Find, install and drive the real Claude Code client.

Role: the harness of the end-to-end test. May import: standard library, tests.e2e.

The client runs with a scratch home, an otherwise empty environment and, where the system allows
it, in a network namespace that holds nothing but loopback.
"""

from __future__ import annotations

import contextlib
import fcntl
import functools
import json
import os
import platform
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

VERSION = "2.1.332"
REPOSITORY = Path(__file__).resolve().parents[2]
INSTALL_SECONDS = 600
SYSTEM_PATH = "/usr/local/bin:/usr/bin:/bin:/usr/sbin:/sbin"


class ClientMissingError(Exception):
    """The client can neither be found nor installed here; the text says why."""


@dataclass(frozen=True)
class Run:
    """One session of the client that has ended.

    `requests` are the recorded calls of the model API in order (`path`, `body`, `calls`), `result`
    the client's own closing report, `config` its configuration folder with the transcripts.
    """

    returncode: int
    result: dict[str, Any]
    stderr: str
    seconds: float
    requests: tuple[dict[str, Any], ...]
    config: Path

    @property
    def session_id(self) -> str:
        """The id under which the session wrote its transcripts."""
        return str(self.result.get("session_id", ""))


@dataclass(frozen=True)
class Place:
    """Where a session runs: the scratch root, its project folder and extra environment."""

    root: Path
    project: Path
    env: Mapping[str, str]

    def environment(self) -> dict[str, str]:
        """The complete environment of the client and of everything around it."""
        home = self.root / "home"
        folders = {
            "HOME": home,
            "TMPDIR": self.root / "tmp",
            "CLAUDE_CONFIG_DIR": home / ".claude",
            "XDG_CONFIG_HOME": home / ".config",
            "XDG_CACHE_HOME": home / ".cache",
            "XDG_STATE_HOME": home / ".state",
            "XDG_DATA_HOME": home / ".data",
        }
        for folder in folders.values():
            folder.mkdir(parents=True, exist_ok=True)
        # The plain interpreter of the tested version, without the packages of our environment.
        interpreter = Path(getattr(sys, "_base_executable", sys.executable)).parent
        return {
            **{name: str(folder) for name, folder in folders.items()},
            "PATH": f"{interpreter}:{SYSTEM_PATH}",
            "LANG": "C.UTF-8",
            "ANTHROPIC_API_KEY": "loopback-only",
            "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1",
            "DISABLE_AUTOUPDATER": "1",
            "DISABLE_TELEMETRY": "1",
            "DISABLE_ERROR_REPORTING": "1",
            "IS_SANDBOX": "1",
            # Where no network namespace is to be had, a dead proxy keeps everything on loopback.
            "HTTP_PROXY": "http://127.0.0.1:9",
            "HTTPS_PROXY": "http://127.0.0.1:9",
            "NO_PROXY": "127.0.0.1,localhost",
            **self.env,
        }


def find_client() -> Path:
    """The client's binary: HELIX_E2E_CLIENT, else the cached one, installed if need be.

    Raises ClientMissingError with a reason a person can act on.
    """
    chosen = os.environ.get("HELIX_E2E_CLIENT")
    if chosen:
        if not os.access(chosen, os.X_OK):
            raise ClientMissingError(f"HELIX_E2E_CLIENT={chosen} is not an executable file")
        return Path(chosen)
    cache = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache")
    folder = cache / "helix-tests" / f"claude-{VERSION}"
    binary = folder / "node_modules" / _package() / "claude"
    if not os.access(binary, os.X_OK):
        folder.parent.mkdir(parents=True, exist_ok=True)
        with _lock(folder.with_name(f"{folder.name}.lock")):
            if not os.access(binary, os.X_OK):
                _install(folder)
    return binary


@functools.cache
def unavailable() -> str | None:
    """Why the real client cannot run on this machine; None if it can."""
    try:
        binary = find_client()
        answer = subprocess.run(
            [binary, "--version"], capture_output=True, text=True, timeout=60, check=False
        )
    except (ClientMissingError, OSError, subprocess.SubprocessError) as problem:
        return f"no Claude Code client {VERSION}: {problem}"
    if answer.returncode or not answer.stdout.strip():
        return f"{binary} does not start: {answer.stderr.strip()[-200:]}"
    return None


def run_session(
    place: Place, prompt: str, *, plugin: Path, plan: str, background: bool, seconds: float = 240
) -> Run:
    """One `claude -p` session with `plugin`; the scripted model follows `plan`. Waits for the end.

    Raises AssertionError if the client ends without its closing report.
    """
    record = place.root / f"requests-{plan}.jsonl"
    command = [
        *_namespace(),
        sys.executable,
        "-m",
        "tests.e2e.inside",
        str(record),
        plan,
        "background" if background else "foreground",
        str(place.project),
        str(find_client()),
        "-p",
        prompt,
        "--plugin-dir",
        str(plugin),
        "--permission-mode",
        "bypassPermissions",
        "--output-format",
        "json",
    ]
    started = time.monotonic()
    returncode, stdout, stderr = _wait(command, place.environment(), seconds)
    return Run(
        returncode=returncode,
        result=_report(stdout, stderr),
        stderr=stderr,
        seconds=time.monotonic() - started,
        requests=tuple(map(json.loads, record.read_text(encoding="utf-8").splitlines())),
        config=Path(place.environment()["CLAUDE_CONFIG_DIR"]),
    )


def _wait(command: list[str], env: dict[str, str], seconds: float) -> tuple[int, str, str]:
    """Run to the end in a process group of its own, which is killed when time is up."""
    with subprocess.Popen(
        command,
        cwd=REPOSITORY,
        env=env,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    ) as child:
        try:
            stdout, stderr = child.communicate(timeout=seconds)
        except subprocess.TimeoutExpired:
            os.killpg(child.pid, signal.SIGKILL)
            stdout, stderr = child.communicate()
            stderr += f"\nkilled after {seconds} s"
        return child.returncode, stdout, stderr


def _report(stdout: str, stderr: str) -> dict[str, Any]:
    """The client's closing JSON; a failure to give one is a failure of the run."""
    try:
        value = json.loads(stdout)
    except ValueError:
        raise AssertionError(f"no closing report: {stdout[-2000:]!r} {stderr[-2000:]!r}") from None
    last = value[-1] if isinstance(value, list) else value
    assert isinstance(last, dict)
    return last


@functools.cache
def _namespace() -> tuple[str, ...]:
    """The command prefix that cuts off the network, or nothing where that is not allowed."""
    for prefix in (("unshare", "-n"), ("unshare", "-rn")):
        with contextlib.suppress(OSError, subprocess.SubprocessError):
            probe = "from tests.e2e.inside import raise_loopback; raise_loopback()"
            subprocess.run(
                [*prefix, sys.executable, "-c", probe],
                cwd=REPOSITORY,
                check=True,
                capture_output=True,
                timeout=30,
            )
            return prefix
    return ()


def _package() -> str:
    """The npm package that carries the native binary for this machine."""
    system = {"Linux": "linux", "Darwin": "darwin"}.get(platform.system())
    machine = {"x86_64": "x64", "amd64": "x64", "aarch64": "arm64", "arm64": "arm64"}.get(
        platform.machine().lower()
    )
    if system is None or machine is None:
        raise ClientMissingError(f"no build for {platform.system()} {platform.machine()}")
    musl = system == "linux" and not platform.libc_ver()[0]
    return f"@anthropic-ai/claude-code-{system}-{machine}{'-musl' if musl else ''}"


def _install(folder: Path) -> None:
    """Put the binary into `folder`, all or nothing."""
    npm = shutil.which("npm")
    if npm is None:
        raise ClientMissingError("npm is not installed (or set HELIX_E2E_CLIENT to a ready binary)")
    half = folder.with_name(f"{folder.name}.partial")
    shutil.rmtree(half, ignore_errors=True)
    half.mkdir()
    command = [npm, "install", "--force", "--no-audit", "--no-fund", "--prefix", str(half)]
    try:
        done = subprocess.run(
            [*command, f"{_package()}@{VERSION}"],
            capture_output=True,
            text=True,
            timeout=INSTALL_SECONDS,
            check=False,
        )
    except subprocess.TimeoutExpired:
        raise ClientMissingError(f"npm took more than {INSTALL_SECONDS} s") from None
    if done.returncode:
        raise ClientMissingError(f"npm install failed: {done.stderr.strip()[-300:]}")
    shutil.rmtree(folder, ignore_errors=True)
    half.rename(folder)


@contextlib.contextmanager
def _lock(path: Path) -> Iterator[None]:
    """One installer at a time, also across processes; waiting has an end."""
    deadline = time.monotonic() + INSTALL_SECONDS
    with path.open("w") as handle:
        while True:
            try:
                fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
                break
            except BlockingIOError:
                if time.monotonic() > deadline:
                    raise ClientMissingError("another process is still installing it") from None
                time.sleep(0.2)
        yield
