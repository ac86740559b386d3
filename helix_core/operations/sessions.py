"""Operations about sessions that were: session-report, sessions-search. Read only.

Standard library only at import.
"""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

from helix_core.errors import RefusedError, UsageError
from helix_core.memory.context import Memory
from helix_core.operations.registry import operation
from helix_core.reportrows import MovedInsight
from helix_core.store import archive, view_report

OUTCOMES = ("delivered", "partial", "blocked", "plan_complete", "done", "crashed", "unknown")
"""How an agent in the archive may have ended."""


@operation("sessions-search")
def _search(mem: Memory, args: dict[str, Any]) -> Any:
    outcome, session = args.get("outcome"), args.get("session_id")
    if outcome is not None and outcome not in OUTCOMES:
        raise UsageError(f"outcome must be one of {', '.join(OUTCOMES)}, not {outcome!r}")
    found = archive.search(
        mem.conn, str(args.get("text", "")), int(args.get("limit", 20)), outcome, session
    )
    return [asdict(entry) for entry in found]


@operation("session-report")
def _report(mem: Memory, args: dict[str, Any]) -> Any:
    run_id, asked = args.get("run_id"), args.get("session_id")
    own = args.get("own_session_id")
    if run_id is not None:
        owner = view_report.session_of_run(mem.conn, int(run_id))
        if owner is None or asked not in (None, owner):
            raise RefusedError(
                f"there is no run {run_id}" + (f" in session {asked}" if asked and owner else "")
            )
        session_id: str | None = owner
    else:
        session_id = asked or own or view_report.newest_session(mem.conn)
    if session_id is None:
        raise RefusedError("no session of agents has been seen here yet")
    found = view_report.report(mem.conn, str(session_id), None if run_id is None else int(run_id))
    if found is None:
        raise RefusedError(f"no agent of session {session_id} has been seen here")
    value = asdict(found)
    for moved, row in zip(value["moved"], found.moved, strict=True):
        _explain(moved, row)
    return value


def _explain(moved: dict[str, Any], row: MovedInsight) -> None:
    for event, move in zip(moved["moves"], row.moves, strict=True):
        event["why"] = move.why
