"""Read what helix needs from the client's transcripts. Standard library and this package.

This is the module to import; records, tool calls and paths live in `records`, `calls` and
`places`. Big files are read from one end only, so that 100 MB cost no more than 1 MB.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from helix_core.text.calls import Call, CommandRun, commands, open_calls, text_of
from helix_core.text.clean import scrub
from helix_core.text.places import expand, meta_path
from helix_core.text.records import Record, lines_of, read_head, read_tail, records

__all__ = [
    "Call",
    "CommandRun",
    "commands",
    "expand",
    "final_message",
    "first_prompt",
    "meta_path",
    "open_calls",
    "read_meta",
]

TEXT_LIMIT = 2_000_000
_MAX_TAIL = 32_000_000
_MAX_HEAD = 16_000_000
_META_LIMIT = 1_000_000


def final_message(
    path: object, *, tail_bytes: int = 1_000_000, agent_id: str | None = None
) -> str | None:
    """The agent's last own text in its transcript, or None where there is none (yet).

    Text blocks of one message are joined, whichever records they stand in. Where `path` is not
    an agent's own file (`agent-*.jsonl`) but the parent's, the main thread's messages are passed
    over, and with `agent_id` those of other agents too. The window grows from `tail_bytes` to
    32 MB while it holds no such text. Never raises.
    """
    file = expand(path)
    size = max(tail_bytes, 1)
    while file is not None:
        data, whole = read_tail(file, size)
        message = _last_text(file, lines_of(data, drop_first=not whole), agent_id)
        if message is not None or whole or size >= _MAX_TAIL:
            return message
        size = min(size * 6, _MAX_TAIL)
    return None


def first_prompt(path: object) -> str | None:
    """The text of the first user record: the prompt an agent was started with.

    Tool results and the client's own notes (`isMeta`) are no prompts. Never raises.
    """
    file = expand(path)
    size = 256_000
    while file is not None:
        data, whole = read_head(file, size)
        for record in records(lines_of(data, drop_last=not whole), (b'"user"',)):
            text = _text(record, "user")
            if text and not record.get("isMeta"):
                return text
        if whole or size >= _MAX_HEAD:
            return None
        size *= 8
    return None


def read_meta(path: object) -> dict[str, Any]:
    """The content of an agent's `.meta.json` (`agentType`, `toolUseId`, ...); {} if unreadable."""
    file = expand(path)
    data = read_head(file, _META_LIMIT)[0] if file is not None else b""
    try:
        value = json.loads(data.decode("utf-8-sig", "replace"))
    except (ValueError, RecursionError):
        return {}
    return value if isinstance(value, dict) else {}


def _last_text(file: Path, lines: list[bytes], agent_id: str | None) -> str | None:
    parts: list[str] = []
    odd: str | None = None
    message_id: object = None
    own_file = file.name.startswith("agent-")
    for record in records(lines, (b'"assistant"',)):
        if not own_file and not _belongs(record, agent_id):
            continue
        text = _text(record, "assistant")
        if not text:
            continue
        message = record["message"]
        if not isinstance(message, dict):
            # Not the client's shape: believed only where nothing better is there.
            odd = text
            continue
        # One message may be written as several records, one for each block of its content.
        current = message.get("id")
        if current is None or current != message_id:
            parts = []
        message_id = current
        if text not in parts:
            parts.append(text)
    return scrub("\n".join(parts)[-TEXT_LIMIT:], TEXT_LIMIT) if parts else odd


def _belongs(record: Record, agent_id: str | None) -> bool:
    if record.get("isSidechain") is False:
        return False
    owner = record.get("agentId")
    return agent_id is None or owner is None or owner == agent_id


def _text(record: Record, kind: str) -> str:
    """The text of a record of this kind, "" where it has none; every shape is accepted."""
    message = record.get("message")
    if record.get("type") != kind:
        return ""
    if isinstance(message, dict):
        role = message.get("role")
        if role is not None and role != kind:
            return ""
        message = message.get("content")
    text = text_of(message)
    if not text.strip():
        return ""
    # An agent's markers stand at its end, a prompt's fields at its beginning.
    return scrub(text[-TEXT_LIMIT:] if kind == "assistant" else text, TEXT_LIMIT)
