"""The language in which insights are filtered: words and `kind:value` terms, as SQL.

Standard library only. Filters become SQL from fixed parts; what a person typed is only ever a
parameter. Every term narrows further; what is no known term is a word of the text, name or tags.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from helix_core import clock
from helix_core.store import credit, measures

TERMS_MAX = 20
_RANGE = re.compile(r"(\d*\.?\d+)?(-)?(\d*\.?\d+)?")
_STATES = {
    "pinned": "pinned = 1",
    "used": f"{measures.USES} > 0",
    "unused": f"{measures.USES} = 0",
    "causal": "coalesce(insight.causal_hits, 0) > 0",
}
_SHARES = {
    "eff": measures.EFFECTIVENESS,
    "gen": measures.GENERALITY,
    "causal": measures.CAUSAL_RATIO,
}
_RUNS = {"given": "a.agent_type", "outcome": "a.state", "on": "a.ended_at"}
_EXACTLY = 0.005


@dataclass(frozen=True)
class Range:
    """Limits as they were typed; None is open, `exact` one value alone."""

    low: float | None
    high: float | None
    exact: bool = False


def read_range(text: str) -> Range | None:
    """`0.7-0.8`, `3-`, `-3` or `3`; None for anything else."""
    match = _RANGE.fullmatch(text)
    if match is None or (match[1] is None and match[3] is None):
        return None
    low, high = (None if part is None else float(part) for part in (match[1], match[3]))
    return Range(low, high, exact=match[2] is None)


def where(text: str) -> tuple[str, list[str | float]]:
    """A filter as a WHERE clause with parameters; an empty filter lets everything through."""
    parts: list[str] = []
    values: list[str | float] = []
    runs: list[tuple[str, str]] = []
    for word in text.split()[:TERMS_MAX]:
        kind, _, rest = word.partition(":")
        if kind in _RUNS and rest:
            runs.append((_RUNS[kind], rest))
            continue
        part, more = _term(kind, rest) or _word(word)
        parts.append(part)
        values += more
    if runs:  # of one and the same agent
        parts.append(
            "EXISTS (SELECT 1 FROM injection j JOIN agent_run a ON a.id = j.agent_run_id"
            " WHERE j.insight_id = insight.id AND j.withheld = 0"
            + "".join(f" AND {column} LIKE ? ESCAPE '\\'" for column, _ in runs)
            + ")"
        )
        values += [f"%{_like(v)}%" if c == "a.agent_type" else f"{_like(v)}%" for c, v in runs]
    return " AND ".join(parts) or "1", values


Term = tuple[str, list[str | float]]


def _term(kind: str, rest: str) -> Term | None:
    if not rest:
        return None
    if kind == "tag":
        return "tags LIKE ? ESCAPE '\\'", [f'%"{_like(rest)}%']
    if kind == "source":
        return "source LIKE ? ESCAPE '\\'", [f"{_like(rest)}%"]
    if kind == "is":
        return (_STATES[rest], []) if rest in _STATES else None
    limits = read_range(rest)
    if limits is None:
        return None
    if kind in _SHARES:
        return _share(_SHARES[kind], limits)
    if kind == "uses":
        return _whole(measures.USES, limits)
    if kind == "vel":
        return _whole(measures.velocity(clock.now()), limits)
    if kind == "shown":
        inside, values = _share("j.effectiveness", limits)
        return f"insight.id IN (SELECT insight_id FROM ({credit.SHOWN}) j WHERE {inside})", values
    return None


def _share(expression: str, limits: Range) -> Term:
    """Shares from `low` to just under `high`; up to 1.0 means up to and with it."""
    low, high = (v / 100 if v is not None and v > 1 else v for v in (limits.low, limits.high))
    if limits.exact and low is not None:
        return f"abs({expression} - ?) < {_EXACTLY}", [low]
    parts, values = [f"{expression} IS NOT NULL"], []
    if low is not None:
        parts.append(f"{expression} + {measures.HAIR} >= ?")
        values.append(low)
    if high is not None and high < 1:
        parts.append(f"{expression} + {measures.HAIR} < ?")
        values.append(high)
    return " AND ".join(parts), list(values)


def _whole(expression: str, limits: Range) -> Term:
    """Counts from `low` to `high`, both with them."""
    if limits.exact and limits.low is not None:
        return f"{expression} = ?", [limits.low]
    parts, values = [], []
    for limit, sign in ((limits.low, ">="), (limits.high, "<=")):
        if limit is not None:
            parts.append(f"{expression} {sign} ?")
            values.append(limit)
    return " AND ".join(parts), list(values)


def _word(word: str) -> Term:
    columns = ("content", "name", "tags")
    either = " OR ".join(f"{column} LIKE ? ESCAPE '\\'" for column in columns)
    return f"({either})", [f"%{_like(word)}%"] * len(columns)


def _like(word: str) -> str:
    return word.replace("\\", "\\\\").replace("%", "\\%").replace("_", "\\_")
