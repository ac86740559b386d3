"""B26: the disk is full, `.helix` is a file, or nothing there may be written."""

from __future__ import annotations

import os
import resource
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from tests.core.text.transcript_lines import says, user
from tests.hooks import scene
from tests.hooks.fire import PROMPT, ROOT, fire

KNOWN = "When the disk is full, free some room because nothing else helps"
EVENTS = ("SessionStart", "PreToolUse", "SubagentStart", "SubagentStop", "SessionEnd")


@contextmanager
def small_disk(folder: Path, kilobytes: int) -> Iterator[None]:
    """A file system of that size over `folder`; skips where mounting is not allowed."""
    mount = ["mount", "-t", "tmpfs", "-o", f"size={kilobytes}k", "tmpfs", str(folder)]
    done = subprocess.run(mount, capture_output=True, text=True, check=False)
    if done.returncode:
        pytest.skip(f"no small file system to be had: {done.stderr.strip()}")
    try:
        yield
    finally:
        subprocess.run(["umount", "-l", str(folder)], check=False)


def helix(project: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "helix_core", "--project", str(project), *arguments],
        cwd=ROOT, capture_output=True, text=True, check=False,
    )  # fmt: skip


def test_b26_a_full_disk_costs_the_news_and_nothing_else(project: Path) -> None:
    with small_disk(project, 1024):
        scene.store(project, KNOWN)
        scene.write_lines(project / "agent-a1.jsonl", user(PROMPT), says("DELIVERED: ok"))
        filler = project / "filler"
        with filler.open("wb") as out:
            try:
                while True:
                    os.write(out.fileno(), b"x" * 4096)
            except OSError:
                pass
        for event in EVENTS:
            done = fire(event, project)
            assert done.code == 0
            assert "Traceback" not in done.err
            assert len(done.err.splitlines()) <= 1
        refused = helix(project, "store", "When there is no room, say so in one line please")
        assert refused.returncode == 3
        assert len(refused.stderr.strip().splitlines()) == 1
        assert "Traceback" not in refused.stderr
        for file in (project / ".helix").rglob("*.json"):
            assert file.stat().st_size > 0, f"half-written: {file}"
        filler.unlink()
        assert scene.one(project, "PRAGMA integrity_check") == "ok"
        assert scene.one(project, "SELECT content FROM insight") == KNOWN
        assert helix(project, "store", "When there is room again, go on as before").returncode == 0
        assert fire("SubagentStop", project).code == 0
        assert ("a1", "delivered") in scene.outcomes(project)


def test_b26_a_limit_on_file_sizes(project: Path) -> None:
    scene.store(project, KNOWN)
    scene.write_lines(project / "agent-a1.jsonl", user(PROMPT), says("DELIVERED: ok"))

    def limited() -> None:
        resource.setrlimit(resource.RLIMIT_FSIZE, (10_240, 10_240))

    code = f"import sys; sys.path.insert(0, {str(ROOT)!r}); "
    code += "from helix_core.hooks.process import main; main('SubagentStop')"
    import json

    from tests.hooks.fire import payload

    done = subprocess.run(
        [sys.executable, "-I", "-c", code],
        input=json.dumps(payload("SubagentStop", project)).encode(),
        cwd=project, capture_output=True, check=False, preexec_fn=limited, timeout=60,
    )  # fmt: skip
    assert (done.returncode, done.stdout) == (0, b"")
    assert b"Traceback" not in done.stderr
    assert scene.one(project, "PRAGMA integrity_check") == "ok"


def in_the_way(place: Path, kind: str) -> None:
    """Something that is no folder, where `.helix/` should be."""
    if kind == "file":
        place.write_text("not a folder")
    elif kind == "pipe":
        os.mkfifo(place)
    elif kind == "circle":
        place.symlink_to(place.name)
    else:
        place.symlink_to(place.parent / "nowhere" / "at" / "all")


OBSTACLES = {
    "file": "is a file, not a folder",
    "pipe": "is a pipe or device, not a folder",
    "circle": "is a link that leads round in a circle, not a folder",
    "dangling link": "is a link to nothing (",
}
COMMANDS = (
    *(("count",), ("store", KNOWN), ("recall", "x"), ("trash", "x"), ("prune",), ("health",)),
    *(("dag", "status"), ("learn", "list"), ("config", "max_insights", "2"), ("export",)),
    *(("backup",), ("session", "report", "--session", "s1"), ("doctor", "--quick")),
)


@pytest.mark.parametrize("kind", OBSTACLES)
def test_b26_something_else_lies_where_the_memory_should(project: Path, kind: str) -> None:
    (project / ".git").mkdir()
    in_the_way(project / ".helix", kind)
    said = f"{project / '.helix'} {OBSTACLES[kind]}"
    for event in EVENTS:
        done = fire(event, project)
        assert (done.code, done.out) == (0, "")
        assert done.err == "" or (said in done.err and len(done.err.splitlines()) == 1)
    assert said in fire("SubagentStop", project).err
    for command in COMMANDS:
        refused = helix(project, *command)
        assert refused.returncode in ((1,) if command[0] == "doctor" else (2, 3)), command
        assert "Traceback" not in refused.stderr and said in refused.stderr + refused.stdout
        if command[0] != "doctor":
            assert (refused.stdout, len(refused.stderr.splitlines())) == ("", 1)
    assert [path.name for path in project.iterdir() if path.name.startswith(".h")] == [".helix"]


@pytest.mark.parametrize("kind", ["folder", "pipe"])
def test_b26_a_database_that_is_no_file_is_named(project: Path, kind: str) -> None:
    place = scene.database(project)
    place.parent.mkdir()
    place.mkdir() if kind == "folder" else os.mkfifo(place)
    for command in (("count",), ("store", KNOWN), ("recall", "x"), ("count", "--db", str(place))):
        refused = helix(project, *command)
        assert (refused.returncode, refused.stdout) == (3, "")
        assert f"{place} is a " in refused.stderr and "permission" not in refused.stderr
        assert len(refused.stderr.splitlines()) == 1
    for event in EVENTS:
        assert fire(event, project).code == 0
