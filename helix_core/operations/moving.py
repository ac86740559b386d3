"""Operations that carry the whole memory, or knowledge, from one place to another."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

from helix_core.errors import UsageError
from helix_core.memory import exporting, importing
from helix_core.memory.context import Memory
from helix_core.operations.registry import operation
from helix_core.store import backups, insights
from helix_core.text import markdown


@operation("backup")
def _backup(mem: Memory, args: dict[str, Any]) -> Any:
    made = backups.make(mem.project.database, backups.BY_HAND)
    return {"file": str(made), "bytes": made.stat().st_size}


@operation("export")
def _export(mem: Memory, args: dict[str, Any]) -> Any:
    write = {"jsonl": exporting.as_lines, "markdown": exporting.as_markdown}.get(
        str(args.get("format", "jsonl"))
    )
    if write is None:
        raise UsageError("an export is jsonl or markdown")
    return {"text": write(mem), "insights": insights.count(mem.conn)}


@operation("import")
def _import(mem: Memory, args: dict[str, Any]) -> Any:
    """`lines`: numbered lines of an export; or `text`: a Markdown file."""
    dry_run = bool(args.get("dry_run"))
    if "text" in args:
        found = markdown.read_notes(str(args["text"]))
        return asdict(importing.from_notes(mem, found, dry_run=dry_run))
    lines = [(int(number), line) for number, line in args.get("lines", ())]
    return asdict(importing.from_lines(mem, lines, dry_run=dry_run))


@operation("promote")
def _promote(mem: Memory, args: dict[str, Any]) -> Any:
    return exporting.promoted(mem, str(args["name"]))
