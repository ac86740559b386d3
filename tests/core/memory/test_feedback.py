"""Feedback: EMA by similarity, erosion, spread, idempotence (decisions 6 to 10)."""

from __future__ import annotations

import pytest
from geometry import PROFILE, at, degrees, directions, later

from helix_core import formulas
from helix_core.errors import RefusedError, UsageError
from helix_core.memory import feedback, recall, remember, upkeep
from helix_core.memory.context import Memory
from helix_core.model import Given, Insight
from helix_core.store import insights, results, runs, vectors
from helix_core.store.connection import writing


def put(mem: Memory, text: str, cosine: float) -> Insight:
    directions(mem)[text] = at(degrees(cosine))
    remember.store(mem, text, ["user-provided"])
    row = insights.find_same_text(mem.conn, text)
    assert row
    return row


def agent(
    mem: Memory, number: int, *given: Insight, task: list[float] | None = None
) -> runs.AgentRun:
    """An agent run that was given insights, with its task at the first axis."""
    with writing(mem.conn):
        run_id = runs.create(
            mem.conn,
            "s",
            "helix-builder",
            mem.moment,
            tool_use_id=f"t{number}",
            agent_id=f"a{number}",
            task="the task",
            task_id=str(number),
            query="the task",
            query_vector=vectors.pack(task or at(0)) if mem.profile else None,
            embedding_model=PROFILE.name if mem.profile else None,
        )
        run = runs.by_id(mem.conn, run_id)
        assert run
        for rank, row in enumerate(given, 1):
            shown = Given(row.id, row.name, row.content, row.tags, 0.5, 0.9, 0.01, 0)
            runs.add_injection(
                mem.conn,
                run,
                shown,
                rank=rank,
                value=None,
                chars=1,
                source="hook",
                moment=mem.moment,
            )
    return run


def end(
    mem: Memory, run: runs.AgentRun, outcome: str, source: str = "self", mark: str = "m"
) -> object:
    with writing(mem.conn):
        results.open_result(mem.conn, str(run.agent_id), mark, "s", outcome, mem.moment)
        runs.update(mem.conn, run.id, state=outcome, ended_at=mem.moment, outcome_source=source)
    return feedback.for_run(mem, run, mark, outcome, source)


def read(mem: Memory, row: Insight) -> Insight:
    return insights.by_ids(mem.conn, [row.id])[row.id]


@pytest.mark.parametrize(
    ("cosine", "outcome", "expected"),
    [
        (0.70, "delivered", 0.6),
        (0.70, "blocked", 0.4),
        (0.70, "partial", 0.46),
        (0.525, "delivered", 0.55),
    ],
)
def test_a_causal_insight_moves_by_similarity(
    mem: Memory, cosine: float, outcome: str, expected: float
) -> None:
    row = put(mem, "When the parser fails do x because y", cosine)
    end(mem, agent(mem, 1, row), outcome)
    after = read(mem, row)
    assert after.effectiveness == pytest.approx(expected, abs=1e-6)
    assert (after.use_count, after.causal_hits, after.last_used) == (1, 1, mem.moment)


def test_every_move_leaves_an_event_that_explains_it(mem: Memory) -> None:
    row = put(mem, "When the parser fails do x because y", 0.7)
    end(mem, agent(mem, 1, row), "delivered")
    event = mem.conn.execute(
        "SELECT agent_id, task_id, task, outcome, source, similarity, weight, causal, before, after"
        " FROM feedback_event"
    ).fetchone()
    assert event[:5] == ("a1", "1", "the task", "delivered", "self")
    assert event[5:] == pytest.approx((0.7, 1.0, 1, 0.5, 0.6), abs=1e-6)


def test_a_bystander_erodes_from_above_only_and_gains_no_recency(mem: Memory) -> None:
    high = put(mem, "When paint peels sand it because it is old", 0.1)
    low = put(mem, "When soup boils over turn it down because gas", 0.2)
    with mem.conn:
        mem.conn.execute("UPDATE insight SET effectiveness = 0.9 WHERE id = ?", (high.id,))
        mem.conn.execute("UPDATE insight SET effectiveness = 0.2 WHERE id = ?", (low.id,))
    end(mem, agent(mem, 1, high, low), "delivered")
    assert read(mem, high).effectiveness == pytest.approx(0.864)
    assert read(mem, low).effectiveness == pytest.approx(0.2)
    for row in (read(mem, high), read(mem, low)):
        assert (row.use_count, row.causal_hits) == (1, 0)
        assert row.last_used is None and row.last_feedback_at is None


def test_weight_zero_is_a_use_but_no_hit(mem: Memory) -> None:
    row = put(mem, "When the parser fails do x because y", 0.35)
    end(mem, agent(mem, 1, row), "blocked")
    after = read(mem, row)
    assert (after.use_count, after.causal_hits, after.effectiveness) == (1, 0, 0.5)
    assert recall.velocities(mem, [after]) == {row.id: 0}


@pytest.mark.parametrize("outcome", ["crashed", "unknown", "done"])
def test_what_says_nothing_about_an_insight_moves_nothing(mem: Memory, outcome: str) -> None:
    row = put(mem, "When the parser fails do x because y", 0.9)
    assert end(mem, agent(mem, 1, row), outcome) == []
    assert read(mem, row) == row


def test_a_contradicted_outcome_gives_no_feedback(mem: Memory) -> None:
    row = put(mem, "When the parser fails do x because y", 0.9)
    assert end(mem, agent(mem, 1, row), "delivered", source="contradicted") == []
    assert read(mem, row).use_count == 0


def test_the_same_result_counts_once_and_a_new_message_again(mem: Memory) -> None:
    row = put(mem, "When the parser fails do x because y", 0.7)
    run = agent(mem, 1, row)
    end(mem, run, "delivered")
    end(mem, run, "delivered")
    assert read(mem, row).use_count == 1
    end(mem, run, "blocked", mark="resumed")
    assert read(mem, row).use_count == 2


def test_unknown_similarity_is_no_feedback_until_a_vector_is_there(tmp_path, mem: Memory) -> None:
    from dataclasses import replace

    row = put(mem, "When the parser fails do x because y", 0.7)
    blind = replace(mem, embedder=None, index=None)
    run = agent(blind, 1, row)
    directions(mem)["the task"] = at(0)
    assert end(blind, run, "delivered") is None
    assert read(mem, row) == row
    assert upkeep.settle_feedback(blind) == 0
    assert upkeep.settle_feedback(mem) == 1
    assert read(mem, row).effectiveness == pytest.approx(0.6, abs=1e-6)
    assert upkeep.settle_feedback(mem) == 0


def test_an_insight_of_another_model_is_left_alone(mem: Memory) -> None:
    row = put(mem, "When the parser fails do x because y", 0.7)
    mem.conn.execute("UPDATE insight SET embedding_model = 'other'")
    end(mem, agent(mem, 1, row), "blocked")
    assert read(mem, row).use_count == 0


@pytest.mark.parametrize("blob", [b"", b"\0" * 32, b"\x00\x00\xc0\x7f" * 8, b"\1\2\3"])
def test_a_damaged_vector_costs_its_row_only(mem: Memory, blob: bytes) -> None:
    bad = put(mem, "When the parser fails do x because y", 0.7)
    good = put(mem, "When the lexer fails do z because w", 0.7)
    mem.conn.execute("UPDATE insight SET embedding = ? WHERE id = ?", (blob, bad.id))
    end(mem, agent(mem, 1, bad, good), "delivered")
    assert read(mem, bad).use_count == 0
    assert read(mem, good).use_count == 1
    directions(mem)["parser"] = at(0)
    assert good.name in [r.insight.name for r in recall.recall(mem, recall.Query("parser")).ranked]


def test_context_spread_grows_with_diverse_tasks(mem: Memory) -> None:
    row = put(mem, "When the parser fails do x because y", 1.0)
    tasks = [at(0), at(40), at(40, 2), at(40, 3)]
    for n, task in enumerate(tasks):
        end(mem, agent(mem, n, row, task=task), "delivered")
    after = read(mem, row)
    mean = [sum(axis) / len(tasks) for axis in zip(*tasks, strict=True)]
    assert after.context_count == 4
    assert after.context_spread == pytest.approx(formulas.spread_of(mean), abs=1e-6)


def test_spread_means_nothing_before_three_contexts(mem: Memory) -> None:
    row = put(mem, "When the parser fails do x because y", 1.0)
    for n in range(2):
        end(mem, agent(mem, n, row), "delivered")
    assert read(mem, row).context_spread is None


def test_velocity_counts_causal_events_of_the_window(mem: Memory) -> None:
    row = put(mem, "When the parser fails do x because y", 0.9)
    for n in range(3):
        end(later(mem, days=n), agent(mem, n, row), "delivered")
    assert recall.velocities(later(mem, days=3), [read(mem, row)]) == {row.id: 3}
    assert recall.velocities(later(mem, days=15.5), [read(mem, row)]) == {row.id: 1}
    assert recall.velocities(later(mem, days=40), [read(mem, row)]) == {row.id: 0}


def test_by_hand_moves_named_insights_and_refuses_nonsense(mem: Memory) -> None:
    row = put(mem, "When the parser fails do x because y", 0.9)
    [moved] = feedback.by_hand(mem, [row.name], "delivered", {}, PROFILE)
    assert moved.after == pytest.approx(0.6)
    feedback.by_hand(mem, [row.name], "delivered", {row.name: 0.36}, PROFILE)
    assert read(mem, row).use_count == 2
    with pytest.raises(UsageError):
        feedback.by_hand(mem, [row.name], "crashed", {}, PROFILE)
    with pytest.raises(RefusedError):
        feedback.by_hand(mem, [row.name, "nobody"], "delivered", {}, PROFILE)
    assert read(mem, row).use_count == 2
