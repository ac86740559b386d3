"""Which of helix's agents an agent type names. Standard library only."""

from __future__ import annotations

from typing import Literal

Role = Literal["builder", "planner", "explorer"]

_ROLES: dict[str, Role] = {
    "helix-builder": "builder",
    "helix-planner": "planner",
    "helix-explorer": "explorer",
}


def agent_role(agent_type: object) -> Role | None:
    """The role of a helix agent, or None for a foreign one.

    `helix:helix-builder` and the unscoped `helix-builder` are ours; another plugin's
    `other:helix-builder` and a longer name such as `helix:helix-builder-v2` are not.
    """
    if not isinstance(agent_type, str):
        return None
    scope, colon, name = agent_type.strip().rpartition(":")
    if colon and scope != "helix":
        return None
    return _ROLES.get(name)
