"""Any changes, and as many undos: the old state to the last column, with the feedback kept.

The reference is a second memory that saw the same feedback and nothing else.
"""

from __future__ import annotations

import shutil
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from geometry import PROFILE, START, Directions, at, directions, dump, later, open_memory
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from helix_core.embed.index import MatrixIndex
from helix_core.errors import RefusedError
from helix_core.memory import answers, curate, feedback, remember, upkeep
from helix_core.memory.context import Memory
from helix_core.model import Given, Option
from helix_core.paths import Project
from helix_core.settings import Settings
from helix_core.store import curation, edges, insights, questions, runs, undo, vectors
from helix_core.store.connection import open_store, writing

WORDS = ("amber", "birch", "cedar", "delta", "ebony")
WORDINGS = [f"When {word} breaks mend {word} because of {n}" for word in WORDS for n in "xyz"]
FRESH = "When a person says so do it because a person said so"
NAMES = st.sampled_from(range(len(WORDS)))
TAGS = st.lists(st.sampled_from(["t0", "t1", "own", "new", "user-provided"]), max_size=2)
ACTORS = st.sampled_from(["cli", "tui", "hook"])
ANSWER = st.one_of(
    st.tuples(st.just("dismiss"), NAMES),
    st.tuples(
        st.just("settle"), NAMES, NAMES, st.sampled_from(["polarity: x", "numbers: x"]),
        st.sampled_from([1, 2, 3, 4, 5]),
    ),
    st.tuples(
        st.just("judge"), st.lists(NAMES, min_size=1, max_size=3, unique=True),
        st.sampled_from([1, 2, 3]), st.sampled_from([10, 40, 80]),
    ),
    st.tuples(st.just("correct"), NAMES, st.sampled_from([*WORDINGS[:6], FRESH])),
    st.tuples(st.just("accept"), NAMES),
)  # fmt: skip
STEP = st.one_of(
    ANSWER,
    st.tuples(st.just("discard"), st.lists(NAMES, min_size=1, max_size=2, unique=True), ACTORS),
    st.tuples(st.just("prune"), st.lists(NAMES, min_size=1, max_size=2, unique=True)),
    st.tuples(st.just("restore"), NAMES),
    st.tuples(st.just("pin"), NAMES, st.booleans()),
    st.tuples(st.just("tag"), NAMES, TAGS, TAGS),
    st.tuples(st.just("edit"), NAMES, st.sampled_from(WORDINGS)),
    st.tuples(st.just("merge"), NAMES, NAMES),
    st.tuples(st.just("reindex")),
    st.tuples(st.just("store"), st.sampled_from(WORDINGS), TAGS),
    st.tuples(
        st.just("hand"),
        st.lists(NAMES, min_size=1, max_size=2, unique=True),
        st.sampled_from(["delivered", "partial", "blocked"]),
        st.sampled_from([0.2, 0.5, 0.9]),
    ),
    st.tuples(st.just("decay")),
    st.tuples(
        st.just("feedback"),
        NAMES,
        st.sampled_from(["delivered", "partial", "blocked"]),
        st.sampled_from([0.2, 0.5, 0.9]),
        st.one_of(st.none(), st.sampled_from([0, 50])),
    ),
)


@pytest.fixture(scope="module")
def template(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A memory of five insights with vectors, tags, a record each, and edges of both kinds."""
    mem = open_memory(tmp_path_factory.mktemp("template"))
    _know_the_wordings(mem)
    for n in range(len(WORDS)):
        remember.store(mem, WORDINGS[3 * n], [f"t{n}"], effectiveness=0.3 + 0.1 * n)
    for n in range(2, len(WORDS) + 1):
        edges.add_edges(mem.conn, [(1, n, 0.1 * n, "similar"), (n, 1, 1.0, "led_to")], mem.moment)
        for turn in range(n):
            _judge(later(mem, seconds=turn), n, "delivered", 0.9, 20 * turn)
    mem.conn.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    mem.conn.close()
    return mem.project.database


def _know_the_wordings(mem: Memory) -> None:
    for n, text in enumerate(WORDINGS):
        directions(mem)[text] = at(35 + 20 * (n % 3), n // 3 + 1)


def _open(template: Path, folder: Path) -> Memory:
    """The template again, in a folder of its own."""
    database = folder / "helix.db"
    shutil.copyfile(template, database)
    project = Project(folder, folder, database, "test")
    conn = open_store(database)
    mem = Memory(conn, project, Settings(), START, Directions(), MatrixIndex(PROFILE), actor="cli")
    _know_the_wordings(mem)
    return mem


def _judge(mem: Memory, insight_id: int, outcome: str, cosine: float, angle: int | None) -> None:
    by = feedback.Attribution(f"agent-{mem.moment}", "m", outcome, "self")
    context = None if angle is None else at(angle)
    with writing(mem.conn):
        row = insights.by_ids(mem.conn, [insight_id])[insight_id]
        assert feedback.move(mem, row, cosine, PROFILE, by, context)


def _take(mem: Memory, names: list[str], step: tuple[Any, ...]) -> bool:
    """One step; whether it was feedback that counted."""
    kind, *rest = step
    who = {"actor": "cli", "moment": mem.now}
    if kind == "discard":
        curation.discard(mem.conn, [names[n] for n in rest[0]], actor=rest[1], moment=mem.now)
    elif kind == "prune":
        curation.prune(mem.conn, {names[n]: "low" for n in rest[0]}, **who)
    elif kind == "restore":
        curation.restore(mem.conn, names[rest[0]], **who)
    elif kind == "pin":
        curation.set_pinned(mem.conn, names[rest[0]], rest[1], **who)
    elif kind == "tag":
        curate.tag(mem, names[rest[0]], rest[1], rest[2])
    elif kind == "edit":
        blind = replace(mem, embedder=None, index=None)  # the vector waits for a reindex
        curate.edit(blind, names[rest[0]], rest[1])
    elif kind == "merge":
        curate.merge(mem, names[rest[0]], names[rest[1]])
    elif kind == "reindex":
        upkeep.reindex(mem)
    elif kind == "store":
        remember.store(mem, rest[0], rest[1], undoable=True)
    elif kind == "hand":
        known = [names[n] for n in rest[0]]
        feedback.by_hand(mem, known, rest[1], dict.fromkeys(known, rest[2]), PROFILE)
    elif kind == "decay":
        upkeep.decay(mem, 0.0)
    elif kind in ASK:
        number, reply = ASK[kind](mem, names, *rest)
        if kind == "dismiss":
            answers.dismiss(mem, number)
        else:
            answers.answer(mem, number, reply)
    elif insights.get(mem.conn, names[rest[0]]):
        _judge(mem, rest[0] + 1, *rest[1:])
        return True
    return False


def _question(mem: Memory, kind: str, **more: Any) -> int:
    values = questions.VALUES.get(kind, ("reject",))
    values = (*values, "same") if kind == questions.CONFLICT else values
    options = [Option(value, value=value) for value in values]
    asked = {"header": "?", "question": "?", "options": options, "evidence": {}, **more}
    with writing(mem.conn):
        return questions.ask(mem.conn, kind=kind, moment=mem.moment, **asked)


def _dismiss(mem: Memory, names: list[str], n: int) -> tuple[int, answers.Reply]:
    return _question(mem, questions.ASKED), answers.Reply()


def _settle(
    mem: Memory, names: list[str], a: int, b: int, differs: str, option: int
) -> tuple[int, answers.Reply]:
    noted = {"names": [names[a], names[b]], "differs": differs}
    number = _question(mem, questions.CONFLICT, evidence=noted)
    return number, answers.Reply(options=(option,))


def _judged(
    mem: Memory, names: list[str], given: list[int], option: int, angle: int
) -> tuple[int, answers.Reply]:
    """A contradicted agent that was given these insights for a task at an angle."""
    with writing(mem.conn):
        run_id = runs.create(
            mem.conn, "s", "builder", mem.moment, tool_use_id=mem.moment, agent_id=mem.moment,
            state="delivered", outcome_source="contradicted", query="q",
            query_vector=vectors.pack(at(angle)), embedding_model=PROFILE.name,
        )  # fmt: skip
        run = runs.by_id(mem.conn, run_id)
        assert run is not None
        for rank, n in enumerate(given):
            shown = Given(n + 1, names[n], "", (), 0.5, 0.9, 1.0, 0)
            runs.add_injection(
                mem.conn, run, shown, rank=rank, value=None, chars=1, source="t", moment=mem.moment
            )
    number = _question(mem, questions.CONTRADICTED, agent_run_id=run_id)
    return number, answers.Reply(options=(option,))


def _correct(mem: Memory, names: list[str], n: int, text: str) -> tuple[int, answers.Reply]:
    there = insights.get(mem.conn, names[n])
    number = _question(mem, questions.ASKED, corrects=there.id if there else None)
    return number, answers.Reply(text="no", insight=text)


def _accept(mem: Memory, names: list[str], n: int) -> tuple[int, answers.Reply]:
    """A candidate whose text was rejected before, if it was."""
    text = WORDINGS[3 * n]
    options = [Option("Store it", value="accept", insight=text, tags=("own",))]
    key = insights.content_key(text)
    number = _question(mem, questions.CANDIDATE, options=options, subject=key)
    return number, answers.Reply(options=(1,))


ASK = {
    "dismiss": _dismiss,
    "settle": _settle,
    "judge": _judged,
    "correct": _correct,
    "accept": _accept,
}


def _events(mem: Memory) -> list[tuple[Any, ...]]:
    return mem.conn.execute(
        "SELECT insight_id, agent_id, outcome, weight, causal FROM feedback_event"
        " WHERE undone_by IS NULL ORDER BY id"
    ).fetchall()


def _same(ours: dict[str, list[dict[str, Any]]], theirs: dict[str, list[dict[str, Any]]]) -> None:
    """Equal to the last column; a mean of contexts that was taken apart, to its last digits."""
    for mine, other in zip(ours["insight"], theirs["insight"], strict=True):
        means = [row.pop("context_centroid") for row in (mine, other)]
        spreads = [row.pop("context_spread") for row in (mine, other)]
        assert spreads[0] == pytest.approx(spreads[1], abs=1e-5)
        if means[0] != means[1]:
            assert vectors.unpack(means[0]) == pytest.approx(vectors.unpack(means[1]), abs=1e-5)
    assert ours == theirs


@pytest.mark.long
@settings(
    max_examples=100, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(steps=st.lists(STEP, min_size=1, max_size=14))
@example(steps=[("discard", [2], "cli"), ("edit", 0, WORDINGS[6]), ("restore", 2), ("reindex",)])
@example(
    steps=[
        ("merge", 1, 2),
        ("feedback", 1, "blocked", 0.9, 50),
        ("merge", 3, 1),
        ("feedback", 3, "delivered", 0.2, None),
        ("feedback", 3, "partial", 0.5, 0),
    ]
)
@example(
    steps=[
        ("judge", [1, 2], 3, 10),
        ("feedback", 1, "delivered", 0.9, 50),
        ("settle", 1, 2, "numbers: x", 2),
        ("correct", 2, FRESH),
        ("judge", [2, 3], 1, 40),
        ("feedback", 2, "blocked", 0.5, 0),
        ("settle", 2, 4, "polarity: x", 4),
        ("accept", 2),
        ("correct", 3, WORDINGS[6]),
    ]
)
@example(
    steps=[
        ("edit", 1, WORDINGS[4]),
        ("reindex",),
        ("merge", 0, 1),
        ("edit", 0, WORDINGS[1]),
        ("feedback", 0, "blocked", 0.9, None),
        ("discard", [0, 2], "cli"),
    ]
)
def test_any_changes_are_taken_back_and_the_feedback_stays(
    template: Path, tmp_path_factory: pytest.TempPathFactory, steps: list[tuple[Any, ...]]
) -> None:
    folder = tmp_path_factory.mktemp("case")
    (folder / "a").mkdir()
    (folder / "b").mkdir()
    mem, reference = _open(template, folder / "a"), _open(template, folder / "b")
    names = [i.name for i in insights.all_insights(mem.conn)]
    for n, step in enumerate(steps, 1):
        moment = later(mem, minutes=n)
        try:
            counted = _take(moment, names, step)
        except RefusedError:
            continue
        if counted:
            _take(later(reference, minutes=n), names, step)
    with pytest.raises(RefusedError, match="nothing to undo"):
        for _ in range(2 * len(steps) + 1):
            undo.newest(mem.conn, actor="cli", moment=later(mem, hours=1).now)
    ours = dump(mem)
    # What a person stored and took back lies in the trash; the reference never had it.
    ours["trash"] = [row for row in ours["trash"] if "storing was taken back" not in row["reason"]]
    _same(ours, dump(reference))
    assert _events(mem) == _events(reference)
    assert mem.conn.execute("SELECT 1 FROM question WHERE state <> 'open'").fetchall() == []
    verdicts = "SELECT 1 FROM agent_run WHERE outcome_source <> 'contradicted'"
    assert mem.conn.execute(verdicts).fetchall() == []
    mem.conn.close()
    reference.conn.close()
    shutil.rmtree(folder)
