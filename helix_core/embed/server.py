"""The worker's process: one per user, a Unix socket in a private folder, leaves when idle.

Serves only its own user. Requests come first; what can wait is done in small steps in between
(`background`). What a request does is `worker`'s business.
"""

from __future__ import annotations

import contextlib
import os
import signal
import socket
import struct
import threading
import time
from pathlib import Path
from typing import TYPE_CHECKING

import helix_core
from helix_core import atomic, folders, paths, settings
from helix_core.embed import client, holder, protocol
from helix_core.errors import StoreError

if TYPE_CHECKING:
    from helix_core.embed.worker import Worker

REQUEST_SECONDS = 30.0
LEAVING_SECONDS = 10.0


def _peer_is_me(sock: socket.socket) -> bool:
    if hasattr(socket, "SO_PEERCRED"):
        data = sock.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, struct.calcsize("3i"))
        return bool(struct.unpack("3i", data)[1] == os.getuid())
    return True  # macOS: the private folder (0700) is the check


def _serve_one(worker: Worker, sock: socket.socket) -> None:
    with sock, contextlib.suppress(OSError, protocol.ProtocolError):
        if not _peer_is_me(sock):
            return
        request = protocol.receive(sock, REQUEST_SECONDS)
        if request is None:
            return
        sock.settimeout(REQUEST_SECONDS)
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
        threading.Thread(target=_serve_one, args=(worker, sock), daemon=True).start()


def _wait_idle(worker: Worker, seconds: float = 5.0) -> None:
    deadline = time.monotonic() + seconds
    while worker.active and time.monotonic() < deadline:
        time.sleep(0.02)


def _take_over(address: Path, stack: contextlib.ExitStack) -> bool:
    """Hold the lock of the one worker; False where another one answers.

    One that does not answer is just starting or on its way out: its lock is waited for. So is that
    of one that still answers while it leaves: who was started after it was stopped would be lost.
    """
    deadline = time.monotonic() + LEAVING_SECONDS
    while not stack.enter_context(atomic.exclusive(holder.lock_file(address))):
        found = client.status(address=address)
        if (found and not found.get("leaving")) or time.monotonic() > deadline:
            return False
        time.sleep(0.1)
    return True


def main() -> int:
    """Run the worker until it is asked to stop or has been idle for long enough."""
    folders.keep_private()
    address = paths.socket_path()
    address.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
    with contextlib.ExitStack() as stack:
        if not _take_over(address, stack):
            return 0
        holder.note(holder.lock_file(address))
        # Only now: of many that start at once, all but one leave before they load anything.
        from helix_core.embed.background import Background
        from helix_core.embed.worker import Worker

        worker = Worker(settings.load(None))
        for number in (signal.SIGTERM, signal.SIGINT):
            signal.signal(number, lambda *_: worker.leave())
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
