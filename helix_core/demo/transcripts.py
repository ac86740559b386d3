"""The files a Claude Code client keeps of a session: transcripts and each agent's `meta.json`.

The records carry what helix reads of them and the fields around it, in the shape the client writes
them. May import the standard library, the clock and `prompts`.
"""

from __future__ import annotations

import json
import uuid
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from helix_core import clock
from helix_core.demo.prompts import Command

Record = dict[str, Any]


def agent_file(session_file: Path, agent_id: str) -> Path:
    """Where an agent's transcript lies: in a folder named like its session's file."""
    return session_file.with_suffix("") / "subagents" / f"agent-{agent_id}.jsonl"


def write_meta(session_file: Path, agent_id: str, agent_type: str, about: str, call: str) -> None:
    """Write the `meta.json` of an agent: its type, its description and the id of its call."""
    file = agent_file(session_file, agent_id).with_suffix(".meta.json")
    file.parent.mkdir(parents=True, exist_ok=True)
    value = {"agentType": agent_type, "description": about, "toolUseId": call, "spawnDepth": 1}
    file.write_text(json.dumps(value), encoding="utf-8")


def user(content: str | list[Record]) -> Record:
    """A record of the user's side: a prompt, or the results of tool calls."""
    return {"type": "user", "message": {"role": "user", "content": content}}


def assistant(*blocks: Record) -> Record:
    """A record of the model's side; every message has its own id."""
    message = {"id": f"msg_{uuid.uuid4().hex[:20]}", "role": "assistant", "content": list(blocks)}
    return {"type": "assistant", "message": message}


def text(words: str) -> Record:
    """A text block."""
    return {"type": "text", "text": words}


def tool_use(call: str, name: str, given: Record) -> Record:
    """A block that calls a tool."""
    return {"type": "tool_use", "id": call, "name": name, "input": given}


def tool_result(call: str, output: str, *, failed: bool = False) -> Record:
    """A block with a tool's answer."""
    return {"type": "tool_result", "tool_use_id": call, "content": output, "is_error": failed}


def added_context(words: str) -> Record:
    """The record of what a SubagentStart hook gave its agent."""
    attachment = {
        "type": "hook_additional_context",
        "hookEvent": "SubagentStart",
        "content": [words],
    }
    return {"type": "attachment", "attachment": attachment}


def agent_records(prompt: str, context: str, commands: Sequence[Command]) -> list[Record]:
    """An agent's transcript up to its last command, without its final message."""
    found = [user(prompt)]
    if context:
        found.append(added_context(context))
    for command in commands:
        call = f"toolu_{uuid.uuid4().hex[:24]}"
        failed = command.exit_code != 0
        output = f"Exit code {command.exit_code}\n{command.output}" if failed else command.output
        found.append(assistant(tool_use(call, "Bash", {"command": command.line})))
        found.append(user([tool_result(call, output, failed=failed)]))
    return found


def append(file: Path, records: Sequence[Record], session_id: str, agent_id: str = "") -> None:
    """Append records to a transcript, each with the client's marks of whose it is."""
    file.parent.mkdir(parents=True, exist_ok=True)
    marks: Record = {"sessionId": session_id, "isSidechain": bool(agent_id)}
    if agent_id:
        marks["agentId"] = agent_id
    moment = clock.iso(clock.now())
    with file.open("a", encoding="utf-8") as stream:
        for record in records:
            whole = {"uuid": str(uuid.uuid4()), "timestamp": moment, **marks, **record}
            stream.write(json.dumps(whole, ensure_ascii=False) + "\n")
