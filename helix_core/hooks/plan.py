"""Recording a planner's PLAN_SPEC as a run with its tasks. The ledger decides nothing."""

from __future__ import annotations

import json
from typing import Any

from helix_core.memory.context import Memory
from helix_core.store import runs
from helix_core.text import clean, handoff


def record_from_message(mem: Memory, planner: runs.AgentRun, message: str) -> int | None:
    """Record the plan in a planner's final message; the run id, or None where there is no plan."""
    entries, reason = handoff.read_plan(message)
    if entries is None:
        mem.note("warn", f"plan of agent {planner.agent_id} not recorded: {reason}")
        return None
    cursor = mem.conn.execute(
        "INSERT INTO run(session_id, objective, planner_run_id, started_at) VALUES (?,?,?,?)",
        (planner.session_id, planner.query, planner.id, mem.moment),
    )
    run_id = int(cursor.lastrowid or 0)
    for number, entry in enumerate(entries, 1):
        mem.conn.execute(
            "INSERT OR IGNORE INTO task(run_id, seq, slug, description, relevant_files, blocked_by,"
            " verify) VALUES (?,?,?,?,?,?,?)",
            (
                run_id,
                clean.scrub(entry.get("seq") or str(number), 100),
                clean.scrub(entry.get("slug"), 200),
                clean.scrub(entry.get("description"), 4000),
                _list(entry.get("relevant_files")),
                _list(entry.get("blocked_by")),
                clean.scrub(entry.get("verify"), 2000),
            ),
        )
    return run_id


def _list(value: Any) -> str:
    items = value if isinstance(value, list) else [value] if value else []
    return json.dumps([clean.scrub(item, 500) for item in items], ensure_ascii=False)
