"""Lines of a transcript in the client's shape, for tests that need a damaged or a huge one."""

from __future__ import annotations

import json
from typing import Any

PROMPT = "TASK_ID: 7\nTASK: Add the parser\nOBJECTIVE: parse it\nVERIFY: pytest tests/test_p.py"


def record(kind: str, content: object, **extra: Any) -> dict[str, Any]:
    """One record of an agent's transcript; `content` is put in as it is."""
    return {
        "parentUuid": "p1",
        "isSidechain": True,
        "agentId": "a1",
        "type": kind,
        "message": {"role": kind, "content": content},
        "uuid": "u1",
        "sessionId": "s1",
        **extra,
    }


def user(text: object) -> str:
    return json.dumps(record("user", text))


def says(text: str, **extra: Any) -> str:
    return json.dumps(record("assistant", [{"type": "text", "text": text}], **extra))


def uses(name: str, key: str, given: dict[str, Any], **extra: Any) -> str:
    block = {"type": "tool_use", "id": key, "name": name, "input": given}
    return json.dumps(record("assistant", [block], **extra))


def answers(key: str, content: object, is_error: object = False, **extra: Any) -> str:
    block = {"type": "tool_result", "tool_use_id": key, "content": content, "is_error": is_error}
    return json.dumps(record("user", [block], **extra))


def progress(size: int) -> str:
    """A progress line of about `size` bytes, as a running agent leaves in its parent's file."""
    data = {"type": "agent_progress", "message": "x" * size}
    return json.dumps({"type": "progress", "data": data})
