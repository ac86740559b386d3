"""Any changes, and as many undos: the old state to the last column, with the feedback kept.

The reference is a second memory that saw the same feedback and nothing else.
"""

from __future__ import annotations

import shutil
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from geometry import PROFILE, at, directions, dump, later, open_memory
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from helix_core.embed.index import MatrixIndex
from helix_core.errors import RefusedError
from helix_core.memory import curate, feedback, remember, upkeep
from helix_core.memory.context import Memory
from helix_core.store import curation, edges, insights, undo, vectors
from helix_core.store.connection import open_store, writing

WORDS = ("amber", "birch", "cedar", "delta", "ebony")
WORDINGS = [f"When {word} breaks mend {word} because of {n}" for word in WORDS for n in "xyz"]
NAMES = st.sampled_from(range(len(WORDS)))
TAGS = st.lists(st.sampled_from(["t0", "t1", "own", "new", "user-provided"]), max_size=2)
ACTORS = st.sampled_from(["cli", "tui", "hook"])
STEP = st.one_of(
    st.tuples(st.just("discard"), st.lists(NAMES, min_size=1, max_size=2, unique=True), ACTORS),
    st.tuples(st.just("prune"), st.lists(NAMES, min_size=1, max_size=2, unique=True)),
    st.tuples(st.just("restore"), NAMES),
    st.tuples(st.just("pin"), NAMES, st.booleans()),
    st.tuples(st.just("tag"), NAMES, TAGS, TAGS),
    st.tuples(st.just("edit"), NAMES, st.sampled_from(WORDINGS)),
    st.tuples(st.just("merge"), NAMES, NAMES),
    st.tuples(st.just("reindex")),
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
    mem = open_memory(folder / "unused")
    mem.conn.close()
    mem = replace(mem, conn=open_store(database), index=MatrixIndex(PROFILE))
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
    elif insights.get(mem.conn, names[rest[0]]):
        _judge(mem, rest[0] + 1, *rest[1:])
        return True
    return False


def _events(mem: Memory) -> list[tuple[Any, ...]]:
    return mem.conn.execute(
        "SELECT insight_id, agent_id, outcome, weight, causal FROM feedback_event ORDER BY id"
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
    _same(dump(mem), dump(reference))
    assert _events(mem) == _events(reference)
    mem.conn.close()
    reference.conn.close()
    shutil.rmtree(folder)
