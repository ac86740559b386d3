"""What is measured of an insight, as SQL expressions over a row of `insight`.

Standard library only. One place for each rule that a figure, a histogram, a sort order and a filter
share. What is compared with are constants of helix and moments of its own clock, so that a
statement can be run as it stands.
"""

from __future__ import annotations

from datetime import datetime, timedelta

from helix_core import clock
from helix_core.constants import (
    CAUSAL_ADJUSTMENT_FLOOR,
    CAUSAL_MIN_USES,
    SPREAD_MIN_CONTEXTS,
    VELOCITY_WINDOW_DAYS,
)
from helix_core.store.results import NO_USE

HAIR = 1e-9
"""What rounding leaves under a limit (0.5999999999999999) belongs above it."""

EFFECTIVENESS = "coalesce(insight.effectiveness, 0.5)"
USES = "coalesce(insight.use_count, 0)"
CAUSAL_RATIO = (
    f"CASE WHEN {USES} > 0 THEN min(1.0, 1.0 * coalesce(insight.causal_hits, 0) / {USES}) END"
)
"""Causal uses over uses; NULL for an insight that was never used."""
ADJUSTED = (
    f"{EFFECTIVENESS} * CASE WHEN {USES} >= {CAUSAL_MIN_USES}"
    f" THEN max({CAUSAL_ADJUSTMENT_FLOOR}, {CAUSAL_RATIO}) ELSE 1.0 END"
)
"""`formulas.causal_adjusted`."""
GENERALITY = (
    f"CASE WHEN insight.context_count >= {SPREAD_MIN_CONTEXTS} THEN insight.context_spread END"
)
"""Context spread; NULL until there are enough contexts to tell (decision 10)."""

LOOP_COVERAGE = "SELECT coalesce(avg(use_count > 0), 0.0) FROM insight"
"""The share of insights that have been through feedback."""
CAUSAL_SHARE = "SELECT 1.0 * sum(causal_hits) / nullif(sum(use_count), 0) FROM insight"
"""Causal uses over all uses; NULL without a use."""


def velocity(now: datetime) -> str:
    """Causal feedback events in the window (decision 9).

    A row of an older database, whose events were never written down, goes by its counter while its
    last feedback is inside the window.
    """
    since = clock.iso(now - timedelta(days=VELOCITY_WINDOW_DAYS))
    events = (
        "FROM feedback_event f WHERE f.insight_id = insight.id AND f.undone_by IS NULL"
        f" AND f.kind NOT IN {NO_USE}"
    )
    return (
        f"coalesce((SELECT sum(f.causal = 1 AND f.created_at >= '{since}') {events}),"
        f" CASE WHEN insight.last_feedback_at >= '{since}'"
        " THEN coalesce(insight.recent_uses, 0) ELSE 0 END)"
    )


def tenth(expression: str) -> str:
    """The tenth, 0 to 9, that a share in [0, 1] lies in; the last one holds 1.0 too."""
    return f"min(9, max(0, CAST(({expression}) * 10 + {HAIR} AS INTEGER)))"
