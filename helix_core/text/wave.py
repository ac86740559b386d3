"""What batch-inject is asked: the tasks of a wave, checked and read as their prompts will be.

Standard library and this package. A task is turned into the prompt a builder would get and read
back by the reader of prompts, so that it is asked for exactly as the hook would ask.
"""

from __future__ import annotations

from typing import Any

from helix_core.text.clean import fold
from helix_core.text.fields import Prompt, read_prompt
from helix_core.text.schema import Check
from helix_core.text.values import task_key

MAX_TASKS = 12
MAX_TEXT = 8_000
MAX_FILES = 100
NEEDED = ("task_id", "task")
OTHER = ("objective", "files")


def read_tasks(value: Any) -> list[Prompt]:
    """The prompts of a wave's tasks, in order; raises UsageError that names every fault's place.

    In: a list of 1 to 12 objects `{task_id, task, objective?, files?}`.
    """
    check = Check()
    if not isinstance(value, list) or not 1 <= len(value) <= MAX_TASKS:
        check.fault("tasks", f"must be a list of 1 to {MAX_TASKS} objects")
        check.done()
    found: list[Prompt] = []
    seen: set[str] = set()
    for n, item in enumerate(value):
        place = f"tasks[{n}]"
        if not isinstance(item, dict):
            check.fault(place, "must be an object")
            continue
        check.keys(place, item, NEEDED, OTHER)
        prompt = _prompt(check, place, item)
        if prompt.task_id is None and "task_id" in item:
            check.fault(f"{place}.task_id", "must be a number or a short text")
        elif prompt.task_id is not None and task_key(prompt.task_id) in seen:
            check.fault(f"{place}.task_id", f"{prompt.task_id!r} was given before")
        found.append(prompt)
        seen.add(task_key(prompt.task_id or ""))
    check.done()
    return found


def _prompt(check: Check, place: str, item: dict[str, Any]) -> Prompt:
    number = item.get("task_id")
    plain = isinstance(number, (int, str)) and not isinstance(number, bool)
    task = check.text(f"{place}.task", item["task"], MAX_TEXT) if "task" in item else ""
    objective = check.text(f"{place}.objective", item.get("objective", ""), MAX_TEXT, empty=True)
    files = check.texts(f"{place}.files", item.get("files", []), MAX_FILES, 500)
    lines = [
        f"TASK_ID: {fold(str(number)) if plain else ''}",
        f"TASK: {task}",
        f"OBJECTIVE: {objective}",
        *(["RELEVANT_FILES:", *(f"- {fold(file)}" for file in files)] if files else []),
    ]
    return read_prompt("\n".join(lines))
