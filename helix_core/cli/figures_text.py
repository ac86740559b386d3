"""The figures of `helix health`, `stats` and `get` as text: words, units, rounding. Pure.

What each figure is says `memory.report` and `memory.stats`; `--json` prints them as they are.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from helix_core.cli.output import columns, counted, percent

Found = Mapping[str, Any]
LABEL = 15
NAMES_SHOWN = 5
SHARES = frozenset(
    {
        *("effectiveness", "effectiveness_mean", "effectiveness_adjusted_mean", "loop_coverage"),
        *("causal_ratio", "connected_ratio", "share", "rate", "low", "high", "mean_score"),
        *("mean_outcome", "calibration_error", "with_it", "without_it", "context_spread"),
    }
)
"""Figures in [0, 1] that are told in percent."""
TIMES = ("last", "last_used", "last_maintenance")


def moment(text: str | None) -> str:
    """A stored time as a person reads it, to the minute."""
    return f"{text[:16].replace('T', ' ')} UTC" if text else "never"


def plain(key: str, value: Any) -> str:
    """One value by its key: shares in percent, times to the minute, numbers rounded."""
    if value is None:
        return "never" if key in TIMES else "-"
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, float):
        return percent(value) if key in SHARES else f"{value:.2f}".rstrip("0").rstrip(".")
    if isinstance(value, int):
        return f"{value:,}"
    if isinstance(value, Mapping):
        return ", ".join(f"{words(k)} {plain(k, v)}" for k, v in value.items()) or "none"
    if isinstance(value, (list, tuple)):
        return named([plain(key, item) for item in value])
    timed = key.endswith("_at") or key in TIMES
    return moment(str(value)) if timed else str(value)


def words(key: str) -> str:
    """A key as words."""
    return key.replace("_", " ")


def named(names: Sequence[str], total: int = 0) -> str:
    """Names, the first few of many; `total`: how many there are, where not all are given."""
    more = max(total, len(names)) - NAMES_SHOWN
    return ", ".join([*names[:NAMES_SHOWN], *([f"{more} more"] if more > 0 else [])]) or "none"


def _row(label: str, text: str) -> str:
    return f"{label.ljust(LABEL)}{text}"


def insight_lines(found: Found) -> list[str]:
    """The figures of one insight under its text."""
    return [
        f"  {words(key).ljust(LABEL)}{plain(key, value)}"
        for key, value in found.items()
        if key != "content"
    ]


def health_lines(found: Found) -> list[str]:
    """The answer of `health`, with the worker's state and the project in it."""
    where, worker = found["project"], dict(found["worker"])
    state = worker.pop("model_state", "?")
    model = f", {worker['model']}" if worker.get("model") else ""
    counts = ", ".join(f"{number:,} {words(name)}" for name, number in found["agent_runs"].items())
    refused = ", ".join(f"{rule} {number:,}" for rule, number in found["rejections"].items())
    return [
        _row("memory", f"{found['status']}: {where['root']} (found by {where['found_by']})"),
        _row(
            "insights",
            f"{found['insights']:,}: {found['proven']:,} proven,"
            f" {found['without_vector']:,} without a vector; {found['trash']:,} in the trash",
        ),
        _row(
            "effectiveness",
            f"{percent(found['effectiveness_mean'])} on average,"
            f" {percent(found['effectiveness_adjusted_mean'])} as it is read for a ranking",
        ),
        _row(
            "feedback",
            f"{counted(found['feedback_events'], 'event')}{_causal(found['causal_ratio'])};"
            f" {percent(found['loop_coverage'])} of the insights have been through it",
        ),
        *(
            [_row("", f"{counted(pending, 'agent')} waiting for a vector to be credited")]
            if (pending := found["feedback_pending"])
            else []
        ),
        _row(
            "graph",
            f"{counted(found['edges'], 'link')}, {found['edges_per_insight']:.1f} for each insight;"
            f" {percent(found['connected_ratio'])} of the insights are linked",
        ),
        _row("agents", counts or "none has been seen"),
        _row("archive", counted(found["archived"], "ended agent")),
        _row("questions", f"{found['open_questions']:,} open"),
        _row("refused texts", refused or "none"),
        _row("vectors of", ", ".join(found["embedding_models"]) or "no model yet"),
        _row("worker", f"{state}{model}"),
        _row("maintenance", f"last time: {moment(found['last_maintenance'])}"),
        *_hooks(found["hooks"]),
    ]


def _causal(ratio: float | None) -> str:
    return "" if ratio is None else f", {percent(ratio)} of the uses causal"


def _hooks(found: Mapping[str, Found]) -> list[str]:
    if not found:
        return [_row("hooks", "none has fired")]
    rows = [
        (name, f"{one['calls']:,}", one["keyword_only"], one["failed"], moment(one["last"]))
        for name, one in found.items()
    ]
    return ["", *columns(("hook", "calls", "by keyword", "failed", "last"), rows)]


def stats_lines(found: Found) -> list[str]:
    """The answer of `stats`, part by part; a figure without a part of its own as it comes."""
    lines: list[str] = []
    for name, value in found.items():
        lines += figure_lines(name, value)
    return lines


def figure_lines(name: str, value: Any) -> list[str]:
    """One figure of `stats` or `health`."""
    part = PARTS.get(name)
    if part is not None and (value is not None or part is _error):
        return part(value)
    if isinstance(value, list) and value and isinstance(value[0], Mapping):
        return [f"{words(name)}:", *(f"  {plain(name, row)}" for row in value)]
    return [_row(words(name), plain(name, value)) if len(name) < LABEL else
            f"{words(name)}: {plain(name, value)}"]  # fmt: skip


def _spread(title: str, unit: str = "insight") -> Callable[[Mapping[str, int]], list[str]]:
    """A distribution: a bar of counts for each key."""

    def lines(found: Mapping[str, int]) -> list[str]:
        if not found:
            return [f"{title}: none"]
        most, wide = max(found.values()), max(len(_tenth(key)) for key in found)
        return [
            f"{title}:",
            *(
                f"  {_tenth(key).ljust(wide)}  {'#' * max(1, round(20 * number / most)):<20}"
                f"  {counted(number, unit)}"
                for key, number in found.items()
            ),
        ]

    return lines


def _tenth(key: str) -> str:
    """ "0.5-0.6" as "50-60%"; any other key as it is."""
    low, dash, high = key.partition("-")
    try:
        return f"{float(low):.0%}-{float(high):.0%}".replace("%-", "-") if dash else key
    except ValueError:
        return key


def _table(title: str, empty: str, heads: Sequence[tuple[str, str]]) -> Any:
    """Rows under their heads, each given as (key, head)."""

    def lines(found: Sequence[Found]) -> list[str]:
        if not found:
            return [f"{title}: {empty}"]
        rows = [[plain(key, row.get(key)) for key, _ in heads] for row in found]
        return [f"{title}:", *(f"  {one}" for one in columns([head for _, head in heads], rows))]

    return lines


def _graph(found: Found) -> list[str]:
    cuts = found["articulation_points"]
    return [
        "graph:",
        f"  {counted(found['nodes'], 'insight')}, {counted(found['links'], 'link')}; "
        f"{percent(found['connected_ratio'])} of the insights are linked,"
        f" {found['isolates']:,} stand alone",
        f"  {counted(found['components'], 'part')}, the largest of"
        f" {counted(found['largest'], 'insight')}; density {found['density']:.3f}",
        f"  held together by: {named(found['articulation'], cuts)}"
        if cuts
        else "  no insight alone holds parts of it together",
    ]


def _credit(found: Found) -> list[str]:
    if not found["tasks"]:
        return ["credit: no task with a causal insight yet"]
    return [
        f"credit: helped in {found['helped']:.1f} and hurt in {found['hurt']:.1f} of"
        f" {found['tasks']:.1f} tasks with a causal insight"
        f" (helped: {found['low']:.0%} to {found['high']:.0%}, at 90%)"
    ]


def _error(value: float | None) -> list[str]:
    if value is None:
        return ["calibration error: not known yet"]
    return [f"calibration error: {value * 100:.0f} points between score and outcome, on average"]


PARTS: dict[str, Callable[[Any], list[str]]] = {
    "effectiveness": _spread("effectiveness"),
    "effectiveness_adjusted": _spread("effectiveness as it is read for a ranking"),
    "context_spread": _spread("kind of knowledge, by the spread of its contexts"),
    "velocity": _spread("causal uses in the last 14 days"),
    "top_connected": _table(
        "best linked", "no insight is linked",
        (("neighbours", "neighbours"), ("weight", "weight"), ("name", "insight")),
    ),
    "graph": _graph,
    "session_log": _table(
        "ended agents", "none yet",
        (("outcome", "outcome"), ("ended", "agents"), ("sessions", "sessions"),
         ("builders", "builders"), ("planners", "planners"), ("explorers", "explorers")),
    ),
    "checked_outcomes": _table(
        "what the outcomes of builders rest on", "none yet",
        (("source", "source"), ("ended", "tasks"), ("share", "share"),
         ("delivered", "delivered"), ("partial", "partial"), ("blocked", "blocked")),
    ),
    "credit": _credit,
    "calibration": _table(
        "calibration, tasks by the score their insight was shown with", "no such task yet",
        (("score", "score"), ("mean_score", "on average"), ("tasks", "tasks"),
         ("delivered", "delivered"), ("rate", "share"), ("low", "from"), ("high", "to (90%)")),
    ),
    "calibration_error": _error,
    "lift": lambda found: [f"lift of showing insights: {found['told']}"],
    "lift_by_insight": _table(
        "lift by insight", "none is known yet", (("told", "lift"), ("name", "insight"))
    ),
    "rejections": _table(
        "refused texts", "none", (("rule", "rule"), ("count", "texts"), ("last_at", "last"))
    ),
    "synthesis": _spread("patterns of failures", "pattern"),
}  # fmt: skip
"""How a figure with a form of its own is told."""
