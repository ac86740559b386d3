"""The dashboard's read model of the memory's worth: histograms, loop, calibration, outcomes.

Standard library only; like `views`, every function reads all its rows at once. Each figure carries
the filter that gives the insights behind it.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Sequence

from helix_core import clock, formulas, holdout
from helix_core.constants import GENERALITY_MIN_SPREAD, GENERALITY_SPREAD_CAP
from helix_core.store import cells, credit, measures, trials
from helix_core.viewfigures import (
    Bin,
    CalibrationLine,
    Effectiveness,
    Histogram,
    LiftLine,
    Loop,
    OutcomeLine,
)

FASTEST = 5
"""From this velocity on there is one bar."""
DAYS = 14
"""With more days than this, outcomes are counted by the month."""
PERIODS = 60


def effectiveness(conn: sqlite3.Connection) -> Effectiveness:
    """Everything the effectiveness view shows."""
    return Effectiveness(
        loop=loop(conn),
        effectiveness=_by_effectiveness(conn),
        generality=_by_generality(conn),
        velocity=_by_velocity(conn),
        calibration=calibration(conn),
        outcomes=outcomes(conn),
        lift=lift(conn),
    )


def loop(conn: sqlite3.Connection) -> Loop:
    """Coverage, causal share and credit, by the statements that `health` and `stats` use."""
    total, used, uses, causal = conn.execute(
        f"SELECT count(*), sum({measures.USES} > 0), sum({measures.USES}),"
        " sum(coalesce(causal_hits, 0)) FROM insight"
    ).fetchone()
    helped, hurt = map(cells.number, conn.execute(credit.TOTALS).fetchone())
    low, high = formulas.wilson(helped, helped + hurt)
    return Loop(
        insights=cells.whole(total),
        used=cells.whole(used),
        coverage=cells.share(conn.execute(measures.LOOP_COVERAGE).fetchone()[0], 0.0),
        uses=cells.whole(uses),
        causal_uses=cells.whole(causal),
        causal_ratio=cells.maybe(conn.execute(measures.CAUSAL_SHARE).fetchone()[0]),
        helped=helped,
        hurt=hurt,
        low=low,
        high=high,
        calibration_error=cells.maybe(conn.execute(credit.CALIBRATION_ERROR).fetchone()[0]),
    )


def _by_effectiveness(conn: sqlite3.Connection) -> Histogram:
    counts = _counts(conn, measures.tenth(measures.EFFECTIVENESS))
    return Histogram(
        tuple(
            Bin(f".{n}", counts.get(n, 0), f"eff:{n / 10:.1f}-{(n + 1) / 10:.1f}")
            for n in range(10)
        )
    )


def _by_generality(conn: sqlite3.Connection) -> Histogram:
    step, last = GENERALITY_MIN_SPREAD, round(GENERALITY_SPREAD_CAP / GENERALITY_MIN_SPREAD)
    place = f"min({last}, CAST(({measures.GENERALITY}) / {step} + {measures.HAIR} AS INTEGER))"
    counts = _counts(conn, place)
    bins = []
    for n in range(last + 1):
        low, high = f"{n * step:.2f}", f"{(n + 1) * step:.2f}"
        label = f"{round(n * step * 100)}" + ("+" if n == last else "")
        bins.append(Bin(label, counts.get(n, 0), f"gen:{low}-" + ("" if n == last else high)))
    return Histogram(tuple(bins), unknown=counts.get(None, 0))


def _by_velocity(conn: sqlite3.Connection) -> Histogram:
    counts = _counts(conn, f"min({FASTEST}, {measures.velocity(clock.now())})")
    bins = [Bin(str(n), counts.get(n, 0), f"vel:{n}") for n in range(FASTEST)]
    return Histogram((*bins, Bin(f"{FASTEST}+", counts.get(FASTEST, 0), f"vel:{FASTEST}-")))


def _counts(conn: sqlite3.Connection, expression: str) -> dict[int | None, int]:
    rows = conn.execute(f"SELECT {expression} AS place, count(*) FROM insight GROUP BY place")
    return {
        None if place is None else cells.whole(place): cells.whole(count)
        for place, count in rows.fetchall()
    }


def calibration(conn: sqlite3.Connection) -> tuple[CalibrationLine, ...]:
    """Of the insights shown with a score in each tenth, how many of their tasks delivered."""
    found = []
    for row in conn.execute(credit.CALIBRATION).fetchall():
        n, tasks, delivered = cells.whole(row[0]), cells.number(row[1]), cells.number(row[3])
        low, high = formulas.wilson(delivered, tasks)
        label = f"{n / 10:.1f}-{(n + 1) / 10:.1f}"
        found.append(
            CalibrationLine(
                tenth=n,
                label=label,
                filter=f"shown:{label}",
                tasks=tasks,
                score=cells.share(row[2]),
                rate=delivered / tasks if tasks else 0.0,
                low=low,
                high=high,
            )
        )
    return tuple(found)


def lift(conn: sqlite3.Connection) -> LiftLine | None:
    """The lift over all insights; None where there is no trial."""
    pairs = trials.pairs(conn)
    if not pairs:
        return None
    found = holdout.lift(pairs)
    return LiftLine(found.with_it, holdout.told(found))


def outcomes(conn: sqlite3.Connection) -> tuple[OutcomeLine, ...]:
    """How agents ended, by their kind, day by day, or month by month where there are many days."""
    days = cells.whole(
        conn.execute("SELECT count(DISTINCT substr(ended_at, 1, 10)) FROM agent_run").fetchone()[0]
    )
    length = 10 if days <= DAYS else 7
    rows = conn.execute(
        f"SELECT substr(ended_at, 1, {length}) AS period, agent_type, state, count(*) AS n"
        " FROM agent_run WHERE ended_at IS NOT NULL GROUP BY 1, 2, 3"
        " ORDER BY 1 DESC, 2, n DESC, 3"
    ).fetchall()
    groups: dict[tuple[str, str], list[tuple[str, int]]] = {}
    for row in rows:
        key = (cells.text(row[0]), cells.text(row[1]))
        groups.setdefault(key, []).append((cells.text(row[2]), cells.whole(row[3])))
    return tuple(_outcome(*key, states) for key, states in list(groups.items())[:PERIODS])


def _outcome(period: str, agent_type: str, states: Sequence[tuple[str, int]]) -> OutcomeLine:
    return OutcomeLine(
        period=period,
        agent_type=agent_type,
        ended=sum(count for _, count in states),
        states=tuple(states),
        filter=f"given:{agent_type.removeprefix('helix-')} on:{period}",
    )
