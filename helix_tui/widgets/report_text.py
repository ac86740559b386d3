"""The report of a session as lines: what was delivered, what the memory learned from it. Pure."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime

from helix_core.reportrows import (
    AskedQuestion,
    HookReport,
    Loop,
    MovedInsight,
    RunReport,
    SessionReport,
    StoredInsight,
    TaskReport,
)
from helix_tui import formats
from helix_tui.glyphs import Glyphs
from helix_tui.widgets.table_layout import Cell

Lines = list[list[Cell]]


def about(report: SessionReport | None, glyphs: Glyphs, now: datetime) -> Lines:
    """Everything the report says."""
    if report is None:
        return [[("Nothing is on record about this session.", "muted")]]
    return [
        *_head(report, now),
        *(line for run in report.runs for line in _run(run, glyphs)),
        *_stored(report.stored),
        *_moved(report.moved, glyphs),
        *_questions(report.questions, glyphs),
        *_loop(report.loop, glyphs),
        *_hooks(report.hooks),
    ]


def _head(report: SessionReport, now: datetime) -> Lines:
    took = formats.span(report.started_at, report.ended_at, now)
    goes_on = "" if report.ended_at else ", goes on"
    return [
        [
            ("session ", "muted"),
            (formats.literal(report.session_id), ""),
            (f"  from {formats.day_time(report.started_at)}, {took}{goes_on}", "muted"),
        ],
        [
            ("builders ", "muted"),
            (_counts(report.outcomes), ""),
            ("  known by ", "muted"),
            (_counts(report.sources), ""),
        ],
    ]


def _counts(counts: Mapping[str, int]) -> str:
    return formats.literal(", ".join(f"{n} {name}" for name, n in counts.items())) or "none"


def _run(run: RunReport, glyphs: Glyphs) -> Lines:
    busy = f", {run.running} running" if run.running else ""
    words = f"  {formats.plural(run.agents, 'agent')}{busy}"
    name = formats.literal(run.objective) or "without a plan"
    head: list[Cell] = [(name, "strong"), (words, "muted")]
    return [[], head, *(line for task in run.tasks for line in _task(task, glyphs))]


def _task(task: TaskReport, glyphs: Glyphs) -> Lines:
    state = glyphs.state(task.state)
    notes = [f"({task.source})"] if task.source else []
    notes += [f"{task.attempts} attempts"] if task.attempts > 1 else []
    notes += [f"decided by {task.decided_by}"] if task.decided_by else []
    name = f"{task.seq} {task.slug or task.description}".strip()
    found: Lines = [
        [
            (f"  {formats.fit(state.text, 11)} ", state.role),
            (formats.literal(name), ""),
            (formats.literal("  " + " ".join(notes)) if notes else "", "muted"),
        ]
    ]
    said = filter(None, (task.summary, task.reason))
    return found + [[(f"      {formats.literal(text)}", "muted")] for text in said]


def _stored(stored: tuple[StoredInsight, ...]) -> Lines:
    found: Lines = [[], [(f"stored {len(stored) or 'nothing'}", "strong")]]
    for one in stored:
        gone = f" (in the trash: {one.gone})" if one.gone else ""
        found.append([(f"  {formats.literal(one.content)}", ""), (formats.literal(gone), "warn")])
        task = f", task {one.task_id}" if one.task_id else ""
        words = f"      {one.name}, {one.source} by {one.by}{task}"
        found.append([(formats.literal(words), "muted")])
    return found


def _moved(moved: tuple[MovedInsight, ...], glyphs: Glyphs) -> Lines:
    found: Lines = [[], [(f"moved {len(moved) or 'nothing'}", "strong")]]
    for one in moved:
        rose = one.after >= one.before
        sign = glyphs.mark("rose" if rose else "fell")
        change = f"  {sign} {formats.moved(one.before, one.after)}  "
        found.append([(change, "good" if rose else "bad"), (formats.literal(one.name), "")])
        found += [[(f"      {formats.literal(move.why)}", "muted")] for move in one.moves]
    return found


def _questions(asked: tuple[AskedQuestion, ...], glyphs: Glyphs) -> Lines:
    found: Lines = [[], [(f"questions {len(asked) or 'none'}", "strong")]]
    for one in asked:
        state = glyphs.state(one.state)
        by = f" ({one.answered_by})" if one.answered_by else ""
        answer = f"  {one.answer}{by}" if one.answer else ""
        found.append(
            [
                (f"  {formats.fit(state.text, 11)} ", state.role),
                (formats.literal(one.question), ""),
                (formats.literal(answer), "good"),
            ]
        )
    return found


def _loop(loop: Loop, glyphs: Glyphs) -> Lines:
    word, role = ("closed", "good") if loop.closed else ("not closed", "warn")
    counts = f"  {loop.applied} of {formats.plural(loop.given, 'agent')} have fed back"
    found: Lines = [[], [("loop ", "strong"), (word, role), (counts, "muted")]]
    for end in (*loop.open, *loop.exempt):
        state = glyphs.state(end.state)
        task = f" of task {end.task_id}" if end.task_id else ""
        who = f"{formats.bare_type(end.agent_type)}{task}: {end.why}"
        found.append(
            [(f"  {formats.fit(state.text, 11)} ", state.role), (formats.literal(who), "")]
        )
    return found


def _hooks(hooks: HookReport) -> Lines:
    counts = f"  {hooks.calls} calls, {hooks.failed} failed, {hooks.degraded} by keyword only"
    found: Lines = [[], [("hooks", "strong"), (counts, "bad" if hooks.failed else "muted")]]
    for one in hooks.troubles:
        words = f"  {formats.clock_time(one.at)} {one.event}: {one.error}"
        found.append([(formats.literal(words), "muted")])
    return found
