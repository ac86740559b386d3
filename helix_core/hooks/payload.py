"""A hook's payload, read tolerantly: what is missing or of another type is empty.

Standard library only.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

from helix_core.text import clean, credentials
from helix_core.text.places import agent_transcript, expand
from helix_core.text.roles import Role, agent_role

MESSAGE_LIMIT = 400_000


def text_at(payload: dict[str, Any], key: str, limit: int = 4000) -> str:
    """A text field of a payload, safe to store; empty where it is no text."""
    value = payload.get(key)
    return clean.scrub(value, limit) if isinstance(value, str) else ""


def session_of(payload: dict[str, Any]) -> str:
    """The session a payload is about: its id is kept with every row, so that it is no secret."""
    return credentials.label(text_at(payload, "session_id"))[:200]


@dataclass(frozen=True)
class AgentCall:
    """The Agent (formerly Task) tool being called, or having been called."""

    session_id: str
    tool_use_id: str
    role: Role
    prompt: str
    tool_input: dict[str, Any]
    agent_id: str
    """Only after the call: the agent that runs on it."""


def agent_call(payload: dict[str, Any]) -> AgentCall | None:
    """Read a Pre- or PostToolUse payload; None for another tool or another plugin's agent."""
    if payload.get("tool_name") not in ("Agent", "Task"):
        return None
    tool_input = payload.get("tool_input")
    if not isinstance(tool_input, dict):
        return None
    role = agent_role(tool_input.get("subagent_type"))
    prompt = tool_input.get("prompt")
    if role is None or not isinstance(prompt, str):
        return None
    response = payload.get("tool_response")
    agent_id = response.get("agentId") if isinstance(response, dict) else ""
    return AgentCall(
        session_id=session_of(payload),
        tool_use_id=text_at(payload, "tool_use_id", 200),
        role=role,
        prompt=prompt,
        tool_input=tool_input,
        agent_id=clean.scrub(agent_id, 200) if isinstance(agent_id, str) else "",
    )


@dataclass(frozen=True)
class AgentEvent:
    """A subagent that starts, stops or fails."""

    session_id: str
    agent_id: str
    role: Role
    parent_transcript: Path | None
    transcript: Path | None
    message: str
    error: str


def agent_event(payload: dict[str, Any]) -> AgentEvent | None:
    """Read a SubagentStart, SubagentStop or StopFailure payload; None for foreign agents."""
    role = agent_role(payload.get("agent_type"))
    agent_id = text_at(payload, "agent_id", 200)
    if role is None or not agent_id:
        return None
    parent = expand(payload.get("transcript_path"))
    transcript = expand(payload.get("agent_transcript_path"))
    transcript = transcript or agent_transcript(parent, agent_id)
    return AgentEvent(
        session_id=session_of(payload),
        agent_id=agent_id,
        role=role,
        parent_transcript=parent,
        transcript=transcript,
        message=_message(payload.get("last_assistant_message")),
        error=text_at(payload, "error", 400),
    )


def _message(value: object) -> str:
    """A final message; of a huge one its end, where the markers stand."""
    return clean.scrub(value[-MESSAGE_LIMIT:], MESSAGE_LIMIT) if isinstance(value, str) else ""
