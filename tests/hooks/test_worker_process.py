"""The worker as a process: one per user, bounded, private, and missed by nobody when it dies."""

from __future__ import annotations

import contextlib
import json
import os
import signal
import socket
import sqlite3
import subprocess
import threading
import time
from contextlib import closing
from pathlib import Path

import pytest

from helix_core import paths
from helix_core.embed import client, lifecycle, protocol, server
from tests.hooks import scene
from tests.hooks.conftest import Light
from tests.hooks.fire import ROOT, commands, fire, payload, start

INSIGHT = "When fixing the parser, run the tokenizer tests first"


@pytest.fixture
def running(light: Light, project: Path) -> int:
    """The process id of a worker that serves a project with one insight."""
    scene.store_directly(project, INSIGHT)
    fire("SessionStart", project)
    return light.wait_for_one()


def asked(light: Light, project: Path) -> None:
    """A call is treated, through whichever way."""
    fired = fire("PreToolUse", project, prompt=scene.task("Fix the parser"), tool_use_id="toolu_z")
    assert INSIGHT in fired.specific("updatedInput")["prompt"]


def test_fifty_starts_at_once_make_one_worker(light: Light, project: Path) -> None:
    for _ in range(50):
        assert lifecycle.start()
    assert len(lifecycle._started) >= 2
    found = scene.wait_for(client.status, 120)
    scene.wait_for(lambda: light.workers() == [found["pid"]], 120)
    time.sleep(0.5)
    assert light.workers() == [found["pid"]]


def test_killed_while_it_answers_costs_nothing(light: Light, project: Path, running: int) -> None:
    message = "DELIVERED: done\nINSIGHT: " + json.dumps(
        {"content": "When the worker dies, ask again because the hook has another way"}
    )
    served = client.status()
    assert served is not None
    with closing(sqlite3.connect(scene.database(project), isolation_level=None)) as conn:
        conn.execute("BEGIN EXCLUSIVE")  # so that the worker is in the middle of it for a while
        command, _ = commands("SubagentStop", "helix:helix-builder")[0]
        hook = start(command, project)
        assert hook.stdin is not None
        raw = payload("SubagentStop", project, last_assistant_message=message)
        hook.stdin.write(json.dumps(raw).encode())
        hook.stdin.close()
        scene.wait_for(lambda: (client.status() or {}).get("requests", 0) > served["requests"])
        os.kill(running, signal.SIGKILL)
        assert hook.wait(60) == 0
        for stream in (hook.stdout, hook.stderr):
            assert stream is not None
            stream.close()
    fire("SessionStart", project, session_id="s2")
    scene.wait_for(lambda: not scene.spooled(project))
    assert scene.outcomes(project) == [("a1", "delivered")]
    assert scene.one(project, "SELECT count(*) FROM session_log") == 1
    assert scene.one(project, "SELECT count(*) FROM insight") == 2
    assert light.wait_for_one() != running


def test_clients_that_are_killed_cost_the_worker_nothing(
    light: Light, project: Path, running: int
) -> None:
    command, _ = commands("PreToolUse", "Agent")[0]
    for number in range(8):
        raw = payload("PreToolUse", project, tool_use_id=f"toolu_{number}")
        hook = start(command, project)
        assert hook.stdin is not None
        hook.stdin.write(json.dumps(raw).encode())
        hook.stdin.close()
        time.sleep(0.02 * number)
        os.killpg(hook.pid, signal.SIGKILL)
        hook.wait(60)
        for stream in (hook.stdout, hook.stderr):
            assert stream is not None
            stream.close()
    with socket.socket(socket.AF_UNIX) as half:  # gone in the middle of its message
        half.connect(str(paths.socket_path()))
        half.sendall((1000).to_bytes(4, "big") + b"{")
    asked(light, project)
    assert light.wait_for_one() == running


LEAK = """
import pathlib, sys, threading, time
from helix_core.embed import footprint, server

hog, look, looked = [], footprint.Ceiling.exceeded, threading.Event()

def exceeded(ceiling):
    found = look(ceiling)
    if ceiling._began:
        looked.set()
    return found

def leak():
    looked.wait()
    while not pathlib.Path(sys.argv[1]).exists():
        time.sleep(0.05)
    hog.append(b"x" * (int(sys.argv[2]) << 20))

footprint.Ceiling.exceeded = exceeded
threading.Thread(target=leak, daemon=True).start()
server.main()
"""


def leaking(light: Light, megabytes: int, word: Path) -> None:
    """A real worker that comes to hold so much more once it was looked at and a file is there."""
    lifecycle._started.append(
        subprocess.Popen(
            [light.venv / "bin" / "python", "-c", LEAK, word, str(megabytes)],
            cwd=ROOT,
            stdin=subprocess.DEVNULL,
            start_new_session=True,
        )
    )


def test_one_that_holds_too_much_leaves_and_is_replaced(
    light: Light, project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    scene.store_directly(project, INSIGHT)
    monkeypatch.setenv("HELIX_WORKER_MEMORY_MB", "200")
    word = project / "leak"
    leaking(light, 300, word)
    first = scene.wait_for(client.status)
    assert 0 < first["memory_mb"] < 200
    word.touch()
    process = lifecycle._started[-1]
    assert process.wait(60) == 0
    assert not paths.socket_path().exists()
    asked(light, project)  # by keyword, and a new one is started
    assert light.wait_for_one() != first["pid"]


def test_one_whose_model_is_above_the_ceiling_stays(
    light: Light, project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HELIX_WORKER_MEMORY_MB", "5")
    assert lifecycle.start()
    pid = light.wait_for_one()
    said = paths.data_dir() / "worker.log"
    scene.wait_for(lambda: "over worker_memory_mb=5" in said.read_text())
    time.sleep(2.5)  # another look
    assert light.workers() == [pid]


def connected() -> socket.socket:
    sock = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    sock.settimeout(60)
    sock.connect(str(paths.socket_path()))
    return sock


@pytest.mark.parametrize(
    "sent",
    [
        (protocol.MAX_FRAME + 1).to_bytes(4, "big"),
        b"GET / HTTP/1.1\r\n\r\n",
        (4).to_bytes(4, "big") + b"[1,2",
        (6).to_bytes(4, "big") + b'"text"',
    ],
    ids=["too large", "http", "torn", "no object"],
)
def test_what_is_no_request_is_hung_up_on(
    light: Light, project: Path, running: int, sent: bytes
) -> None:
    with connected() as sock:
        sock.sendall(sent)
        with contextlib.suppress(ConnectionResetError):
            assert sock.recv(10) == b""
    asked(light, project)
    assert light.wait_for_one() == running


def test_a_message_in_drops_is_bounded_as_a_whole() -> None:
    ours, theirs = socket.socketpair()
    stop = threading.Event()

    def drip() -> None:
        ours.sendall((1000).to_bytes(4, "big"))
        while not stop.wait(0.05):
            ours.sendall(b"x")

    thread = threading.Thread(target=drip)
    thread.start()
    try:
        with pytest.raises((protocol.ProtocolError, TimeoutError)):
            protocol.receive(theirs, 0.5)
    finally:
        stop.set()
        thread.join()
        ours.close()
        theirs.close()
    assert 0 < server.REQUEST_SECONDS <= 60


@pytest.mark.skipif(not Path("/proc/net/tcp").exists(), reason="no /proc")
def test_it_has_no_network_socket_at_all(light: Light, project: Path, running: int) -> None:
    asked(light, project)
    inodes = set()
    for link in Path(f"/proc/{running}/fd").iterdir():
        target = str(link.readlink())
        if target.startswith("socket:["):
            inodes.add(target[8:-1])
    assert inodes, "its own socket was not seen"
    for table in ("tcp", "tcp6", "udp", "udp6", "raw", "raw6"):
        lines = Path(f"/proc/{running}/net/{table}").read_text().splitlines()[1:]
        assert [line for line in lines if line.split()[9] in inodes] == []


def test_its_socket_is_private(light: Light, running: int) -> None:
    address = paths.socket_path()
    assert address.parent.stat().st_mode & 0o777 == 0o700
    assert address.stat().st_mode & 0o777 == 0o600
    assert (paths.data_dir() / "worker.log").stat().st_mode & 0o022 == 0


@pytest.mark.skipif(os.name != "posix" or os.getuid() != 0, reason="needs another user")
@pytest.mark.skipif(not hasattr(socket, "SO_PEERCRED"), reason="the folder alone is the check")
def test_another_user_gets_no_answer(light: Light, project: Path, running: int) -> None:
    address = paths.socket_path()
    for folder in address.parents:  # as if somebody had opened every door
        if folder.stat().st_mode & 0o005 != 0o005 and folder != Path("/"):
            folder.chmod(0o755)
    address.chmod(0o666)
    reader, writer = os.pipe()
    child = os.fork()
    if child == 0:  # nothing but system calls from here: this is a copy of the test
        try:
            os.setgid(65534)
            os.setuid(65534)
            with connected() as sock:
                protocol.send(sock, {"protocol": protocol.PROTOCOL, "op": "status"})
                os.write(writer, b"connected:" + sock.recv(100))
        except ConnectionError:
            os.write(writer, b"connected:")
        except BaseException as error:  # noqa: BLE001 - told through the pipe
            os.write(writer, repr(error).encode())
        finally:
            os._exit(0)
    os.waitpid(child, 0)
    os.close(writer)
    with os.fdopen(reader, "rb") as stream:
        assert stream.read() == b"connected:"
    assert light.wait_for_one() == running
