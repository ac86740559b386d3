"""A task of a plan and the agents that worked on it. Pure; standard library and `text` only."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

from helix_core.text.values import task_key

__all__ = ["Attempt", "Task", "task_key"]


@dataclass(frozen=True)
class Attempt:
    """One builder that was sent to a task; attempts are ordered by `id`."""

    id: int
    state: str
    """The agent's: running, delivered, partial, blocked, crashed, unknown."""
    source: str = ""
    """What its outcome rests on: verified, self, contradicted, user; empty while it runs."""
    agent_id: str = ""
    summary: str = ""
    started_at: str = ""
    ended_at: str = ""
    transcript_path: str = ""


@dataclass(frozen=True)
class Task:
    """One task of a plan; what was decided about it, and its attempts, oldest first."""

    seq: str
    slug: str = ""
    description: str = ""
    relevant_files: tuple[str, ...] = ()
    blocked_by: tuple[str, ...] = ()
    """Keys of the tasks it waits for."""
    verify: str = ""
    decided: str = ""
    """skipped, retry, delivered, partial or blocked, by whoever leads the work; or nothing."""
    decided_after: int | None = None
    """The newest attempt there was when it was decided; a later one counts for more. None: none
    does."""
    decided_by: str = ""
    decided_at: str = ""
    reason: str = ""
    replaces: tuple[str, ...] = ()
    tool_task_id: str = ""
    attempts: tuple[Attempt, ...] = ()

    @cached_property
    def key(self) -> str:
        """Its number as it is compared."""
        return task_key(self.seq)
