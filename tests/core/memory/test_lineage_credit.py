"""Credit that flows back: one outcome moves the parents of a causal insight by a share of it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from geometry import PROFILE, at, degrees, directions, dump, later, open_memory

from helix_core.memory import (
    answers,
    evidence,
    exporting,
    feedback,
    importing,
    questions,
    recall,
    remember,
    upkeep,
)
from helix_core.memory.answers import Reply
from helix_core.memory.context import Memory
from helix_core.model import Given, Insight
from helix_core.store import curation, edges, insights, past, results, runs, undo, vectors
from helix_core.store.connection import writing
from helix_core.text import carried

ROOT = "When the first build of a day is slow warm the cache because it is cold"
PARENT = "When the parser hangs raise its limit because files grow"
CHILD = "When raising the limit fails split the file because memory ends"
OTHER = "When a file was split name its parts by number because of their order"


@pytest.fixture
def family(tmp_path: Path) -> Iterator[Memory]:
    """A memory with credit that flows back: root, parent, child and another child."""
    mem = open_memory(tmp_path, lineage_credit=True)
    for text, cosine in ((ROOT, 0.1), (PARENT, 0.1), (CHILD, 0.7), (OTHER, 0.55)):
        directions(mem)[text] = at(degrees(cosine), 1 + (ROOT, PARENT, CHILD, OTHER).index(text))
        remember.store(mem, text, ["user-provided"])
    lines = [(ROOT, PARENT), (PARENT, CHILD), (PARENT, OTHER)]
    ids = {text: row(mem, text).id for text in (ROOT, PARENT, CHILD, OTHER)}
    with writing(mem.conn):
        edges.add_edges(mem.conn, [(ids[a], ids[b], 1.0, "led_to") for a, b in lines], mem.moment)
    yield mem
    mem.conn.close()


def row(mem: Memory, text: str) -> Insight:
    found = insights.find_same_text(mem.conn, text)
    assert found
    return found


def agent(mem: Memory, number: int, *texts: str, **more: object) -> runs.AgentRun:
    """An agent that was given these insights, with its task at the first axis."""
    with writing(mem.conn):
        run_id = runs.create(
            mem.conn, "s", "helix-builder", mem.moment, tool_use_id=f"t{number}",
            agent_id=f"a{number}", task="the task", query="the task",
            query_vector=vectors.pack(at(0)), embedding_model=PROFILE.name, **more,
        )  # fmt: skip
        run = runs.by_id(mem.conn, run_id)
        assert run
        for rank, one in enumerate((row(mem, text) for text in texts), 1):
            shown = Given(one.id, one.name, one.content, one.tags, 0.5, 0.9, 0.01, 0)
            runs.add_injection(
                mem.conn, run, shown, rank=rank, value=None, chars=1, source="hook",
                moment=mem.moment,
            )  # fmt: skip
    return run


def end(mem: Memory, run: runs.AgentRun, outcome: str) -> list[feedback.Moved]:
    with writing(mem.conn):
        results.open_result(mem.conn, str(run.agent_id), "m", "s", outcome, mem.moment)
        runs.update(mem.conn, run.id, state=outcome, ended_at=mem.moment)
    return feedback.for_run(mem, run, "m", outcome, "self") or []


def events(mem: Memory, text: str) -> list[tuple[object, ...]]:
    return mem.conn.execute(
        "SELECT kind, outcome, weight, causal, before, after FROM feedback_event"
        " WHERE insight_id = ? AND undone_by IS NULL ORDER BY id",
        (row(mem, text).id,),
    ).fetchall()


def test_it_is_off_unless_asked_for(tmp_path: Path) -> None:
    mem = open_memory(tmp_path)
    assert not mem.settings.lineage_credit
    for text in (PARENT, CHILD):
        directions(mem)[text] = at(10)
        remember.store(mem, text, ["user-provided"])
    with writing(mem.conn):
        line = (row(mem, PARENT).id, row(mem, CHILD).id, 1.0, "led_to")
        edges.add_edges(mem.conn, [line], mem.moment)
    assert len(end(mem, agent(mem, 1, CHILD), "delivered")) == 1
    assert events(mem, PARENT) == []
    mem.conn.close()


@pytest.mark.parametrize(("outcome", "expected"), [("delivered", 0.57), ("blocked", 0.43)])
def test_the_parent_moves_by_seven_tenths_and_nobody_above_it(
    family: Memory, outcome: str, expected: float
) -> None:
    moved = end(family, agent(family, 1, CHILD), outcome)
    assert [one.name for one in moved] == [row(family, t).name for t in (CHILD, PARENT)]
    assert events(family, PARENT) == [
        ("lineage", outcome, pytest.approx(0.7), 0, 0.5, pytest.approx(expected))
    ]
    assert row(family, PARENT).effectiveness == pytest.approx(expected)
    assert events(family, ROOT) == [] and row(family, ROOT).effectiveness == 0.5


def test_it_is_no_use_no_recency_and_no_evidence(family: Memory) -> None:
    before = row(family, PARENT)
    end(family, agent(family, 1, CHILD), "delivered")
    after = row(family, PARENT)
    for name in ("use_count", "causal_hits", "recent_uses", "last_used", "last_feedback_at",
                 "context_count", "context_spread"):  # fmt: skip
        assert getattr(after, name) == getattr(before, name), name
    assert recall.velocities(family, [after]) == {after.id: 0}
    assert evidence.of_insights(family.conn, [after])[after.id].n == 0
    assert past.uses(family.conn, [after.id]) == {after.id: []}
    assert results.causal_insights(family.conn, "a1", "m") == [row(family, CHILD).id]


def test_an_event_of_its_own_wins(family: Memory) -> None:
    end(family, agent(family, 1, CHILD, PARENT), "delivered")  # the parent was a bystander
    assert [event[0] for event in events(family, PARENT)] == ["outcome"]
    assert row(family, PARENT).effectiveness == 0.5


def test_of_two_children_the_one_that_moved_most_counts_once(family: Memory) -> None:
    moved = end(family, agent(family, 1, OTHER, CHILD), "delivered")
    assert len(moved) == 3
    [event] = events(family, PARENT)
    assert event[2] == pytest.approx(0.7)


def test_a_bystanders_outcome_passes_nothing_on(family: Memory) -> None:
    directions(family)[CHILD] = at(90)
    insights.update(family.conn, row(family, CHILD).id, family.moment,
                    embedding=vectors.pack(at(90)))  # fmt: skip
    end(family, agent(family, 1, CHILD), "delivered")
    assert [event[0] for event in events(family, CHILD)] == ["outcome"]
    assert events(family, PARENT) == []


def test_the_same_result_counts_once(family: Memory) -> None:
    run = agent(family, 1, CHILD)
    end(family, run, "delivered")
    assert end(family, run, "delivered") == []
    assert len(events(family, PARENT)) == 1


def test_a_parent_in_the_trash_stays_as_it_was(family: Memory) -> None:
    name = row(family, PARENT).name
    curation.discard(family.conn, [name], actor="cli", moment=family.now)
    end(family, agent(family, 1, CHILD), "delivered")
    undo.newest(family.conn, actor="cli", moment=family.now)
    assert row(family, PARENT).effectiveness == 0.5


def test_an_outcome_by_hand_flows_back_too(family: Memory) -> None:
    feedback.by_hand(family, [row(family, CHILD).name], "delivered", {}, PROFILE)
    assert [event[0] for event in events(family, PARENT)] == ["lineage"]
    assert row(family, PARENT).effectiveness == pytest.approx(0.57)


def test_undoing_a_verdict_takes_it_back_and_keeps_what_came_later(family: Memory) -> None:
    run = agent(family, 1, CHILD, state="delivered", outcome_source="contradicted")
    with writing(family.conn):
        questions.about_outcome(family, run, "delivered")
    [(question,)] = family.conn.execute("SELECT id FROM question").fetchall()
    before = dump(family)
    answers.answer(later(family, hours=1), question, Reply(options=(1,)))
    [event] = events(family, PARENT)
    assert event[0] == "lineage"
    undo.newest(family.conn, actor="cli", moment=later(family, hours=2).now)
    assert dump(family) == before and events(family, PARENT) == []

    answers.answer(later(family, hours=3), question, Reply(options=(1,)))
    agents = replace(later(family, hours=4), actor="hook")
    feedback.by_hand(agents, [row(family, PARENT).name], "delivered", {}, PROFILE)
    undo.newest(family.conn, actor="cli", moment=later(family, hours=5).now)
    after = row(family, PARENT)
    assert (after.effectiveness, after.use_count) == (pytest.approx(0.6), 1)


def test_undoing_a_merge_keeps_what_flowed_back_since(family: Memory) -> None:
    keep, drop = row(family, PARENT), row(family, ROOT)
    curation.merge(
        family.conn, keep.name, drop.name, actor="cli", moment=family.now, reason="", keep_days=90
    )
    end(family, agent(family, 1, CHILD), "blocked")
    undo.newest(family.conn, actor="cli", moment=later(family, hours=1).now)
    assert row(family, PARENT).effectiveness == pytest.approx(0.43)


def test_what_waited_for_its_vector_flows_back_with_it(family: Memory) -> None:
    child = row(family, CHILD)
    insights.update(family.conn, child.id, family.moment, embedding=None, embedding_model=None)
    assert end(family, agent(family, 1, CHILD), "delivered") == []
    assert events(family, PARENT) == []
    insights.update(family.conn, child.id, family.moment,
                    embedding=vectors.pack(at(degrees(0.7))),
                    embedding_model=PROFILE.name)  # fmt: skip
    assert upkeep.settle_feedback(family) == 1
    assert [event[0] for event in events(family, PARENT)] == ["lineage"]


def test_it_is_carried_to_another_memory(family: Memory, tmp_path: Path) -> None:
    end(family, agent(family, 1, CHILD), "delivered")
    other = open_memory(tmp_path / "other")
    importing.from_lines(other, carried.decoded(exporting.as_lines(family).encode()))
    assert events(other, PARENT) == events(family, PARENT) != []
    other.conn.close()
