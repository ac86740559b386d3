"""B27: no hook ever asks the network; a worker that does, and waits, keeps nobody waiting."""

from __future__ import annotations

import socket
import threading
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from helix_core.embed import client
from tests.hooks import scene
from tests.hooks.conftest import Light
from tests.hooks.fire import fire

INSIGHT = "When fixing the parser, run the tokenizer tests first"
PROMPT = scene.task("Fix the parser")


@dataclass
class SilentProxy:
    """A proxy that takes every connection and never says a word."""

    port: int
    callers: list[socket.socket] = field(default_factory=list)


@pytest.fixture
def proxy(monkeypatch: pytest.MonkeyPatch) -> Iterator[SilentProxy]:
    """The silent proxy as the only way out, for every process of this test."""
    with socket.create_server(("127.0.0.1", 0)) as listener:
        found = SilentProxy(listener.getsockname()[1])
        for name in ("http_proxy", "https_proxy", "HTTP_PROXY", "HTTPS_PROXY", "all_proxy"):
            monkeypatch.setenv(name, f"http://127.0.0.1:{found.port}")
        monkeypatch.delenv("HF_HUB_OFFLINE")
        monkeypatch.delenv("no_proxy", raising=False)
        monkeypatch.delenv("NO_PROXY", raising=False)
        thread = threading.Thread(target=_take_all, args=(listener, found))
        thread.start()
        yield found
        with socket.create_connection(("127.0.0.1", found.port)) as last:
            last.sendall(b"end")
            thread.join(10)
    for caller in found.callers:
        caller.close()


def _take_all(listener: socket.socket, proxy: SilentProxy) -> None:
    while True:
        caller, _ = listener.accept()
        caller.setblocking(False)
        proxy.callers.append(caller)
        caller.settimeout(0.3)
        try:
            if caller.recv(3) == b"end":
                proxy.callers.pop().close()
                return
        except OSError:
            continue


def test_b27_no_hook_asks_the_network(proxy: SilentProxy, project: Path) -> None:
    scene.store_directly(project, INSIGHT)
    for event in ("SessionStart", "PreToolUse", "PostToolUse", "SubagentStart"):
        fired = fire(event, project, prompt=PROMPT)
        assert fired.code == 0
        if event == "PreToolUse":
            assert INSIGHT in fired.specific("updatedInput")["prompt"]
    fire("SubagentStop", project, last_assistant_message="DELIVERED: done")
    fire("SessionEnd", project)
    assert scene.outcomes(project) == [("a1", "delivered")]
    assert proxy.callers == []


def test_b27_a_worker_that_waits_for_the_network_answers(
    proxy: SilentProxy, light: Light, project: Path
) -> None:
    scene.store_directly(project, INSIGHT)
    fire("SessionStart", project)
    light.wait_for_one()
    scene.wait_for(lambda: proxy.callers)  # it looks for a model, and hangs in the proxy
    fired = fire("PreToolUse", project, prompt=PROMPT)
    assert INSIGHT in fired.specific("updatedInput")["prompt"]
    found = scene.wait_for(lambda: client.wait_ready(0))
    scene.wait_for(lambda: (client.status() or {}).get("model_state") == "none")
    assert found["pid"] in light.workers()
    assert len(proxy.callers) <= 2  # it asked once, and does not try again at every call
