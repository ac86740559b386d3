"""B17: the worker is found by asking it, replaced when dead or old, and never missed for long."""

from __future__ import annotations

import os
import signal
import socket
import struct
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

import helix_core
from helix_core import atomic, paths, provision
from helix_core.embed import client, lifecycle, protocol
from helix_core.errors import WorkerError
from tests.hooks import scene
from tests.hooks.conftest import Light
from tests.hooks.fire import ROOT, fire

INSIGHT = "When fixing the parser, run the tokenizer tests first"
PROMPT = scene.task("Fix the parser")


@pytest.fixture
def stored(light: Light, project: Path) -> Path:
    """A project with one insight, of a user whose worker is not running."""
    scene.store_directly(project, INSIGHT)
    return project


def injected_without_a_worker(project: Path, number: int = 1) -> None:
    """A call is treated by keyword, well inside its time."""
    fired = fire("PreToolUse", project, prompt=PROMPT, tool_use_id=f"toolu_{number}")
    assert INSIGHT in fired.specific("updatedInput")["prompt"]
    last = "SELECT mode, ok FROM hook_call ORDER BY id DESC LIMIT 1"
    assert scene.rows(project, last) == [("keyword", 1)]


def killed(light: Light, project: Path) -> int:
    """A worker that was started and then killed without a chance to clean up."""
    fire("SessionStart", project)
    pid = light.wait_for_one()
    os.kill(pid, signal.SIGKILL)
    scene.wait_for(lambda: not light.workers())
    assert paths.socket_path().exists()
    return pid


def test_b17_a_killed_workers_socket_is_no_worker(light: Light, stored: Path) -> None:
    old = killed(light, stored)
    assert client.status() is None
    injected_without_a_worker(stored)
    assert light.wait_for_one() != old  # the hook started the next one


def test_b17_a_pid_that_belongs_to_another_program_is_left_alone(
    light: Light, stored: Path
) -> None:
    killed(light, stored)
    with subprocess.Popen([sys.executable, "-c", "input()"], stdin=subprocess.PIPE) as foreign:
        for place in (paths.data_dir(), paths.socket_path().parent):
            (place / "worker.pid").write_text(f"{foreign.pid}\n")
        fire("SessionStart", stored)
        injected_without_a_worker(stored)
        light.wait_for_one()
        assert foreign.poll() is None
        assert foreign.stdin is not None
        foreign.stdin.write(b"\n")
    assert foreign.returncode == 0


@pytest.mark.parametrize("kind", ["file", "folder", "silent", "hangs-up", "babbles"])
def test_b17_whatever_lies_at_the_socket_costs_no_answer(
    light: Light, stored: Path, kind: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("HELIX_WORKER_WAIT_MS")  # what a user's hook waits for one that is silent
    address = paths.socket_path()
    address.parent.mkdir(parents=True)
    with _in_the_way(address, kind):
        began = time.monotonic()
        with pytest.raises(WorkerError):
            client.request("status", {}, first_ms=300, answer_ms=500)
        assert time.monotonic() - began < 2.0
        injected_without_a_worker(stored)


@contextmanager
def _in_the_way(address: Path, kind: str) -> Iterator[None]:
    """Something that is no worker, where the worker's socket should be."""
    if kind == "file":
        address.write_text("x")
    elif kind == "folder":
        address.mkdir()
    else:
        with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as listener:
            listener.bind(str(address))
            listener.listen(8)
            listener.settimeout(0.1)
            done = threading.Event()
            thread = threading.Thread(target=_answer_badly, args=(listener, kind, done))
            thread.start()
            yield
            done.set()
            thread.join()
        return
    yield


def _answer_badly(listener: socket.socket, kind: str, done: threading.Event) -> None:
    held = []
    while not done.is_set():
        try:
            sock, _ = listener.accept()
        except TimeoutError:
            continue
        if kind == "silent":
            held.append(sock)
            continue
        with sock:
            if kind == "babbles":
                sock.sendall(struct.pack(">I", 5) + b"[1,2]")
    for sock in held:
        sock.close()


def test_b17_a_long_path_still_has_a_socket(
    light: Light, stored: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with tempfile.TemporaryDirectory(prefix="hx-") as folder:
        monkeypatch.setenv("XDG_DATA_HOME", f"{folder}/{'x' * 120}")
        address = paths.socket_path()
        assert len(os.fsencode(address)) < 100
        fire("SessionStart", stored)
        light.wait_for_one()
        assert address.parent.stat().st_mode & 0o777 == 0o700
        assert lifecycle.stop()
        scene.wait_for(lambda: not light.workers())
        address.with_suffix(".lock").unlink()
        address.parent.rmdir()


def test_b17_another_home_is_another_worker() -> None:
    first = paths.socket_path({"HOME": "/home/a"})
    assert first != paths.socket_path({"HOME": "/home/b"})
    assert first == paths.socket_path({"HOME": "/home/a", "HELIX_PROJECT_DIR": "/elsewhere"})


def old_worker(light: Light, version: str, number: int = protocol.PROTOCOL) -> None:
    """A real worker that takes itself for another version, from the same environment."""
    code = (
        "import helix_core; from helix_core.embed import protocol, server;"
        f"helix_core.__version__ = {version!r}; protocol.PROTOCOL = {number}; server.main()"
    )
    lifecycle._started.append(
        subprocess.Popen(
            [light.venv / "bin" / "python", "-c", code],
            cwd=ROOT,
            stdin=subprocess.DEVNULL,
            start_new_session=True,
        )
    )
    scene.wait_for(lambda: (client.status() or {}).get("version") == version)


@pytest.mark.parametrize("number", [protocol.PROTOCOL, protocol.PROTOCOL - 1])
def test_b17_the_worker_of_the_version_before_is_replaced(
    light: Light, stored: Path, number: int
) -> None:
    old_worker(light, "0.0.1", number)
    atomic.write_json(light.venv / provision.STAMP, {"version": helix_core.__version__})
    try:
        fire("SessionStart", stored)
        scene.wait_for(lambda: (client.status() or {}).get("version") == helix_core.__version__)
        light.wait_for_one()
    finally:
        (light.venv / provision.STAMP).unlink()


def test_b17_an_old_environment_keeps_its_worker(light: Light, stored: Path) -> None:
    """Without a newer environment the next worker would be as old: nothing is gained by it."""
    old_worker(light, "0.0.1")
    before = scene.wait_for(client.status)
    fire("SessionStart", stored)
    after = scene.wait_for(client.status)
    assert after["pid"] == before["pid"]
    assert lifecycle.stop()


def test_b17_a_newer_worker_is_not_stopped_by_an_older_client(light: Light) -> None:
    old_worker(light, "99.0")
    assert lifecycle.renew() is False
    with pytest.raises(Exception, match="older helix"):
        lifecycle.stop()
    found = scene.wait_for(client.status)
    os.kill(found["pid"], signal.SIGTERM)
    scene.wait_for(lambda: client.status() is None)


def test_b17_the_worker_leaves_when_idle(
    light: Light, stored: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HELIX_WORKER_IDLE_MINUTES", "0.01")
    fire("SessionStart", stored)
    scene.wait_for(lambda: (paths.data_dir() / "worker.log").exists())
    scene.wait_for(lambda: not light.workers())
    assert not paths.socket_path().exists()


def test_b17_a_start_while_the_last_one_leaves_is_not_lost(light: Light, stored: Path) -> None:
    fire("SessionStart", stored)
    first = light.wait_for_one()
    assert lifecycle.stop()
    assert lifecycle.start()  # the other still holds its lock for a moment
    scene.wait_for(lambda: (client.status() or {}).get("pid") not in (None, first))
    light.wait_for_one()


def test_b17_a_worker_asked_to_stop_leaves_nothing(light: Light, stored: Path) -> None:
    fire("SessionStart", stored)
    light.wait_for_one()
    assert lifecycle.stop(5000)
    scene.wait_for(lambda: not light.workers())
    assert not paths.socket_path().exists()
    assert lifecycle.stop() is False
    injected_without_a_worker(stored)
