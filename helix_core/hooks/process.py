"""The hook process: one payload in, at most one JSON document out, exit code 0 whatever happens.

Standard library only. The worker answers the whole request where it is there; else this process
does the work by keyword and starts the worker for the next time. Nothing waits for a model.
"""

from __future__ import annotations

import contextlib
import json
import os
import select
import time
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from helix_core.paths import Project

STDIN_SECONDS = 2.0
MAX_PAYLOAD = 64 * 1024 * 1024
ANSWER_MS = {"PreToolUse": 1500.0, "SubagentStop": 5000.0, "SessionEnd": 800.0}
AGENT_ENDS = frozenset({"SubagentStop", "StopFailure"})
AGENT_EVENTS = AGENT_ENDS | {"SubagentStart"}
TOOL_EVENTS = frozenset({"PreToolUse", "PostToolUse"})
SESSION_EVENTS = frozenset({"SessionStart", "SessionEnd"})


def main(event: str, started: float | None = None) -> None:
    """Run one hook to its end. Never raises, never prints anything but the answer."""
    began = time.time() if started is None else started
    answer = None
    out = -1
    try:
        out = os.dup(1)
        os.dup2(2, 1)  # whatever a library prints must not get between client and answer
        if not os.environ.get("HELIX_HOOK_ACTIVE"):
            answer = respond(event, read_payload(), began)
    except BaseException as problem:  # noqa: BLE001 - a memory must never stop its user
        _complain(event, problem)
    try:
        if answer is not None:
            with os.fdopen(out, "w", encoding="utf-8") as stream:
                stream.write(json.dumps(answer))
    except OSError as problem:
        _complain(event, problem)
    os._exit(0)


def read_payload() -> dict[str, Any]:
    """One JSON object from standard input; `{}` for anything else.

    Reads until the document is complete, not until the end of the stream: some clients never
    close it.
    """
    data = bytearray()
    deadline = time.monotonic() + STDIN_SECONDS
    while len(data) < MAX_PAYLOAD:
        left = deadline - time.monotonic()
        ready = left > 0 and select.select([0], [], [], left)[0]
        if not ready:
            break
        part = os.read(0, 1 << 16)
        data += part
        if not part or data[-64:].rstrip().endswith((b"}", b"]")):
            found = _parse(data)
            if found is not None:
                return found
            if not part:
                break
    return _parse(data) or {}


def _parse(data: bytes | bytearray) -> dict[str, Any] | None:
    text = data.decode("utf-8-sig", "replace").lstrip()
    try:
        value, _ = json.JSONDecoder().raw_decode(text)
    except (ValueError, RecursionError):
        return None
    return value if isinstance(value, dict) else {}


def respond(event: str, payload: dict[str, Any], started: float) -> dict[str, Any] | None:
    """The answer to one event, through the worker or by ourselves; None for nothing to say.

    A project in which no helix agent ever ran has no `.helix/`; sessions there are not noted.
    """
    if not concerns_us(event, payload):
        return None
    from helix_core import paths
    from helix_core.errors import ConfigError, StoreError

    cwd = payload.get("cwd")
    project = paths.find_project(cwd if isinstance(cwd, str) and cwd else None)
    if event in SESSION_EVENTS and not (project.home.is_dir() or project.database.exists()):
        return None
    try:
        return _answer(event, {"payload": payload, "started": started, "actor": "hook"}, project)
    except (StoreError, ConfigError) as error:
        _keep_for_later(event, payload, project, error)
    return None


def _answer(event: str, args: dict[str, Any], project: Project) -> dict[str, Any] | None:
    from helix_core import local, settings
    from helix_core.embed import client, lifecycle
    from helix_core.errors import WorkerError

    chosen = settings.load(project.home)
    answer = None
    if chosen.worker_enabled:
        try:
            answer = client.request(
                f"hook:{event}",
                args,
                project,
                first_ms=chosen.worker_wait_ms,
                answer_ms=ANSWER_MS.get(event, 1000.0),
            )
            if event == "SessionStart":
                lifecycle.renew()  # after an update the worker of the version before still listens
            return answer if isinstance(answer, dict) else None
        except WorkerError as error:
            started = (event == "SessionStart" and lifecycle.renew()) or lifecycle.start()
            _by_keyword(project, str(error), started)
    answer = local.run(project, f"hook:{event}", args, actor="hook")
    return answer if isinstance(answer, dict) else None


def concerns_us(event: str, payload: dict[str, Any]) -> bool:
    """Whether an event is about a helix agent (or a session at all); decided before any I/O."""
    from helix_core.text.roles import agent_role

    if event in AGENT_EVENTS:
        return agent_role(payload.get("agent_type")) is not None
    if event in TOOL_EVENTS and payload.get("tool_name") in ("Agent", "Task"):
        tool_input = payload.get("tool_input")
        kind = tool_input.get("subagent_type") if isinstance(tool_input, dict) else None
        return agent_role(kind) is not None
    return event in SESSION_EVENTS


def _by_keyword(project: Project, why: str, started: bool) -> None:
    from helix_core import log

    log.write(
        project.home,
        "warn",
        f"by keyword: {why}" + ("; worker started" if started else "; no environment to start it"),
    )


def _keep_for_later(
    event: str, payload: dict[str, Any], project: Project, error: Exception
) -> None:
    """The memory cannot be used now: spool the event, and write an agent's status line at once."""
    from helix_core import log
    from helix_core.hooks import spool
    from helix_core.hooks.late import write_status

    kept = None
    if event in AGENT_ENDS:
        payload = {**payload, "_status_written": write_status(project.home, event, payload)}
    if event != "PreToolUse":  # its prompt goes out untreated, and the other events know the call
        with contextlib.suppress(OSError):
            kept = spool.put(project.home, event, payload)
    log.write(project.home, "warn", f"{event}: {error}" + ("; kept in the spool" if kept else ""))
    if kept is None:
        _complain(event, error)


def _complain(event: str, problem: BaseException) -> None:
    try:
        line = f"helix: {event}: {type(problem).__name__}: {problem}"
        os.write(2, (line.splitlines()[0][:300] + "\n").encode("utf-8", "replace"))
    except OSError:
        pass
