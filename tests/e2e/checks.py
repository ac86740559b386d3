"""What the builders were really given, and whether it was right.

Role: reads a finished run; returns faults as text. May import: standard library, tests.e2e.

A first message is tied to its task by a chain that does not look at its text: the tool call the
orchestrator made (`meta.json` of the subagent names it), the subagent's transcript, and a tool
call id the model handed out in that very conversation. Two swapped prompts cannot hide in it.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

from tests.e2e.client import Run
from tests.e2e.conversation import first_message
from tests.e2e.scenario import builder_task, call_id
from tests.e2e.world import TASKS, WorldTask

_INJECTED_LINE = re.compile(r"^[\s*-]*\[\d{1,3}%\]\s+(.+)$", re.MULTILINE)


@dataclass(frozen=True)
class Builder:
    """One subagent of a finished run and the first message it was given."""

    agent_id: str
    tool_use_id: str
    text: str


def builders(run: Run) -> list[Builder]:
    """Every helix builder of the run, in the order of its tool call ids."""
    texts = dict(_texts_by_call(run))
    found = []
    for meta in run.config.glob(f"projects/*/{run.session_id}/subagents/agent-*.meta.json"):
        transcript = meta.with_name(meta.name.replace(".meta.json", ".jsonl"))
        tool_use_id = json.loads(meta.read_text(encoding="utf-8")).get("toolUseId", "")
        agent_id = transcript.stem.removeprefix("agent-")
        text = next((texts[call] for call in _calls_in(transcript) if call in texts), "")
        found.append(Builder(agent_id, tool_use_id, text))
    return sorted(found, key=lambda builder: builder.tool_use_id)


def injected_lines(text: str) -> list[str]:
    """The contents of the injected insights in a first message, in their order."""
    return _INJECTED_LINE.findall(text)


def faults_of_injection(
    given: Iterable[Builder], tasks: tuple[WorldTask, ...] = TASKS
) -> list[str]:
    """Whatever is wrong with the first messages of `given`, one line per fault; empty is right.

    Each task needs one builder whose first message holds this task's text and insight and no
    insight meant for another task; within a wave no insight may stand in two messages.
    """
    by_call = {builder.tool_use_id: builder.text for builder in given}
    faults = [f"task {t.seq} has no builder" for t in tasks if call_id(t) not in by_call]
    for task in tasks:
        text = by_call.get(call_id(task), "")
        if f"\nTASK: {task.text}\n" not in text:
            faults.append(f"the builder of task {task.seq} was given the text of another task")
        lines = injected_lines(text)
        if task.insight not in lines:
            faults.append(f"task {task.seq} was not given its own insight but {lines}")
        faults.extend(
            f"task {task.seq} was given the insight of task {other.seq}"
            for other in tasks
            if other is not task and other.insight in text
        )
    for wave in sorted({task.wave for task in tasks}):
        members = [by_call.get(call_id(task), "") for task in tasks if task.wave == wave]
        faults.extend(f"wave {wave}: given twice: {line}" for line in given_twice(members))
    return faults


def given_twice(texts: Iterable[str]) -> list[str]:
    """The insights that stand in more than one of these first messages."""
    counted = Counter(line for text in texts for line in set(injected_lines(text)))
    return [line for line, times in counted.items() if times > 1]


def _texts_by_call(run: Run) -> Iterator[tuple[str, str]]:
    """Tool call id handed out to a builder, and what that builder had been given first."""
    for request in run.requests:
        if builder_task(request["body"]) is not None:
            text = first_message(request["body"])
            yield from ((call, text) for call in request["calls"])


def _calls_in(transcript: Path) -> Iterator[str]:
    """The tool call ids in a subagent's transcript."""
    for line in transcript.read_text(encoding="utf-8").splitlines():
        record = json.loads(line)
        content = (record.get("message") or {}).get("content")
        if record.get("type") == "assistant" and isinstance(content, list):
            yield from (block["id"] for block in content if block.get("type") == "tool_use")
