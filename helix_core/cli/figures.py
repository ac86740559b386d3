"""Commands that say how the memory does and why: explain, health, stats, synthesize, calibrate."""

from __future__ import annotations

from typing import Any

from helix_core.cli import output
from helix_core.cli.lookup import HOPS, LIMIT, RELEVANCE, query_args
from helix_core.cli.registry import Options, arg, as_json, caller, command

EXPLAIN = arg("--explain", action="store_true", help="print the query behind each figure")
DRY_RUN = arg("--dry-run", action="store_true")
SHOWN_WIDTH = 400


@command(
    "explain",
    "every candidate for a query with each part of its score, and why others were left out",
    arg("query", metavar="QUERY"),
    LIMIT,
    RELEVANCE,
    HOPS,
)
def explain(options: Options) -> None:
    """Explain a recall."""
    found = caller(options).with_vectors("explain", query_args(options, 15))
    if as_json(options):
        output.emit_json(found)
        return
    if found["note"]:
        output.say(f"helix: {found['note']}")
    heads = (
        *("#", "score", "cosine", "vec", "key", "rrf", "eff", "90%", "n", "rec", "vel"),
        *("value", "activation", "inj", "insight"),
    )
    output.table(heads, [_candidate_row(one) for one in found["candidates"]])
    for one in found["candidates"]:
        if one["_left_out"]:
            output.line(f"left out: {one['name']}: {one['_left_out']}{_cosine(one['_relevance'])}")
    for item in found["left_out"]:
        output.line(f"left out: {item['name']}: {item['reason']}{_cosine(item['relevance'])}")


def _candidate_row(one: dict[str, Any]) -> tuple[object, ...]:
    proof = one["_evidence"]
    through = f" (through {one['_through']})" if one["_through"] else ""
    return (
        one["_rank"] or "-",
        f"{one['_score']:.5f}",
        _number(one["_relevance"], 3),
        one["_vector_rank"] or "-",
        one["_keyword_rank"] or "-",
        _number(one["_rrf"], 5),
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


def _number(value: float | None, digits: int) -> str:
    return "-" if value is None else f"{value:.{digits}f}"


def _cosine(value: float | None) -> str:
    return "" if value is None else f" (cos {value:.2f})"


@command("health", "how the memory is doing", EXPLAIN)
def health(options: Options) -> None:
    """Print the figures of the memory and the state of the worker."""
    from helix_core.embed import client

    who = caller(options)
    if options.explain:
        _print_explained(options, who.directly("health", {"explain": True}))
        return
    found = who.directly("health", {})
    found["worker"] = client.status() or {"model_state": "absent"}
    found["project"] = {"root": str(who.project.root), "found_by": who.project.reason}
    _print_values(options, found)


@command("stats", "distributions, graph, outcomes and calibration of the memory", EXPLAIN)
def stats(options: Options) -> None:
    """Print the statistics."""
    found = caller(options).directly("stats", {"explain": options.explain})
    if options.explain:
        _print_explained(options, found)
    else:
        _print_values(options, found)


def _print_values(options: Options, found: dict[str, Any]) -> None:
    if as_json(options):
        output.emit_json(found)
        return
    for key, value in found.items():
        _print_figure(key, value)


def _print_explained(options: Options, found: list[dict[str, Any]]) -> None:
    if as_json(options):
        output.emit_json(found)
        return
    for item in found:
        _print_figure(item["name"], item["value"])
        output.line(f"    sql: {item['sql']}")
        if item.get("note"):
            output.line(f"    then: {item['note']}")


def _print_figure(name: str, value: Any) -> None:
    if isinstance(value, list) and value and isinstance(value[0], dict):
        output.line(f"{name}:")
        for row in value:
            output.line("  " + "  ".join(f"{key} {_shown(cell)}" for key, cell in row.items()))
    elif isinstance(value, dict) and value:
        output.line(f"{name}:")
        for key, cell in value.items():
            output.line(f"  {key}: {_shown(cell)}")
    else:
        output.line(f"{name}: {_shown(value)}")


def _shown(value: Any) -> str:
    if value is None:
        return "-"
    if isinstance(value, float):
        return f"{value:.3f}"
    if isinstance(value, dict):
        return ", ".join(f"{key} {_shown(cell)}" for key, cell in value.items())
    if isinstance(value, (list, tuple)):
        return ", ".join(map(_shown, value)) or "none"
    return str(value)[:SHOWN_WIDTH]


@command("synthesize", "make failures that keep coming back into insights", DRY_RUN)
def synthesize(options: Options) -> int:
    """Find recurring failures over sessions; with `--dry-run` only say what would be done."""
    found = caller(options).with_vectors("synthesize", {"dry_run": options.dry_run})
    if as_json(options):
        output.emit_json(found)
        return 1 if found["note"] else 0
    if found["note"]:
        output.say(f"helix: {found['note']}")
        return 1
    for one in found["patterns"]:
        share = f"{len(one['members'])} failures in {one['sessions']} sessions"
        output.line(f"{one['action']}: {one['name'] or one['summary']} ({share}, {one['reason']})")
    if not found["patterns"]:
        output.line("synthesize: nothing new")
    return 0


@command("calibrate", "derive the thresholds of an unmeasured embedding model", DRY_RUN)
def calibrate(options: Options) -> None:
    """Compare the model's cosines with those of the packaged model on the stored insights."""
    found = caller(options).with_vectors("calibrate", {"dry_run": options.dry_run})
    if as_json(options):
        output.emit_json(found)
        return
    output.line(f"{found['model']} by {found['anchor']}: {found['insights']} insights")
    output.table(
        ("threshold", "in force", "derived"),
        [(k, f"{found['before'][k]:.3f}", f"{v:.3f}") for k, v in found["derived"].items()],
    )
    if found["measured"]:
        output.line("the thresholds of this model are measured: nothing changes")
    elif found["written"]:
        output.line("written; in force from now on")
