"""A worker that hangs or runs the code of before: named, ended, replaced, never doubled."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

import helix_core
from helix_core import atomic, paths, setup_state
from helix_core.embed import client, holder, lifecycle
from tests.core.command import helix
from tests.hooks import scene
from tests.hooks.conftest import Light
from tests.hooks.fire import ROOT, fire

INSIGHT = "When fixing the parser, run the tokenizer tests first"


@pytest.fixture
def running(light: Light, project: Path, monkeypatch: pytest.MonkeyPatch) -> int:
    """The process id of a worker that serves a project with one insight."""
    monkeypatch.setenv("HELIX_WORKER_WAIT_MS", "1000")  # nobody waits long for one that hangs
    scene.store_directly(project, INSIGHT)
    assert lifecycle.start()
    return light.wait_for_one()


@pytest.fixture
def hanging(light: Light, running: int) -> int:
    """The process id of a worker that stopped a while ago and holds its lock."""
    os.kill(running, signal.SIGSTOP)
    past = time.time() - holder.STARTING_SECONDS - 60
    os.utime(holder.lock_file(), (past, past))
    return running


def worker_line(project: Path) -> dict[str, str]:
    """What the doctor says of the worker."""
    found = json.loads(helix(project, "doctor", "--quick", "--json").out)["findings"]
    [line] = [one for one in found if one["name"] == "worker"]
    return dict(line)


def test_the_doctor_names_it_and_its_remedy_ends_it(
    light: Light, project: Path, hanging: int
) -> None:
    said = worker_line(project)
    assert said["state"] == "fail" and f"process {hanging} hangs" in said["says"]
    assert said["remedy"].startswith("run: helix worker stop")
    ended = helix(project, "worker", "stop")
    assert (ended.code, ended.out) == (0, f"process {hanging} did not answer and was ended\n")
    assert light.workers() == []
    assert worker_line(project)["state"] != "fail"
    assert lifecycle.start()
    assert light.wait_for_one() != hanging


def test_no_second_one_is_started_beside_it(light: Light, project: Path, hanging: int) -> None:
    ran = helix(project, "worker", "start")
    assert (ran.code, ran.out, len(ran.err.splitlines())) == (1, "", 1)
    assert str(hanging) in ran.err and "helix worker stop" in ran.err
    fired = fire("PreToolUse", project, prompt=scene.task("Fix the parser"))
    assert INSIGHT in fired.specific("updatedInput")["prompt"]  # by keyword
    assert f"worker process {hanging} holds its place" in scene.log(project)
    found = helix(project, "recall", "fixing the parser", "--limit", "1")
    assert found.code == 0 and INSIGHT in found.out and str(hanging) in found.err
    assert light.workers() == [hanging]


def test_one_that_starts_is_given_its_time(light: Light, project: Path, running: int) -> None:
    os.kill(running, signal.SIGSTOP)
    try:
        assert holder.find() is not None and not lifecycle.hindrance()
        assert "is starting" in worker_line(project)["says"]
    finally:
        os.kill(running, signal.SIGCONT)
    assert light.wait_for_one() == running


def test_one_that_obeys_is_ended_without_force(light: Light, project: Path, running: int) -> None:
    """Its socket is gone, so that nobody can ask it, but it is sound."""
    paths.socket_path().unlink()
    assert client.status() is None
    assert lifecycle.end_hanging() == running
    assert light.workers() == []


def test_a_number_that_belongs_to_another_program_is_left_alone(
    light: Light, project: Path
) -> None:
    lock = holder.lock_file()
    with subprocess.Popen([sys.executable, "-c", "input()"], stdin=subprocess.PIPE) as foreign:
        with atomic.exclusive(lock) as mine:
            assert mine
            lock.write_text(f"{foreign.pid}\n")
            assert holder.find() is None
            ran = helix(project, "worker", "stop")
        assert (ran.code, ran.out) == (0, "there was no worker\n")
        assert foreign.poll() is None
        foreign.communicate(b"\n")
    assert foreign.returncode == 0


def test_a_number_without_the_lock_says_nothing(light: Light, project: Path, running: int) -> None:
    os.kill(running, signal.SIGKILL)
    scene.wait_for(lambda: not light.workers())
    assert holder.lock_file().read_text() == f"{running}\n"
    assert holder.find() is None and lifecycle.hindrance() == ""


# -- of the same version, with older code ----------------------------------------------------------


@pytest.fixture
def stamp(light: Light) -> Iterator[Callable[[], None]]:
    """Make the light environment one whose set-up ended just now."""
    file = light.venv / setup_state.STAMP

    def made() -> None:
        atomic.write_json(file, {"version": helix_core.__version__})

    yield made
    file.unlink(missing_ok=True)


def test_it_is_replaced_once_the_environment_is_newer(
    light: Light, running: int, stamp: Callable[[], None]
) -> None:
    assert lifecycle.renew() is False  # no set-up has ended there
    stamp()
    long_ago = time.time() - 3600
    os.utime(light.venv / setup_state.STAMP, (long_ago, long_ago))
    assert lifecycle.renew() is False  # its code is the environment's
    os.utime(light.venv / setup_state.STAMP)
    assert lifecycle.renew() is True
    scene.wait_for(lambda: (client.status() or {}).get("pid") not in (None, running))
    light.wait_for_one()


def test_who_asks_it_for_what_it_does_not_know_replaces_it(
    light: Light, project: Path, stamp: Callable[[], None]
) -> None:
    scene.store_directly(project, INSIGHT)
    code = (
        "from helix_core import service; service.OPERATIONS.pop('recall');"
        "from helix_core.embed import server; server.main()"
    )
    old = subprocess.Popen(
        [light.venv / "bin" / "python", "-c", code],
        cwd=ROOT, stdin=subprocess.DEVNULL, start_new_session=True,
    )  # fmt: skip
    lifecycle._started.append(old)
    scene.wait_for(client.status)
    without = helix(project, "recall", "fixing the parser")
    assert without.code == 0 and INSIGHT in without.out and "unknown operation" in without.err
    assert old.poll() is None  # an environment that is no newer would bring the same code
    time.sleep(0.2)
    stamp()
    found = helix(project, "recall", "fixing the parser")
    assert found.code == 0 and INSIGHT in found.out and "unknown operation" not in found.err
    assert old.wait(20) == 0
    light.wait_for_one()
