"""The commands: what each takes, does and prints. Heavy imports happen inside a command."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from helix_core import paths
from helix_core.cli import output
from helix_core.cli.call import Caller
from helix_core.errors import RefusedError, UsageError

Options = argparse.Namespace


@dataclass(frozen=True)
class Command:
    """One command: its name, its one-line help, its arguments, and what runs it."""

    name: str
    help: str
    arguments: Callable[[argparse.ArgumentParser], None]
    run: Callable[[Options], int | None]


COMMANDS: list[Command] = []


def command(
    name: str, help_text: str, *arguments: tuple[tuple[str, ...], dict[str, Any]]
) -> Callable[[Callable[[Options], int | None]], Callable[[Options], int | None]]:
    """Register a command with its arguments, each given as (flags, options of add_argument)."""

    def register(run: Callable[[Options], int | None]) -> Callable[[Options], int | None]:
        def add(parser: argparse.ArgumentParser) -> None:
            for flags, options in arguments:
                parser.add_argument(*flags, **options)

        COMMANDS.append(Command(name, help_text, add, run))
        return run

    return register


def arg(*flags: str, **options: Any) -> tuple[tuple[str, ...], dict[str, Any]]:
    """One argument, as `add_argument` takes it."""
    return flags, options


def caller(options: Options) -> Caller:
    """Who asks: the project named or found, and how talkative."""
    start = getattr(options, "project", None)
    project = paths.find_project(start, database=getattr(options, "db", None))
    return Caller(project, quiet=getattr(options, "quiet", False) or as_json(options))


def as_json(options: Options) -> bool:
    """Whether `--json` was given."""
    return bool(getattr(options, "json", False))


def read_text(value: str) -> str:
    """An argument, or standard input for `-`."""
    return sys.stdin.read() if value == "-" else value


LIMIT = arg("--limit", type=int, metavar="N")
RELEVANCE = arg(
    "--min-relevance",
    type=float,
    metavar="COSINE",
    help="the gate (default: the embedding model's own)",
)
HOPS = arg("--graph-hops", type=int, default=1, choices=(0, 1))


@command(
    "store",
    "store one insight: added, merged or rejected, and why",
    arg("text", metavar="TEXT", help="the insight, or - for standard input"),
    arg("--tag", action="append", default=[], metavar="TAG"),
    arg("--effectiveness", type=float, default=0.5, metavar="F"),
)
def store(options: Options) -> int:
    """Store; exit code 1 where the text was refused."""
    found = caller(options).with_vectors(
        "store",
        {
            "content": read_text(options.text),
            "tags": options.tag,
            "effectiveness": options.effectiveness,
        },
    )
    if as_json(options):
        output.emit_json(found)
    else:
        reason = f" ({found['reason']})" if found["reason"] else ""
        output.line(f"{found['status']}: {found['name'] or ''}{reason}")
    return 1 if found["status"] == "rejected" else 0


@command(
    "recall",
    "the insights for a query, best first",
    arg("query", metavar="QUERY"),
    LIMIT,
    RELEVANCE,
    arg("--min-effectiveness", type=float, default=0.0, metavar="F"),
    arg("--suppress", action="append", default=[], metavar="NAME"),
    HOPS,
)
def recall(options: Options) -> None:
    """Recall by the spec's formula."""
    found = caller(options).with_vectors("recall", _query_args(options, 5))
    if found["note"]:
        hint = ", --min-relevance 0 shows them" if "under the gate" in found["note"] else ""
        output.say(f"helix: {found['note']}{hint}")
    if as_json(options):
        output.emit_json(found["results"])
        return
    for item in found["results"]:
        output.line(_result_line(item))
    if not found["results"]:
        output.line("nothing relevant enough")


def _query_args(options: Options, limit: int) -> dict[str, Any]:
    args = {
        "query": read_text(options.query),
        "limit": limit if options.limit is None else options.limit,
        "min_effectiveness": getattr(options, "min_effectiveness", 0.0),
        "suppress": getattr(options, "suppress", []),
        "graph_hops": options.graph_hops,
    }
    if options.min_relevance is not None:
        args["min_relevance"] = options.min_relevance
    return args


def _result_line(item: dict[str, Any]) -> str:
    relevance = "keyword" if item["_relevance"] is None else f"cos {item['_relevance']:.2f}"
    hop = " via graph" if item["_hop"] else ""
    share = output.percent(item["_effectiveness"])
    return f"[{share}] {item['content']}\n      {item['name']} ({relevance}{hop})"


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
    found = caller(options).with_vectors("explain", _query_args(options, 15))
    if as_json(options):
        output.emit_json(found)
        return
    if found["note"]:
        output.say(f"helix: {found['note']}")
    heads = ("score", "cosine", "vec", "key", "rrf", "eff", "rec", "vel", "hop", "inj", "insight")
    rows = [
        (
            f"{c['_score']:.5f}",
            "-" if c["_relevance"] is None else f"{c['_relevance']:.3f}",
            c["_vector_rank"] or "-",
            c["_keyword_rank"] or "-",
            f"{c['_rrf']:.5f}",
            f"{c['_effectiveness']:.2f}",
            f"{c['_recency']:.2f}",
            f"{c['_velocity']:.2f}",
            c["_hop"],
            c["_injection_rank"] or "-",
            c["name"],
        )
        for c in found["candidates"]
    ]
    output.table(heads, rows)
    for item in found["left_out"]:
        relevance = "" if item["relevance"] is None else f" (cos {item['relevance']:.2f})"
        output.line(f"left out: {item['name']}: {item['reason']}{relevance}")


NAME = arg("name", metavar="NAME")
NAMES = arg("names", metavar="NAME", nargs="+")


@command("get", "one insight", NAME)
def get(options: Options) -> None:
    """Print one insight."""
    found = caller(options).directly("get", {"name": options.name})
    if as_json(options):
        output.emit_json(found)
        return
    output.line(found["content"])
    for key, value in found.items():
        if key != "content":
            output.line(f"  {key}: {value}")


@command("history", "every event that touched an insight", NAME)
def history(options: Options) -> None:
    """Print the events behind a score."""
    found = caller(options).directly("history", {"name": options.name})
    if as_json(options):
        output.emit_json(found)
        return
    output.line(found["insight"]["content"])
    rows = [
        (
            event["created_at"][:16],
            event["kind"],
            event["outcome"],
            "-" if event["similarity"] is None else f"{event['similarity']:.2f}",
            f"{event['weight']:.2f}",
            f"{event['before']:.3f} -> {event['after']:.3f}",
            event["task"] or event["agent_id"],
        )
        for event in found["events"]
    ]
    output.table(("when", "kind", "outcome", "cos", "weight", "effectiveness", "task"), rows)


@command(
    "neighbors",
    "what an insight is linked to",
    NAME,
    arg("--relation", choices=("similar", "led_to")),
    arg("--limit", type=int, default=5, metavar="N"),
)
def neighbors(options: Options) -> None:
    """Print the edges of one insight."""
    found = caller(options).directly(
        "neighbors",
        {"name": options.name, "relation": options.relation, "limit": options.limit},
    )
    if as_json(options):
        output.emit_json(found)
        return
    arrows = {("similar", "in"): "~", ("similar", "out"): "~", ("led_to", "in"): "<-"}
    for item in found:
        arrow = arrows.get((item["_relation"], item["_direction"]), "->")
        output.line(f"{arrow} {item['_weight']:.2f} {item['name']}: {item['content']}")


@command(
    "feedback",
    "apply an outcome to insights by hand",
    NAMES,
    arg(
        "--outcome",
        required=True,
        metavar="OUTCOME",
        help="delivered, partial, blocked or plan_complete",
    ),
    arg("--causal", action="append", default=[], metavar="NAME=SIM"),
)
def feedback(options: Options) -> None:
    """Apply feedback."""
    causal = {}
    for pair in options.causal:
        name, equals, value = pair.rpartition("=")
        try:
            causal[name] = float(value)
        except ValueError:
            equals = ""
        if not equals:
            raise UsageError(f"--causal takes NAME=SIMILARITY, not {pair!r}")
    args = {"names": options.names, "outcome": options.outcome, "causal": causal}
    found = caller(options).directly("feedback", args)
    _changes(options, found, "feedback")


@command(
    "decay",
    "move dormant insights towards neutral",
    arg("--days", type=float, metavar="D"),
    arg("--dry-run", action="store_true"),
)
def decay(options: Options) -> None:
    """Decay."""
    args = {"days": options.days, "dry_run": options.dry_run}
    _changes(options, caller(options).directly("decay", args), "decay")


@command(
    "prune",
    "move insights that failed, or that nobody needed, to the trash",
    arg("--threshold", type=float, metavar="F"),
    arg("--min-uses", type=int, metavar="N"),
    arg("--dry-run", action="store_true"),
)
def prune(options: Options) -> None:
    """Prune into the trash."""
    args = {
        "threshold": options.threshold,
        "min_uses": options.min_uses,
        "dry_run": options.dry_run,
    }
    _changes(options, caller(options).directly("prune", args), "prune")


def _changes(options: Options, found: list[dict[str, Any]], what: str) -> None:
    if as_json(options):
        output.emit_json(found)
        return
    for item in found:
        after = "" if item.get("after") is None else f" -> {item['after']:.3f}"
        reason = item.get("reason") or ("causal" if item.get("causal") else "not causal: eroded")
        output.line(f"{item['name']}: {item['before']:.3f}{after} ({reason})")
    if not found:
        output.line(f"{what}: nothing to do")


@command("count", "how many insights there are")
def count(options: Options) -> None:
    """Count."""
    found = caller(options).directly("count", {})
    output.emit_json(found) if as_json(options) else output.line(str(found["count"]))


@command("health", "how the memory is doing")
def health(options: Options) -> None:
    """Print the figures of the memory and the state of the worker."""
    from helix_core.embed import client

    who = caller(options)
    found = who.directly("health", {})
    found["worker"] = client.status() or {"model_state": "absent"}
    found["project"] = {"root": str(who.project.root), "found_by": who.project.reason}
    if as_json(options):
        output.emit_json(found)
        return
    for key, value in found.items():
        text = f"{value:.3f}" if isinstance(value, float) else value
        output.line(f"{key}: {text}")


@command(
    "trash",
    "move insights to the trash (restore and undo bring them back)",
    arg("names", metavar="NAME", nargs="*"),
)
def trash(options: Options) -> None:
    """Trash by name; without a name, list what is in the trash."""
    who = caller(options)
    if options.names:
        found: Any = who.directly("trash", {"names": options.names})
        text = f"in the trash: {', '.join(options.names)} (helix undo brings it back)"
    else:
        found = who.directly("trash-list", {})
        text = "\n".join(f"{t['name']}: {t['content']} ({t['reason']})" for t in found) or "empty"
    output.emit_json(found) if as_json(options) else output.line(text)


@command("restore", "bring an insight back from the trash", NAME)
def restore(options: Options) -> None:
    """Restore."""
    found = caller(options).directly("restore", {"name": options.name})
    output.emit_json(found) if as_json(options) else output.line(f"restored {options.name}")


@command("undo", "take back the newest change made by hand or by maintenance")
def undo(options: Options) -> None:
    """Undo."""
    found = caller(options).directly("undo", {})
    names = ", ".join(found["names"])
    output.emit_json(found) if as_json(options) else output.line(
        f"undone: {found['undone']} {names}"
    )


@command("pin", "never prune this insight", NAME)
def pin(options: Options) -> None:
    """Pin."""
    found = caller(options).directly("pin", {"name": options.name, "pinned": True})
    output.emit_json(found) if as_json(options) else output.line(f"pinned {options.name}")


@command("unpin", "let this insight be pruned again", NAME)
def unpin(options: Options) -> None:
    """Unpin."""
    found = caller(options).directly("pin", {"name": options.name, "pinned": False})
    output.emit_json(found) if as_json(options) else output.line(f"unpinned {options.name}")


@command("reindex", "embed what has no vector of the present model yet")
def reindex(options: Options) -> None:
    """Embed until nothing waits."""
    who = caller(options)
    total = 0
    while True:
        step = who.with_vectors("reindex", {"batch": 64})["embedded"]
        total += step
        if not step:
            break
    output.emit_json({"embedded": total}) if as_json(options) else output.line(f"embedded {total}")


@command(
    "worker",
    "the process that holds the embedding model",
    arg("action", choices=("start", "stop", "status")),
)
def worker(options: Options) -> int:
    """Start (and wait until ready), stop, or look."""
    from helix_core.embed import client, lifecycle

    if options.action == "stop":
        found: dict[str, Any] = {"stopped": lifecycle.stop()}
        text = "stopped" if found["stopped"] else "there was no worker"
        output.emit_json(found) if as_json(options) else output.line(text)
        return 0
    if options.action == "start" and not lifecycle.ensure(120.0):
        raise RefusedError("the worker does not start; `make setup` builds its environment")
    status = client.status()
    if as_json(options):
        output.emit_json(status or {"model_state": "absent"})
    elif status is None:
        output.line("no worker is running")
    else:
        for key, value in status.items():
            output.line(f"{key}: {value}")
    return 0 if status else 1


@command("hook", "run a hook by hand: its payload on standard input", arg("event"))
def hook(options: Options) -> None:
    """Exactly what Claude Code would get, on standard output."""
    from helix_core.hooks import events, process

    if options.event not in events.HANDLERS:
        raise UsageError(f"unknown event {options.event!r}; known: {', '.join(events.HANDLERS)}")
    process.main(options.event)


@command("config", "each setting, its value and where it came from")
def config(options: Options) -> None:
    """Print the settings in force."""
    from helix_core import settings

    chosen = settings.load(caller(options).project.home)
    found = {
        key: {"value": getattr(chosen, key), "origin": chosen.origins.get(key, "default")}
        for key in settings.KEYS
    }
    if as_json(options):
        output.emit_json(found)
    else:
        output.table(
            ("setting", "value", "origin"),
            [(key, item["value"], item["origin"]) for key, item in found.items()],
        )


@command(
    "demo",
    "a whole scripted session through the real hooks, in a scratch project",
    arg("--tui", action="store_true", help="open the dashboard on it while it runs"),
)
def demo(options: Options) -> int:
    """Run the demonstration."""
    from helix_core.demo import runner

    return runner.main(tui=options.tui, as_json=as_json(options))
