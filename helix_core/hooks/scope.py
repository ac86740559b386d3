"""Which events concern helix at all, decided before anything is opened. Standard library only."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from helix_core.text.roles import agent_role

if TYPE_CHECKING:
    from helix_core.paths import Project

AGENT_ENDS = frozenset({"SubagentStop", "StopFailure"})
AGENT_EVENTS = AGENT_ENDS | {"SubagentStart"}
TOOL_EVENTS = frozenset({"PreToolUse", "PostToolUse"})
SESSION_EVENTS = frozenset({"SessionStart", "SessionEnd"})


def concerns_us(event: str, payload: dict[str, Any]) -> bool:
    """Whether an event is about a helix agent, or a session at all."""
    if event in AGENT_EVENTS:
        return bool(payload.get("agent_id")) and agent_role(payload.get("agent_type")) is not None
    if event in TOOL_EVENTS and payload.get("tool_name") in ("Agent", "Task"):
        tool_input = payload.get("tool_input")
        kind = tool_input.get("subagent_type") if isinstance(tool_input, dict) else None
        return agent_role(kind) is not None
    return event in SESSION_EVENTS


def leaves_alone(event: str, project: Project) -> bool:
    """Whether a project stays untouched: no helix agent ever ran in it, so its sessions are not
    noted and it gets no `.helix/`."""
    used = project.home.is_dir() or project.database.exists()
    return event in SESSION_EVENTS and not used
