"""`helix dag wait`: until agents have ended. It looks at rows, and at whether transcripts move.

Also where the end of an agent is not in the database yet, because that was locked: then its status
line says so. It must name the agent that is awaited: a line of an earlier attempt ends nothing.
"""

from __future__ import annotations

import sqlite3
import time
from collections.abc import Sequence
from contextlib import closing
from dataclasses import dataclass
from typing import Any

from helix_core.dag import states
from helix_core.dag.tasks import Attempt, Task, task_key
from helix_core.errors import RefusedError
from helix_core.operations import still
from helix_core.paths import Project
from helix_core.store import plans
from helix_core.store.connection import Connection, as_store_error, open_store
from helix_core.text import clean

POLL = 0.2
START_SECONDS = 10.0
"""How long a task may be without an agent before that is told: calls of one message overlap."""
ENDED = states.RESOLVED | states.FAILED


@dataclass(frozen=True)
class Seen:
    """One of the tasks waited for: where it stands, and why it has not ended."""

    seq: str
    state: str
    ended: bool = False
    why: str = ""
    stuck: bool = False
    """Nobody is at work who could end it."""
    known: bool = True
    source: str = ""
    agent_id: str = ""
    summary: str = ""
    note: str = ""
    """What there is to decide about its end."""


def wait(
    project: Project,
    seqs: Sequence[str],
    *,
    session: str | None,
    run_id: int | None,
    any_one: bool,
    timeout: float,
    stall: float,
) -> dict[str, Any]:
    """Wait until all of the tasks (or any one) have ended; says which have, and why others not.

    Ends early where waiting makes no sense: nobody is left who could end, or, waiting for all, an
    agent's transcript has stood still for `stall` seconds or nobody was sent to a task. A number
    that is not in the plan is told, and the others are waited for. Times in seconds.
    """
    began = time.monotonic()
    keys = list(dict.fromkeys(map(task_key, seqs)))
    try:
        with closing(open_store(project.database, readonly=True)) as conn:
            watch = _Watch(conn, project, session, run_id, stall)
            while True:
                seconds = time.monotonic() - began
                found = [watch.look(key, seconds) for key in keys]
                reason = _reason(found, any_one)
                if reason is None and seconds >= timeout:
                    reason = "timeout"
                if reason is not None:
                    return _answer(found, reason, seconds)
                time.sleep(max(0.01, min(POLL, timeout - seconds)))
                watch.refresh()
    except sqlite3.Error as error:
        raise as_store_error(error, project.database) from error


def _reason(found: Sequence[Seen], any_one: bool) -> str | None:
    """Why to end the wait: "" where it is done, None where it goes on."""
    left = [one for one in found if not one.ended]
    if not left or (any_one and len(left) < len(found)):
        return ""
    stuck = [one for one in left if one.stuck]
    if len(stuck) == len(left) or (not any_one and any(one.known for one in stuck)):
        return "stalled" if any(one.known for one in stuck) else "unknown"
    return None


def _answer(found: Sequence[Seen], reason: str, seconds: float) -> dict[str, Any]:
    return {
        "done": not reason,
        "reason": reason or None,
        "seconds": round(seconds, 3),
        "ended": [
            {
                "seq": one.seq,
                "state": one.state,
                "source": one.source or None,
                "agent_id": one.agent_id or None,
                "summary": one.summary or None,
                "note": one.note or None,
            }
            for one in found
            if one.ended
        ],
        "missing": [
            {
                "seq": one.seq,
                "state": one.state if one.known else None,
                "agent_id": one.agent_id or None,
                "stuck": one.stuck,
                "why": one.why,
            }
            for one in found
            if not one.ended
        ],
    }


class _Watch:
    """The tasks of a run, read again whenever somebody has written."""

    def __init__(
        self,
        conn: Connection,
        project: Project,
        session: str | None,
        run_id: int | None,
        stall: float,
    ) -> None:
        self._conn = conn
        self._home = project.home
        self._session = session
        self._run_id = run_id
        self._stall = stall
        self._version = -1
        self._tasks: dict[str, Task] = {}
        self._states: dict[str, str] = {}
        self._lines: dict[str, dict[str, Any]] = {}
        self._parent = ""
        self.refresh()

    def refresh(self) -> None:
        """Take in what was written since the last look."""
        from helix_core.hooks import handover

        version = int(self._conn.execute("PRAGMA data_version").fetchone()[0])
        if version != self._version:
            self._version = version
            self._load()
        self._lines = {
            str(line.get("agent_id")): line
            for line in handover.read_status(self._home)
            if isinstance(line.get("outcome"), str)
        }

    def _load(self) -> None:
        run = plans.meant(self._conn, self._session, self._run_id)
        if run is not None:
            tasks, session = plans.tasks(self._conn, run.run_id), run.session_id
        elif self._session and self._run_id is None:  # builders without a plan
            tasks, session = plans.loose_tasks(self._conn, self._session), self._session
        else:
            raise RefusedError(plans.not_there(self._session, self._run_id))
        self._tasks = {task.key: task for task in tasks}
        self._states = states.states(tasks)
        self._parent = plans.transcript_of(self._conn, session)

    def look(self, key: str, seconds: float) -> Seen:
        """Where a task stands after so many seconds of waiting."""
        task = self._tasks.get(key)
        if task is None:
            shown = clean.shorten(clean.fold(key), 80)
            return Seen(shown, "", why="not in the plan", stuck=True, known=False)
        state, newest = self._states[key], states.newest_attempt(task)
        if newest is None:
            if state in ENDED:
                return Seen(task.seq, state, ended=True, summary=task.reason)
            why = "nobody was sent to it" if state == "ready" else f"it is {state}"
            return Seen(task.seq, state, why=why, stuck=seconds >= START_SECONDS)
        if newest.state != "running":
            undecided = states.undecided(task)
            note = f"{undecided}; decide: helix dag set {task.seq} ..." if undecided else ""
            return _seen(task, state, newest, ended=True, note=note)
        line = self._lines.get(newest.agent_id)
        if line is not None:
            said = clean.scrub(line.get("summary"), 1000)
            note = f"{said} (by its status line; the memory follows)".strip()
            return _seen(task, str(line["outcome"]), newest, ended=True, note=note)
        return self._at_work(task, state, newest)

    def _at_work(self, task: Task, state: str, newest: Attempt) -> Seen:
        quiet = still.quiet_seconds(newest, self._parent)
        if quiet >= self._stall:
            why = f"its agent's transcript has stood still for {quiet:.0f} s"
            return _seen(task, state, newest, why=why, stuck=True)
        return _seen(task, state, newest, why="its agent is at work")


def _seen(
    task: Task,
    state: str,
    newest: Attempt,
    *,
    ended: bool = False,
    why: str = "",
    stuck: bool = False,
    note: str = "",
) -> Seen:
    return Seen(
        seq=task.seq,
        state=state,
        ended=ended,
        why=why,
        stuck=stuck,
        source=newest.source,
        agent_id=newest.agent_id,
        summary=newest.summary,
        note=note,
    )
