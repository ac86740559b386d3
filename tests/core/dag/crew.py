"""A session's agents as the hooks see them, in this process: called, bound, ended.

Role: set-up for the tests of the ledger. May import helix_core.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from helix_core import local, paths
from tests.core.command import Ran, helix

VERIFY = "pytest tests/test_p.py"


def entry(seq: object, *blocked_by: object, **more: Any) -> dict[str, Any]:
    """A task as a planner writes it."""
    base = {"seq": seq, "slug": f"t{seq}", "description": f"Do part {seq} of it", "verify": VERIFY}
    return {**base, "blocked_by": list(blocked_by), **more}


def plan_message(*entries: dict[str, Any]) -> str:
    """A planner's last message."""
    plan = json.dumps(list(entries))
    return f"PLAN_SPEC:\n{plan}\nPLAN_COMPLETE: {len(entries)} tasks specified"


class Crew:
    """One session in a project."""

    def __init__(self, project: Path, session: str = "s1") -> None:
        self.project = project
        self.session = session
        self.parent = project / f"{session}.jsonl"
        self._calls = 0

    def hook(self, event: str, **payload: Any) -> Any:
        """One event of the session."""
        whole = {"session_id": self.session, "transcript_path": str(self.parent), **payload}
        project = paths.find_project(self.project)
        return local.run(project, f"hook:{event}", {"payload": whole}, actor="hook")

    def call(self, role: str = "builder", task: object = None, *, start: bool = True) -> str:
        """An agent is called, starts and is bound; its id."""
        self._calls += 1
        agent, use = f"{self.session}a{self._calls}", f"{self.session}toolu{self._calls}"
        prompt = f"OBJECTIVE: whole of it for {role}"
        if task is not None:
            prompt = f"TASK_ID: {task}\nTASK: Do part {task} of it\n{prompt}\nVERIFY: {VERIFY}"
        tool = {"subagent_type": f"helix:helix-{role}", "prompt": prompt, "description": "d"}
        self.hook("PreToolUse", tool_name="Agent", tool_use_id=use, tool_input=tool)
        if start:
            self.hook("SubagentStart", agent_id=agent, agent_type=f"helix:helix-{role}")
            response = {"status": "async_launched", "agentId": agent}
            tool_call = {"tool_name": "Agent", "tool_use_id": use, "tool_input": tool}
            self.hook("PostToolUse", **tool_call, tool_response=response)
        return agent

    def end(self, agent: str, message: str, role: str = "builder", **more: Any) -> None:
        """An agent ends with its last message."""
        kind = {"agent_id": agent, "agent_type": f"helix:helix-{role}"}
        self.hook("SubagentStop", **kind, last_assistant_message=message, **more)

    def crash(self, agent: str) -> None:
        """An agent dies."""
        kind = {"agent_id": agent, "agent_type": "helix:helix-builder"}
        self.hook("StopFailure", **kind, error="overloaded")

    def plan(self, *entries: dict[str, Any], message: str = "") -> str:
        """A planner runs and ends with a plan; its id."""
        planner = self.call("planner")
        self.end(planner, message or plan_message(*entries), "planner")
        return planner

    def build(self, task: object, message: str = "DELIVERED: done", **more: Any) -> str:
        """A builder runs and ends; its id."""
        agent = self.call(task=task)
        self.end(agent, message, **more)
        return agent

    def dag(self, *arguments: str, json_out: bool = True) -> Ran:
        """One `helix dag` command of this session."""
        more = ("--session", self.session, *(("--json",) if json_out else ()))
        return helix(self.project, "dag", *arguments, *more)

    def states(self) -> dict[str, str]:
        """Where every task stands."""
        return {task["seq"]: task["state"] for task in self.dag("status").json["tasks"]}
