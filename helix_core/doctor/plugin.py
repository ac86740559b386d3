"""Checks of the plugin as Claude Code sees it: manifest, hook files, and each hook really fired.

Standard library only. Hooks are fired on a scratch project of their own, through hooks.json, as
child processes. Where no worker answers it is switched off for them, so that none is started.
"""

from __future__ import annotations

import json
import os
import re
import sqlite3
import tempfile
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import helix_core
from helix_core.demo import client as claude
from helix_core.doctor.finding import Finding, Place, check

MANIFEST = ".claude-plugin/plugin.json"
COMMAND = re.compile(r'"\$\{CLAUDE_PLUGIN_ROOT\}/hooks/launch" (\w+)')
BUILDER = "helix:helix-builder"
SLOW_SHARE = 0.5
REINSTALL = "install the plugin again, or check the files out again"
# Each of these would lead a hook away from the scratch project.
LEADING_AWAY = ("HELIX_PROJECT_DIR", "HELIX_DB_PATH", "HELIX_NOW", "HELIX_HOOK_ACTIVE")
PROMPT = "TASK_ID: 1\nTASK: look\nOBJECTIVE: see whether the hooks work\nVERIFY: true"
EVENTS: dict[str, dict[str, Any]] = {
    "SessionStart": {"source": "startup"},
    "PreToolUse": {"tool_name": "Agent", "tool_use_id": "toolu_doctor"},
    "SubagentStart": {"agent_id": "doctor", "agent_type": BUILDER},
    "PostToolUse": {"tool_name": "Agent", "tool_use_id": "toolu_doctor"},
    "SubagentStop": {
        "agent_id": "doctor",
        "agent_type": BUILDER,
        "stop_hook_active": False,
        "last_assistant_message": "DELIVERED: looked",
    },
    "StopFailure": {
        "agent_id": "doctor-2",
        "agent_type": BUILDER,
        "error": "unknown",
        "last_assistant_message": "API Error: 500",
    },
    "SessionEnd": {"reason": "other"},
}


@check("plugin")
def plugin(place: Place) -> Iterator[Finding]:
    """The manifest, and the programs that must be there and may be run."""
    if place.plugin is None:
        yield Finding("plugin", "warn", "this helix runs outside of the plugin and any checkout",
                      "run bin/helix doctor of the plugin to have its hooks looked at")  # fmt: skip
        return
    try:
        manifest = json.loads((place.plugin / MANIFEST).read_text(encoding="utf-8"))
        version = str(manifest["version"]) if manifest["name"] == "helix" else ""
    except (OSError, ValueError, KeyError, TypeError) as error:
        yield Finding("plugin", "fail", f"{MANIFEST} cannot be read: {error}", REINSTALL)
        return
    if version != helix_core.__version__:
        yield Finding("plugin", "fail", f"{MANIFEST} is of {version or 'another plugin'},"
                      f" the code of {helix_core.__version__}", REINSTALL)  # fmt: skip
    else:
        yield Finding("plugin", "ok", f"helix {version} in {place.plugin}")
    for name in ("bin/helix", "bin/helix-tui", "hooks/launch"):
        file = place.plugin / name
        if not file.is_file():
            yield Finding("plugin", "fail", f"{name} is missing", REINSTALL)
        elif not os.access(file, os.X_OK):
            yield Finding("plugin", "fail", f"{name} is not executable", f"run: chmod +x '{file}'")


@check("hooks")
def hooks(place: Place) -> Iterator[Finding]:
    """hooks.json, the scripts it names, and every hook fired once."""
    if place.plugin is None:
        return
    try:
        table = json.loads((place.plugin / "hooks" / "hooks.json").read_text(encoding="utf-8"))
        commands = {event: _commands(groups) for event, groups in table["hooks"].items()}
    except (OSError, ValueError, KeyError, TypeError, AttributeError) as error:
        yield Finding("hooks", "fail", f"hooks/hooks.json cannot be read: {error}", REINSTALL)
        return
    broken = list(_broken(place.plugin, commands))
    yield from broken
    if broken:
        return
    if place.quick:
        yield Finding("hooks", "ok", f"{len(commands)} events registered; not fired")
        return
    yield from _fired(place, place.plugin)


def _commands(groups: list[dict[str, Any]]) -> list[str]:
    return [str(hook["command"]) for group in groups for hook in group["hooks"]]


def _broken(root: Path, commands: dict[str, list[str]]) -> Iterator[Finding]:
    for event in EVENTS:
        if not commands.get(event):
            yield Finding("hooks", "fail", f"no hook for {event} in hooks/hooks.json", REINSTALL)
    named = {m[1] for lines in commands.values() for line in lines for m in COMMAND.finditer(line)}
    for file in ("launch", *(f"{script}.py" for script in sorted(named))):
        if not os.access(root / "hooks" / file, os.R_OK):
            yield Finding("hooks", "fail", f"hooks/{file} is missing or cannot be read", REINSTALL)


def _fired(place: Place, root: Path) -> Iterator[Finding]:
    env = {k: v for k, v in place.environ.items() if k not in LEADING_AWAY}
    if not place.notes.get("worker"):
        env["HELIX_WORKER"] = "off"
    # The worker may still write into the scratch project while it is cleared away.
    scratch = tempfile.TemporaryDirectory(prefix="helix-doctor-", ignore_cleanup_errors=True)
    with scratch as folder:
        project = Path(folder).resolve()
        (project / ".helix").mkdir()
        stage = claude.Stage(root, project, env)
        for event, particulars in EVENTS.items():
            fired = claude.fire(stage, event, _payload(event, project, particulars))
            yield _verdict(event, fired, _noted(project, event))


def _payload(event: str, project: Path, particulars: dict[str, Any]) -> dict[str, Any]:
    payload = {
        "session_id": "doctor",
        "transcript_path": str(project / "main.jsonl"),
        "cwd": str(project),
        "permission_mode": "default",
        **particulars,
    }
    if "tool_name" in payload:
        payload["tool_input"] = {"subagent_type": BUILDER, "description": "d", "prompt": PROMPT}
    if event == "PostToolUse":
        payload["tool_response"] = {"status": "async_launched", "agentId": "doctor"}
    return payload


def _noted(project: Path, event: str) -> str | None:
    """How the memory says the hook went: an empty text for well, None where it says nothing."""
    database = project / ".helix" / "helix.db"
    if not database.exists():
        return None
    try:
        with closing(sqlite3.connect(f"{database.as_uri()}?mode=ro", uri=True)) as conn:
            row = conn.execute(
                "SELECT error FROM hook_call WHERE event = ? ORDER BY id DESC LIMIT 1", (event,)
            ).fetchone()
    except sqlite3.Error as error:
        return str(error)
    return None if row is None else str(row[0])


def _verdict(event: str, fired: list[claude.Fired], noted: str | None) -> Finding:
    name = f"hook {event}"
    if not fired:
        return Finding(name, "fail", "its matcher does not take a helix agent", REINSTALL)
    one = fired[0]
    took = f"{one.seconds * 1000:.0f} ms"
    if one.returncode or one.error or noted:
        why = one.error or noted or f"exit code {one.returncode}"
        return Finding(name, "fail", f"{' '.join(why.split())[:300]} ({took})",
                       f"see what it says: bin/helix hook {event} < payload.json")  # fmt: skip
    if noted is None:
        return Finding(name, "fail", f"ran, but left no trace in the memory ({took})", REINSTALL)
    limit = one.limit
    if one.seconds > limit * SLOW_SHARE:
        return Finding(name, "warn", f"{took}, more than half of its {limit:g} s",
                       "run: helix worker start")  # fmt: skip
    return Finding(name, "ok", took)
