"""Commands that put in and look up: store, recall, get, history, neighbors."""

from __future__ import annotations

from typing import Any

from helix_core.cli import figures_text, output
from helix_core.cli.registry import (
    COSINE,
    INSIGHT,
    NAME,
    RESULT,
    SHARE,
    Options,
    arg,
    as_json,
    caller,
    command,
    read_text,
    remark,
    whole,
)

QUERY = arg("query", metavar="QUERY", help="what to look for, or - for standard input")
LIMIT = arg("--limit", type=whole(), metavar="N", help="so many at most, 1 or more")
RELEVANCE = arg(
    "--min-relevance",
    type=COSINE,
    metavar="COSINE",
    help="the gate, from -1 to 1 (default: the embedding model's own)",
)
HOPS = arg(
    "--graph-hops",
    type=whole(0),
    choices=(0, 1),
    help="1 also looks at what the best are linked to (the default), 0 does not",
)


@command(
    "store",
    "store one insight: added, merged or rejected, and why",
    arg("text", metavar="TEXT", help="the insight, or - for standard input"),
    arg("--tag", action="append", default=[], metavar="TAG", help="a tag; may be given again"),
    arg(
        "--effectiveness",
        type=SHARE,
        default=0.5,
        metavar="F",
        help="where it begins, from 0 to 1 (default: 0.5, untested)",
    ),
    answer="an object: status (added, merged or rejected), name, reason",
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
    QUERY,
    LIMIT,
    RELEVANCE,
    arg(
        "--min-effectiveness",
        type=SHARE,
        default=0.0,
        metavar="F",
        help="only those that stand at F or above, from 0 to 1",
    ),
    arg(
        "--suppress",
        action="append",
        default=[],
        metavar="NAME",
        help="leave this insight out; may be given again",
    ),
    HOPS,
    answer=f"a list: {RESULT}",
)
def recall(options: Options) -> None:
    """Recall by the spec's formula."""
    found = caller(options).with_vectors("recall", query_args(options, 5))
    if found["note"]:
        hint = ", --min-relevance 0 shows them" if "under the gate" in found["note"] else ""
        remark(options, f"{found['note']}{hint}")  # a list has no room for it
    if as_json(options):
        output.emit_json(found["results"])
        return
    for item in found["results"]:
        output.line(result_line(item))
    if not found["results"]:
        output.line("nothing relevant enough")


def query_args(options: Options, limit: int) -> dict[str, Any]:
    """What a command that takes a query asks for. An empty one finds nothing, and that is said."""
    query = read_text(options.query)
    if not query.strip():
        remark(options, "nothing is asked for: the text to look for is empty")
    args = {
        "query": query,
        "limit": limit if options.limit is None else options.limit,
        "min_effectiveness": getattr(options, "min_effectiveness", 0.0),
        "suppress": getattr(options, "suppress", []),
        "graph_hops": 1 if options.graph_hops is None else options.graph_hops,
    }
    if options.min_relevance is not None:
        args["min_relevance"] = options.min_relevance
    return args


def result_line(item: dict[str, Any]) -> str:
    """One recalled insight for people: its effectiveness, its text, how it was found."""
    relevance = "keyword" if item["_relevance"] is None else f"cos {item['_relevance']:.2f}"
    hop = " via graph" if item["_hop"] else ""
    share = output.percent(item["_effectiveness"])
    return f"[{share}] {item['content']}\n      {item['name']} ({relevance}{hop})"


@command("get", "one insight, with its figures", NAME, answer=f"an object: {INSIGHT}, row_version")
def get(options: Options) -> None:
    """Print one insight."""
    found = caller(options).directly("get", {"name": options.name})
    if as_json(options):
        output.emit_json(found)
        return
    output.line(found["content"])
    for line in figures_text.insight_lines(found):
        output.line(line)


@command(
    "history",
    "every event that touched an insight",
    NAME,
    answer="an object: insight, injected, evidence, lift, events, synthesis, revisions, changes",
)
def history(options: Options) -> None:
    """Print the events behind a score."""
    found = caller(options).directly("history", {"name": options.name})
    if as_json(options):
        output.emit_json(found)
        return
    output.line(found["insight"]["content"])
    proof = found["evidence"]
    output.line(
        f"helped in {proof['helped']:.1f} and hurt in {proof['hurt']:.1f} of {proof['n']:.1f} tasks"
        f" (helped: {proof['low']:.0%} to {proof['high']:.0%}, at 90%)"
    ) if proof["n"] else output.line("no task has told yet whether it helps")
    if found["lift"]["needed"] is not None:
        output.line(f"lift: {found['lift']['told']}")
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
    for kept in found["revisions"]:
        when, tags = (
            kept["created_at"][:16],
            f" [{', '.join(kept['tags'])}]" if kept["tags"] else "",
        )
        output.line(f"{when}  before {kept['reason']} by {kept['actor']}: {kept['content']}{tags}")
    for done in found["changes"]:
        undone = ", taken back" if done["undone"] else ""
        output.line(f"{done['created_at'][:16]}  {done['action']} by {done['actor']}{undone}")


@command(
    "neighbors",
    "what an insight is linked to",
    NAME,
    arg("--relation", choices=("similar", "led_to"), help="only links of this kind"),
    arg("--limit", type=whole(), default=5, metavar="N", help="so many at most (default: 5)"),
    answer=f"a list: {INSIGHT}, _weight, _relation, _direction",
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
    if not found:
        output.line(f"{options.name} is linked to nothing")
