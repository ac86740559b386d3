"""B09: a session's start leaves one detached worker behind, and no hook calls itself."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import pytest

from helix_core import paths
from tests.hooks import scene
from tests.hooks.conftest import Light
from tests.hooks.fire import fire, together


@pytest.fixture
def known(project: Path) -> Path:
    """A project that helix has been used in."""
    (project / ".helix").mkdir()
    return project


def test_b09_the_hook_returns_while_its_worker_lives_on(light: Light, known: Path) -> None:
    fired = fire("SessionStart", known)  # returns once nobody holds the pipes any more
    assert (fired.code, fired.out, fired.err) == (0, "", "")
    pid = light.wait_for_one()
    assert os.getsid(pid) == pid  # a session of its own: no signal to ours reaches it
    assert os.getsid(pid) != os.getsid(0)
    if sys.platform == "linux":
        log = paths.data_dir() / "worker.log"
        process = Path(f"/proc/{pid}")
        open_files = [(process / "fd" / number).readlink() for number in "012"]
        assert open_files == [Path("/dev/null"), log, log]
        assert (process / "cwd").readlink() == Path("/")


def test_b09_four_starts_at_once_make_one_worker(light: Light, known: Path) -> None:
    fired = together([("SessionStart", known, {"session_id": f"s{n}"}) for n in range(4)])
    assert [(f.code, f.out) for f in fired] == [(0, "")] * 4
    pid = light.wait_for_one()
    fire("SessionStart", known)
    assert light.wait_for_one() == pid


def test_b09_standard_output_holds_the_answer_and_nothing_else(light: Light, known: Path) -> None:
    scene.store_directly(known, "When the worker is not there yet, say so in one line")
    fired = fire("SessionStart", known)
    assert fired.answer is not None
    assert set(fired.answer) == {"hookSpecificOutput"}
    assert "by keyword" in fired.specific("additionalContext")
    light.wait_for_one()


@pytest.mark.parametrize(
    "event", ["SessionStart", "PreToolUse", "SubagentStart", "SubagentStop", "SessionEnd"]
)
def test_b09_a_guarded_process_fires_no_hooks(light: Light, known: Path, event: str) -> None:
    """What the worker runs may not start hooks again; nor may a hook start a second worker."""
    fired = fire(event, known, env={"HELIX_HOOK_ACTIVE": "worker"})
    assert (fired.code, fired.out, fired.err) == (0, "", "")
    assert list((known / ".helix").iterdir()) == []
    assert light.workers() == []


@pytest.mark.skipif(sys.platform != "linux", reason="reads another process's environment")
def test_b09_the_worker_carries_the_guard_and_nothing_of_the_session(
    light: Light, known: Path
) -> None:
    fire(
        "SessionStart",
        known,
        env={"CLAUDE_ENV_FILE": "/x", "ANTHROPIC_API_KEY": "k", "HELIX_PROJECT_DIR": str(known)},
    )
    pid = light.wait_for_one()
    raw = Path(f"/proc/{pid}/environ").read_bytes().decode().split("\0")
    names = {line.partition("=")[0] for line in raw}
    assert {"HELIX_HOOK_ACTIVE", "OPENBLAS_NUM_THREADS"} <= names
    assert not [n for n in names if n.startswith(("CLAUDE_", "ANTHROPIC_", "HELIX_PROJECT"))]


def test_b09_a_session_without_helix_starts_no_worker(light: Light, project: Path) -> None:
    """Most sessions of a machine have nothing to do with helix: they cost it no process."""
    assert fire("SessionStart", project).out == ""
    assert list(project.iterdir()) == []
    assert light.workers() == []
