"""A scripted model for whole sessions: an orchestrator that goes step by step, and its agents.

Role: the machinery behind `story`. May import: standard library, tests.e2e.

Like every script here it keeps no state: the step, and what a step says, follow from the
conversation alone.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

from tests.e2e import conversation
from tests.e2e.loopback_api import Call, Reply, Say

Answers = dict[str, str]
"""What each tool call of the orchestrator has answered so far, by its id."""
Step = Callable[[Answers], Sequence[Call]]
AgentTurn = Callable[[int], Reply]
"""What an agent says at its turn, counted from 0."""

WAITING = "Waiting for the agents to end."


def shell(name: str, command: str, given: str | None = None) -> Call:
    """A Bash call; `given` goes to the command's standard input the way the skill says."""
    if given is not None:
        command = f"{command} <<'HELIX_TEXT'\n{given}\nHELIX_TEXT"
    return Call(f"toolu_{name}", "Bash", {"command": command, "description": name})


def agent(name: str, kind: str, prompt: str) -> Call:
    """The start of a helix agent."""
    return Call(
        f"toolu_{name}",
        "Agent",
        {"subagent_type": f"helix:helix-{kind}", "description": name, "prompt": prompt},
    )


def always(*calls: Call) -> Step:
    """A step whose calls do not depend on what came before."""
    return lambda _: calls


def answer_json(answers: Answers, name: str) -> Any:
    """The JSON document a shell call printed. ValueError where it printed anything else."""
    return json.loads(answers[f"toolu_{name}"])


@dataclass(frozen=True)
class Orchestra:
    """The whole script of one session.

    `steps` are carried out one after another, each when all calls of the one before have answered.
    An agent in the background answers as it is launched: a step that waits for its end has to
    follow, since a client without a person at it may leave once a turn and its last agent are over.
    `agents` are tried in their order: the first whose text stands in an agent's first message
    speaks for it.
    """

    steps: Sequence[Step]
    agents: Sequence[tuple[str, AgentTurn]]
    closing: str
    background: bool = field(default=True)

    def __call__(self, body: dict[str, Any]) -> Reply:
        """The next message for this request."""
        first = conversation.first_message(body)
        for text, turn in self.agents:
            if text in first and conversation.is_small_question(body):
                return turn(conversation.turns(body))
        if conversation.is_small_question(body):
            return [Say("A session")]
        return self._orchestrate(body)

    def _orchestrate(self, body: dict[str, Any]) -> Reply:
        launched = conversation.launched(body)
        answers = conversation.results(body)
        for number, step in enumerate(self.steps, 1):
            calls = [self._placed(call) for call in step(answers)]
            ids = {call.id for call in calls}
            if not ids & launched:
                return [Say(f"Step {number}."), *calls]
            if ids - set(answers):
                return [Say(WAITING)]
        return [Say(self.closing)]

    def _placed(self, call: Call) -> Call:
        if call.name != "Agent" or self.background:
            return call
        return Call(call.id, call.name, {**call.arguments, "run_in_background": False})
