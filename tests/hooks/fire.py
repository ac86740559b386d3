"""Fire helix's hooks as the client does: read hooks.json, apply the matchers, run the commands.

Role: the way every test in this folder reaches the real entry points. May import the standard
library only.
"""

from __future__ import annotations

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

ROOT = Path(__file__).parents[2]
PROMPT = "TASK_ID: 7\nTASK: Add the parser\nOBJECTIVE: parse it\nVERIFY: pytest tests/test_p.py"
BUILDER = "helix:helix-builder"
# What a matcher is held against, by event.
SUBJECTS = {
    "PreToolUse": "tool_name",
    "PostToolUse": "tool_name",
    "SubagentStart": "agent_type",
    "SubagentStop": "agent_type",
    "StopFailure": "error",
    "SessionStart": "source",
    "SessionEnd": "reason",
}
EXTRAS: dict[str, dict[str, Any]] = {
    "SessionStart": {"source": "startup"},
    "PreToolUse": {"tool_name": "Agent", "tool_use_id": "toolu_1"},
    "PostToolUse": {"tool_name": "Agent", "tool_use_id": "toolu_1"},
    "SubagentStart": {"agent_id": "a1", "agent_type": BUILDER},
    "SubagentStop": {"agent_id": "a1", "agent_type": BUILDER, "stop_hook_active": False},
    "StopFailure": {
        "agent_id": "a1",
        "agent_type": BUILDER,
        "error": "unknown",
        "last_assistant_message": "API Error: 500",
    },
    "SessionEnd": {"reason": "prompt_input_exit"},
}


@dataclass(frozen=True)
class Fired:
    """What one hook process left: its exit code (None: it had to be killed), output and time."""

    code: int | None
    out: str
    err: str
    seconds: float

    @property
    def answer(self) -> dict[str, Any] | None:
        """The one JSON document on standard output; None for nothing. Fails on anything else."""
        if not self.out:
            return None
        value = json.loads(self.out)
        assert isinstance(value, dict)
        return value

    def specific(self, key: str) -> Any:
        """One value of the answer's `hookSpecificOutput`; None where there is no answer."""
        answer = self.answer
        return answer["hookSpecificOutput"].get(key) if answer else None


def payload(event: str, project: Path, **changes: Any) -> dict[str, Any]:
    """A payload in the client's shape; a change of None takes a key out.

    `prompt`, `role` and `agent` are short for what stands deeper in a tool call's payload.
    """
    built: dict[str, Any] = {
        "session_id": "s1",
        "transcript_path": str(project / "main.jsonl"),
        "cwd": str(project),
        "permission_mode": "default",
        "hook_event_name": event,
        **EXTRAS.get(event, {}),
    }
    prompt, role = changes.pop("prompt", PROMPT), changes.pop("role", BUILDER)
    agent = changes.pop("agent", "a1")
    if event in {"PreToolUse", "PostToolUse"}:
        built["tool_input"] = {"subagent_type": role, "description": "d", "prompt": prompt}
    if event == "PostToolUse":
        built["tool_response"] = {"status": "async_launched", "agentId": agent, "prompt": prompt}
    built.update(changes)
    if event == "SubagentStop" and "agent_transcript_path" not in changes:
        built["agent_transcript_path"] = str(project / f"agent-{built.get('agent_id')}.jsonl")
    return {key: value for key, value in built.items() if value is not None}


def commands(event: str, subject: str) -> list[tuple[str, float]]:
    """The (command, timeout) pairs of hooks.json whose matcher takes this subject."""
    groups = json.loads((ROOT / "hooks" / "hooks.json").read_text())["hooks"].get(event, [])
    return [
        (hook["command"], float(hook.get("timeout", 60)))
        for group in groups
        if _matches(group.get("matcher", ""), subject)
        for hook in group["hooks"]
    ]


def _matches(matcher: str, subject: str) -> bool:
    if matcher in ("", "*"):
        return True
    if re.fullmatch(r"[\w |,-]+", matcher):
        return subject in re.split(r"[|,]\s*", matcher)
    return re.search(matcher, subject) is not None


def start(
    command: str, project: Path, env: Mapping[str, str] | None = None, **options: Any
) -> subprocess.Popen[bytes]:
    """Start one hook command with pipes, in its own process group, as the client does."""
    return subprocess.Popen(
        ["sh", "-c", command],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        cwd=options.pop("cwd", project),
        env={
            **os.environ,
            "CLAUDE_PLUGIN_ROOT": str(ROOT),
            "CLAUDE_PROJECT_DIR": str(project),
            **(env or {}),
        },
        start_new_session=True,
        **options,
    )


def finish(
    process: subprocess.Popen[bytes], raw: bytes, timeout: float, began: float | None = None
) -> Fired:
    """Give a hook its payload and wait for its end; past its timeout the whole group is killed."""
    began = time.monotonic() if began is None else began
    code: int | None
    try:
        out, err = process.communicate(raw, timeout=timeout)
        code = process.returncode
    except subprocess.TimeoutExpired:
        os.killpg(process.pid, signal.SIGKILL)
        out, err = process.communicate()
        code = None
    return Fired(code, out.decode(), err.decode("utf-8", "replace"), time.monotonic() - began)


def fire(
    event: str,
    project: Path,
    *,
    raw: bytes | None = None,
    env: Mapping[str, str] | None = None,
    timeout: float | None = None,
    **changes: Any,
) -> Fired:
    """Fire one event and wait for its hook; one that no matcher takes has code 0 and no output.

    `raw` replaces the payload's bytes; `timeout` the hook's own limit in seconds.
    """
    built = payload(event, project, **changes)
    subject = str(built.get(SUBJECTS[event], ""))
    found = commands(event, subject)
    assert len(found) <= 1, f"{event} fires {len(found)} hooks for {subject!r}"
    for command, limit in found:
        data = json.dumps(built).encode() if raw is None else raw
        began = time.monotonic()
        return finish(start(command, project, env), data, timeout or limit, began)
    return Fired(0, "", "", 0.0)


def together(events: list[tuple[str, Path, dict[str, Any]]]) -> list[Fired]:
    """Fire several events at the same moment; the answers in the order given."""
    running = []
    for event, project, changes in events:
        built = payload(event, project, **changes)
        command, limit = commands(event, str(built.get(SUBJECTS[event], "")))[0]
        running.append((start(command, project), json.dumps(built).encode(), limit))
    for process, data, _ in running:
        assert process.stdin is not None
        process.stdin.write(data)
        process.stdin.flush()
    return [finish(process, b"", limit) for process, _, limit in running]
