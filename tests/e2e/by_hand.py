"""Fire the plugin's hooks the way the client does, and kill them the way it does.

Role: for what the real client does not do on demand. May import: standard library, tests.e2e.
"""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from tests.e2e.client import REPOSITORY, Place


@dataclass(frozen=True)
class Fired:
    """What one hook process did: its exit code (negative: the signal), and what it printed."""

    returncode: int
    stdout: str
    stderr: str


def payload(place: Place, event: str, session: str, **fields: Any) -> dict[str, Any]:
    """The fields every event has, and those given."""
    return {
        "session_id": session,
        "transcript_path": str(place.root / f"{session}.jsonl"),
        "cwd": str(place.project),
        "hook_event_name": event,
        "permission_mode": "bypassPermissions",
        **fields,
    }


def fire(
    place: Place,
    data: dict[str, Any],
    *,
    kill_after: float = 60,
    kill_when: Callable[[], object] = lambda: False,
) -> list[Fired]:
    """Run every hook of the plugin that matches `data`, each killed with its group when late.

    `kill_after` is in seconds; `kill_when` is asked every 10 ms whether the moment has come.
    """
    text = (REPOSITORY / "hooks" / "hooks.json").read_text(encoding="utf-8")
    groups = json.loads(text)["hooks"].get(data["hook_event_name"], [])
    subject = str(
        data.get("tool_name") or data.get("agent_type") or data.get("source") or data.get("reason")
    )
    matching = [g for g in groups if re.search(g.get("matcher") or "", subject)]
    late = _Late(kill_after, kill_when)
    return [_run(place, hook, data, late) for g in matching for hook in g["hooks"]]


@dataclass(frozen=True)
class _Late:
    """When a hook is killed."""

    seconds: float
    when: Callable[[], object]

    def wait(self, child: subprocess.Popen[str]) -> None:
        """Return once the child has ended, or is to be killed."""
        deadline = time.monotonic() + self.seconds
        while child.poll() is None and time.monotonic() < deadline and not self.when():
            time.sleep(0.01)


def _run(place: Place, hook: dict[str, Any], data: dict[str, Any], late: _Late) -> Fired:
    env = {
        **place.environment(),
        "CLAUDE_PLUGIN_ROOT": str(REPOSITORY),
        "CLAUDE_PROJECT_DIR": str(place.project),
    }
    parts = [hook["command"], *hook.get("args", [])]
    parts = [part.replace("${CLAUDE_PLUGIN_ROOT}", str(REPOSITORY)) for part in parts]
    command = parts if "args" in hook else ["bash", "-c", hook["command"]]
    with subprocess.Popen(
        command,
        cwd=place.project,
        env=env,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    ) as child:
        assert child.stdin is not None
        child.stdin.write(json.dumps(data))  # less than a pipe holds
        child.stdin.close()
        child.stdin = None
        late.wait(child)
        if child.poll() is None:
            os.killpg(child.pid, signal.SIGKILL)
        stdout, stderr = child.communicate()
        return Fired(child.returncode, stdout, stderr)
