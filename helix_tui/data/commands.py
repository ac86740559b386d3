"""Changing the memory from the dashboard: through the same functions of helix_core as everybody.

Each command runs in a thread of its own and returns a sentence for the person; a HelixError is a
refusal with its reason. May import helix_core.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from helix_core import local
from helix_core.errors import StoreMissingError
from helix_core.paths import Project

ACTOR = "tui"


def trash(project: Project, names: Sequence[str]) -> str:
    """Move insights to the trash; a tombstone keeps the same text from being learned again."""
    _run(project, "trash", {"names": list(names)})
    what = names[0] if len(names) == 1 else f"{len(names)} insights"
    return f"{what} is in the trash; u brings it back"


def pin(project: Project, name: str, pinned: bool) -> str:
    """Pin an insight, or unpin it."""
    _run(project, "pin", {"name": name, "pinned": pinned})
    return f"{name} is {'pinned: it is never pruned' if pinned else 'not pinned any more'}"


def undo(project: Project) -> str:
    """Take back the newest change that was not taken back yet."""
    done = _run(project, "undo", {})
    names = ", ".join(str(name) for name in done["names"][:3])
    return f"{done['undone']} taken back: {names}"


def _run(project: Project, op: str, args: dict[str, Any]) -> Any:
    if not project.database.exists():  # a change must not be what creates a memory
        raise StoreMissingError("there is no memory here yet")
    return local.run(project, op, args, actor=ACTOR)


COMMANDS: dict[str, Callable[..., str]] = {"trash": trash, "pin": pin, "undo": undo}
"""The commands by the names that messages carry."""
