"""The command that takes a ranking apart: recall's, or that by which agents are given insights."""

from __future__ import annotations

from typing import Any

from helix_core.cli import output
from helix_core.cli.lookup import HOPS, LIMIT, QUERY, RELEVANCE, query_args
from helix_core.cli.registry import Options, arg, as_json, caller, command, remark
from helix_core.errors import UsageError

BY_RECALL = (
    "ranked as helix recall does, by the spec's formula: rrf x (0.5 + 0.5 x effectiveness)"
    " x recency x (1 + velocity)"
)
THE_OTHER = "what an agent would be given is ranked another way: helix explain --as injection"
BY_INJECTION = "ranked as for an agent that is given this task; helix recall ranks another way"
FORMULA = "score: rrf x ({:.2f} + {:.2f} x value){}; value: how tasks like this one went with it"
BY_SPEC = "score: the spec's formula (ranking = spec)"


@command(
    "explain",
    "why a query finds what it finds: each part of each score",
    QUERY,
    arg(
        "--as",
        dest="ranking",
        choices=("recall", "injection"),
        default="recall",
        help="whose ranking: of helix recall (the default), or what an agent would be given",
    ),
    LIMIT,
    RELEVANCE,
    HOPS,
    answer="an object: as, mode, note, candidates, left_out; with --as injection also task, query,"
    " session_id, siblings, ranking, strength, recency, block",
)
def explain(options: Options) -> None:
    """Explain a recall, or the choice of insights for an agent."""
    asked = query_args(options, 15)
    if options.ranking == "injection":
        given = (options.limit, options.min_relevance, options.graph_hops)
        if any(value is not None for value in given):
            raise UsageError(
                "--as injection takes limit, gate and hops from the settings, as the hook does"
                " (helix config)"
            )
        found = caller(options).with_vectors("what-if", {"task": asked["query"]})
        _show(options, found, _injection_lines)
    else:
        _show(options, caller(options).with_vectors("explain", asked), _recall_lines)


def _show(options: Options, found: dict[str, Any], lines: Any) -> None:
    if as_json(options):
        output.emit_json(found)
        return
    remark(options, found["note"])
    for line in lines(found):
        output.line(line)


def _recall_lines(found: dict[str, Any]) -> list[str]:
    heads = (
        *("#", "score", "cosine", "vec", "key", "rrf", "eff", "90%", "n", "rec", "vel"),
        *("value", "activation", "inj", "insight"),
    )
    rows = [_candidate_row(one) for one in found["candidates"]]
    lines = [BY_RECALL, THE_OTHER]
    lines += output.columns(heads, rows) if rows else ["nothing relevant enough"]
    return [*lines, *_left_out(found)]


def _injection_lines(found: dict[str, Any]) -> list[str]:
    strength = found["strength"]
    more = " x recency x velocity" if found["recency"] else ""
    spec = found["ranking"] == "spec"
    lines = [
        BY_INJECTION,
        BY_SPEC if spec else FORMULA.format(1.0 - strength, strength, more),
    ]
    heads = ("given", "score", "cosine", "vec", "key", "rrf", "value", "uses", "insight")
    rows = [_injected_row(one) for one in found["candidates"]]
    lines += output.columns(heads, rows) if rows else ["nothing relevant enough"]
    lines += [f"{one['name']}: {one['_why']}" for one in found["candidates"]]
    if found["siblings"]:
        held = output.counted(found["siblings"], "insight")
        lines.append(f"{held} held by agents that run now in session {found['session_id']}")
    return [*lines, *_left_out(found)]


def _left_out(found: dict[str, Any]) -> list[str]:
    lines = [
        f"left out: {one['name']}: {one['_left_out']}{_cosine(one['_relevance'])}"
        for one in found["candidates"]
        if one["_left_out"]
    ]
    return lines + [
        f"left out: {item['name']}: {item['reason']}{_cosine(item['relevance'])}"
        for item in found["left_out"]
    ]


def _injected_row(one: dict[str, Any]) -> tuple[object, ...]:
    value = one["_effectiveness"] if one["_value"] is None else one["_value"]
    return (
        one["_place"] or "-",
        *_found_by(one),
        output.percent(value),
        one["_causal_events"] or "-",
        one["name"],
    )


def _candidate_row(one: dict[str, Any]) -> tuple[object, ...]:
    proof = one["_evidence"]
    through = f" (through {one['_through']})" if one["_through"] else ""
    return (
        one["_rank"] or "-",
        *_found_by(one),
        f"{one['_effectiveness']:.2f}",
        f"{proof['low']:.2f}-{proof['high']:.2f}",
        f"{proof['n']:.1f}",
        f"{one['_recency']:.2f}",
        f"{one['_velocity']:.2f}",
        f"{one['_value']:.2f}",
        _number(one["_activation"], 5),
        one["_injection_rank"] or "-",
        f"{one['name']}{through}",
    )


def _found_by(one: dict[str, Any]) -> tuple[object, ...]:
    """Score, cosine, both ranks and their fusion: the same in every ranking."""
    return (
        f"{one['_score']:.5f}",
        _number(one["_relevance"], 3),
        one["_vector_rank"] or "-",
        one["_keyword_rank"] or "-",
        _number(one["_rrf"], 5),
    )


def _number(value: float | None, digits: int) -> str:
    return "-" if value is None else f"{value:.{digits}f}"


def _cosine(value: float | None) -> str:
    return "" if value is None else f" (cos {value:.2f})"
