"""Commands that move, remove and bring back, and those that count."""

from __future__ import annotations

from typing import Any

from helix_core.cli import output
from helix_core.cli.registry import (
    NAME,
    NAMES,
    Options,
    arg,
    as_json,
    caller,
    command,
)
from helix_core.errors import UsageError


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
