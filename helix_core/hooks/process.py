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

import helix_core
from helix_core import folders
from helix_core.hooks import scope

if TYPE_CHECKING:
    from helix_core.paths import Project

STDIN_SECONDS = 2.0
PAUSE_SECONDS = 0.02
MAX_PAYLOAD = 64 * 1024 * 1024
ANSWER_MS = {"PreToolUse": 1500.0, "SubagentStop": 5000.0, "SessionEnd": 800.0}
ANSWER_MS_ELSE = 1000.0


def budget_ms(event: str) -> float:
    """How long a hook of that event waits for its answer, in milliseconds."""
    return ANSWER_MS.get(event, ANSWER_MS_ELSE)


def main(event: str, started: float | None = None) -> None:
    """Run one hook to its end. Never raises, never prints anything but the answer."""
    began = time.time() if started is None else started
    answer = None
    out = -1
    folders.keep_private()
    _open_what_is_closed()
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


def _open_what_is_closed() -> None:
    """A closed standard stream would be the next file we open: now it leads nowhere."""
    for number in (0, 1, 2):
        try:
            os.fstat(number)
        except OSError:
            os.open(os.devnull, os.O_RDWR)


def read_payload() -> dict[str, Any]:
    """One JSON object from standard input; `{}` for anything else.

    Reads until the document is complete, not until the end of the stream: some clients never
    close it. Looks for the end only where the stream pauses, so that a huge payload is parsed once.
    """
    data = bytearray()
    deadline = time.monotonic() + STDIN_SECONDS
    while len(data) < MAX_PAYLOAD:
        left = deadline - time.monotonic()
        if not _readable(min(PAUSE_SECONDS, left)):
            if data[-64:].rstrip().endswith((b"}", b"]")):
                found = _parse(data)
                if found is not None:
                    return found
            if not _readable(left):
                break
        part = os.read(0, 1 << 16)
        if not part:
            break
        data += part
    return _parse(data) or {}


def _readable(seconds: float) -> bool:
    return bool(select.select([0], [], [], max(0.0, seconds))[0])


def _parse(data: bytes | bytearray) -> dict[str, Any] | None:
    text = data.decode("utf-8-sig", "replace").lstrip()
    try:
        value, _ = json.JSONDecoder().raw_decode(text)
    except (ValueError, RecursionError):
        return None
    return value if isinstance(value, dict) else {}


def respond(event: str, payload: dict[str, Any], started: float) -> dict[str, Any] | None:
    """The answer to one event, through the worker or by ourselves; None for nothing to say.

    The worker finds the project and reads its settings: this process loads nothing for that.
    """
    if not scope.concerns_us(event, payload):
        return None
    from helix_core.errors import RefusedError, WorkerError

    args = {"payload": payload, "started": started, "actor": "hook"}
    cwd = payload.get("cwd")
    folder = cwd if isinstance(cwd, str) and cwd else _own_folder()
    why = ""
    try:
        if os.environ.get("HELIX_WORKER") != "off":
            try:
                return _ask_worker(event, args, folder)
            except WorkerError as error:
                why = str(error)
        return _by_ourselves(event, args, folder, why)
    except RefusedError:  # the home folder: no project, nothing to remember
        return None
    except Exception as error:  # noqa: BLE001 - locked, newer, misconfigured, or a fault of ours
        _keep_for_later(event, payload, _project(folder), error)
    return None


def _own_folder() -> str:
    """Where this hook was started; a worker has another working folder, so it has to be told."""
    try:
        return os.environ.get("CLAUDE_PROJECT_DIR") or os.getcwd()  # noqa: PTH109 - no pathlib here
    except OSError:  # deleted
        return os.environ.get("PWD", "")


def _ask_worker(event: str, args: dict[str, Any], folder: str) -> dict[str, Any] | None:
    from helix_core.embed import client

    answer, version = client.exchange(
        f"hook:{event}",
        args,
        {"cwd": folder},
        answer_ms=budget_ms(event),
    )
    if event == "SessionStart" and version != helix_core.__version__:
        from helix_core import setup_state
        from helix_core.embed import lifecycle

        # After an update the worker of the version before still listens, and its environment holds
        # that version; the next session finds the new one.
        if not lifecycle.renew():
            setup_state.begin()
    return answer if isinstance(answer, dict) else None


def _project(folder: str) -> Project:
    from helix_core import paths

    return paths.find_project(folder or None)


def _by_ourselves(event: str, args: dict[str, Any], folder: str, why: str) -> dict[str, Any] | None:
    """Handle the event in this process, by keyword, and have the worker ready for the next."""
    from helix_core import local, settings

    begun = None
    if event == "SessionStart" and why:
        from helix_core import setup_state

        begun = setup_state.begin()  # whatever the project: helix was installed for all of them
    project = _project(folder)
    if scope.leaves_alone(event, project):
        return setup_state.greeting() if begun else None
    if why and settings.load(project.home).worker_enabled:
        from helix_core.embed import lifecycle

        started = (event == "SessionStart" and lifecycle.renew()) or lifecycle.start()
        _by_keyword(project, why, "worker started" if started else _not_started())
    answer = local.run(project, f"hook:{event}", args, actor="hook")
    return answer if isinstance(answer, dict) else None


def _not_started() -> str:
    from helix_core.embed import lifecycle

    return lifecycle.hindrance() or "no environment to start it"


def _by_keyword(project: Project, why: str, then: str) -> None:
    from helix_core import log

    log.write(project.home, "warn", f"by keyword: {why}; {then}")


def _keep_for_later(
    event: str, payload: dict[str, Any], project: Project, error: Exception
) -> None:
    """The memory cannot be used now: spool the event, and write an agent's status line at once."""
    from helix_core import log
    from helix_core.errors import HelixError
    from helix_core.hooks import spool
    from helix_core.hooks.late import write_status

    kept = None
    if event in scope.AGENT_ENDS:
        payload = {**payload, "_status_written": write_status(project.home, event, payload)}
    if event != "PreToolUse":  # its prompt goes out untreated, and the other events know the call
        with contextlib.suppress(OSError):
            kept = spool.put(project.home, event, payload)
    log.write(project.home, "warn", f"{event}: {error}" + ("; kept in the spool" if kept else ""))
    if kept is None or not isinstance(error, HelixError):
        _complain(event, error)


def _complain(event: str, problem: BaseException) -> None:
    from helix_core.text import credentials

    try:
        line = credentials.mask(f"helix: {event}: {type(problem).__name__}: {problem}")
        os.write(2, (line.splitlines()[0][:300] + "\n").encode("utf-8", "replace"))
    except OSError:
        pass
