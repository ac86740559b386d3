"""How the memory is doing: count, health, and the facts they rest on. Read only."""

from __future__ import annotations

from typing import Any

from helix_core import constants
from helix_core.memory.context import Memory
from helix_core.memory.recall import adjusted
from helix_core.store import insights, journal


def health(mem: Memory) -> dict[str, Any]:
    """The state of the memory as plain figures; each is a count or a share of rows.

    `loop_coverage` is the share of insights that have been through feedback; `connected_ratio` the
    share that has at least one edge.
    """
    conn = mem.conn
    rows = insights.all_insights(conn)
    total = len(rows)
    used = sum(1 for row in rows if row.use_count > 0)
    edge_count = _number(
        conn.execute(
            "SELECT count(*) FROM insight_edges e JOIN insight a ON a.id = e.src_id"
            " JOIN insight b ON b.id = e.dst_id"
        )
    )
    connected = _number(
        conn.execute(
            "SELECT count(*) FROM insight i WHERE EXISTS (SELECT 1 FROM insight_edges e"
            " WHERE e.src_id = i.id OR e.dst_id = i.id)"
        )
    )
    waiting = sum(1 for row in rows if row.embedding_model is None)
    return {
        "status": "empty" if not total else "ok",
        "insights": total,
        "effectiveness_mean": _mean([row.effectiveness for row in rows]),
        "effectiveness_adjusted_mean": _mean([adjusted(row) for row in rows]),
        "loop_coverage": used / total if total else 0.0,
        "causal_ratio": _ratio(
            sum(row.causal_hits for row in rows), sum(row.use_count for row in rows)
        ),
        "proven": sum(
            1
            for row in rows
            if row.use_count >= constants.CAUSAL_MIN_USES and adjusted(row) >= 0.70
        ),
        "edges": edge_count,
        "connected_ratio": connected / total if total else 0.0,
        "edges_per_insight": 2 * edge_count / total if total else 0.0,
        "without_vector": waiting,
        "embedding_models": sorted({row.embedding_model for row in rows if row.embedding_model}),
        "trash": _number(conn.execute("SELECT count(*) FROM trash")),
        "feedback_events": _number(conn.execute("SELECT count(*) FROM feedback_event")),
        "feedback_pending": _number(
            conn.execute("SELECT count(*) FROM agent_run WHERE feedback = 'pending'")
        ),
        "agent_runs": dict(
            conn.execute("SELECT state, count(*) FROM agent_run GROUP BY state").fetchall()
        ),
        "archived": _number(conn.execute("SELECT count(*) FROM session_log")),
        "rejections": dict(conn.execute("SELECT rule, count FROM rejection").fetchall()),
        "last_maintenance": journal.get_meta(conn, "last_maintenance"),
        "hooks": _hooks(mem),
    }


def _hooks(mem: Memory) -> dict[str, Any]:
    rows = mem.conn.execute(
        "SELECT event, count(*), sum(mode = 'keyword'), sum(ok = 0), max(created_at)"
        " FROM hook_call GROUP BY event"
    )
    return {
        str(r[0]): {"calls": r[1], "keyword_only": r[2], "failed": r[3], "last": r[4]} for r in rows
    }


def _number(cursor: Any) -> int:
    return int(cursor.fetchone()[0])


def _mean(values: list[float]) -> float | None:
    return sum(values) / len(values) if values else None


def _ratio(part: int, whole: int) -> float | None:
    return part / whole if whole else None
