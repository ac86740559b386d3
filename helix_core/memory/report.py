"""How the memory is doing: the figures of `helix health`, each with its statement. Read only."""

from __future__ import annotations

from typing import Any

from helix_core.constants import CAUSAL_MIN_USES, PROVEN_FROM
from helix_core.memory import figure
from helix_core.memory.context import Memory
from helix_core.memory.figure import Figure
from helix_core.store import measures

_LINKS = (
    "SELECT count(*) FROM insight_edges e JOIN insight a ON a.id = e.src_id"
    " JOIN insight b ON b.id = e.dst_id WHERE e.src_id <> e.dst_id"
)
_LINKED = "SELECT count(*) FROM insight i WHERE " + " OR ".join(
    f"EXISTS (SELECT 1 FROM insight_edges e JOIN insight o ON o.id = e.{other}"
    f" WHERE e.{own} = i.id AND o.id <> i.id)"
    for own, other in (("src_id", "dst_id"), ("dst_id", "src_id"))
)

# name -> the statement whose one value is the figure
NUMBERS = {
    "insights": "SELECT count(*) FROM insight",
    "effectiveness_mean": "SELECT avg(coalesce(effectiveness, 0.5)) FROM insight",
    "effectiveness_adjusted_mean": f"SELECT avg({measures.ADJUSTED}) FROM insight",
    "loop_coverage": measures.LOOP_COVERAGE,
    "causal_ratio": measures.CAUSAL_SHARE,
    "proven": f"SELECT count(*) FROM insight WHERE use_count >= {CAUSAL_MIN_USES}"
    f" AND {measures.ADJUSTED} >= {PROVEN_FROM}",
    "edges": _LINKS,
    "connected_ratio": f"SELECT coalesce(1.0 * ({_LINKED})"
    " / nullif((SELECT count(*) FROM insight), 0), 0.0)",
    "edges_per_insight": f"SELECT coalesce(2.0 * ({_LINKS})"
    " / nullif((SELECT count(*) FROM insight), 0), 0.0)",
    "without_vector": "SELECT count(*) FROM insight WHERE embedding_model IS NULL",
    "trash": "SELECT count(*) FROM trash",
    "feedback_events": "SELECT count(*) FROM feedback_event WHERE undone_by IS NULL",
    "feedback_pending": "SELECT count(*) FROM agent_run WHERE feedback = 'pending'",
    "archived": "SELECT count(*) FROM session_log",
    "open_questions": "SELECT count(*) FROM question WHERE state = 'open'",
}
# name -> the statement whose rows (key, value) are the figure
PAIRS = {
    "agent_runs": "SELECT state, count(*) FROM agent_run GROUP BY state",
    "rejections": "SELECT rule, count FROM rejection ORDER BY rule",
}
MODELS_SQL = "SELECT DISTINCT embedding_model FROM insight WHERE embedding_model <> '' ORDER BY 1"
MAINTENANCE_SQL = "SELECT (SELECT value FROM meta WHERE key = 'last_maintenance')"
HOOKS_SQL = (
    "SELECT event, count(*) AS calls, sum(mode = 'keyword') AS keyword_only,"
    " sum(ok = 0) AS failed, max(created_at) AS last FROM hook_call GROUP BY event ORDER BY event"
)


def figures(mem: Memory) -> list[Figure]:
    """The state of the memory; each figure is a count, a mean or a share of rows.

    `loop_coverage` is the share of insights that have been through feedback, `connected_ratio` the
    share that has at least one link. A mean over no insight is None.
    """
    conn = mem.conn
    found = [figure.number(conn, name, sql) for name, sql in NUMBERS.items()]
    found += [figure.pairs(conn, name, sql) for name, sql in PAIRS.items()]
    models = [str(row[0]) for row in conn.execute(MODELS_SQL)]
    found += [
        Figure("embedding_models", models, MODELS_SQL, "one row each"),
        figure.number(conn, "last_maintenance", MAINTENANCE_SQL),
        _hooks(mem),
    ]
    empty = not found[0].value
    status = Figure("status", "empty" if empty else "ok", NUMBERS["insights"], "empty at 0")
    return [status, *found]


def health(mem: Memory) -> dict[str, Any]:
    """The figures by name; see `figures`."""
    return figure.values(figures(mem))


def _hooks(mem: Memory) -> Figure:
    listed = figure.rows(mem.conn, "hooks", HOOKS_SQL).value
    value = {row.pop("event"): row for row in listed}
    return Figure("hooks", value, HOOKS_SQL, "one row for each event")
