"""Commands that say how the memory does: health, stats; and two of upkeep that learn from it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from helix_core.cli import figures_text, output
from helix_core.cli.output import counted
from helix_core.cli.registry import DRY_RUN, Options, arg, as_json, caller, command, remark

EXPLAIN = arg(
    "--explain",
    action="store_true",
    help="print the query behind each figure (--json: a list: name, value, sql, note)",
)


@command(
    "health",
    "whether it works: counts, feedback, graph, worker, hooks",
    EXPLAIN,
    answer="an object: status, insights, effectiveness_mean, effectiveness_adjusted_mean,"
    " loop_coverage, causal_ratio, proven, edges, connected_ratio, edges_per_insight,"
    " without_vector, trash, feedback_events, feedback_pending, archived, open_questions,"
    " agent_runs, rejections, embedding_models, last_maintenance, hooks, worker, project",
)
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
    _print_figures(options, found, figures_text.health_lines)


@command(
    "stats",
    "whether it learns: distributions, outcomes, credit, calibration",
    EXPLAIN,
    answer="an object: insights, effectiveness, effectiveness_adjusted, context_spread, velocity,"
    " top_connected, graph, session_log, checked_outcomes, credit, calibration, calibration_error,"
    " lift, lift_by_insight, rejections, synthesis",
)
def stats(options: Options) -> None:
    """Print the statistics."""
    found = caller(options).directly("stats", {"explain": options.explain})
    if options.explain:
        _print_explained(options, found)
    else:
        _print_figures(options, found, figures_text.stats_lines)


def _print_figures(
    options: Options, found: dict[str, Any], lines: Callable[[dict[str, Any]], list[str]]
) -> None:
    if as_json(options):
        output.emit_json(found)
        return
    for line in lines(found):
        output.line(line)


def _print_explained(options: Options, found: list[dict[str, Any]]) -> None:
    if as_json(options):
        output.emit_json(found)
        return
    for item in found:
        for line in figures_text.figure_lines(item["name"], item["value"]):
            output.line(line)
        output.line(f"    sql: {item['sql']}")
        if item.get("note"):
            output.line(f"    then: {item['note']}")


@command(
    "synthesize",
    "make failures that keep coming back into insights",
    DRY_RUN,
    answer="an object: patterns, note",
)
def synthesize(options: Options) -> int:
    """Find recurring failures over sessions; with `--dry-run` only say what would be done."""
    found = caller(options).with_vectors("synthesize", {"dry_run": options.dry_run})
    if as_json(options):
        output.emit_json(found)
        return 1 if found["note"] else 0
    if found["note"]:
        remark(options, found["note"])
        return 1
    for one in found["patterns"]:
        failures = counted(len(one["members"]), "failure")
        share = f"{failures} in {counted(one['sessions'], 'session')}"
        output.line(f"{one['action']}: {one['name'] or one['summary']} ({share}, {one['reason']})")
    if not found["patterns"]:
        output.line("synthesize: nothing new")
    return 0


@command(
    "calibrate",
    "derive the thresholds of an unmeasured embedding model",
    DRY_RUN,
    answer="an object: model, anchor, insights, pairs, quantiles, before, derived, measured,"
    " written",
)
def calibrate(options: Options) -> None:
    """Compare the model's cosines with those of the packaged model on the stored insights."""
    found = caller(options).with_vectors("calibrate", {"dry_run": options.dry_run})
    if as_json(options):
        output.emit_json(found)
        return
    output.line(f"{found['model']} by {found['anchor']}: {counted(found['insights'], 'insight')}")
    output.table(
        ("threshold", "in force", "derived"),
        [(k, f"{found['before'][k]:.3f}", f"{v:.3f}") for k, v in found["derived"].items()],
    )
    if found["measured"]:
        output.line("the thresholds of this model are measured: nothing changes")
    elif found["written"]:
        output.line("written; in force from now on")
