"""Reading the conversation in a request to the model API.

Role: what every script needs to know about where it stands. May import: standard library only.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any


def first_message(body: dict[str, Any]) -> str:
    """Everything the model was given before its first own word, as one text."""
    found: list[str] = []
    for message in body.get("messages") or []:
        if message.get("role") == "assistant":
            break
        found.extend(texts(message.get("content")))
    return "\n".join(found)


def texts(content: object) -> list[str]:
    """The text blocks of a message's content."""
    if isinstance(content, str):
        return [content]
    blocks = content if isinstance(content, list) else []
    return [str(block.get("text", "")) for block in blocks if block.get("type") == "text"]


def blocks(body: dict[str, Any], role: str, kind: str) -> Iterator[dict[str, Any]]:
    """The content blocks of one kind in the messages of one role."""
    for message in body.get("messages") or []:
        content = message.get("content")
        if message.get("role") == role and isinstance(content, list):
            yield from (block for block in content if block.get("type") == kind)


def launched(body: dict[str, Any]) -> set[str]:
    """The ids of all tool calls the model has made so far."""
    return {block["id"] for block in blocks(body, "assistant", "tool_use")}


def results(body: dict[str, Any]) -> dict[str, str]:
    """What each tool call has answered, as text."""
    return {
        block["tool_use_id"]: "\n".join(texts(block.get("content")))
        for block in blocks(body, "user", "tool_result")
    }


def turns(body: dict[str, Any]) -> int:
    """How often the model has spoken in this conversation."""
    return sum(message.get("role") == "assistant" for message in body.get("messages") or [])


def is_small_question(body: dict[str, Any]) -> bool:
    """Titles and other questions the client asks for itself: no agents can be started there."""
    return not any(tool.get("name") in {"Agent", "Task"} for tool in body.get("tools") or [])
