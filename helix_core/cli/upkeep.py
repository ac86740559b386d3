"""Commands that move, remove and bring back, and those that count."""

from __future__ import annotations

import math
from typing import Any

from helix_core.cli import output
from helix_core.cli.output import counted
from helix_core.cli.registry import (
    DRY_RUN,
    NAME,
    NAMES,
    SHARE,
    Options,
    arg,
    as_json,
    caller,
    command,
    number,
    remark,
    whole,
)
from helix_core.errors import UsageError

MOVED = "name, similarity, weight, causal, before, after"
CHANGE = "name, reason, before, after"


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
    arg(
        "--causal",
        action="append",
        default=[],
        metavar="NAME=SIM",
        help="how close the task was to this insight, from 0 to 1 (default: 1); may be repeated",
    ),
    answer=f"a list: {MOVED}",
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
        if not equals or not math.isfinite(causal[name]):
            raise UsageError(f"--causal takes NAME=SIMILARITY, not {pair!r}")
    args = {"names": options.names, "outcome": options.outcome, "causal": causal}
    found = caller(options).directly("feedback", args)
    _changes(options, found, "feedback")
    for name, value in causal.items():
        if not 0.0 <= value <= 1.0:
            remark(options, f"a similarity lies between 0 and 1: {name}={value:g} counts as"
                   f" {min(1.0, max(0.0, value)):g}")  # fmt: skip


@command(
    "decay",
    "move dormant insights towards neutral",
    arg("--days", type=number(0.0), metavar="D", help="unused for so long (default: 30)"),
    DRY_RUN,
    answer=f"a list: {CHANGE}",
)
def decay(options: Options) -> None:
    """Decay."""
    args = {"days": options.days, "dry_run": options.dry_run}
    _changes(options, caller(options).directly("decay", args), "decay")


@command(
    "prune",
    "move insights that failed, or that nobody needed, to the trash",
    arg(
        "--threshold",
        type=SHARE,
        metavar="F",
        help="failed is what stands below F, from 0 to 1 (default: 0.25)",
    ),
    arg("--min-uses", type=whole(0), metavar="N", help="after so many uses (default: 3)"),
    DRY_RUN,
    answer=f"a list: {CHANGE}",
)
def prune(options: Options) -> None:
    """Prune into the trash."""
    args = {
        "threshold": options.threshold,
        "min_uses": options.min_uses,
        "dry_run": options.dry_run,
    }
    found = caller(options).directly("prune", args)
    _changes(options, found, "prune")
    if found and not options.dry_run and not as_json(options):
        moved = counted(len(found), "insight")
        output.line(f"{moved} in the trash; a backup was made first, helix undo brings all back")


def _changes(options: Options, found: list[dict[str, Any]], what: str) -> None:
    if as_json(options):
        output.emit_json(found)
        return
    for item in found:
        after = "" if item.get("after") is None else f" -> {item['after']:.3f}"
        output.line(f"{item['name']}: {item['before']:.3f}{after} ({_why(item)})")
    if not found:
        output.line(f"{what}: nothing to do")


def _why(item: dict[str, Any]) -> str:
    if item.get("reason"):
        return str(item["reason"])
    how = "causal" if item.get("causal") else "not causal: eroded"
    return f"similarity {min(1.0, max(0.0, item['similarity'])):.2f}, {how}"


@command("count", "how many insights there are", answer="an object: count")
def count(options: Options) -> None:
    """Count."""
    found = caller(options).directly("count", {})
    output.emit_json(found) if as_json(options) else output.line(str(found["count"]))


@command(
    "trash",
    "move insights to the trash (restore and undo bring them back)",
    arg("names", metavar="NAME", nargs="*", help="insights; none: list what is in the trash"),
    answer="an object: trashed, event; without NAME a list: name, content, reason, actor,"
    " trashed_at, expires_at, merged_into",
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


@command(
    "restore", "bring an insight back from the trash", NAME, answer="an object: restored, event"
)
def restore(options: Options) -> None:
    """Restore."""
    found = caller(options).directly("restore", {"name": options.name})
    output.emit_json(found) if as_json(options) else output.line(f"restored {options.name}")


@command(
    "undo",
    "take back the newest change, of whatever kind; again for the one before",
    DRY_RUN,
    answer="an object: undone, names, event, by, at, effect",
)
def undo(options: Options) -> None:
    """Undo, and say in one line what that was."""
    found = caller(options).directly("undo", {"dry_run": options.dry_run})
    if as_json(options):
        output.emit_json(found)
        return
    did = "would undo" if options.dry_run else "undone"
    names = ", ".join(found["names"])
    effect = f"{found['effect']}; " if found["effect"] else ""
    when = found["at"][:16].replace("T", " ")
    output.line(f"{did}: {found['undone']} {names} ({effect}made by {found['by']} at {when} UTC)")


@command("pin", "never prune this insight", NAME, answer="an object: name, pinned")
def pin(options: Options) -> None:
    """Pin."""
    found = caller(options).directly("pin", {"name": options.name, "pinned": True})
    output.emit_json(found) if as_json(options) else output.line(f"pinned {options.name}")


@command("unpin", "let this insight be pruned again", NAME, answer="an object: name, pinned")
def unpin(options: Options) -> None:
    """Unpin."""
    found = caller(options).directly("pin", {"name": options.name, "pinned": False})
    output.emit_json(found) if as_json(options) else output.line(f"unpinned {options.name}")
