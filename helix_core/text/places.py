"""Paths that come in payloads. Standard library only."""

from __future__ import annotations

import os
from pathlib import Path


def expand(path: object) -> Path | None:
    """A payload's path with `~` expanded, or None where it is no usable path. Never raises."""
    if not isinstance(path, (str, Path)) or not str(path).strip() or "\0" in str(path):
        return None
    try:
        os.fsencode(path)  # half an emoji is no name a file can have
        return Path(path).expanduser()
    except (RuntimeError, OSError, ValueError):  # an unknown user, or no home at all
        return None


def meta_path(agent_transcript: object) -> Path:
    """Where the client writes an agent's particulars: `agent-<id>.jsonl` -> `agent-<id>.meta.json`.

    Something that is no path gives an empty one, which no file has.
    """
    path = expand(agent_transcript)
    if path is None or not path.name:
        return Path()
    stem = path.name[: -len(".jsonl")] if path.name.endswith(".jsonl") else path.name
    return path.with_name(stem + ".meta.json")


def agent_transcript(parent: Path | None, agent_id: str) -> Path | None:
    """Where the client keeps a subagent's transcript: in a folder named like its parent's file."""
    if parent is None or not parent.name or not agent_id:
        return None
    if "/" in agent_id or agent_id.startswith("."):
        return None
    return parent.with_suffix("") / "subagents" / f"agent-{agent_id}.jsonl"
