"""What the orchestrator tells its agents in the demonstration, and what they answer.

Pure: text from the story in `script`. May import the standard library and `script`.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass

from helix_core.demo.script import Scope, Session, Task

CRASHED = "crashed"


@dataclass(frozen=True)
class Command:
    """A shell command an agent ran, as the script lets it end."""

    line: str
    output: str
    exit_code: int


@dataclass(frozen=True)
class Launch:
    """One Agent call and what its agent does: the commands it runs and its final message.

    `crashed`: the agent dies on an API error; `message` is then the error.
    """

    agent_type: str
    description: str
    prompt: str
    message: str
    commands: tuple[Command, ...] = ()
    crashed: bool = False


def explorer(session: Session, scope: Scope) -> Launch:
    """The call of one explorer, which answers with a JSON object in a fence."""
    answer = {
        "scope": scope.folder,
        "focus": scope.focus,
        "status": "success",
        "findings": _findings(scope),
    }
    text = json.dumps(answer, indent=1)
    return Launch(
        agent_type="helix:helix-explorer",
        description=f"Explore {scope.folder}",
        prompt=f"CONTEXT: none\nSCOPE: {scope.folder}\nFOCUS: {scope.focus}\n"
        f"OBJECTIVE: {session.objective}",
        message=f"This is what stands there today.\n```json\n{text}\n```",
    )


def _findings(scope: Scope) -> list[dict[str, str]]:
    return [{"file": file, "what": what} for file, what in scope.findings]


def planner(session: Session) -> Launch:
    """The call of the planner, which answers with the session's tasks as a PLAN_SPEC."""
    explored = json.dumps({"findings": [f for scope in session.scopes for f in _findings(scope)]})
    plan = [
        {
            "seq": f"{task.seq:03d}",
            "slug": task.slug,
            "description": task.text,
            "relevant_files": list(task.files),
            "blocked_by": [f"{seq:03d}" for seq in task.blocked_by],
            "verify": task.verify,
        }
        for task in session.tasks
    ]
    return Launch(
        agent_type="helix:helix-planner",
        description="Plan the tasks",
        prompt=f"OBJECTIVE: {session.objective}\nEXPLORATION: {explored}",
        message=f"PLAN_SPEC:\n{json.dumps(plan, indent=1)}\n\n"
        f"PLAN_COMPLETE: {len(plan)} tasks specified",
    )


def builder(session: Session, task: Task) -> Launch:
    """The call of one builder, with what its parents delivered."""
    lines = [
        f"TASK_ID: {task.seq}",
        f"TASK: {task.text}",
        f"OBJECTIVE: {session.objective}",
        f"VERIFY: {task.verify}",
        f"RELEVANT_FILES: {', '.join(task.files)}",
    ]
    parents = [t for t in session.tasks if t.seq in task.blocked_by]
    if parents:
        lines.append("PARENT_DELIVERIES:")
        lines += [f"- {parent.slug}: {parent.report}" for parent in parents]
    return Launch(
        agent_type="helix:helix-builder",
        description=f"Build {task.slug}",
        prompt="\n".join(lines),
        message=final_message(task),
        commands=_commands(task),
        crashed=task.ending == CRASHED,
    )


def final_message(task: Task) -> str:
    """A builder's last message, with the marker its ending asks for."""
    if task.ending == "delivered":
        text = f"DELIVERED: {task.report}"
    elif task.ending == "partial":
        text = f"PARTIAL: {task.report}\nREMAINING: {task.remaining}"
    elif task.ending == "blocked":
        text = f"BLOCKED: {task.report}"
    else:  # a crash's error text, or a message that says nothing of how it went
        text = task.report
    if task.learned:
        lesson = {"content": task.learned, "tags": [task.slug]}
        text += f"\nINSIGHT: {json.dumps(lesson)}"
    return text


def _commands(task: Task) -> tuple[Command, ...]:
    read = Command(f"cat {' '.join(task.files)}", f"# {task.slug}", 0)
    if task.check is None:
        return (read,)
    if task.check == "passed":
        return (read, Command(task.verify, "4 passed in 0.31s", 0))
    return (read, Command(task.verify, "1 failed, 3 passed in 0.34s", 1))


def waves(session: Session) -> Sequence[tuple[Launch, ...]]:
    """All calls of a session, one tuple per message of the orchestrator."""
    found: list[tuple[Launch, ...]] = []
    if session.scopes:
        found.append(tuple(explorer(session, scope) for scope in session.scopes))
    found.append((planner(session),))
    found += [tuple(builder(session, task) for task in wave) for wave in session.waves]
    return found
