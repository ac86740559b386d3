"""Distributions, hubs, outcomes, credit and calibration: what `helix stats` shows. Read only.

Every figure carries its statement (`figure.Figure`). Standard library; the graph's shape needs
networkx and is missing without it.
"""

from __future__ import annotations

import sqlite3
from dataclasses import asdict

from helix_core import formulas
from helix_core.constants import (
    GENERALITY_MIN_SPREAD,
    GENERALITY_SPREAD_CAP,
)
from helix_core.memory import figure, graph, trials
from helix_core.memory.context import Memory
from helix_core.memory.figure import Figure
from helix_core.store import measures
from helix_core.store.credit import CALIBRATION, CALIBRATION_ERROR, TOTALS

TOP = 10
WITHOUT_NETWORKX = "needs networkx, which is not installed where this runs"


def stats(mem: Memory) -> list[Figure]:
    """All figures, in the order they are shown."""
    conn = mem.conn
    return [
        figure.number(conn, "insights", "SELECT count(*) FROM insight"),
        effectiveness(conn, "effectiveness", measures.EFFECTIVENESS),
        effectiveness(conn, "effectiveness_adjusted", measures.ADJUSTED),
        context_spread(conn),
        velocity(mem),
        top_connected(conn),
        *shape(conn),
        outcomes(conn),
        checked_outcomes(conn),
        credit(conn),
        calibration(conn),
        calibration_error(conn),
        trials.pooled(mem),
        trials.by_insight(mem),
        rejections(conn),
        patterns(conn),
    ]


def effectiveness(conn: sqlite3.Connection, name: str, expression: str) -> Figure:
    """Insights by tenths of a score in [0, 1]; the last tenth holds 1.0 too."""
    return figure.pairs(
        conn,
        name,
        f"SELECT printf('%.1f-%.1f', tenth / 10.0, (tenth + 1) / 10.0), count(*)"
        f" FROM (SELECT {measures.tenth(expression)} AS tenth FROM insight)"
        " GROUP BY tenth ORDER BY tenth",
    )


def context_spread(conn: sqlite3.Connection) -> Figure:
    """Insights by what their contexts say: unknown, observations, in between, principles."""
    return figure.pairs(
        conn,
        "context_spread",
        "SELECT kind, count(*) FROM (SELECT CASE WHEN spread IS NULL THEN 'unknown'"
        f" WHEN spread < {GENERALITY_MIN_SPREAD}"
        f" THEN 'observation (under {GENERALITY_MIN_SPREAD})'"
        f" WHEN spread < {GENERALITY_SPREAD_CAP} THEN 'in between'"
        f" ELSE 'principle ({GENERALITY_SPREAD_CAP} and over)' END AS kind,"
        " coalesce(spread, -1) AS spread"
        f" FROM (SELECT {measures.GENERALITY} AS spread FROM insight))"
        " GROUP BY kind ORDER BY min(spread)",
    )


def velocity(mem: Memory) -> Figure:
    """Insights by their causal events in the window; rows without events go by their counter."""
    return figure.pairs(
        mem.conn,
        "velocity",
        "SELECT CASE WHEN recent >= 5 THEN '5 and more' ELSE CAST(recent AS TEXT) END, count(*)"
        f" FROM (SELECT {measures.velocity(mem.now)} AS recent FROM insight)"
        " GROUP BY 1 ORDER BY min(recent)",
    )


def top_connected(conn: sqlite3.Connection, limit: int = TOP) -> Figure:
    """The insights with the most distinct neighbours."""
    return figure.rows(
        conn,
        "top_connected",
        "SELECT i.name AS name, e.neighbours AS neighbours, e.weight AS weight FROM"
        " (SELECT id, count(*) AS neighbours, round(sum(weight), 6) AS weight"
        f" FROM ({graph.ENDS_SQL}) GROUP BY id"
        f" ORDER BY neighbours DESC, weight DESC, id LIMIT {limit}) e"
        " JOIN insight i ON i.id = e.id ORDER BY neighbours DESC, weight DESC, i.id",
    )


def shape(conn: sqlite3.Connection) -> list[Figure]:
    """The shape of the graph, computed by networkx over its links."""
    try:
        found = graph.analyse(conn)
    except ImportError:
        return [Figure("graph", None, graph.EDGES_SQL, WITHOUT_NETWORKX)]
    value = asdict(found)
    value["articulation_points"] = len(found.articulation)
    value["articulation"] = list(found.articulation[: graph.NAMES_SHOWN])
    return [Figure("graph", value, graph.EDGES_SQL, "networkx over these links and all insights")]


def outcomes(conn: sqlite3.Connection) -> Figure:
    """The archive: how agents ended, by their kind."""
    return figure.rows(
        conn,
        "session_log",
        "SELECT coalesce(outcome, 'unknown') AS outcome, count(*) AS ended,"
        " count(DISTINCT session_id) AS sessions, sum(agent_type LIKE '%builder') AS builders,"
        " sum(agent_type LIKE '%planner') AS planners, sum(agent_type LIKE '%explorer')"
        " AS explorers FROM session_log GROUP BY 1 ORDER BY ended DESC, outcome",
    )


def checked_outcomes(conn: sqlite3.Connection) -> Figure:
    """What the outcomes of builders rest on, and the share of each in all of them.

    `verified` and `contradicted` by the VERIFY command the agent ran itself, `user` by a person,
    `self` by the agent's word alone. Crashed agents, and those without an outcome, have none.
    """
    return figure.rows(
        conn,
        "checked_outcomes",
        "SELECT coalesce(outcome_source, 'self') AS source, count(*) AS ended,"
        " 1.0 * count(*) / sum(count(*)) OVER () AS share, sum(state = 'delivered') AS delivered,"
        " sum(state = 'partial') AS partial, sum(state = 'blocked') AS blocked FROM agent_run"
        " WHERE agent_type LIKE '%builder' AND state IN ('delivered', 'partial', 'blocked')"
        " GROUP BY 1 ORDER BY ended DESC, source",
    )


def credit(conn: sqlite3.Connection) -> Figure:
    """Over all tasks with a causal insight: helped and hurt, each task once, with its interval."""
    helped, hurt = conn.execute(TOTALS).fetchone()
    low, high = formulas.wilson(helped, helped + hurt)
    value = {"helped": helped, "hurt": hurt, "tasks": helped + hurt, "low": low, "high": high}
    return Figure("credit", value, TOTALS, "helped, hurt; the interval is Wilson's, 90%")


def calibration(conn: sqlite3.Connection) -> Figure:
    """Of the insights shown with a score around x, how many of their tasks were delivered."""
    value = []
    for tenth, tasks, score, delivered, worth in conn.execute(CALIBRATION):
        low, high = formulas.wilson(delivered, tasks)
        value.append(
            {
                "score": f"{tenth / 10:.1f}-{(tenth + 1) / 10:.1f}",
                "mean_score": score,
                "tasks": tasks,
                "delivered": delivered,
                "rate": delivered / tasks,
                "low": low,
                "high": high,
                "mean_outcome": worth / tasks,
            }
        )
    note = "rate is delivered over tasks; the interval is Wilson's, 90%"
    return Figure("calibration", value, CALIBRATION, note)


def calibration_error(conn: sqlite3.Connection) -> Figure:
    """Mean distance of score and outcome over the tenths, by tasks (Naeini 2015); None: no task."""
    return figure.number(conn, "calibration_error", CALIBRATION_ERROR)


def rejections(conn: sqlite3.Connection) -> Figure:
    """Refused texts by the rule that refused them."""
    return figure.rows(
        conn,
        "rejections",
        "SELECT rule, count, last_at FROM rejection ORDER BY count DESC, rule",
    )


def patterns(conn: sqlite3.Connection) -> Figure:
    """What synthesis made of recurring failures."""
    return figure.pairs(
        conn,
        "synthesis",
        "SELECT action, count(*) FROM synthesis GROUP BY action ORDER BY action",
    )
