"""A Messages API on loopback that says what a script tells it to, and keeps every request.

Role: the model's side of the end-to-end test. May import: standard library only.

The wire format is the public one: a streamed message is `message_start`, then per content block
`content_block_start`, one delta and `content_block_stop`, then `message_delta` with the stop
reason and `message_stop`. Every message carries an id of its own; the client merges equal ids.
"""

from __future__ import annotations

import itertools
import json
import threading
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any


@dataclass(frozen=True)
class Say:
    """A text block."""

    text: str

    def opened(self) -> dict[str, Any]:
        return {"type": "text", "text": ""}

    def delta(self) -> dict[str, Any]:
        return {"type": "text_delta", "text": self.text}

    def whole(self) -> dict[str, Any]:
        return {"type": "text", "text": self.text}


@dataclass(frozen=True)
class Call:
    """A tool call; `id` has to be unique in the whole session."""

    id: str
    name: str
    arguments: dict[str, Any]

    def opened(self) -> dict[str, Any]:
        return {"type": "tool_use", "id": self.id, "name": self.name, "input": {}}

    def delta(self) -> dict[str, Any]:
        return {"type": "input_json_delta", "partial_json": json.dumps(self.arguments)}

    def whole(self) -> dict[str, Any]:
        return {**self.opened(), "input": self.arguments}


@dataclass(frozen=True)
class Refuse:
    """An API error instead of a message; a 400 is not tried again by the client."""

    status: int
    message: str


Reply = list[Say | Call] | Refuse
Script = Callable[[dict[str, Any]], Reply]


class LoopbackApi:
    """Serves `script` on a free port of 127.0.0.1 and appends each request to `record`.

    A record is one JSON line: `path`, `body` (the request as sent) and `calls` (the tool call ids
    this reply handed out), written before the reply leaves, so the file never lags behind.
    """

    def __init__(self, script: Script, record: Path) -> None:
        self._script = script
        self._record = record
        self._lock = threading.Lock()
        self._numbers = itertools.count(1)
        self._server = ThreadingHTTPServer(("127.0.0.1", 0), _handler(self))
        self._server.daemon_threads = True
        self._thread = threading.Thread(target=self._server.serve_forever, daemon=True)

    @property
    def url(self) -> str:
        """The base address for ANTHROPIC_BASE_URL."""
        return f"http://127.0.0.1:{self._server.server_address[1]}"

    def __enter__(self) -> LoopbackApi:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._server.shutdown()
        self._server.server_close()
        self._thread.join(5)

    def decide(self, path: str, body: dict[str, Any]) -> Reply:
        """Ask the script (one request at a time) and keep what was asked."""
        with self._lock:
            reply: Reply = [Say("3")] if path.endswith("count_tokens") else self._script(body)
            blocks = [] if isinstance(reply, Refuse) else reply
            calls = [block.id for block in blocks if isinstance(block, Call)]
            line = json.dumps({"path": path, "body": body, "calls": calls})
            with self._record.open("a", encoding="utf-8") as out:
                out.write(line + "\n")
        return reply

    def message(self, model: object) -> dict[str, Any]:
        """The empty shell of the next message."""
        return {
            "id": f"msg_loopback_{next(self._numbers):06d}",
            "type": "message",
            "role": "assistant",
            "model": model,
            "content": [],
            "stop_reason": None,
            "stop_sequence": None,
            "usage": {"input_tokens": 20, "output_tokens": 1},
        }


def _stop_reason(blocks: list[Say | Call]) -> str:
    return "tool_use" if any(isinstance(block, Call) for block in blocks) else "end_turn"


def _events(shell: dict[str, Any], blocks: list[Say | Call]) -> Iterator[dict[str, Any]]:
    """The streamed form of one message."""
    yield {"type": "message_start", "message": shell}
    for index, block in enumerate(blocks):
        yield {"type": "content_block_start", "index": index, "content_block": block.opened()}
        yield {"type": "content_block_delta", "index": index, "delta": block.delta()}
        yield {"type": "content_block_stop", "index": index}
    end = {"stop_reason": _stop_reason(blocks), "stop_sequence": None}
    yield {"type": "message_delta", "delta": end, "usage": {"output_tokens": 9}}
    yield {"type": "message_stop"}


def _handler(api: LoopbackApi) -> type[BaseHTTPRequestHandler]:
    """A request handler class bound to one API."""

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def log_message(self, *_: object) -> None:
            return

        def do_HEAD(self) -> None:
            self._json(404, None)

        def do_GET(self) -> None:
            self._json(404, {})

        def do_POST(self) -> None:
            length = int(self.headers.get("content-length") or 0)
            body = json.loads(self.rfile.read(length) or b"{}")
            path = self.path.partition("?")[0]
            reply = api.decide(path, body)
            if isinstance(reply, Refuse):
                error = {"type": "invalid_request_error", "message": reply.message}
                self._json(reply.status, {"type": "error", "error": error})
            elif path.endswith("count_tokens"):
                self._json(200, {"input_tokens": 20})
            elif body.get("stream"):
                self._stream(_events(api.message(body.get("model")), reply))
            else:
                whole = {
                    **api.message(body.get("model")),
                    "content": [block.whole() for block in reply],
                    "stop_reason": _stop_reason(reply),
                }
                self._json(200, whole)

        def _json(self, status: int, value: object) -> None:
            data = b"" if value is None else json.dumps(value).encode()
            self.send_response(status)
            self.send_header("content-type", "application/json")
            self.send_header("content-length", str(len(data)))
            self.end_headers()
            self.wfile.write(data)

        def _stream(self, events: Iterator[dict[str, Any]]) -> None:
            data = b"".join(
                f"event: {event['type']}\ndata: {json.dumps(event)}\n\n".encode()
                for event in events
            )
            self.send_response(200)
            self.send_header("content-type", "text/event-stream")
            self.send_header("content-length", str(len(data)))
            self.end_headers()
            self.wfile.write(data)

    return Handler
