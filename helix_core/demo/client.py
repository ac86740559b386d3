"""Fires hooks the way Claude Code does: from hooks.json, by matcher, as child processes.

May import the standard library and `helix_core.errors`. Nothing here knows what a hook does.
"""

from __future__ import annotations

import contextlib
import json
import os
import re
import signal
import subprocess
import time
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import helix_core
from helix_core.errors import RefusedError

DEFAULT_SECONDS = 60.0
SUBJECTS = {
    "PreToolUse": "tool_name",
    "PostToolUse": "tool_name",
    "SubagentStart": "agent_type",
    "SubagentStop": "agent_type",
    "StopFailure": "error",
    "SessionStart": "source",
    "SessionEnd": "reason",
}
_PLAIN = re.compile(r"[\w\- ,|]+")


@dataclass(frozen=True)
class Stage:
    """Where hooks are fired: the plugin, the project they run in, and their environment."""

    plugin: Path
    project: Path
    env: Mapping[str, str]


@dataclass(frozen=True)
class Fired:
    """One hook process that ended: its exit code, wall time, answer, and what went wrong.

    `returncode` is negative where the process was killed; `answer` is None where it said nothing.
    """

    event: str
    returncode: int
    seconds: float
    answer: dict[str, Any] | None
    error: str
    limit: float = DEFAULT_SECONDS
    """How many seconds the client would have given it."""


def plugin_root() -> Path:
    """The plugin folder this package belongs to. Raises RefusedError where it is none."""
    root = Path(helix_core.__file__).resolve().parent.parent
    if not (root / "hooks" / "hooks.json").is_file():
        raise RefusedError(f"no hooks/hooks.json in {root}: run it from a checkout or the plugin")
    return root


def fire(stage: Stage, event: str, payload: Mapping[str, Any]) -> list[Fired]:
    """Run every hook of an event whose matcher fits the payload, one after the other.

    Claude Code runs the hooks of one event at once; here only one is registered per event, and
    the events of a wave are fired from several threads.
    """
    text = (stage.plugin / "hooks" / "hooks.json").read_text(encoding="utf-8")
    groups = json.loads(text)["hooks"].get(event, [])
    subject = str(payload.get(SUBJECTS.get(event, ""), ""))
    data = json.dumps({**payload, "hook_event_name": event}).encode()
    return [
        _run(stage, event, hook, data)
        for group in groups
        if matches(group.get("matcher"), subject)
        for hook in group["hooks"]
    ]


def matches(matcher: str | None, subject: str) -> bool:
    """Whether a matcher takes a subject: plain words by equality, anything else as a regex."""
    if not matcher or matcher == "*":
        return True
    if _PLAIN.fullmatch(matcher):
        return subject in re.split(r"[|,]\s*", matcher)
    return re.search(matcher, subject) is not None


def _run(stage: Stage, event: str, hook: Mapping[str, Any], data: bytes) -> Fired:
    """One command hook: through the shell, payload on its input, within its time."""
    command = str(hook["command"]).replace("${CLAUDE_PLUGIN_ROOT}", str(stage.plugin))
    limit = float(hook.get("timeout", DEFAULT_SECONDS))
    began = time.monotonic()
    child = subprocess.Popen(
        ["/bin/sh", "-c", command],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        cwd=stage.project,
        env={
            **stage.env,
            "CLAUDE_PLUGIN_ROOT": str(stage.plugin),
            "CLAUDE_PROJECT_DIR": str(stage.project),
        },
        start_new_session=True,
    )
    error = ""
    try:
        out, err = child.communicate(data, timeout=limit)
    except subprocess.TimeoutExpired:
        with contextlib.suppress(ProcessLookupError):
            os.killpg(child.pid, signal.SIGKILL)
        out, err = child.communicate()
        error = f"killed after {limit:g} s"
    seconds = time.monotonic() - began
    answer, unread = _answer(out)
    said = err.decode("utf-8", "replace").strip()
    problems = "; ".join(part for part in (error, unread, said) if part)
    return Fired(event, child.returncode, seconds, answer, problems, limit)


def _answer(out: bytes) -> tuple[dict[str, Any] | None, str]:
    """A hook's answer: one JSON object or nothing at all; else what is wrong with it."""
    text = out.decode("utf-8", "replace").strip()
    if not text:
        return None, ""
    try:
        value = json.loads(text)
    except ValueError:
        return None, f"its output is not one JSON document: {text[:200]!r}"
    return (value, "") if isinstance(value, dict) else (None, "its output is no JSON object")


def specific(fired: list[Fired], key: str) -> Any:
    """The value under `hookSpecificOutput.key` in the last answer that has it, or None."""
    found = None
    for one in fired:
        output = (one.answer or {}).get("hookSpecificOutput")
        if isinstance(output, dict) and output.get("hookEventName") == one.event:
            found = output.get(key, found)
    return found
