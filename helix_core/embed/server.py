"""The worker: one per user, holds the model, answers whole requests for any project.

Listens on a Unix socket in a private folder, serves only its own user, leaves when idle. Requests
come first; what can wait (vectors, credit, maintenance) is done in small steps in between.
"""

from __future__ import annotations

import contextlib
import os
import signal
import socket
import struct
import sys
import threading
import time
from pathlib import Path
from typing import Any

import helix_core
from helix_core import atomic, clock, dispatch, paths, settings
from helix_core.embed import client, protocol
from helix_core.embed.background import Background
from helix_core.embed.projects import Projects
from helix_core.errors import HelixError, StoreError, WorkerError
from helix_core.hooks import scope
from helix_core.memory.context import Embedder, Memory
from helix_core.paths import Project

REQUEST_SECONDS = 30.0
LEAVING_SECONDS = 10.0


class Worker:
    """The state of the running worker."""

    def __init__(self, chosen: settings.Settings) -> None:
        self.settings = chosen
        self.projects = Projects()
        self.embedder: Embedder | None = None
        self.model_state = "loading"
        self.model_error = ""
        self.started = time.time()
        self.last_request = time.monotonic()
        self.active = 0
        self.served = 0
        self.stopping = threading.Event()
        self._count = threading.Lock()

    def load_model(self) -> None:
        """Load the embedding model; until then, and without one, requests go by keyword."""
        from helix_core.embed import model

        try:
            self.embedder = model.load(self.settings.embed_model)
            self.model_state = "ready"
        except model.ModelUnavailableError as error:
            self.model_state, self.model_error = "none", str(error)
            print(f"no embedding model: {error}", file=sys.stderr, flush=True)  # noqa: T201

    def status(self) -> dict[str, Any]:
        """What `helix worker status` prints."""
        return {
            "pid": os.getpid(),
            "version": helix_core.__version__,
            "protocol": protocol.PROTOCOL,
            "model_state": self.model_state,
            "model": self.embedder.profile.name if self.embedder else None,
            "model_error": self.model_error,
            "uptime_seconds": round(time.time() - self.started, 1),
            "idle_seconds": round(time.monotonic() - self.last_request, 1),
            "requests": self.served,
            "projects": [str(path) for path in self.projects.known()],
        }

    def answer(self, request: dict[str, Any]) -> dict[str, Any]:
        """One request's answer; never raises."""
        with self._count:
            self.active += 1
            self.served += 1
        try:
            return {"ok": True, "result": self._result(request)}
        except HelixError as error:
            return {"ok": False, "kind": type(error).__name__, "error": str(error)}
        except Exception as error:  # noqa: BLE001 - the client falls back, the worker lives on
            print(f"{request.get('op')}: {error!r}", file=sys.stderr, flush=True)  # noqa: T201
            return {"ok": False, "kind": "WorkerError", "error": f"{type(error).__name__}: {error}"}
        finally:
            with self._count:
                self.active -= 1
            self.last_request = time.monotonic()

    def _result(self, request: dict[str, Any]) -> Any:
        op = str(request.get("op"))
        if op == "status":
            return self.status()
        if op == "stop":
            self._check_may_stop(str(request.get("version")))
            self.stopping.set()
            return {"stopped": True}
        if op == "embed":
            texts = [str(text) for text in request.get("args", {}).get("texts", ())]
            return self.embedder.embed_documents(texts) if self.embedder else None
        env = {str(k): str(v) for k, v in dict(request.get("env", {})).items()}
        project = _project(dict(request.get("project") or {}), env)
        return self.carry_out(project, op, dict(request.get("args", {})), env)

    def _check_may_stop(self, version: str) -> None:
        """Only a client of this version or a newer one may end the worker."""
        if client.numbers(version) < client.numbers(helix_core.__version__):
            raise HelixError("an older helix may not stop this worker")

    def carry_out(
        self, project: Project, op: str, args: dict[str, Any], env: dict[str, str]
    ) -> Any:
        """One operation on one project, with model and vectors where they are ready."""
        own = {k: os.environ[k] for k in ("HOME", "XDG_CONFIG_HOME") if k in os.environ}
        chosen = settings.load(project.home, {**own, **env})
        if not chosen.worker_enabled:
            raise WorkerError("switched off for this project")
        if scope.leaves_alone(op.removeprefix(dispatch.HOOK), project):
            return None
        state = self.projects.get(project.database)
        frozen = clock.parse(env.get("HELIX_NOW"), default=None)
        with state.connection(op not in dispatch.READING, chosen.lock_wait_ms) as conn:
            mem = Memory(
                conn=conn,
                project=project,
                settings=chosen,
                now=frozen or clock.now(),
                embedder=self.embedder,
                index=state.index(self.embedder.profile) if self.embedder else None,
                actor=str(args.get("actor", "hook")),
            )
            return dispatch.run(mem, op, args)


def _project(place: dict[str, Any], env: dict[str, str]) -> Project:
    """The project a request names, or the one its working folder belongs to."""
    if "database" not in place:
        cwd = place.get("cwd")
        return paths.find_project(cwd if isinstance(cwd, str) and cwd else "/", environ=env)
    return Project(
        root=Path(place["root"]),
        home=Path(place["home"]),
        database=Path(place["database"]),
        reason=str(place.get("reason", "")),
    )


def _peer_is_me(sock: socket.socket) -> bool:
    if hasattr(socket, "SO_PEERCRED"):
        data = sock.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, struct.calcsize("3i"))
        return bool(struct.unpack("3i", data)[1] == os.getuid())
    return True  # macOS: the private folder (0700) is the check


def _serve_one(worker: Worker, sock: socket.socket) -> None:
    with sock, contextlib.suppress(OSError, protocol.ProtocolError):
        sock.settimeout(REQUEST_SECONDS)
        if not _peer_is_me(sock):
            return
        request = protocol.receive(sock)
        if request is None:
            return
        # Asking how it is and asking it to leave work across versions: a newer one takes over so.
        known = request.get("op") in {"status", "stop"}
        if request.get("protocol") != protocol.PROTOCOL and not known:
            protocol.send(sock, {"alive": False, "error": "another protocol version"})
            return
        protocol.send(sock, {"alive": True, "version": helix_core.__version__})
        protocol.send(sock, worker.answer(request))


def _listen(address: Path) -> socket.socket:
    address.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
    address.parent.chmod(0o700)
    address.unlink(missing_ok=True)  # we hold the lock: whatever lies here is stale
    sock = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    sock.bind(str(address))
    address.chmod(0o600)
    sock.listen(64)
    sock.settimeout(0.5)
    return sock


def _accept(worker: Worker, listener: socket.socket) -> None:
    while not worker.stopping.is_set():
        try:
            sock, _ = listener.accept()
        except TimeoutError:
            continue
        except OSError:
            break
        worker.last_request = time.monotonic()
        threading.Thread(target=_serve_one, args=(worker, sock), daemon=True).start()


def _wait_idle(worker: Worker, seconds: float = 5.0) -> None:
    deadline = time.monotonic() + seconds
    while worker.active and time.monotonic() < deadline:
        time.sleep(0.02)


def _take_over(address: Path, stack: contextlib.ExitStack) -> bool:
    """Hold the lock of the one worker; False where another one answers.

    One that does not answer is just starting or on its way out: its lock is waited for.
    """
    deadline = time.monotonic() + LEAVING_SECONDS
    while not stack.enter_context(atomic.exclusive(address.with_suffix(".lock"))):
        if client.status(address=address) is not None or time.monotonic() > deadline:
            return False
        time.sleep(0.1)
    return True


def main() -> int:
    """Run the worker until it is asked to stop or has been idle for long enough."""
    os.umask(0o077)
    address = paths.socket_path()
    address.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
    with contextlib.ExitStack() as stack:
        if not _take_over(address, stack):
            return 0
        worker = Worker(settings.load(None))
        for number in (signal.SIGTERM, signal.SIGINT):
            signal.signal(number, lambda *_: worker.stopping.set())
        listener = _listen(address)
        threading.Thread(target=worker.load_model, daemon=True).start()
        background = Background(worker)
        background.start()
        try:
            _accept(worker, listener)
        finally:
            listener.close()
            address.unlink(missing_ok=True)
            _wait_idle(worker)
            background.join(2.0)
            with contextlib.suppress(StoreError):
                worker.projects.close()
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
