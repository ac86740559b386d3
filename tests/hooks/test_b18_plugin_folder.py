"""B18: the plugin lies in an odd folder, or is gone; no variable is set; no path is remembered."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
from pathlib import Path

import pytest

from tests.hooks import scene
from tests.hooks.fire import ROOT, commands, finish, fire, payload, start

ODD = 'it\'s a "plugin" $HOME & more'
PARTS = ("hooks", "helix_core", "bin", "skills", "agents", ".claude-plugin")
EVENTS = ("SessionStart", "PreToolUse", "PostToolUse", "SubagentStart", "SubagentStop")


@pytest.fixture
def plugin(tmp_path: Path) -> Path:
    """A copy of the plugin as the client's cache holds it, in a folder of an odd name."""
    folder = tmp_path / ODD
    for part in PARTS:
        shutil.copytree(
            ROOT / part, folder / part, ignore=shutil.ignore_patterns("__pycache__", "*.pyc")
        )
    return folder


def command(event: str) -> str:
    subject = {"PreToolUse": "Agent", "PostToolUse": "Agent", "SessionStart": "startup"}
    return commands(event, subject.get(event, "helix:helix-builder"))[0][0]


def everything(project: Path) -> bytes:
    """All that lies in a project's `.helix/`."""
    files = [f for f in (project / ".helix").rglob("*") if f.is_file()]
    return b"".join(file.read_bytes() for file in files)


def test_b18_a_whole_session_from_a_folder_with_quote_and_space(
    project: Path, plugin: Path
) -> None:
    scene.store(project, "When x breaks, look at y because z")
    env = {"CLAUDE_PLUGIN_ROOT": str(plugin)}
    for event in EVENTS:
        more = {"last_assistant_message": "DELIVERED: ok"} if event == "SubagentStop" else {}
        fired = fire(event, project, env=env, **more)
        assert (fired.code, fired.err) == (0, ""), event
    assert scene.outcomes(project) == [("a1", "delivered")]
    written = everything(project)
    assert str(plugin).encode() not in written and b"it's a" not in written


def test_b18_the_command_line_works_from_there(project: Path, plugin: Path) -> None:
    done = subprocess.run(
        [str(plugin / "bin" / "helix"), "count", "--json"],
        cwd=scene.database(project).parents[1],
        env={"PATH": os.environ["PATH"], "HOME": os.environ["HOME"],
             "HELIX_VENV": os.environ["HELIX_VENV"]},
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.returncode == 3 and "no memory yet" in done.stderr, done.stderr
    assert "Traceback" not in done.stderr


def test_b18_a_deleted_plugin_folder_stops_nothing(project: Path, plugin: Path) -> None:
    """The plugin was updated while the session runs: its old folder is gone."""
    env = {"CLAUDE_PLUGIN_ROOT": str(plugin)}
    fire("SubagentStop", project, env=env, last_assistant_message="DELIVERED: ok")
    shutil.rmtree(plugin)
    for event in EVENTS:
        fired = finish(start(command(event), project, env), b"", 10.0)
        assert (fired.code, fired.out) == (0, ""), event  # 2 would block the agent
        assert len(fired.err.splitlines()) == 1
    again = fire("SubagentStop", project, agent_id="a2", last_assistant_message="DELIVERED: ok")
    assert again.code == 0  # the new folder goes on where the old one stopped
    assert scene.outcomes(project) == [("a1", "delivered"), ("a2", "delivered")]


def test_b18_no_variable_is_needed(project: Path, plugin: Path) -> None:
    """No CLAUDE_ENV_FILE, no CLAUDE_PLUGIN_ROOT, no HELIX_ variable."""
    event = payload("SubagentStop", project, last_assistant_message="DELIVERED: ok")
    env = {"PATH": os.environ["PATH"], "HOME": os.environ["HOME"], "HELIX_WORKER": "off"}
    done = subprocess.run(
        ["sh", str(plugin / "hooks" / "launch"), "subagent_stop"],
        input=json.dumps(event).encode(), cwd="/", env=env, capture_output=True, check=False,
    )  # fmt: skip
    assert (done.returncode, done.stdout, done.stderr) == (0, b"", b"")
    assert scene.outcomes(project) == [("a1", "delivered")]


def test_b18_without_python_there_is_one_clear_line(project: Path, plugin: Path) -> None:
    empty = project / "bin"
    empty.mkdir()
    for tool in ("sh", "dirname", "env"):
        (empty / tool).symlink_to(shutil.which(tool) or f"/bin/{tool}")
    done = subprocess.run(
        ["/bin/sh", str(plugin / "hooks" / "launch"), "subagent_stop"],
        input=b"{}", cwd=project, capture_output=True, check=False,
        env={"PATH": str(empty), "HOME": str(project), "HELIX_VENV": str(project / "none")},
    )  # fmt: skip
    assert (done.returncode, done.stdout) == (0, b"")
    assert len(done.stderr.splitlines()) == 1 and b"no Python 3.10" in done.stderr
