"""Tool calls in a transcript: agents not yet answered, and commands with their results.

Standard library and this package.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from helix_core.text.clean import scrub
from helix_core.text.places import expand
from helix_core.text.records import Record, lines_of, read_tail, records

CALL_WINDOW = 8_000_000
OUTPUT_LIMIT = 4_000
_TEXT_LIMIT = 1_000_000
_EXIT = re.compile(r"\s*(?:Error:\s*)?Exit code:?\s+(-?\d{1,5})\b", re.IGNORECASE)
# Results that say the command never ran, so that they are no evidence of anything.
_NEVER_RAN = re.compile(
    r"\s*(?:<tool_use_error>|Permission to use|Permission for this|\[Request interrupted|"
    r"The user doesn't want|Claude requested permissions|Hook .{0,80} denied)"
)
_BACKGROUND = re.compile(r"\s*Command (?:running in|was (?:manually )?moved to|.{0,40}) background")


@dataclass(frozen=True)
class Call:
    """One agent started by the parent: the id of the call, the agent's type and its prompt."""

    tool_use_id: str
    subagent_type: str
    prompt: str


@dataclass(frozen=True)
class CommandRun:
    """One shell command that ran to its end.

    `exit_code` is None where the client did not say; `output` is the end of what it printed.
    """

    command: str
    is_error: bool
    exit_code: int | None
    output: str
    tool_use_id: str = ""


def open_calls(path: object, tool_names: tuple[str, ...] = ("Agent", "Task")) -> list[Call]:
    """The agent calls of a parent transcript that have no result yet, in order.

    Only tools of exactly these names count (`TaskCreate` is another tool). Up to 8 MB from the
    end are read, because a running agent's progress can put a megabyte after its call. An
    unreadable file gives an empty list.
    """
    file = expand(path)
    if file is None:
        return []
    data, whole = read_tail(file, CALL_WINDOW)
    lines = lines_of(data, drop_first=not whole)
    names = tuple(b'"%s"' % name.encode("utf-8", "replace") for name in tool_names)
    calls = {
        str(block["id"]): block
        for block in _blocks(records(lines, names), "assistant", "tool_use")
        if block.get("name") in tool_names and isinstance(block.get("id"), str)
    }
    for block in _blocks(_answers(lines, list(calls)), "user", "tool_result"):
        calls.pop(str(block.get("tool_use_id")), None)
    return [_call(block) for block in calls.values()]


def commands(path: object) -> list[CommandRun]:
    """The Bash commands of an agent's transcript with their results, in order of their end.

    Commands that were refused, sent to the background, or have no result yet are left out. Up
    to 8 MB from the end are read; an unreadable file gives an empty list.
    """
    file = expand(path)
    if file is None:
        return []
    data, whole = read_tail(file, CALL_WINDOW)
    lines = lines_of(data, drop_first=not whole)
    started: dict[str, str] = {}
    for block in _blocks(records(lines, (b'"Bash"',)), "assistant", "tool_use"):
        given = block.get("input")
        if block.get("name") != "Bash" or not isinstance(given, dict):
            continue
        command = given.get("command")
        if isinstance(command, str) and not given.get("run_in_background"):
            started[str(block.get("id"))] = command
    runs: dict[str, CommandRun] = {}
    for record in _answers(lines, list(started)):
        if _refused(record):
            continue
        for block in _blocks([record], "user", "tool_result"):
            key = str(block.get("tool_use_id"))
            run = _run(key, started[key], block) if key in started else None
            if run:
                runs[key] = run
    return list(runs.values())


def text_of(content: object) -> str:
    """The text of a message's content: a string, a list of strings, or a list of blocks."""
    if isinstance(content, str):
        return content
    if not isinstance(content, list):
        return ""
    parts: list[str] = []
    for block in content:
        if isinstance(block, str):
            parts.append(block)
        elif isinstance(block, dict) and block.get("type") == "text":
            text = block.get("text")
            parts.append(text if isinstance(text, str) else "")
    return "\n".join(part for part in parts if part)


def _answers(lines: list[bytes], ids: list[str]) -> Iterator[Record]:
    """The records that may answer one of `ids`; a plain byte search spares most of the parsing."""
    wanted = {f'"{name}"'.encode("utf-8", "replace") for name in ids}
    if not wanted:
        return
    pattern = re.compile(rb'"tool_use_id"\s*:\s*("[^"\\]{0,200}")')
    for line in lines:
        if any(found in wanted for found in pattern.findall(line)):
            yield from records([line])


def _blocks(found: Iterator[Record] | list[Record], kind: str, block: str) -> Iterator[Record]:
    for record in found:
        message = record.get("message")
        content = message.get("content") if isinstance(message, dict) else None
        if record.get("type") != kind or not isinstance(content, list):
            continue
        yield from (
            item for item in content if isinstance(item, dict) and item.get("type") == block
        )


def _call(block: Record) -> Call:
    given = block.get("input")
    values: dict[str, Any] = given if isinstance(given, dict) else {}
    kind = values.get("subagent_type")
    return Call(
        str(block["id"]),
        scrub(kind, 200) if isinstance(kind, str) else "",
        scrub(values.get("prompt"), _TEXT_LIMIT),
    )


def _refused(record: Record) -> bool:
    """2.1.332 writes the decision of the permission check beside the result."""
    decision = record.get("permissionDecision")
    return isinstance(decision, dict) and decision.get("decision") in ("deny", "reject", "block")


def _run(key: str, command: str, block: Record) -> CommandRun | None:
    output = text_of(block.get("content"))
    if _NEVER_RAN.match(output) or _BACKGROUND.match(output):
        return None
    is_error = block.get("is_error") is True
    stated = _EXIT.match(output)
    exit_code = int(stated[1]) if stated and is_error else None if is_error else 0
    tail = scrub(output[-2 * OUTPUT_LIMIT :], 2 * OUTPUT_LIMIT)[-OUTPUT_LIMIT:]
    return CommandRun(scrub(command, _TEXT_LIMIT), is_error, exit_code, tail, key)
