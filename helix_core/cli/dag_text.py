"""The answers of `helix dag` as text for people. Pure."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from helix_core.cli import output
from helix_core.dag import spec
from helix_core.text import clean

SHORT = 100
Found = dict[str, Any]


def checked(text: str) -> Found:
    """What `plan --check` says of a plan that is recorded nowhere."""
    plan = spec.from_file(text)
    return {
        "status": "refused" if plan.errors else "valid",
        "run": None,
        "session_id": None,
        "errors": list(plan.errors),
        "warnings": list(plan.warnings),
        "tasks": len(plan.tasks),
    }


def plan_lines(found: Found) -> list[str]:
    """The answer of `plan`."""
    where = "" if found["run"] is None else f" as run {found['run']}"
    if found["status"] == "confirmed":
        where = f": run {found['run']}"
    tasks = output.counted(found["tasks"], "task")
    return [f"{found['status']}{where}, {tasks}", *_remarks(found)]


def _remarks(found: Found) -> list[str]:
    return [
        *(f"error: {text}" for text in found["errors"]),
        *(f"warning: {text}" for text in found["warnings"]),
    ]


def _head(found: Found) -> list[str]:
    ended = f", ended {found['ended_at'][:16]}" if found["ended_at"] else ""
    about = clean.shorten(clean.fold(found["objective"]), SHORT)
    return [
        f"run {found['run']} of session {found['session_id']}{ended}" + (about and f": {about}"),
        *_remarks(found),
    ]


def status_lines(found: Found) -> list[str]:
    """The answer of `status`."""
    counts = ", ".join(f"{n} {state}" for state, n in found["counts"].items())
    rows = [
        (
            task["seq"],
            task["state"],
            ",".join(task["blocked_by"]) or "-",
            task["attempts"],
            task["source"] or "-",
            task["slug"] or "-",
            _short(task["reason"] if task["decided"] else task["summary"]),
        )
        for task in found["tasks"]
    ]
    heads = ("seq", "state", "waits for", "tries", "source", "slug", "summary")
    return [
        *_head(found),
        f"{output.counted(len(found['tasks']), 'task')}: {counts}" if counts else "no tasks",
        *output.columns(heads, rows),
        f"ready: {', '.join(found['ready']) or 'none'}",
        f"running: {', '.join(found['running']) or 'none'}",
        *(f"stalled: {one['seq']} ({one['kind']}): {one['why']}" for one in found["stalled"]),
        *(f"waiting: {one['seq']}: {one['why']}" for one in found["waiting"]),
    ]


def _short(text: str | None) -> str:
    return clean.shorten(clean.fold(text or ""), SHORT)


def ready_lines(found: Found) -> list[str]:
    """The answer of `ready`."""
    lines = [line for task in found["tasks"] for line in _full(task)]
    return [*_remarks(found), *(lines or ["nothing is ready"])]


def _full(task: Found) -> Iterator[str]:
    yield f"{task['seq']} [{task['state']}] {task['slug']}".rstrip()
    for name in ("description", "verify"):
        if task[name]:
            yield f"    {name}: {clean.fold(task[name])}"
    for name in ("relevant_files", "blocked_by"):
        if task[name]:
            yield f"    {name}: {', '.join(map(clean.fold, task[name]))}"


def show_lines(found: Found) -> list[str]:
    """The answer of `show` without a number."""
    layers = [f"layer {n}: {', '.join(part)}" for n, part in enumerate(found["layers"], 1)]
    return [*_head(found), *layers, *(line for task in found["tasks"] for line in _full(task))]


def task_lines(task: Found) -> list[str]:
    """The answer of `show SEQ`."""
    lines = list(_full(task))
    if task["blocks"]:
        lines.append(f"    blocks: {', '.join(task['blocks'])}")
    if task["decided"]:
        why = f": {clean.fold(task['reason'])}" if task["reason"] else ""
        when = (task["decided_at"] or "")[:16]
        lines.append(f"    {when} set to {task['decided']} by {task['decided_by']}{why}")
    for one in task["tried"]:
        source = f" ({one['source']})" if one["source"] else ""
        lines.append(
            f"    {(one['started_at'] or '')[:16]} {one['agent_id'] or '?'} {one['state']}{source}"
            f" {_short(one['summary'])}".rstrip()
        )
    return lines


def delivery_lines(found: Found) -> list[str]:
    """The answer of `deliveries`, as a prompt's PARENT_DELIVERIES field has it."""
    lines = [
        f"- {one['seq']}: "
        + ("" if one["state"] == "delivered" else f"({one['state']}) ")
        + clean.fold(one["summary"] or "no summary")
        for one in found["parents"]
    ]
    return lines or [f"task {found['seq']} waits for nobody"]


def wait_lines(found: Found) -> list[str]:
    """The answer of `wait`."""
    lines = [
        f"{one['seq']} {one['state']}"
        + (f" ({one['source']})" if one["source"] else "")
        + (f": {_short(one['note'] or one['summary'])}" if one["note"] or one["summary"] else "")
        for one in found["ended"]
    ]
    lines += [f"{one['seq']} missing: {one['why']}" for one in found["missing"]]
    return [
        *lines,
        f"{'done' if found['done'] else found['reason']} after {found['seconds']:.0f} s",
    ]


def set_lines(task: Found) -> Sequence[str]:
    """The answer of `set`."""
    lines = [f"{task['seq']} is {task['state']} now"]
    for name, told in (("new", "new"), ("gone", "replaced"), ("moved", "now wait for others")):
        if task.get(name):
            lines.append(f"{told}: {', '.join(task[name])}")
    return lines
