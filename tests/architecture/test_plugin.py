"""The plugin as Claude Code reads it: manifests, hooks, and what the client itself says of them."""

from __future__ import annotations

import json
import os
import re
import shutil
import struct
import subprocess
from pathlib import Path
from typing import Any

import pytest

import helix_core
from helix_core.hooks.events import HANDLERS
from tests.architecture.sources import ROOT
from tests.e2e import client

# Where the folder is gone, sh exits with 2, which the client takes as "stop this agent".
COMMAND = re.compile(r'sh "\$\{CLAUDE_PLUGIN_ROOT\}/hooks/launch" (\w+) \|\| true')
AGENT_TOOL = "^(Agent|Task)$"
LONGEST_SECONDS = {"SessionStart": 10, "PreToolUse": 5, "SessionEnd": 5, "SubagentStop": 15}


def _json(*parts: str) -> dict[str, Any]:
    value = json.loads(ROOT.joinpath(*parts).read_text(encoding="utf-8"))
    assert isinstance(value, dict)
    return value


def _hooks() -> list[tuple[str, str | None, dict[str, Any]]]:
    """(event, matcher, hook) for every hook of the plugin."""
    return [
        (event, group.get("matcher"), hook)
        for event, groups in _json("hooks", "hooks.json")["hooks"].items()
        for group in groups
        for hook in group["hooks"]
    ]


def test_manifest() -> None:
    manifest = _json(".claude-plugin", "plugin.json")
    assert manifest["name"] == "helix"
    assert manifest["version"] == helix_core.__version__
    assert {"description", "author", "license", "keywords"} <= manifest.keys()


def test_the_repository_is_its_own_marketplace() -> None:
    market = _json(".claude-plugin", "marketplace.json")
    assert market["name"] and market["owner"]["name"]
    (entry,) = market["plugins"]
    assert (entry["name"], entry["source"]) == ("helix", "./")
    assert entry.get("version", helix_core.__version__) == helix_core.__version__


def test_icon_is_a_square_png_of_a_size_the_directory_takes() -> None:
    data = (ROOT / ".claude-plugin" / "icon.png").read_bytes()
    assert data[:8] == b"\x89PNG\r\n\x1a\n"
    width, height = struct.unpack(">II", data[16:24])
    assert width == height and 512 <= width <= 2048
    assert len(data) < 2_000_000


def test_every_event_we_handle_has_one_hook_and_no_other() -> None:
    events = [event for event, _, _ in _hooks()]
    assert sorted(events) == sorted(HANDLERS)


def test_each_hook_starts_the_script_of_its_own_event() -> None:
    scripts = {}
    for event, _, hook in _hooks():
        assert hook["type"] == "command"
        match = COMMAND.fullmatch(hook["command"])
        assert match, f"{event}: {hook['command']}"
        text = (ROOT / "hooks" / f"{match[1]}.py").read_text(encoding="utf-8")
        assert f'main("{event}", ' in text
        scripts[f"{match[1]}.py"] = event
    assert set(scripts) == {path.name for path in (ROOT / "hooks").glob("*.py")}


def test_time_limits_are_short_seconds() -> None:
    for event, _, hook in _hooks():
        limit = hook["timeout"]
        assert isinstance(limit, int)
        assert 0 < limit <= LONGEST_SECONDS.get(event, 10), f"{event}: {limit}"


def test_matchers_are_anchored_and_pick_our_agents_only() -> None:
    for event, matcher, _ in _hooks():
        if event in ("PreToolUse", "PostToolUse"):
            assert matcher == AGENT_TOOL
        elif event.startswith("Subagent"):
            assert matcher and matcher.startswith("^") and matcher.endswith("$")
            for role in ("builder", "planner", "explorer"):
                assert re.search(matcher, f"helix:helix-{role}")
                assert re.search(matcher, f"helix-{role}")
            for foreign in ("other:helix-builder", "helix:helix-builder-v2", "Explore", ""):
                assert not re.search(matcher, foreign)
        else:
            assert matcher is None


@pytest.mark.parametrize("folder", ["plain", "it's a folder, with (odd) $HOME & names"])
def test_hook_commands_work_from_any_folder(tmp_path: Path, folder: str) -> None:
    root = tmp_path / folder
    for part in ("hooks", "helix_core"):
        shutil.copytree(ROOT / part, root / part, ignore=shutil.ignore_patterns("__pycache__"))
    (project := tmp_path / "project").mkdir()
    ((_, _, hook),) = [item for item in _hooks() if item[0] == "PreToolUse"]
    prompt = "TASK_ID: 1\nTASK: Repair the invoice renewal job\nOBJECTIVE: invoices"
    call = {"subagent_type": "helix:helix-builder", "prompt": prompt}
    payload = {
        "session_id": "s",
        "cwd": str(project),
        "tool_name": "Agent",
        "tool_use_id": "t1",
        "tool_input": call,
    }
    done = subprocess.run(
        ["/bin/sh", "-c", hook["command"]],
        input=json.dumps(payload),
        capture_output=True,
        text=True,
        env={
            "PATH": os.environ["PATH"],
            "HOME": str(tmp_path),
            "HELIX_VENV": str(tmp_path / "none"),
            "HELIX_WORKER": "off",
            "CLAUDE_PLUGIN_ROOT": str(root),
        },
        timeout=30,
        check=False,
    )
    assert (done.returncode, done.stderr) == (0, "")
    answer = json.loads(done.stdout)["hookSpecificOutput"]
    assert answer["updatedInput"]["prompt"] == f"{prompt}\n\nNO_PRIOR_MEMORY: Novel domain."


@pytest.mark.parametrize("name", ["hooks/launch", "bin/helix", "bin/helix-tui"])
def test_launchers_are_plain_shell(name: str) -> None:
    path = ROOT / name
    assert path.read_bytes().startswith(b"#!/bin/sh\n")
    checked = subprocess.run(["/bin/sh", "-n", path], capture_output=True, text=True, check=False)
    assert (checked.returncode, checked.stderr) == (0, "")
    if name.startswith("bin/"):  # the client starts the hooks through sh
        assert os.access(path, os.X_OK)


def _validate(root: Path, scratch: Path) -> dict[str, Any]:
    """The client's own report on a plugin folder."""
    (project := scratch / "project").mkdir(parents=True)
    done = subprocess.run(
        [client.find_client(), "plugin", "validate", "--strict", "--json", root],
        capture_output=True,
        text=True,
        cwd=project,
        env=client.Place(scratch, project, {}).environment(),
        timeout=120,
        check=False,
    )
    assert done.stdout, done.stderr
    report = json.loads(done.stdout)
    assert isinstance(report, dict)
    return report


def _complaints(report: dict[str, Any]) -> list[object]:
    """Everything the report holds against the plugin or its contents."""
    parts = [report["manifest"], *report["contents"]]
    found = [item for part in parts for key in ("errors", "warnings") for item in part[key]]
    return [*found, *report.get("directory", {}).get("findings", [])]


@pytest.fixture
def plugin_folder(tmp_path: Path) -> Path:
    """A copy of what the client reads of the plugin; skips where there is no client."""
    reason = client.unavailable()
    if reason and os.environ.get("HELIX_E2E_REQUIRED") == "1":
        pytest.fail(f"required, but {reason}")
    if reason:
        pytest.skip(reason)
    root = tmp_path / "helix"
    for part in (".claude-plugin", "agents", "bin", "hooks", "skills"):
        shutil.copytree(ROOT / part, root / part)
    shutil.copy(ROOT / "README.md", root)
    return root


@pytest.mark.e2e
def test_the_client_has_nothing_to_complain_about(plugin_folder: Path, tmp_path: Path) -> None:
    report = _validate(plugin_folder, tmp_path / "scratch")
    assert report["success"] is True
    assert _complaints(report) == []
    provided = report["provides"]
    assert len(provided["hooks"]) == len(HANDLERS)
    assert len(provided["skills"]) == len(list(ROOT.glob("skills/*/SKILL.md")))
    assert len(provided["agents"]) == len(list(ROOT.glob("agents/*.md")))


@pytest.mark.e2e
def test_the_client_would_complain(plugin_folder: Path, tmp_path: Path) -> None:
    agent = plugin_folder / "agents" / "helix-builder.md"
    text = agent.read_text(encoding="utf-8")
    agent.write_text(text.replace("\ndescription:", "\nabout:"), encoding="utf-8")
    (plugin_folder / ".claude-plugin" / "icon.png").unlink()
    report = _validate(plugin_folder, tmp_path / "scratch")
    assert report["success"] is False
    assert len(_complaints(report)) == 2
