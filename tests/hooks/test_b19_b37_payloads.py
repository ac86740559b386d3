"""B19, B37: whatever arrives, a hook ends well: one JSON document or nothing, no stray file."""

from __future__ import annotations

import json
import os
import signal
import sqlite3
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

import pytest

from helix_core.hooks import process
from tests.hooks import scene
from tests.hooks.fire import ROOT, SUBJECTS, commands, finish, fire, payload, start

EVENTS = [*SUBJECTS]
FOREIGN = [
    "other:helix-builder",
    "helix:helix-builder-v2",
    "helix:my-helix-builder",
    "xhelix:helix-builder",
    "general-purpose",
    "Explore",
    "",
]
OWN = ["helix-builder", "helix:helix-builder", "helix-planner", "helix:helix-explorer"]
GARBAGE = {
    "empty": b"",
    "blank": b" \n\t\n",
    "not-json": b"hello { world",
    "half": b'{"session_id": "s1", "cwd": "/tm',
    "list": b'[{"session_id": "s1"}]',
    "scalar": b"42",
    "null": b"null",
    "bom-only": b"\xef\xbb\xbf",
    "binary": bytes(range(256)) * 20,
    "deep": b"[" * 100_000,
    "wrong-types": b'{"session_id": 7, "cwd": ["x"], "agent_id": {}, "agent_type": 3,'
    b' "tool_name": null, "tool_input": "x", "source": [], "transcript_path": 5}',
    "nul-in-path": b'{"cwd": "/tmp/a\\u0000b", "session_id": "s1", "transcript_path": "\\u0000"}',
}


def command_of(event: str) -> str:
    """The command of an event for a subject it takes."""
    subject = {"Pre": "Agent", "Post": "Agent"}.get(event.partition("Tool")[0], "helix-builder")
    return commands(event, subject)[0][0]


@pytest.mark.parametrize("event", EVENTS)
def test_b19_garbage_gets_no_answer_and_leaves_nothing(project: Path, event: str) -> None:
    for kind, raw in GARBAGE.items():
        fired = finish(start(command_of(event), project), raw, 10.0)
        assert (fired.code, fired.out) == (0, ""), kind
        assert "Traceback" not in fired.err, kind
    assert list(project.iterdir()) == []


@pytest.mark.parametrize("event", EVENTS)
def test_b19_a_byte_order_mark_and_unknown_fields_are_fine(project: Path, event: str) -> None:
    (project / ".helix").mkdir()
    built = payload(event, project, new_field={"a": [1]}, last_assistant_message="DELIVERED: x")
    for key in ("permission_mode", "hook_event_name", "transcript_path"):
        built.pop(key)
    raw = b"\xef\xbb\xbf" + json.dumps(built).encode() + b"\r\n"
    fired = finish(start(command_of(event), project), raw, 10.0)
    assert (fired.code, fired.err) == (0, "")
    assert scene.rows(project, "SELECT event, ok FROM hook_call") == [(event, 1)]


@pytest.mark.parametrize("role", FOREIGN)
def test_b19_foreign_agents_leave_nothing(project: Path, role: str) -> None:
    """Not through the matchers, nor where a client would pass by them."""
    for event in ("SubagentStart", "SubagentStop", "StopFailure"):
        assert fire(event, project, agent_type=role).out == ""
    for event in EVENTS[:5]:
        built = payload(event, project, role=role, agent_type=role)
        assert process.respond(event, built, time.time()) is None
    assert list(project.iterdir()) == []


def test_b19_the_main_agent_and_other_tools_leave_nothing(project: Path) -> None:
    cases: list[tuple[str, dict[str, Any]]] = [
        ("SubagentStop", {"agent_type": None, "agent_id": None}),
        ("SubagentStop", {"agent_id": None}),
        ("StopFailure", {"agent_type": None, "agent_id": None}),
        ("PreToolUse", {"tool_name": "TaskCreate"}),
        ("PreToolUse", {"tool_name": "Bash", "tool_input": {"command": "ls"}}),
        ("PreToolUse", {"tool_input": None}),
        ("PostToolUse", {"tool_name": "MyAgent"}),
    ]
    for event, changes in cases:
        assert fire(event, project, **changes).out == ""
        assert process.respond(event, payload(event, project, **changes), time.time()) is None
    assert list(project.iterdir()) == []


@pytest.mark.parametrize("event", ["SessionStart", "SessionEnd"])
def test_b19_a_session_without_a_helix_agent_leaves_nothing(project: Path, event: str) -> None:
    assert fire(event, project).out == ""
    assert list(project.iterdir()) == []


@pytest.mark.usefixtures("worker")
def test_b19_nor_does_the_worker_leave_anything_then(project: Path) -> None:
    for event in ("SessionStart", "SessionEnd"):
        assert fire(event, project).out == ""
    assert fire("SubagentStop", project, agent_type="other:helix-builder").out == ""
    assert list(project.iterdir()) == []


@pytest.mark.usefixtures("worker")
def test_b19_without_a_folder_in_the_payload_the_hooks_own_counts(project: Path) -> None:
    """The worker's working folder is another one: it has to be told."""
    for cwd in (None, "", 7):
        fire("SubagentStop", project, cwd=cwd, env={"CLAUDE_PROJECT_DIR": ""}, agent_id=f"a{cwd}")
    assert len(scene.status(project)) == 3


@pytest.mark.parametrize("role", OWN)
def test_b19_own_agents_are_known_under_both_names(project: Path, role: str) -> None:
    assert fire("PreToolUse", project, role=role).code == 0
    fire("SubagentStart", project, agent_type=role)
    fire("SubagentStop", project, agent_type=role, last_assistant_message="DELIVERED: ok")
    kept = f"helix-{role.rpartition('-')[2]}"
    assert scene.rows(project, "SELECT agent_type FROM agent_run") == [(kept,)]
    assert [line["agent_type"] for line in scene.status(project)] == [kept]


def test_b19_an_agent_id_is_never_a_path(project: Path) -> None:
    for agent in ("../../escape", "/etc/x", "a/b", ".hidden", "x" * 300, "a\u0000b", "\ud83d"):
        built = payload("SubagentStart", project, agent_id=agent)
        process.respond("SubagentStart", built, time.time())
    home = project / ".helix"
    assert {file.parent for file in home.rglob("*.json")} == {home / "injected"}
    assert {file.name for file in project.iterdir()} == {".helix"}
    assert {file.name for file in project.parent.iterdir()} == {project.name}


def test_b19_a_huge_payload_is_read(project: Path) -> None:
    built = payload("SubagentStop", project, last_assistant_message="x" * 300_000)
    built["last_assistant_message"] += "\nDELIVERED: big"
    built["noise"] = ["}" * 1000] * 8000  # 8 MB in which every chunk may look like an end
    fired = finish(start(command_of("SubagentStop"), project), json.dumps(built).encode(), 15.0)
    assert (fired.code, fired.out, fired.err) == (0, "", "")
    assert scene.outcomes(project) == [("a1", "delivered")]


@pytest.mark.parametrize("event", EVENTS)
def test_b37_a_stream_that_never_ends_is_not_waited_for(project: Path, event: str) -> None:
    (project / ".helix").mkdir()
    running = start(command_of(event), project)
    assert running.stdin is not None
    running.stdin.write(json.dumps(payload(event, project)).encode())
    running.stdin.flush()  # and never closed
    try:
        assert running.wait(15.0) == 0
        assert scene.one(project, "SELECT count(*) FROM hook_call") == 1
    finally:
        finish(running, b"", 5.0)


@pytest.mark.parametrize("event", ["SessionStart", "SubagentStop"])
@pytest.mark.parametrize("sent", [b"", b'{"session_id": "s1"'], ids=["nothing", "half"])
def test_b37_no_document_at_all_is_given_up_soon(project: Path, event: str, sent: bytes) -> None:
    running = start(command_of(event), project)
    assert running.stdin is not None
    running.stdin.write(sent)
    running.stdin.flush()
    began = time.monotonic()
    try:
        assert running.wait(15.0) == 0
        assert time.monotonic() - began > 1.0  # a slow client gets its time
    finally:
        assert finish(running, b"", 5.0).out == ""


def test_b37_a_session_starts_without_any_payload(project: Path) -> None:
    (project / ".helix").mkdir()
    scene.store(project, "When nothing is said, the working folder tells the project")
    fired = fire("SessionStart", project, raw=b"")
    assert (fired.code, fired.err) == (0, "")
    assert scene.rows(project, "SELECT event, ok FROM hook_call") == [("SessionStart", 1)]


def test_a_hook_works_from_a_folder_with_a_space_and_an_apostrophe(tmp_path: Path) -> None:
    project = tmp_path / "it's a project"
    project.mkdir()
    plugin = tmp_path / "helix's plugin"
    plugin.symlink_to(ROOT)
    command = command_of("PreToolUse")
    built = json.dumps(payload("PreToolUse", project)).encode()
    fired = finish(start(command, project, {"CLAUDE_PLUGIN_ROOT": str(plugin)}), built, 10.0)
    assert (fired.code, fired.err) == (0, "")
    assert "NO_PRIOR_MEMORY" in fired.specific("updatedInput")["prompt"]


def test_a_hook_whose_working_folder_is_gone_still_ends_well(project: Path) -> None:
    with tempfile.TemporaryDirectory() as folder:
        running = start(command_of("SubagentStop"), project, cwd=folder)
        Path(folder).rmdir()
        Path(folder).mkdir()
        built = payload("SubagentStop", project, last_assistant_message="DELIVERED: x")
        fired = finish(running, json.dumps(built).encode(), 10.0)
    assert (fired.code, fired.out) == (0, "")
    assert scene.outcomes(project) == [("a1", "delivered")]


@pytest.mark.parametrize("python", ["missing", "dangling"])
def test_an_environment_without_its_python_is_passed_over(
    project: Path, tmp_path: Path, python: str
) -> None:
    """After an update of the system the environment's link leads nowhere: PATH has another one."""
    venv = tmp_path / "venv"
    (venv / "bin").mkdir(parents=True)
    if python == "dangling":
        (venv / "bin" / "python").symlink_to(tmp_path / "nowhere")
    path = f"{Path(sys.executable).parent}:{os.environ['PATH']}"
    fired = fire("PreToolUse", project, env={"HELIX_VENV": str(venv), "PATH": path})
    assert (fired.code, fired.err) == (0, "")
    assert fired.answer is not None


def test_a_python_that_is_too_old_is_passed_over(project: Path, tmp_path: Path) -> None:
    old = tmp_path / "python3"
    old.write_text("#!/bin/sh\nexit 86\n")  # what the scripts answer under an old Python
    old.chmod(0o755)
    path = f"{tmp_path}:{Path(sys.executable).parent}:{os.environ['PATH']}"
    fired = fire("PreToolUse", project, env={"HELIX_VENV": str(tmp_path), "PATH": path})
    assert (fired.code, fired.err) == (0, "")
    assert fired.answer is not None


def test_without_a_python_one_clear_line_is_said(project: Path, tmp_path: Path) -> None:
    tools = tmp_path / "bin"
    tools.mkdir()
    for name in ("sh", "dirname"):
        found = next(
            Path(folder) / name
            for folder in os.environ["PATH"].split(":")
            if (Path(folder) / name).exists()
        )
        (tools / name).symlink_to(found)
    env = {"PATH": str(tools), "HELIX_VENV": str(tmp_path)}
    fired = fire("PreToolUse", project, env=env)
    assert (fired.code, fired.out) == (0, "")
    assert fired.err.splitlines() == ["helix: no Python 3.10 or newer found; its hooks do nothing"]


def _as_nobody(project: Path) -> dict[str, Any]:
    """Options under which a folder's permissions count: root passes by them."""
    project.chmod(0o755)
    return {"user": 65534, "group": 65534} if os.geteuid() == 0 else {}


@pytest.mark.parametrize("event", EVENTS)
def test_a_read_only_folder_costs_one_line_and_no_agent(user: object, event: str) -> None:
    with tempfile.TemporaryDirectory(prefix="hx-") as folder:
        project = Path(folder)
        if event in ("SessionStart", "SessionEnd"):
            (project / ".helix").mkdir(mode=0o755)
            (project / ".helix").chmod(0o555)
        options = _as_nobody(project)
        project.chmod(0o555)
        built = json.dumps(payload(event, project)).encode()
        fired = finish(start(command_of(event), project, **options), built, 10.0)
        assert (fired.code, fired.out) == (0, "")
        assert fired.err.startswith("helix: ") and len(fired.err.splitlines()) == 1, fired.err
        project.chmod(0o755)
        if (project / ".helix").exists():
            (project / ".helix").chmod(0o755)
            assert list((project / ".helix").iterdir()) == []


def test_a_file_in_the_memorys_place_costs_one_line(project: Path) -> None:
    (project / ".helix").write_text("mine")
    for event in ("PreToolUse", "SubagentStop", "StopFailure"):
        fired = fire(event, project)
        assert (fired.code, fired.out) == (0, "")
        assert len(fired.err.splitlines()) == 1
    assert (project / ".helix").read_text() == "mine"


def test_a_closed_output_is_survived(project: Path) -> None:
    """A client that is gone does not read the answer any more."""
    command = command_of("PreToolUse")
    running = start(f"{command} >&-", project)
    fired = finish(running, json.dumps(payload("PreToolUse", project)).encode(), 10.0)
    assert fired.code == 0
    assert "Traceback" not in fired.err


def test_a_signal_in_the_middle_leaves_a_whole_database(project: Path) -> None:
    scene.store(project, "When a hook is interrupted, its transaction is not there at all")
    for delay in (0.05, 0.1, 0.15):
        running = start(command_of("PreToolUse"), project)
        assert running.stdin is not None
        running.stdin.write(json.dumps(payload("PreToolUse", project)).encode())
        running.stdin.flush()
        try:
            running.wait(delay)
        except subprocess.TimeoutExpired:
            os.killpg(running.pid, signal.SIGTERM)
        finish(running, b"", 5.0)
    with sqlite3.connect(scene.database(project)) as conn:
        assert conn.execute("PRAGMA integrity_check").fetchone() == ("ok",)
    conn.close()
