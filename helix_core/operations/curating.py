"""Operations that change single insights and take changes back: edit, tag, merge, pin, undo ..."""

from __future__ import annotations

from typing import Any

from helix_core.errors import UsageError
from helix_core.memory import curate
from helix_core.memory.context import Memory
from helix_core.operations.registry import operation
from helix_core.operations.shapes import edited_json
from helix_core.store import curation, trash, undo


@operation("edit")
def _edit(mem: Memory, args: dict[str, Any]) -> Any:
    content = args.get("content")
    if not isinstance(content, str):
        raise UsageError("an insight is a text")
    return edited_json(curate.edit(mem, str(args["name"]), content, _version(args)))


@operation("tag")
def _tag(mem: Memory, args: dict[str, Any]) -> Any:
    add, remove = (list(map(str, args.get(key, ()))) for key in ("add", "remove"))
    return edited_json(curate.tag(mem, str(args["name"]), add, remove, _version(args)))


@operation("merge")
def _merge(mem: Memory, args: dict[str, Any]) -> Any:
    return edited_json(curate.merge(mem, str(args["keep"]), str(args["drop"])))


def _version(args: dict[str, Any]) -> int | None:
    version = args.get("row_version")
    return None if version is None else int(version)


@operation("trash")
def _trash(mem: Memory, args: dict[str, Any]) -> Any:
    names = [str(name) for name in args.get("names", ())]
    event = curation.discard(
        mem.conn, names, actor=mem.actor, moment=mem.now, keep_days=mem.settings.trash_days
    )
    return {"trashed": names, "event": event}


@operation("trash-list")
def _trash_list(mem: Memory, args: dict[str, Any]) -> Any:
    return trash.listed(mem.conn)


@operation("restore")
def _restore(mem: Memory, args: dict[str, Any]) -> Any:
    event = curation.restore(mem.conn, str(args["name"]), actor=mem.actor, moment=mem.now)
    return {"restored": args["name"], "event": event}


@operation("pin")
def _pin(mem: Memory, args: dict[str, Any]) -> Any:
    pinned = bool(args.get("pinned", True))
    curation.set_pinned(mem.conn, str(args["name"]), pinned, actor=mem.actor, moment=mem.now)
    return {"name": args["name"], "pinned": pinned}


@operation("undo")
def _undo(mem: Memory, args: dict[str, Any]) -> Any:
    dry_run = bool(args.get("dry_run"))
    return undo.newest(mem.conn, actor=mem.actor, moment=mem.now, dry_run=dry_run)
