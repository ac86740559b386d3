"""What the feed has to know of a view: how its part of the snapshot is read. No SQL, no Textual.

May import the store's connection and `state`.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

from helix_core.paths import Project
from helix_core.store.connection import Connection

W = TypeVar("W")
V = TypeVar("V")


@dataclass(frozen=True)
class Desk:
    """What a part is read from: an open transaction, and the project for what lies beside it."""

    conn: Connection
    project: Project


def nothing(project: Project) -> object:
    """The stamp of a part that rests on the database alone."""
    return None


@dataclass(frozen=True)
class Part(Generic[W, V]):
    """One view's rows: `W` says which are wanted, `V` holds them; both are frozen."""

    wanted: Callable[[], W]
    """What a view wants before anybody has chosen."""
    read: Callable[[Desk, W, V | None], V]
    """Reads the wanted rows. The last argument is what was read from the very same rows for
    another wish, so that only the difference has to be read; else None."""
    facts: Callable[[Desk], dict[str, Any]]
    """The same as plain values, for `--snapshot`."""
    text: Callable[[dict[str, Any]], list[str]]
    """Those values as lines for a person."""
    stamp: Callable[[Project], object] = nothing
    """What else the rows rest on, such as a file: they are read anew when it is another one."""
