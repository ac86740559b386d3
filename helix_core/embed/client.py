"""Asking the worker. Standard library only; every caller has another way if this raises."""

from __future__ import annotations

import os
import socket
import time
from typing import TYPE_CHECKING, Any

import helix_core
from helix_core import errors
from helix_core.address import socket_address
from helix_core.embed import protocol
from helix_core.errors import HelixError, WorkerError

if TYPE_CHECKING:
    from pathlib import Path

    from helix_core.paths import Project

SILENCE_SECONDS = 15.0
"""A worker that starts is heard of long before; one that hangs is not."""
FIRST_MS = 300.0
"""No sign of life in this time: go on without the worker."""
NOT_CARRIED = frozenset({"HELIX_VENV", "HELIX_HOOK_ACTIVE"})


def patience_ms() -> float:
    """How long the worker's first sign of life is waited for: HELIX_WORKER_WAIT_MS, or 300."""
    try:
        return float(os.environ.get("HELIX_WORKER_WAIT_MS") or FIRST_MS)
    except ValueError:
        return FIRST_MS


def request(
    op: str,
    args: dict[str, Any],
    place: Project | dict[str, Any] | None = None,
    *,
    first_ms: float | None = None,
    answer_ms: float = 10_000,
    address: Path | str | None = None,
) -> Any:
    """One whole request to the worker.

    `place`: a project, or `{"cwd": ...}` for the worker to find it. `first_ms` bounds the wait for
    any sign of life (`patience_ms()` unless given), `answer_ms` the wait for the answer. Raises
    WorkerError where the worker is absent, silent or of another protocol, and the HelixError the
    operation itself raised.
    """
    return exchange(op, args, place, first_ms=first_ms, answer_ms=answer_ms, address=address)[0]


def exchange(
    op: str,
    args: dict[str, Any],
    place: Project | dict[str, Any] | None = None,
    *,
    first_ms: float | None = None,
    answer_ms: float,
    address: Path | str | None = None,
) -> tuple[Any, str]:
    """`request`, together with the version of the worker that answered."""
    path = str(address or socket_address())
    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as sock:
        try:
            sock.settimeout((first_ms or patience_ms()) / 1000)
            if os.stat(os.path.dirname(path)).st_uid != os.getuid():
                raise WorkerError(f"{path} lies in another user's folder")
            sock.connect(path)
            protocol.send(sock, _message(op, args, place))
            alive = protocol.receive(sock)
            if not alive or not alive.get("alive"):
                raise WorkerError(str((alive or {}).get("error", "the worker hung up")))
            sock.settimeout(answer_ms / 1000)
            answer = protocol.receive(sock)
        except (OSError, protocol.ProtocolError) as error:
            why = getattr(error, "strerror", None) or error
            raise WorkerError(f"the worker does not answer: {why}") from error
    if answer is None:
        raise WorkerError("the worker hung up")
    if not answer.get("ok"):
        raise _error(str(answer.get("kind")), str(answer.get("error")))
    return answer.get("result"), str(alive.get("version", ""))


def _message(
    op: str, args: dict[str, Any], place: Project | dict[str, Any] | None
) -> dict[str, Any]:
    if place is not None and not isinstance(place, dict):
        names = ("root", "home", "database", "reason")
        place = {name: str(getattr(place, name)) for name in names}
    return {
        "protocol": protocol.PROTOCOL,
        "version": helix_core.__version__,
        "op": op,
        "args": args,
        "project": place,
        "env": {
            name: value
            for name, value in os.environ.items()
            if name.startswith("HELIX_") and name not in NOT_CARRIED
        },
    }


def _error(kind: str, text: str) -> HelixError:
    found = getattr(errors, kind, WorkerError)
    if isinstance(found, type) and issubclass(found, HelixError):
        return found(text)
    return WorkerError(text)


def numbers(version: object) -> list[int]:
    """A version's numbers, to compare by; what is no number counts as 0."""
    return [int(part) if part.isdigit() else 0 for part in str(version or "").split(".")]


def status(
    first_ms: float | None = None, address: Path | str | None = None
) -> dict[str, Any] | None:
    """What the worker says of itself; None where none answers."""
    try:
        found = request("status", {}, first_ms=first_ms, answer_ms=2000, address=address)
    except WorkerError:
        return None
    return found if isinstance(found, dict) else None


def wait_ready(seconds: float) -> dict[str, Any] | None:
    """Wait until a worker answers and has settled on a model (or on having none).

    One that has given no sign of life for `SILENCE_SECONDS` is not waited for any longer.
    """
    heard = time.monotonic()
    deadline = heard + seconds
    while True:
        found = status()
        now = time.monotonic()
        heard = now if found else heard
        if found and found.get("model_state") in {"ready", "none"}:
            return found
        if now > min(deadline, heard + SILENCE_SECONDS):
            return found
        time.sleep(0.1)
