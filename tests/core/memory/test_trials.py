"""What the hold-out says: which rows are trials, over all insights and for each of them."""

from __future__ import annotations

import random

import pytest
from geometry import PROFILE, at, directions, later

from helix_core import holdout, service
from helix_core.memory import remember, stats, trials, upkeep, value
from helix_core.memory.context import Memory
from helix_core.model import Given, Insight
from helix_core.store import curation, insights, runs, vectors
from helix_core.store import trials as rows
from helix_core.store.connection import writing

TEXTS = (
    "When the parser hangs raise its limit because files grow",
    "When a lock is held too long shorten the transaction because others wait",
)


def put(mem: Memory, number: int) -> Insight:
    directions(mem)[TEXTS[number]] = at(30, number + 1)
    remember.store(mem, TEXTS[number], ["user-provided"])
    found = insights.find_same_text(mem.conn, TEXTS[number])
    assert found
    return found


def ended(
    mem: Memory,
    number: int,
    state: str,
    *given: tuple[Insight, bool],
    chance: float | None = 0.2,
    source: str = "self",
) -> int:
    """An agent that ended so; each insight was shown to it or withheld."""
    with writing(mem.conn):
        run_id = runs.create(
            mem.conn, "s", "helix-builder", mem.moment, tool_use_id=f"t{number}",
            agent_id=f"a{number}", state=state, outcome_source=source, query="the task",
            query_vector=vectors.pack(at(0)), embedding_model=PROFILE.name,
        )  # fmt: skip
        run = runs.by_id(mem.conn, run_id)
        assert run
        for rank, (row, withheld) in enumerate(given, 1):
            shown = Given(row.id, row.name, row.content, row.tags, 0.5, 0.9, 0.01, 0)
            runs.add_injection(
                mem.conn, run, shown, rank=rank, value=None, chars=1, source="hook",
                moment=mem.moment, withheld=withheld, probability=chance,
            )  # fmt: skip
    return run_id


def many(mem: Memory, row: Insight, count: int, effect: float, start: int = 0) -> None:
    rng = random.Random(f"{row.id}")
    for n in range(start, start + count):
        withheld = rng.random() < 0.3
        state = "delivered" if rng.random() < 0.4 + effect * (not withheld) else "blocked"
        ended(mem, n, state, (row, withheld), chance=0.3)


def figures(mem: Memory) -> dict[str, object]:
    return {one.name: one.value for one in stats.stats(mem)}


def test_only_ends_that_are_outcomes_of_a_tossed_coin_are_trials(mem: Memory) -> None:
    row = put(mem, 0)
    counted = {
        ended(mem, 1, "delivered", (row, False)): (True, True),
        ended(mem, 2, "partial", (row, True)): (False, False),
        ended(mem, 3, "blocked", (row, False)): (True, False),
        ended(mem, 4, "plan_complete", (row, True)): (False, True),
        ended(mem, 5, "delivered", (row, False), source="verified"): (True, True),
    }
    for n, state in enumerate(("crashed", "unknown", "running", "done"), 10):
        ended(mem, n, state, (row, False))
    ended(mem, 20, "delivered", (row, False), source="contradicted")
    ended(mem, 21, "delivered", (row, False), chance=None)
    found = {pair.run: (pair.shown, pair.delivered) for pair in rows.pairs(mem.conn)}
    assert found == counted


def test_the_pooled_lift_counts_every_insight_and_names_its_query(mem: Memory) -> None:
    one, two = put(mem, 0), put(mem, 1)
    many(mem, one, 400, 0.3)
    many(mem, two, 400, 0.1, start=400)
    figure = trials.pooled(mem)
    assert figure.value["shown"] + figure.value["withheld"] == 800
    assert figure.value["low"] < figure.value["lift"] < figure.value["high"]
    assert figure.value["low"] < 0.2 < figure.value["high"]
    assert figure.value == trials.as_json(holdout.lift(rows.pairs(mem.conn)))
    by_hand = {
        bool(shown): delivered / n
        for shown, delivered, n in mem.conn.execute(
            f"SELECT shown, sum(delivered), count(*) FROM ({figure.sql}) GROUP BY shown"
        )
    }
    assert figure.value["lift"] == pytest.approx(by_hand[True] - by_hand[False])
    assert figures(mem)["lift"] == figure.value


def test_an_insight_is_told_alone_where_its_trials_allow_it(mem: Memory) -> None:
    one, two = put(mem, 0), put(mem, 1)
    many(mem, one, 250, 0.4)
    many(mem, two, 25, 0.1, start=250)
    [line] = trials.by_insight(mem).value
    assert line["name"] == one.name and line["low"] > 0
    assert line["shown"] + line["withheld"] == 250
    history = service.run(mem, "history", {"name": two.name})
    assert history["lift"]["lift"] is None
    assert history["lift"]["told"].startswith("not enough data yet: 25 of about ")
    assert service.run(mem, "history", {"name": one.name})["lift"]["lift"] == line["lift"]


def test_a_merge_brings_the_trials_along(mem: Memory) -> None:
    one, two = put(mem, 0), put(mem, 1)
    ended(mem, 1, "delivered", (one, False))
    ended(mem, 2, "blocked", (two, True))
    curation.merge(
        mem.conn, one.name, two.name, actor="cli", moment=mem.now, reason="", keep_days=90
    )
    assert {pair.insight for pair in rows.pairs(mem.conn)} == {one.id}


def test_what_was_withheld_ran_without_it(mem: Memory) -> None:
    """Such a run is one of the similar tasks that an insight is measured by."""
    row = put(mem, 0)
    run_id = ended(mem, 1, "delivered", (row, False))
    expected = value.expected(mem, run_id, at(0), PROFILE.name, [row.id])[row.id]
    for n in range(2, 8):
        ended(mem, n, "blocked", (row, True))
    after = value.expected(mem, run_id, at(0), PROFILE.name, [row.id])[row.id]
    assert after < expected - 0.2


def test_one_that_was_chosen_and_withheld_is_no_ghost(mem: Memory) -> None:
    row = put(mem, 0)
    mem.conn.execute("UPDATE insight SET source = 'agent', tags = '[]'")
    much_later = later(mem, days=200)
    ended(much_later, 1, "delivered", (row, True))
    assert upkeep.prune(much_later, dry_run=True) == []
    mem.conn.execute("DELETE FROM injection")
    assert [change.name for change in upkeep.prune(much_later, dry_run=True)] == [row.name]
