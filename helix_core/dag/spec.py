"""Read a PLAN_SPEC into tasks, and say what is wrong with it. Pure; standard library only.

Hooks record plans too, without any package: circles are found by `graphlib`.
"""

from __future__ import annotations

import graphlib
import hashlib
import json
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from helix_core.dag.tasks import Task, task_key
from helix_core.text import clean, handoff, scanner, values, verify

MANY_FILES = 5
CIRCLES_NAMED = 5
KEYS = frozenset({"seq", "slug", "description", "relevant_files", "blocked_by", "verify"})
# What other tools call it: a plan whose order is not understood would start everything at once.
_WAITS = frozenset(
    {
        *("depends_on", "dependson", "depends", "dependencies", "dependency", "deps", "needs"),
        *("requires", "after", "blockers", "blockedby", "prerequisites", "predecessors"),
    }
)
_SEPARATORS = re.compile(r"[,;\s]+")
_HOUSEKEEPING = re.compile(r"\W*(?:set[\s_-]?up|finali[sz]e|clean[\s_-]?up)\b", re.IGNORECASE)
# Programs that end well whatever the task did, so that they prove nothing.
_IDLE = frozenset(
    {"true", ":", "echo", "printf", "ls", "pwd", "cat", "exit", "sleep", "date", "cd", "export"}
)
# First words of a sentence about checking, none of them a program.
_PROSE = frozenset(
    {
        *("run", "check", "verify", "ensure", "confirm", "review", "inspect", "look", "see"),
        *("manual", "manually", "visual", "visually", "by", "the", "all", "that", "tests", "unit"),
        *("tbd", "todo", "none", "na"),
    }
)


@dataclass(frozen=True)
class Plan:
    """A plan as far as it can be read; one with errors is not accepted."""

    tasks: tuple[Task, ...]
    errors: tuple[str, ...] = ()
    warnings: tuple[str, ...] = ()

    @property
    def digest(self) -> str:
        """The identity of a plan: the same tasks, however their numbers are written."""
        told = [(*content(task), sorted(task.blocked_by)) for task in self.tasks]
        return hashlib.sha256(json.dumps(told).encode("utf-8", "replace")).hexdigest()[:32]


def content(task: Task) -> tuple[object, ...]:
    """What a task asks for, apart from whom it waits for: two with the same are one task."""
    return (task.key, task.slug, task.description, task.relevant_files, task.verify)


def from_message(message: str) -> Plan:
    """The plan in a planner's final message; without tasks, with the reason, where it has none."""
    entries, reason = handoff.read_plan(message)
    return Plan((), (reason,)) if entries is None else read(entries)


def from_file(text: str) -> Plan:
    """The plan in a file: a planner's message, or the bare array."""
    return from_message(text if "PLAN_SPEC" in text else f"PLAN_SPEC:\n{text}")


def read(entries: Sequence[Mapping[str, Any]]) -> Plan:
    """The plan in the entries of a PLAN_SPEC, checked.

    Text is made safe and secrets are masked. Of two tasks with one number the first is kept.
    """
    tasks: dict[str, Task] = {}
    errors: list[str] = []
    doubts: list[str] = []
    for number, entry in enumerate(entries, 1):
        task = _task(entry, number)
        for key in map(str, entry.keys() - KEYS):
            name = clean.shorten(clean.fold(clean.scrub(key, 80)), 40)
            if re.sub(r"[\W]", "_", key).lower() in _WAITS:
                errors.append(f"task {task.seq}: {name!r} is not read; say blocked_by")
            else:
                doubts.append(f"task {task.seq}: {name!r} is not read")
        if task.key in tasks:
            errors.append(f"task {task.seq}: another task has this number")
        else:
            tasks[task.key] = task
    listed = tuple(tasks.values())
    if not listed:
        errors.append("the plan has no task")
    return Plan(listed, (*errors, *faults(listed)), (*warnings(listed), *sorted(doubts)))


def faults(tasks: Sequence[Task], known: Iterable[str] = ()) -> list[str]:
    """What makes a plan unacceptable, each fault naming its task.

    `known`: keys of tasks that are there beside these.
    """
    keys = {task.key for task in tasks} | set(known)
    found = []
    for task in tasks:
        unknown = [key for key in task.blocked_by if key not in keys]
        if unknown:
            found.append(f"task {task.seq}: waits for {_named(unknown)}, not in the plan")
        vague = vague_check(task.verify)
        if vague:
            found.append(f"task {task.seq}: {vague}")
    for circle in circles({task.key: task.blocked_by for task in tasks}):
        found.append(f"tasks {' -> '.join([*circle, circle[0]])}: each waits for the next")
    return found


def circles(
    blocked_by: Mapping[str, Sequence[str]], limit: int = CIRCLES_NAMED
) -> list[tuple[str, ...]]:
    """Circles in which each task waits for the next, with their members; no task in two of them.

    At most `limit`; empty if and only if there is none.
    """
    left = {key: tuple(names) for key, names in blocked_by.items()}
    place = {key: n for n, key in enumerate(left)}
    found: list[tuple[str, ...]] = []
    while len(found) < limit:
        try:
            graphlib.TopologicalSorter(left).prepare()
            break
        except graphlib.CycleError as error:
            # The members as the sorter walks them: each one blocks the next.
            members = list(reversed(error.args[1][1:]))
            first = members.index(min(members, key=place.__getitem__))
            found.append((*members[first:], *members[:first]))
        for key in members:
            left.pop(key, None)
    return found


def vague_check(command: str) -> str:
    """Why a `verify` is no check; "" where it names a program that can fail."""
    if values.task_id(command.strip(" .…")) is None:  # nothing, or a word for nothing
        return "has no verify command"
    checks = [words for words in verify.checks(command) if words[0] not in _IDLE]
    if not checks:
        return f"its verify command proves nothing: {clean.shorten(command, 80)}"
    if all(_is_prose(words) for words in checks):
        return f"its verify is no command: {clean.shorten(command, 80)}"
    return ""


def _is_prose(words: Sequence[str]) -> bool:
    first = words[0].rstrip(".,:!")
    sentence = len(words) > 1 and first.istitle() and all(word.isalpha() for word in words)
    return sentence or first.lower() in _PROSE or words[:2] == ["make", "sure"] or "<" in first


def warnings(tasks: Sequence[Task]) -> Iterator[str]:
    """What is doubtful about a plan, each doubt naming its task; no reason to refuse it."""
    for task in tasks:
        if len(task.relevant_files) > MANY_FILES:
            yield f"task {task.seq}: {len(task.relevant_files)} files, more than {MANY_FILES}"
        if _HOUSEKEEPING.match(task.slug) or _HOUSEKEEPING.match(task.description):
            yield f"task {task.seq}: a setup, finalize or cleanup task; does a real one need it?"
        if not task.description:
            yield f"task {task.seq}: has no description"


def _task(entry: Mapping[str, Any], number: int) -> Task:
    seq = values.task_id(_text(entry.get("seq"), 100)) or str(number)
    return Task(
        seq=seq,
        slug=_text(entry.get("slug"), 200),
        description=_text(entry.get("description"), 4000),
        relevant_files=tuple(_text(item, 500) for item in _items(entry.get("relevant_files"))),
        blocked_by=_blockers(entry.get("blocked_by")),
        verify=_text(entry.get("verify"), 2000),
    )


def _text(value: object, limit: int) -> str:
    return scanner.mask(clean.scrub(value, limit)).strip()


def _items(value: object) -> list[object]:
    if isinstance(value, list):
        return [item for item in value if item not in (None, "")]
    return [] if value in (None, "", False) else [value]


def _blockers(value: object) -> tuple[str, ...]:
    """The tasks waited for, as keys; a list, or one text with commas or spaces."""
    given = _SEPARATORS.split(value) if isinstance(value, str) else _items(value)
    found = (values.task_id(_text(item, 100)) for item in given)
    return tuple(dict.fromkeys(task_key(item) for item in found if item))


def _named(keys: Sequence[str]) -> str:
    return ", ".join(keys[:10])


def with_blockers(task: Task, blocked_by: Iterable[str]) -> Task:
    """The same task, waiting for others; no number twice."""
    return replace(task, blocked_by=tuple(dict.fromkeys(blocked_by)))
