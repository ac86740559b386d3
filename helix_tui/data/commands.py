"""Changing the memory from the dashboard: through the same functions of helix_core as everybody.

Each command runs in a thread of its own and returns a sentence for the person; a HelixError is a
refusal with its reason. May import helix_core.
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Sequence
from typing import Any

from helix_core import local, settings
from helix_core.embed import client, lifecycle
from helix_core.errors import (
    StoreError,
    StoreMissingError,
    UnknownOperationError,
    UsageError,
    WorkerError,
)
from helix_core.paths import Project
from helix_core.store import rescue
from helix_tui import formats, whatif
from helix_tui.state import PrunePlan
from helix_tui.whatif import WhatIf

ACTOR = "tui"
FRESHEN_MS = 5_000.0
WHAT_IF_MS = 10_000.0


def trash(project: Project, names: Sequence[str]) -> str:
    """Move insights to the trash; a tombstone keeps the same text from being learned again."""
    _run(project, "trash", {"names": list(names)})
    what = names[0] if len(names) == 1 else f"{len(names)} insights"
    return f"{what} is in the trash; u brings it back"


def restore(project: Project, name: str) -> str:
    """Bring an insight back from the trash, with its edges and its history."""
    _run(project, "restore", {"name": name})
    return f"{name} is back; u takes that back"


def pin(project: Project, name: str, pinned: bool) -> str:
    """Pin an insight, or unpin it."""
    _run(project, "pin", {"name": name, "pinned": pinned})
    return f"{name} is {'pinned: it is never pruned' if pinned else 'not pinned any more'}"


def edit(project: Project, name: str, content: str, version: int | None) -> str:
    """Give an insight another text; the old one stays as a revision.

    `version` is the row version the edit is based on: ChangedError where the insight is another
    one by now. None overwrites whatever is there.
    """
    args = {"name": name, "content": content, "row_version": version}
    done = _run(project, "edit", args)
    return f"{name} is edited, now version {done['row_version']}{_freshened(project)}"


def tag(
    project: Project, name: str, add: Sequence[str], remove: Sequence[str], version: int | None
) -> str:
    """Change the tags of an insight; `version` as for `edit`."""
    args = {"name": name, "add": list(add), "remove": list(remove), "row_version": version}
    done = _run(project, "tag", args)
    return f"{name}: {', '.join(done['tags']) or 'no tags'}"


def store(project: Project, content: str, tags: Sequence[str]) -> str:
    """Store a text of the person's own."""
    done = _run(project, "store", {"content": content, "tags": list(tags), "source": "user"})
    if done["status"] == "rejected":
        return f"not stored ({done['reason']})"
    return f"stored as {done['name']}{_freshened(project)}"


def merge(project: Project, keep: str, drop: str) -> str:
    """Make two insights one: the text of `keep` stays, what `drop` earned goes to it."""
    _run(project, "merge", {"keep": keep, "drop": drop})
    return f"{drop} is merged into {keep}; u parts them"


def prune_plan(project: Project) -> PrunePlan:
    """What the rules would prune now; changes nothing."""
    found = _run(project, "prune", {"dry_run": True})
    return PrunePlan(tuple((str(one["name"]), str(one["reason"])) for one in found))


def prune(project: Project) -> str:
    """Move what failed, or what nobody ever needed, to the trash, by the rules of maintenance."""
    count = len(_run(project, "prune", {}))
    return f"{count} pruned: in the trash; u brings them back"


def undo(project: Project) -> str:
    """Take back the newest change that was not taken back yet."""
    done = _run(project, "undo", {})
    names = ", ".join(str(name) for name in done["names"][:3])
    effect = f"; {done['effect']}" if done["effect"] else ""
    return f"{done['undone']} taken back: {names}{effect}"


def what_if(project: Project, task: str) -> WhatIf:
    """What an agent would get for a task; by keyword where no worker answers. Records nothing."""
    args = {"task": task}
    with contextlib.suppress(WorkerError, UsageError):  # one of an older helix knows no what-if
        if settings.load(project.home).worker_enabled and project.database.exists():
            answer_ms = WHAT_IF_MS
            try:
                return whatif.read(client.request("what-if", args, project, answer_ms=answer_ms))
            except UnknownOperationError:
                lifecycle.renew()  # for the next time; now by keyword
    return whatif.read(_run(project, "what-if", args))


def answer(
    project: Project, question: int, options: Sequence[int], text: str = "", insight: str = ""
) -> str:
    """Answer a question; ChangedError where somebody was first, with their answer in words."""
    args = {"id": question, "options": list(options), "text": text, "insight": insight}
    done = _run(project, "learn-answer", args | {"by": ACTOR})
    said = "; ".join(str(each) for each in done["done"])
    for one in done["moved"]:
        said += f"; {one['name']} {formats.moved(one['before'], one['after'])}"
    return f"{said}{_freshened(project) if done['stored'] else ''}; u takes it back"


def dismiss(project: Project, question: int) -> str:
    """Close a question without an answer."""
    _run(project, "learn-dismiss", {"id": question, "by": ACTOR})
    return f"question {question} is dismissed; u asks it again"


def integrity(project: Project) -> str:
    """Look the database through; reads every page, so only where a person asks for it."""
    if not project.database.exists():
        raise StoreMissingError("there is no memory here yet")
    return rescue.damage(project.database) or "every page is sound"


def _freshened(project: Project) -> str:
    """Have a new text embedded at once, where a worker is there; it follows later else."""
    with contextlib.suppress(WorkerError, StoreError):
        if settings.load(project.home).worker_enabled:
            client.request("reindex", {"batch": 8}, project, answer_ms=FRESHEN_MS)
            return ""
    return "; its vector follows when the worker is there"


def _run(project: Project, op: str, args: dict[str, Any]) -> Any:
    if not project.database.exists():  # a change must not be what creates a memory
        raise StoreMissingError("there is no memory here yet")
    return local.run(project, op, args, actor=ACTOR)


COMMANDS: dict[str, Callable[..., object]] = {
    "trash": trash,
    "restore": restore,
    "pin": pin,
    "edit": edit,
    "tag": tag,
    "store": store,
    "merge": merge,
    "prune-plan": prune_plan,
    "prune": prune,
    "undo": undo,
    "answer": answer,
    "dismiss": dismiss,
    "integrity": integrity,
    "what-if": what_if,
}
"""The commands by the names that messages carry."""
