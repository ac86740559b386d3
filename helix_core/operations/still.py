"""How long a running agent has been silent, by the file it writes to. Standard library only."""

from __future__ import annotations

import contextlib
import time
from pathlib import Path

from helix_core import clock
from helix_core.dag.tasks import Attempt
from helix_core.text.places import agent_transcript, expand

QUIET_SECONDS = 300.0
"""An agent silent for longer is worth a look; a long command is silent too."""


def quiet_seconds(attempt: Attempt, parent: str) -> float:
    """Seconds since a running agent last wrote to its transcript, or since it was called.

    In: the agent, and the transcript of its session (empty where it is not known). Where it is not
    known yet which transcript is the agent's, the newest one of its session counts.
    """
    started = clock.parse(attempt.started_at, default=None)
    age = (clock.now() - started).total_seconds() if started else 0.0
    file = expand(attempt.transcript_path) or agent_transcript(expand(parent), attempt.agent_id)
    own = [file] if file is not None else _siblings(expand(parent))
    written = [moved for each in own if (moved := _modified(each)) is not None]
    silent = time.time() - max(written) if written else age
    return max(0.0, min(age, silent) if started else silent)


def _siblings(parent: Path | None) -> list[Path]:
    if parent is None or not parent.name:
        return []
    with contextlib.suppress(OSError):
        return list((parent.with_suffix("") / "subagents").glob("agent-*.jsonl"))
    return []


def _modified(file: Path) -> float | None:
    try:
        return file.stat().st_mtime
    except (OSError, ValueError):
        return None
