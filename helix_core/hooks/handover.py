"""The files under `.helix/` that hand facts to the orchestrator and the dashboard.

They are copies of what the rows say. Standard library only. Each line and file carries its
`session_id`; an id that comes from outside is never used as a path as it is.
"""

from __future__ import annotations

import contextlib
import fcntl
import hashlib
import json
import os
import re
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from helix_core import atomic
from helix_core.text import records

STATUS = "task-status.jsonl"
INJECTED = "injected"
EXPLORED = "explorer-results"
SYNTHESIS = "recall_synthesis.json"
SYNTHESES_KEPT = 8
STALE_SECONDS = 86_400.0
STATUS_READ = 2_000_000
_PLAIN = re.compile(r"[A-Za-z0-9][A-Za-z0-9_-]{0,63}")


def safe_name(identifier: str) -> str:
    """An id as a file name; anything but plain letters and digits becomes its hash."""
    if _PLAIN.fullmatch(identifier):
        return identifier
    return "x" + hashlib.sha256(identifier.encode("utf-8", "replace")).hexdigest()[:24]


def injected_file(home: Path, agent_id: str) -> Path:
    """Where an agent's sideband file lies."""
    return home / INJECTED / f"{safe_name(agent_id)}.json"


def remove_injected(home: Path, agent_id: str) -> None:
    """Remove an agent's sideband file, once its feedback is committed."""
    injected_file(home, agent_id).unlink(missing_ok=True)


def write_findings(home: Path, agent_id: str, value: dict[str, Any]) -> None:
    """Write an explorer's findings."""
    atomic.write_json(home / EXPLORED / f"{safe_name(agent_id)}.json", value)


def append_status(home: Path, value: dict[str, Any], *, once: bool = False) -> None:
    """Append one line to the task status; never torn, whoever else writes.

    `once`: not where the last lines hold this result already (a hook may fire twice while no
    database can tell).
    """
    with _locked(home):
        if not once or not _said_before(home / STATUS, value):
            atomic.append_line(home / STATUS, json.dumps(value, ensure_ascii=False))


def read_status(home: Path) -> list[dict[str, Any]]:
    """The lines of the task status that are whole objects, oldest first; at most the last 2 MB.

    Torn and foreign lines are passed over; a file that cannot be read has none.
    """
    lines = records.lines_of(records.read_tail(home / STATUS, STATUS_READ)[0])
    return list(records.records(lines))


def _said_before(file: Path, value: dict[str, Any]) -> bool:
    try:
        lines = file.read_text(encoding="utf-8", errors="replace").splitlines()[-200:]
    except OSError:
        return False
    wanted = {**value, "ts": None}
    for line in lines:
        with contextlib.suppress(ValueError, TypeError):
            if {**json.loads(line), "ts": None} == wanted:
                return True
    return False


@contextlib.contextmanager
def _locked(home: Path) -> Any:
    """Hold the lock of the status file for a moment; on a stuck lock, go on without it."""
    home.mkdir(parents=True, exist_ok=True)
    handle = os.open(home / ".status.lock", os.O_RDWR | os.O_CREAT, 0o600)
    try:
        deadline = time.monotonic() + 0.5
        while True:
            try:
                fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
                break
            except OSError:
                if time.monotonic() > deadline:
                    break
                time.sleep(0.005)
        yield
    finally:
        os.close(handle)


def keep_synthesis(home: Path, value: dict[str, Any]) -> None:
    """Write what a session drew from its recall; it replaces what that session wrote before.

    The file shows the newest session's. Where sessions share a project, those of the others are
    kept in it under `others`, newest first.
    """
    with _locked(home):
        others = [one for one in _syntheses(home) if _owner_of(one) != value["session_id"]]
        _write_syntheses(home, [value, *others[: SYNTHESES_KEPT - 1]])


def read_synthesis(home: Path, session_id: str | None) -> dict[str, Any] | None:
    """What a session drew from its recall; the newest of any session for None."""
    found = _syntheses(home)
    return next((one for one in found if session_id in (None, _owner_of(one))), None)


def drop_synthesis(home: Path, session_id: str) -> bool:
    """Remove what a session drew from its recall; False where there was nothing."""
    if not (home / SYNTHESIS).exists():
        return False
    with _locked(home):
        found = _syntheses(home)
        left = [one for one in found if _owner_of(one) != session_id]
        if len(left) < len(found):
            _write_syntheses(home, left)
    return len(left) < len(found)


def _syntheses(home: Path) -> list[dict[str, Any]]:
    """What the file holds, newest first, each without the others; none that is nobody's."""
    try:
        text = (home / SYNTHESIS).read_text(encoding="utf-8", errors="replace")
        value = json.loads(text)
    except (OSError, ValueError, RecursionError):
        return []
    others = value.pop("others", None) if isinstance(value, dict) else None
    every = [value, *(others if isinstance(others, list) else ())]
    return [one for one in every if _owner_of(one) is not None]


def _write_syntheses(home: Path, found: list[dict[str, Any]]) -> None:
    file = home / SYNTHESIS
    if not found:
        file.unlink(missing_ok=True)
        return
    newest, *others = found
    atomic.write_json(file, {**newest, **({"others": others} if others else {})})


def _clean_synthesis(home: Path, session_id: str, ended: Callable[[str], bool]) -> None:
    file = home / SYNTHESIS
    with _locked(home), contextlib.suppress(OSError):
        age, found = _age(file), _syntheses(home)
        kept = [one for one in found if not _mine(_owner_of(one), session_id, ended, age)]
        if len(kept) < len(found) or (not found and age > STALE_SECONDS):
            _write_syntheses(home, kept)


def clean_session(
    home: Path, session_id: str, ended: Callable[[str], bool], *, status: bool
) -> None:
    """Remove the files of one session, and those older than a day whose session has ended.

    Another session's running state is never touched.
    """
    for folder in (INJECTED, EXPLORED):
        for file in (home / folder).glob("*.json"):
            if _mine(_owner(file), session_id, ended, _age(file)):
                file.unlink(missing_ok=True)
    if (home / SYNTHESIS).exists():
        _clean_synthesis(home, session_id, ended)
    if status and (home / STATUS).exists():
        _clean_status(home, session_id, ended)


def _clean_status(home: Path, session_id: str, ended: Callable[[str], bool]) -> None:
    file = home / STATUS
    with _locked(home), contextlib.suppress(OSError):
        lines = file.read_text(encoding="utf-8", errors="replace").splitlines()
        age = _age(file)
        kept = [text for text in lines if not _mine(_line_owner(text), session_id, ended, age)]
        if len(kept) < len(lines):
            atomic.write_text(file, "".join(f"{text}\n" for text in kept))


def _mine(owner: str | None, session_id: str, ended: Callable[[str], bool], age: float) -> bool:
    if owner == session_id:
        return True
    return age > STALE_SECONDS and (owner is None or ended(owner))


def _owner(file: Path) -> str | None:
    try:
        return _line_owner(file.read_text(encoding="utf-8", errors="replace"))
    except OSError:
        return None


def _line_owner(text: str) -> str | None:
    try:
        return _owner_of(json.loads(text))
    except ValueError:
        return None


def _owner_of(value: object) -> str | None:
    owner = value.get("session_id") if isinstance(value, dict) else None
    return owner if isinstance(owner, str) else None


def _age(file: Path) -> float:
    try:
        return time.time() - file.stat().st_mtime
    except OSError:
        return 0.0
