"""The texts of the learn view: the queue's rows, the evidence, the question and its options. Pure.

Evidence comes first: the agent's own words, files, the verify command, what it was given, and what
that was led to by. Everything was noted when the question was put.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from datetime import datetime

from helix_tui import formats
from helix_tui.glyphs import Glyphs
from helix_tui.state import EvidenceView, LearnView, QuestionDetail, QuestionLine, WitnessLine
from helix_tui.widgets import insight_rows
from helix_tui.widgets.table_layout import Cell, Column, Row

COLUMNS = (
    Column("state", "state", 11),
    Column("kind", "kind", 12, drop=2),
    Column("task", "task", 5, drop=3),
    Column("question", "question"),
    Column("age", "asked", 5, right=True, drop=1),
)
PLACES = {
    "chat": "in the chat",
    "tui": "in the dashboard",
    "cli": "on the command line",
    "maintenance": "to make room for newer ones",
}
"""Where a question was closed, in words."""
LONG = 200
"""A question of more characters is told whole behind its evidence."""
Lines = list[list[Cell]]


def rows(lines: Sequence[QuestionLine], glyphs: Glyphs, now: datetime) -> list[Row]:
    """One row per question; those that are closed are muted."""
    found = []
    for line in lines:
        state = glyphs.state(line.state)
        role = "" if line.state == "open" else "muted"
        risky = glyphs.mark("risky") if line.risky else ""
        said = f"{line.header}: {line.question}" if line.header else line.question
        answer = f" [{line.answer}]" if line.answer else ""
        cells: tuple[Cell, ...] = (
            (state.text, state.role),
            (formats.literal(f"{line.kind} {risky}".rstrip()), "warn" if risky else role),
            (formats.literal(line.task_id or "-"), "muted"),
            (formats.literal(said + answer), role),
            (formats.age(line.created_at, now), "muted"),
        )
        found.append(Row(line.id, cells))
    return found


def evidence(view: LearnView, glyphs: Glyphs) -> Lines:
    """What is known about the selected question's matter; of a closed one first how it ended."""
    detail = view.detail
    if detail is None:
        return [[("No question has been asked yet.", "muted")]]
    found = [*_closed(view, detail.line, glyphs), *_known(detail, glyphs)]
    question = formats.literal(detail.question)
    if len(question) > LONG:
        found += [[], [("the whole question  ", "muted"), (question, "")]]
    if not found:
        found = [[("Nothing is on record about it.", "muted")]]
    return found


def _closed(view: LearnView, line: QuestionLine, glyphs: Glyphs) -> Lines:
    if line.state == "open":
        return []
    state = glyphs.state(line.state)
    place = PLACES.get(line.answered_by, line.answered_by)
    when = f" {formats.literal(place)} at {formats.clock_time(line.closed_at)}"
    found: Lines = [[(state.text, state.role), (when, "muted")]]
    if line.answer:
        found.append([("answer  ", "muted"), (formats.literal(line.answer), "strong")])
    for name, content in view.stored:
        text = content or "not there any more"
        found.append([("stored  ", "muted"), (formats.literal(text), "good")])
        found.append([(f"        {formats.literal(name)}", "muted")])
    return [*found, []]


def _known(detail: QuestionDetail, glyphs: Glyphs) -> Lines:
    known = detail.evidence
    found: Lines = []
    if known.reason:
        found.append([("quoted  ", "muted"), (formats.literal(known.reason), "strong")])
    found += _facts(detail, known, glyphs)
    if known.injected:
        found += [[], [("its agent was given", "muted")]]
        found += [line for one in known.injected for line in _witness(one, glyphs)]
    if known.compared:
        differs = f", they differ in {formats.literal(known.differs)}" if known.differs else ""
        head = "rejected before" if detail.line.kind == "candidate" else "compared"
        found += [[], [(f"{head}{differs}", "muted")]]
        found += [line for one in known.compared for line in _witness(one, glyphs)]
    if detail.corrects:
        found += [[], [("an answer corrects  ", "muted"), (formats.literal(detail.corrects), "")]]
    return found


def _facts(detail: QuestionDetail, known: EvidenceView, glyphs: Glyphs) -> Iterator[list[Cell]]:
    if known.files:
        yield [("files   ", "muted"), (formats.literal(", ".join(known.files)), "")]
    if known.verify:
        yield [("verify  ", "muted"), (formats.literal(known.verify), "accent")]
    if known.outcome:
        state = glyphs.state(known.outcome)
        source = f" ({formats.literal(known.source)})" if known.source else ""
        agent = f"  agent {formats.literal(known.agent_id)}" if known.agent_id else ""
        ended: list[Cell] = [("ended   ", "muted"), (formats.literal(state.text), state.role)]
        yield [*ended, (f"{source}{agent}", "muted")]
    if known.task:
        number = f"{detail.line.task_id}: " if detail.line.task_id else ""
        yield [("task    ", "muted"), (formats.literal(f"{number}{known.task}"), "")]


def _witness(one: WitnessLine, glyphs: Glyphs) -> Lines:
    """An insight and, below it, what it was led to by, nearest first."""
    head: list[Cell] = [(f"{_score(one.effectiveness)} ", _role(one.effectiveness))]
    if one.relevance is not None:
        head.append((f"relevance {formats.percent(one.relevance)} ", "muted"))
    head.append((formats.literal(one.content or one.name), ""))
    found = [head]
    for each in one.ancestry:
        indent = "     " + "  " * max(0, each.steps - 1)
        gone = " (in the trash)" if each.in_trash else ""
        found.append(
            [
                (f"{indent}{glyphs.mark('rail')} led to by ", "muted"),
                (f"{formats.percent(each.effectiveness)} ", _role(each.effectiveness)),
                (formats.literal(f"{each.name}{gone}"), "muted"),
            ]
        )
    if one.risky:
        lineage = f" (mean {formats.percent(one.lineage)})" if one.lineage is not None else ""
        words = f"     {glyphs.mark('risky')} what it came of stands low{lineage}"
        found.append([(words, "warn")])
    return found


def _score(effectiveness: float | None) -> str:
    return formats.fit(formats.percent(effectiveness), 4, right=True)


def _role(effectiveness: float | None) -> str:
    return "muted" if effectiveness is None else insight_rows.rank_role(effectiveness)


def question(detail: QuestionDetail | None) -> list[Cell]:
    """The question itself."""
    if detail is None:
        return []
    return [(formats.literal(detail.question), "strong")]


def options(detail: QuestionDetail | None, chosen: Collection[int]) -> Lines:
    """The options with their numbers, what each would store, and which are chosen."""
    if detail is None:
        return []
    waits = detail.line.state == "open"
    found: Lines = []
    for number, option in enumerate(detail.options, 1):
        here = number in chosen
        box = ("[x]" if here else "[ ]") if detail.multi_select else ("(*)" if here else "( )")
        line: list[Cell] = [
            (f"{number} {box} " if waits else f"{number} ", "active" if here else "accent"),
            (formats.literal(option.label), "strong" if here else ""),
        ]
        said = "; ".join(filter(None, (option.description, option.evidence)))
        if said:
            line.append((f"  {formats.literal(said)}", "muted"))
        found.append(line)
        if option.insight:
            stores: Cell = (formats.literal(option.insight), "good" if here else "")
            found.append([("      stores  ", "muted"), stores])
    return found


def numbers(detail: QuestionDetail | None) -> list[int]:
    """Which option each line of `options` belongs to."""
    found = enumerate(detail.options, 1) if detail is not None else ()
    return [number for number, option in found for _ in range(2 if option.insight else 1)]


def hints(detail: QuestionDetail | None, chosen: Collection[int]) -> list[tuple[str, str]]:
    """What can be done with this question now, and the action of each; none where none waits."""
    if detail is None or detail.line.state != "open":
        return []
    if chosen:
        edits = ("e edits what is stored first", "screen.edit_option")
        return [("enter accepts", "screen.accept"), edits]
    many = "digits choose, several may hold" if detail.multi_select else "a digit chooses"
    return [
        (many, ""),
        ("o own words", "screen.reply"),
        ("x dismiss", "screen.dismiss_question"),
    ]
