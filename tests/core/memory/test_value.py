"""What an insight is worth for a task: contrast with similar tasks that ran without it."""

from __future__ import annotations

import math
from dataclasses import replace

import pytest
from geometry import PROFILE, at, degrees, directions, later

from helix_core import formulas
from helix_core.embed.index import MatrixIndex
from helix_core.memory import feedback, inject, recall, remember, upkeep, value
from helix_core.memory.context import Memory
from helix_core.memory.value import Past
from helix_core.model import Given, Insight
from helix_core.settings import Settings
from helix_core.store import insights, past, results, runs, vectors
from helix_core.store.connection import writing

HARD, EASY = at(0), at(90)


def put(mem: Memory, text: str, cosine: float = 0.9) -> Insight:
    directions(mem)[text] = at(degrees(cosine))
    remember.store(mem, text, ["user-provided"])
    row = insights.find_same_text(mem.conn, text)
    assert row
    return row


def run_task(
    mem: Memory, number: int, outcome: str, *given: Insight, task: list[float], source: str = "self"
) -> None:
    """One agent from its injection to its end."""
    with writing(mem.conn):
        run_id = runs.create(
            mem.conn, "s", "helix-builder", mem.moment, tool_use_id=f"t{number}",
            agent_id=f"a{number}", query="a task", query_vector=vectors.pack(task),
            embedding_model=PROFILE.name,
        )  # fmt: skip
        run = runs.by_id(mem.conn, run_id)
        assert run
        for rank, row in enumerate(given, 1):
            shown = Given(row.id, row.name, row.content, row.tags, 0.5, 0.9, 0.01, 0)
            runs.add_injection(
                mem.conn, run, shown, rank=rank, value=None, chars=1, source="hook",
                moment=mem.moment,
            )  # fmt: skip
        results.open_result(mem.conn, f"a{number}", "m", "s", outcome, mem.moment)
        runs.update(mem.conn, run_id, state=outcome, outcome_source=source)
    feedback.for_run(mem, run, "m", outcome, source)


def test_contrast_by_hand() -> None:
    history = [Past(1, 1.0, 1.0), Past(2, 0.675, 0.0), Past(3, 0.2, 1.0)]
    # Kernels 1, 0.5 and 0; all tasks deliver (2 + 0.5) / 4, which stands in as one task.
    found = value.baselines(history, {7: {1}, 8: set()}, Settings())
    assert found[7] == pytest.approx((0.5 * 0.0 + 0.625) / 1.5)
    assert found[8] == pytest.approx((1.0 + 0.625) / 2.5)


def test_without_contrast_everyone_has_one_baseline() -> None:
    history = [Past(1, 1.0, 1.0), Past(2, 0.2, 0.0)]
    found = value.baselines(history, {7: {1}, 8: set()}, Settings(ranking_contrast=False))
    assert found == {7: pytest.approx(0.75), 8: pytest.approx(0.75)}


def test_the_same_failures_cost_less_where_all_fail(mem: Memory) -> None:
    unlucky = put(mem, "When the parser fails do x because y")
    poor = put(mem, "When the lexer fails do z because w")
    for n in range(4):
        run_task(mem, n, "blocked", task=HARD)
        run_task(mem, 10 + n, "delivered", task=EASY)
    run_task(mem, 20, "blocked", unlucky, task=HARD)
    run_task(mem, 21, "blocked", poor, task=EASY)
    on_hard = value.in_context(mem, [unlucky], HARD)[unlucky.id]
    on_easy = value.in_context(mem, [poor], EASY)[poor.id]
    assert on_easy.value < on_hard.value - 0.15
    assert on_hard.value > 0.4


def test_a_contradicted_task_is_no_comparison(mem: Memory) -> None:
    run_task(mem, 1, "delivered", task=HARD, source="contradicted")
    run_task(mem, 2, "blocked", task=HARD)
    tasks = value.history(mem, HARD, PROFILE.name)
    assert [(item.similarity, item.outcome) for item in tasks] == [(pytest.approx(1.0), 0.0)]


def test_without_numpy_the_history_is_the_same(mem: Memory) -> None:
    for n, angle in enumerate((0, 30, 80)):
        run_task(mem, n, "delivered", task=at(angle))
    fast = value.history(mem, HARD, PROFILE.name)
    slow = value.history(replace(mem, index=None), HARD, PROFILE.name)
    assert [item.similarity for item in fast] == pytest.approx([item.similarity for item in slow])


def test_an_event_remembers_what_was_expected_without_the_insight(mem: Memory) -> None:
    row = put(mem, "When the parser fails do x because y")
    run_task(mem, 1, "delivered", row, task=HARD)
    run_task(mem, 2, "blocked", task=HARD)
    run_task(mem, 3, "delivered", row, task=HARD)
    *_, last = past.uses(mem.conn, [row.id])[row.id]
    # Its own first success is left out: one failure, and the share of all tasks, 1.5 / 3.
    assert last.baseline == pytest.approx((0.0 + 0.5) / 2)
    assert past.surpluses(mem.conn, row.id)[-1] == pytest.approx(0.75)


def test_ranking_uses_the_context_even_for_a_query_without_a_vector(mem: Memory) -> None:
    bad = put(mem, "When the parser fails do z because w", 0.91)
    good = put(mem, "When the parser fails do x because y", 0.9)
    directions(mem)["parser"] = HARD
    assert inject.rank(mem, recall.Query("parser")).ranked[0].insight.id == bad.id
    for n in range(6):
        run_task(mem, n, "blocked", bad, task=HARD)
        run_task(mem, 20 + n, "delivered", good, task=HARD)
    first, *_ = inject.rank(mem, recall.Query("parser")).ranked
    assert first.insight.id == good.id and first.value and first.value > 0.6


@pytest.mark.parametrize(("contrast", "stays"), [(True, True), (False, False)])
def test_who_fails_where_all_fail_is_not_pruned(mem: Memory, contrast: bool, stays: bool) -> None:
    row = put(mem, "When the parser fails do x because y")
    for n in range(12):
        run_task(mem, n, "blocked", task=HARD)
    for n in range(20, 26):
        run_task(mem, n, "blocked", row, task=HARD)
    chosen = replace(mem, settings=replace(mem.settings, prune_contrast=contrast))
    assert (upkeep.prune(later(chosen, days=1)) == []) is stays


def test_who_fails_where_others_deliver_is_pruned(mem: Memory) -> None:
    row = put(mem, "When the parser fails do x because y")
    for n in range(12):
        run_task(mem, n, "delivered", task=HARD)
    for n in range(20, 26):
        run_task(mem, n, "blocked", row, task=HARD)
    assert [c.name for c in upkeep.prune(later(mem, days=1))] == [row.name]


def test_lift_is_shrunk_towards_nothing() -> None:
    assert formulas.mean_lift([]) == 0.0
    assert formulas.mean_lift([-0.5]) == pytest.approx(-0.25)
    assert formulas.mean_lift([-0.5] * 9) == pytest.approx(-0.45)


def test_similarities_leave_out_what_cannot_be_compared() -> None:
    index = MatrixIndex(PROFILE)
    good, other = vectors.pack(at(60)), vectors.pack([1.0, 2.0])
    nothing, broken = vectors.pack([0.0] * PROFILE.dim), vectors.pack([math.nan] * PROFILE.dim)
    found = index.similarities(HARD, [good, None, other, nothing, broken, b""])
    assert found == [pytest.approx(0.5), None, None, None, None, None]
    assert index.similarities(HARD, []) == []
