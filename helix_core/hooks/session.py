"""The start and end of a session. Nothing important depends on the end: it may never come.

State is owned by a session: another one's start, compaction or end touches none of it.
"""

from __future__ import annotations

from typing import Any

from helix_core import setup_state
from helix_core.hooks import handover
from helix_core.hooks.payload import session_of, text_at
from helix_core.memory import upkeep
from helix_core.memory.context import Memory
from helix_core.store import insights, journal, plans, rescue
from helix_core.store.connection import writing
from helix_core.text import clean
from helix_core.text.wording import counted

FRESH = frozenset({"startup", "clear"})
GONE_ON = frozenset({"compact", "resume"})
"""The conversation goes on, but not all of it may be in the client's context any more."""


def session_start(mem: Memory, payload: dict[str, Any]) -> dict[str, Any] | None:
    """Note the session, clear what is its own to clear, do maintenance that was missed."""
    if mem.read_only:
        return _context(
            "helix: this memory was written by a newer helix. It is only read: nothing is learned"
            " here until this helix is updated."
        )
    rescue.check_small(mem.conn, mem.project.database)
    session_id = session_of(payload)
    source = text_at(payload, "source", 40)
    if session_id:
        with writing(mem.conn):
            journal.open_session(
                mem.conn, session_id, source, text_at(payload, "transcript_path"), mem.moment
            )
    if source in FRESH:
        handover.clean_session(
            mem.project.home, session_id, lambda owner: _is_over(mem, owner), status=True
        )
    if mem.embedder is None:  # no worker that would do it in the background
        upkeep.maintain(mem)
    kept = source in GONE_ON and handover.read_synthesis(mem.project.home, session_id) is not None
    return _greeting(mem, kept)


def _greeting(mem: Memory, kept: bool) -> dict[str, Any] | None:
    """A line of context, only where the memory was lost, does not work at full strength, or keeps
    notes of this session that its context may have lost."""
    lines = []
    if kept:
        lines.append(
            "helix: `helix recall-synthesis` prints what this session drew from its recall."
        )
    lost = rescue.tell_once(mem.conn)
    if lost is not None:
        lines.append(
            f"helix: the memory was damaged ({clean.shorten(lost['reason'], 200)}) and begins anew;"
            f" the damaged file is kept as .helix/backups/{lost['file']}. Tell the user once."
        )
    total = insights.count(mem.conn)
    building = setup_state.progress() if mem.profile is None else None
    if building is not None:
        lines.append(f"helix: {building.line}")
    elif mem.profile is None and total and mem.settings.worker_enabled:
        lines.append(
            f"helix: {counted(total, 'insight')}, recalled by keyword until its embedding worker is"
            " ready (`helix worker status`)."
        )
    return _context("\n".join(lines)) if lines else None


def _context(text: str) -> dict[str, Any]:
    return {"hookSpecificOutput": {"hookEventName": "SessionStart", "additionalContext": text}}


def _is_over(mem: Memory, session_id: str) -> bool:
    row = mem.conn.execute(
        "SELECT ended_at FROM session WHERE session_id = ?", (session_id,)
    ).fetchone()
    return row is None or row[0] is not None


def session_end(mem: Memory, payload: dict[str, Any]) -> None:
    """Mark the session as over; the worker (or the next start) does the maintenance."""
    session_id = session_of(payload)
    if not session_id:
        return
    with writing(mem.conn):
        journal.close_session(mem.conn, session_id, mem.moment)
        mem.conn.execute(
            "UPDATE agent_run SET state = 'unknown', ended_at = ?, note = 'its session ended first'"
            " WHERE session_id = ? AND state = 'running'",
            (mem.moment, session_id),
        )
        plans.end_session(mem.conn, session_id, mem.moment)
    handover.clean_session(mem.project.home, session_id, lambda _: False, status=False)
