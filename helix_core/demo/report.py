"""The report of the demonstration: every figure is read from the rows the hooks left behind.

Only what the client alone can know comes from outside: which calls were one wave, and the exit
codes and wall times of the hook processes. May import the standard library, the store and this
package.
"""

from __future__ import annotations

import json
import sqlite3
import statistics
from collections import defaultdict
from collections.abc import Sequence
from typing import Any

from helix_core.demo.client import Fired
from helix_core.demo.play import Played
from helix_core.store import insights

Json = dict[str, Any]


def build(conn: sqlite3.Connection, played: Sequence[Played]) -> Json:
    """The whole report as plain JSON values; see the functions below for its parts."""
    return {
        "sessions": [_session(conn, one) for one in played],
        "insights": _insights(conn, [one.session_id for one in played]),
        "hooks": _hooks(conn, [fired for one in played for fired in one.fired]),
        "edges": dict(
            conn.execute(
                "SELECT relation, count(*) FROM insight_edges GROUP BY relation"
            ).fetchall()
        ),
        "waiting": conn.execute(
            "SELECT count(*) FROM agent_run WHERE feedback = 'pending'"
        ).fetchone()[0],
        "embedding_models": [
            str(row[0])
            for row in conn.execute(
                "SELECT DISTINCT embedding_model FROM agent_run WHERE embedding_model IS NOT NULL"
            )
        ],
    }


def _session(conn: sqlite3.Connection, played: Played) -> Json:
    """One session: its agents in the order of their waves, each with what it was given."""
    rows = conn.execute(
        "SELECT id, agent_id, agent_type, tool_use_id, task_id, task, query, state,"
        " outcome_source, mode, summary, feedback FROM agent_run WHERE session_id = ?",
        (played.session_id,),
    ).fetchall()
    agents = [
        {
            "agent_id": row[1],
            "type": row[2],
            "wave": played.waves.get(row[3]),
            "task_id": row[4],
            "task": row[5] or row[6] or "",
            "outcome": row[7],
            "outcome_source": row[8],
            "recalled_by": row[9],
            "summary": row[10],
            "feedback": row[11],
            "given": _given(conn, row[0]),
        }
        for row in rows
    ]
    agents.sort(key=lambda agent: (agent["wave"] or 0, agent["task_id"] or "", agent["task"]))
    return {"session_id": played.session_id, "objective": played.objective, "agents": agents}


def _given(conn: sqlite3.Connection, run_id: int) -> list[Json]:
    """What one agent was given, and each insight's effectiveness before and after its end.

    `before` and `after` are None where the end of the agent was no feedback for the insight.
    """
    rows = conn.execute(
        "SELECT i.name, i.relevance, i.withheld, f.before, f.after, f.similarity, f.weight"
        " FROM injection i LEFT JOIN feedback_event f"
        " ON f.agent_run_id = i.agent_run_id AND f.insight_id = i.insight_id"
        " AND f.undone_by IS NULL WHERE i.agent_run_id = ? ORDER BY i.rank",
        (run_id,),
    )
    keys = ("name", "relevance", "withheld", "before", "after", "similarity", "weight")
    return [dict(zip(keys, row, strict=True)) for row in rows]


def _insights(conn: sqlite3.Connection, session_ids: Sequence[str]) -> list[Json]:
    """Each insight's way: where it came from, start and end, and the n events between them."""
    begins = [
        (number, str(row[0]))
        for number, one in enumerate(session_ids, 1)
        for row in conn.execute("SELECT started_at FROM session WHERE session_id = ?", (one,))
    ]
    found = []
    for insight_id, name, content, source, end, created, trashed in _rows(conn):
        events = conn.execute(
            "SELECT before, causal FROM feedback_event"
            " WHERE insight_id = ? AND undone_by IS NULL ORDER BY id",
            (insight_id,),
        ).fetchall()
        given = conn.execute(
            "SELECT count(*) FROM injection WHERE insight_id = ? AND withheld = 0", (insight_id,)
        ).fetchone()[0]
        found.append(
            {
                "name": name,
                "content": content,
                "source": source,
                "learned_in": max((n for n, begun in begins if created >= begun), default=None),
                "given": given,
                "start": events[0][0] if events else end,
                "end": end,
                "n": len(events),
                "causal": sum(event[1] for event in events),
                "trashed": trashed,
            }
        )
    return sorted(found, key=lambda item: (-item["end"], item["name"]))


def _rows(conn: sqlite3.Connection) -> list[tuple[int, str, str, str, float, str, bool]]:
    """Every insight, those that maintenance moved to the trash included."""
    found = [
        (i.id, i.name, i.content, i.source, i.effectiveness, i.created_at, False)
        for i in insights.all_insights(conn)
    ]
    for insight_id, name, content, text in conn.execute(
        "SELECT insight_id, name, content, columns FROM trash"
    ):
        kept = json.loads(text)
        found.append(
            (
                int(insight_id),
                str(name),
                str(content),
                str(kept.get("source", "agent")),
                float(kept.get("effectiveness", 0.5)),
                str(kept.get("created_at", "")),
                True,
            )
        )
    return found


def _hooks(conn: sqlite3.Connection, fired: Sequence[Fired]) -> Json:
    """By event: calls, median times, how many went by keyword, how many failed.

    `median_ms` is what the hook measured itself, from its first line on; `median_process_ms` what
    the client waited for, the start of the interpreter included.
    """
    inside: dict[str, list[float]] = defaultdict(list)
    keyword: dict[str, int] = defaultdict(int)
    for event, ms, mode in conn.execute("SELECT event, ms, mode FROM hook_call"):
        inside[event].append(ms)
        keyword[event] += mode == "keyword"
    outside: dict[str, list[Fired]] = defaultdict(list)
    for one in fired:
        outside[one.event].append(one)
    events = {
        event: {
            "calls": len(group),
            "median_ms": statistics.median(inside[event]) if inside[event] else None,
            "median_process_ms": statistics.median(one.seconds * 1000 for one in group),
            "by_keyword": keyword[event],
            "nonzero_exits": sum(one.returncode != 0 for one in group),
        }
        for event, group in outside.items()
    }
    errors = [
        f"{one.event} (exit code {one.returncode}): {one.error}" for one in fired if one.error
    ]
    return {
        "calls": len(fired),
        "nonzero_exits": sum(one.returncode != 0 for one in fired),
        "errors": errors,
        "failed": conn.execute("SELECT count(*) FROM hook_call WHERE ok = 0").fetchone()[0],
        "events": events,
    }
