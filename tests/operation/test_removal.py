"""`helix setup --remove`: nothing of helix is left for a user but each project's `.helix/`."""

from __future__ import annotations

import contextlib
import os
import pty
import subprocess
import sys
from pathlib import Path

import pytest

from helix_core import atomic, paths, provision
from helix_core.embed import client, lifecycle
from tests.core.command import helix
from tests.hooks import scene
from tests.hooks.fire import ROOT
from tests.operation.conftest import House

LESSON = "When helix goes, keep the memory because the user may come back"


def left(home: Path) -> list[str]:
    """Every path below a home, without the ones Python makes for itself."""
    return sorted(str(path.relative_to(home)) for path in home.rglob("*"))


def test_everything_goes_but_the_memory(house: House, project: Path, user: object) -> None:
    scene.store_directly(project, LESSON)
    before = scene.database(project).read_bytes()
    paths.config_file().parent.mkdir(parents=True)
    paths.config_file().write_text("max_insights = 2\n")
    os.environ.pop("HELIX_WORKER")
    assert lifecycle.start()
    pid = scene.wait_for(client.status)["pid"]
    ran = subprocess.run(
        [ROOT / "bin" / "helix", "setup", "--remove", "--yes"],
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert (ran.returncode, ran.stderr) == (0, "")
    assert str(paths.data_dir()) in ran.stdout
    lifecycle._started.pop().wait(10)
    with pytest.raises(ProcessLookupError):
        os.kill(pid, 0)
    assert not house.venv.exists() and not paths.socket_path().parent.exists()
    assert [path for path in left(Path.home()) if "helix" in path] == []
    assert scene.database(project).read_bytes() == before
    again = helix(project, "setup", "--remove")
    assert (again.code, again.out) == (0, "there was nothing to remove\n")
    assert helix(project, "count", "--json").json == {"count": 1}


def asked(answer: bytes) -> tuple[int, str]:
    """`setup --remove` on a terminal, answered: its exit code and what the terminal showed."""
    master, slave = pty.openpty()
    process = subprocess.Popen(
        [ROOT / "bin" / "helix", "setup", "--remove"],
        stdin=slave, stdout=slave, stderr=slave, start_new_session=True,
    )  # fmt: skip
    os.close(slave)
    os.write(master, answer)
    shown = b""
    with contextlib.suppress(OSError):  # its end closes the terminal
        while part := os.read(master, 4096):
            shown += part
    os.close(master)
    return process.wait(60), shown.decode()


def test_a_person_is_asked_and_told_what_goes(house: House) -> None:
    for answer in (b"\n", b"n\n", b"\x04"):
        code, shown = asked(answer)
        assert code == 1 and "nothing was removed" in shown
        assert str(paths.data_dir()) in shown and ".helix/" in shown
    assert provision.is_ready(house.venv)
    code, shown = asked(b"yes\n")
    assert (code, paths.data_dir().exists()) == (0, False), shown


def test_where_nobody_can_be_asked_it_says_what_to_say(house: House, project: Path) -> None:
    ran = helix(project, "setup", "--remove")
    assert (ran.code, ran.out, len(ran.err.splitlines())) == (1, "", 1)
    assert "--yes" in ran.err and str(paths.data_dir()) in ran.err
    assert provision.is_ready(house.venv)


def test_what_helix_did_not_make_is_left(
    project: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    mine = tmp_path / "mine"
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", mine], check=True)
    monkeypatch.setenv("HELIX_VENV", str(mine))
    cache = Path.home() / ".cache/huggingface/hub/models--Snowflake--snowflake-arctic-embed-m-v1.5"
    cache.mkdir(parents=True)
    done = helix(project, "setup", "--remove", "--yes", "--json").json
    assert [line.partition(":")[0] for line in done["left"]] == [str(mine), str(cache)]
    assert (mine / "bin" / "python").exists() and cache.is_dir()
    assert sorted(path.name for path in tmp_path.iterdir()) == ["mine", "project"]


def test_not_while_a_set_up_runs(house: House, project: Path) -> None:
    with atomic.exclusive(house.venv.parent / provision.LOCK) as mine:
        assert mine
        ran = helix(project, "setup", "--remove", "--yes")
    assert ran.code == 1 and "set-up is running" in ran.err
    assert provision.is_ready(house.venv)
