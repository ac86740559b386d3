"""The stand-in for Claude Code: matchers, the environment of a hook, and hooks that misbehave."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import pytest

from helix_core.demo import client
from helix_core.demo.client import Stage

AGENT = {"tool_name": "Agent", "tool_use_id": "toolu_1"}


def stage(folder: Path, command: str, **more: Any) -> Stage:
    """A plugin in a folder with a space in its name, with one PreToolUse hook."""
    plugin, project = folder / "a plugin", folder / "project"
    (plugin / "hooks").mkdir(parents=True)
    project.mkdir()
    hook = {"type": "command", "command": command, **more}
    registered = {"PreToolUse": [{"matcher": "^(Agent|Task)$", "hooks": [hook]}]}
    (plugin / "hooks" / "hooks.json").write_text(json.dumps({"hooks": registered}))
    return Stage(plugin, project, dict(os.environ))


@pytest.mark.parametrize(
    ("matcher", "subject", "expected"),
    [
        (None, "Bash", True),
        ("", "Bash", True),
        ("*", "Bash", True),
        ("Bash", "Bash", True),
        ("Bash", "BashOutput", False),
        ("Edit|Write", "Write", True),
        ("Edit, Write", "Write", True),
        ("^(Agent|Task)$", "Task", True),
        ("^(Agent|Task)$", "TaskCreate", False),
        ("^(helix:)?helix-builder$", "helix:helix-builder", True),
        ("^(helix:)?helix-builder$", "other:helix-builder", False),
        ("helix:helix-builder", "xhelix:helix-builders", True),
    ],
)
def test_matchers(matcher: str | None, subject: str, expected: bool) -> None:
    assert client.matches(matcher, subject) is expected


def test_a_hook_gets_the_payload_and_its_answer_is_read(tmp_path: Path) -> None:
    (tmp_path / "a plugin").mkdir()
    (tmp_path / "a plugin" / "echo.sh").write_text(
        """cat >"$CLAUDE_PROJECT_DIR/got.json"; pwd >"$CLAUDE_PROJECT_DIR/where"
echo '{"hookSpecificOutput": {"hookEventName": "PreToolUse", "updatedInput": {"prompt": "p"}}}'
"""
    )
    here = stage(tmp_path, 'sh "${CLAUDE_PLUGIN_ROOT}/echo.sh"')
    fired = client.fire(here, "PreToolUse", AGENT)
    assert [(one.returncode, one.error) for one in fired] == [(0, "")]
    assert client.specific(fired, "updatedInput") == {"prompt": "p"}
    got = json.loads((here.project / "got.json").read_text())
    assert got == {**AGENT, "hook_event_name": "PreToolUse"}
    assert (here.project / "where").read_text().strip() == str(here.project.resolve())


def test_what_no_matcher_takes_starts_no_process(tmp_path: Path) -> None:
    here = stage(tmp_path, 'touch "$CLAUDE_PROJECT_DIR/ran"')
    assert client.fire(here, "PreToolUse", {"tool_name": "Bash"}) == []
    assert client.fire(here, "Stop", {}) == []
    assert not (here.project / "ran").exists()


def test_a_failing_hook_is_seen(tmp_path: Path) -> None:
    (fired,) = client.fire(stage(tmp_path, "echo broken >&2; exit 3"), "PreToolUse", AGENT)
    assert (fired.returncode, fired.answer, fired.error) == (3, None, "broken")


def test_two_documents_are_no_answer(tmp_path: Path) -> None:
    (fired,) = client.fire(stage(tmp_path, "echo '{}'; echo '{}'"), "PreToolUse", AGENT)
    assert fired.answer is None
    assert "not one JSON document" in fired.error


def test_a_hook_past_its_time_is_killed_with_its_children(tmp_path: Path) -> None:
    here = stage(tmp_path, "sleep 60 & sleep 60", timeout=0.2)
    (fired,) = client.fire(here, "PreToolUse", AGENT)
    assert fired.returncode < 0
    assert fired.seconds < 30
    assert fired.error == "killed after 0.2 s"


def test_an_answer_to_another_event_does_not_count(tmp_path: Path) -> None:
    answer = '{"hookSpecificOutput": {"hookEventName": "SubagentStart", "updatedInput": {}}}'
    fired = client.fire(stage(tmp_path, f"echo '{answer}'"), "PreToolUse", AGENT)
    assert fired[0].answer is not None
    assert client.specific(fired, "updatedInput") is None
