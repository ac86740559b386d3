"""What goes over the worker's socket: length-prefixed JSON frames. Standard library only.

A request is `{"protocol", "version", "op", "project", "env", "args"}`. The worker answers at once
with `{"alive": true}`, so that a client knows within 300 ms whether anybody is there, and then with
`{"ok": true, "result": ...}` or `{"ok": false, "error": ..., "kind": ...}`.
"""

from __future__ import annotations

import json
import socket
import time
from typing import Any

PROTOCOL = 1
MAX_FRAME = 32 * 1024 * 1024
HEAD_BYTES = 4


class ProtocolError(Exception):
    """The other side sent what is no frame, or too large a one."""


def send(sock: socket.socket, message: dict[str, Any]) -> None:
    """Send one message as one frame; raises ProtocolError over 32 MiB."""
    body = json.dumps(message, ensure_ascii=True, separators=(",", ":")).encode("ascii")
    if len(body) > MAX_FRAME:
        raise ProtocolError(f"message of {len(body)} bytes")
    sock.sendall(len(body).to_bytes(HEAD_BYTES, "big") + body)


def receive(sock: socket.socket, seconds: float | None = None) -> dict[str, Any] | None:
    """The next message; None where the other side closed. Raises ProtocolError, OSError.

    `seconds` bounds the whole message; without it the socket's own timeout bounds each part.
    """
    until = None if seconds is None else time.monotonic() + seconds
    head = _exactly(sock, HEAD_BYTES, until)
    if not head:
        return None
    size = int.from_bytes(head, "big")
    if size > MAX_FRAME:
        raise ProtocolError(f"message of {size} bytes")
    try:
        message = json.loads(_exactly(sock, size, until))
    except ValueError as error:
        raise ProtocolError("not JSON") from error
    if not isinstance(message, dict):
        raise ProtocolError("not an object")
    return message


def _exactly(sock: socket.socket, size: int, until: float | None) -> bytes:
    parts = []
    missing = size
    while missing:
        if until is not None:
            left = until - time.monotonic()
            if left <= 0:
                raise ProtocolError("the message takes too long")
            sock.settimeout(left)
        part = sock.recv(min(missing, 1 << 20))
        if not part:
            if missing == size:
                return b""
            raise ProtocolError("closed in the middle of a frame")
        parts.append(part)
        missing -= len(part)
    return b"".join(parts)
