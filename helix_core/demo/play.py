"""Plays one session of the story: the order of hook events is the one measured on the real client.

A wave's PreToolUse hooks run at the same time; then each agent's SubagentStart and its PostToolUse
(agents run in the background); `meta.json` and the parent's transcript follow; the agents end one
after the other. May import the standard library and this package.
"""

from __future__ import annotations

import uuid
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from helix_core.demo import client, prompts, transcripts
from helix_core.demo.client import Fired, Stage
from helix_core.demo.prompts import Launch
from helix_core.demo.script import Session


@dataclass(frozen=True)
class Scene:
    """What a session is played with; `rest` pauses for a person who watches, `say` tells them."""

    stage: Stage
    transcripts: Path
    rest: Callable[[], None]
    say: Callable[[str], None]


@dataclass(frozen=True)
class Played:
    """A session that was played: its id, the wave of each call by `tool_use_id`, its hooks."""

    session_id: str
    objective: str
    waves: dict[str, int]
    fired: list[Fired]


@dataclass(frozen=True)
class _Call:
    """One Agent call under way."""

    launch: Launch
    tool_use_id: str
    agent_id: str


@dataclass(frozen=True)
class _Context:
    """The session that is being played: its scene, the fields every payload has, its file."""

    scene: Scene
    common: dict[str, Any]
    file: Path

    @property
    def session_id(self) -> str:
        return str(self.common["session_id"])

    def fire(self, event: str, **more: Any) -> list[Fired]:
        return client.fire(self.scene.stage, event, {**self.common, **more})


def play_session(scene: Scene, session: Session) -> Played:
    """Play a whole session, from SessionStart to SessionEnd."""
    session_id = str(uuid.uuid4())
    file = scene.transcripts / f"{session_id}.jsonl"
    common = {
        "session_id": session_id,
        "transcript_path": str(file),
        "cwd": str(scene.stage.project),
        "prompt_id": str(uuid.uuid4()),
        "permission_mode": "default",
    }
    context = _Context(scene, common, file)
    fired = context.fire("SessionStart", source="startup")
    transcripts.append(file, [transcripts.user(f"/helix {session.objective}")], session_id)
    waves: dict[str, int] = {}
    for number, launches in enumerate(prompts.waves(session), 1):
        scene.say(f"  {', '.join(launch.description.lower() for launch in launches)}")
        calls = [
            _Call(launch, f"toolu_{uuid.uuid4().hex[:24]}", f"a{uuid.uuid4().hex[:16]}")
            for launch in launches
        ]
        waves.update((call.tool_use_id, number) for call in calls)
        fired += _wave(context, calls)
        scene.rest()
    fired += context.fire("SessionEnd", reason="prompt_input_exit")
    return Played(session_id, session.objective, waves, fired)


def _wave(context: _Context, calls: list[_Call]) -> list[Fired]:
    """Launch the agents of one message together and let each come to its end."""
    with ThreadPoolExecutor(max_workers=2 * len(calls)) as pool:
        before = list(pool.map(lambda call: _before(context, call), calls))
        given = [
            client.specific(fired, "updatedInput") or _tool_input(call)
            for call, fired in zip(calls, before, strict=True)
        ]
        starts = [pool.submit(_start, context, call) for call in calls]
        after = list(pool.map(lambda pair: _after(context, *pair), zip(calls, given, strict=True)))
        started = [future.result() for future in starts]
    fired = [one for group in (*before, *after, *started) for one in group]
    _write_parent(context, calls)
    for call, tool_input, hooks in zip(calls, given, started, strict=True):
        added = client.specific(hooks, "additionalContext")
        _write_agent(context, call, str(tool_input["prompt"]), str(added or ""))
    for call in calls:
        context.scene.rest()
        fired += _end(context, call)
    return fired


def _tool_input(call: _Call) -> dict[str, Any]:
    launch = call.launch
    return {
        "description": launch.description,
        "prompt": launch.prompt,
        "subagent_type": launch.agent_type,
    }


def _before(context: _Context, call: _Call) -> list[Fired]:
    return context.fire(
        "PreToolUse",
        tool_name="Agent",
        tool_use_id=call.tool_use_id,
        tool_input=_tool_input(call),
    )


def _start(context: _Context, call: _Call) -> list[Fired]:
    return context.fire("SubagentStart", agent_id=call.agent_id, agent_type=call.launch.agent_type)


def _after(context: _Context, call: _Call, tool_input: dict[str, Any]) -> list[Fired]:
    return context.fire(
        "PostToolUse",
        tool_name="Agent",
        tool_use_id=call.tool_use_id,
        tool_input=tool_input,
        tool_response={
            "isAsync": True,
            "status": "async_launched",
            "agentId": call.agent_id,
            "description": call.launch.description,
            "prompt": tool_input["prompt"],
        },
        duration_ms=5,
    )


def _write_parent(context: _Context, calls: list[_Call]) -> None:
    """The parent's transcript gets the calls only now, as on the real client."""
    uses = [transcripts.tool_use(c.tool_use_id, "Agent", _tool_input(c)) for c in calls]
    results = [transcripts.tool_result(c.tool_use_id, f"agentId: {c.agent_id}") for c in calls]
    records = [transcripts.assistant(*uses), transcripts.user(results)]
    transcripts.append(context.file, records, context.session_id)


def _write_agent(context: _Context, call: _Call, prompt: str, added: str) -> None:
    launch = call.launch
    transcripts.write_meta(
        context.file, call.agent_id, launch.agent_type, launch.description, call.tool_use_id
    )
    file = transcripts.agent_file(context.file, call.agent_id)
    records = transcripts.agent_records(prompt, added, launch.commands)
    transcripts.append(file, records, context.session_id, call.agent_id)


def _end(context: _Context, call: _Call) -> list[Fired]:
    """The agent's last message, and the hook that tells of its end (or of its crash)."""
    launch = call.launch
    file = transcripts.agent_file(context.file, call.agent_id)
    last = transcripts.assistant(transcripts.text(launch.message))
    transcripts.append(file, [last], context.session_id, call.agent_id)
    who = {"agent_id": call.agent_id, "agent_type": launch.agent_type}
    if launch.crashed:
        return context.fire(
            "StopFailure", **who, error="unknown", last_assistant_message=launch.message
        )
    return context.fire(
        "SubagentStop",
        **who,
        stop_hook_active=False,
        agent_transcript_path=str(file),
        last_assistant_message=launch.message,
        background_tasks=[],
    )
