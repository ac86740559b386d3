"""Strategic recall: the spec's ranking over more places, places for lineage, and the summary."""

from __future__ import annotations

import json
from typing import Any

import pytest
from geometry import at, degrees, directions

from helix_core.memory import recall, remember
from helix_core.memory.context import Memory
from helix_core.memory.strategic import Strategic, strategic_recall
from helix_core.store import edges, insights

ASK = "rebuild the billing pipeline"


def put(mem: Memory, number: int, cosine: float, **columns: object) -> int:
    """Store one insight at a cosine from the objective, unlinked; its id."""
    text = f"When step {number * 7919} of work {number} stalls do {number} because of it"
    directions(mem)[text] = at(degrees(cosine), number % 30 + 1)
    done = remember.store(mem, text)
    assert done.status == "added" and done.insight_id is not None
    mem.conn.execute("DELETE FROM insight_edges")
    for name, value in columns.items():
        mem.conn.execute(f"UPDATE insight SET {name} = ? WHERE id = ?", (value, done.insight_id))
    return done.insight_id


def ask(mem: Memory, **options: Any) -> Strategic:
    directions(mem)[ASK] = at(0)
    asked = {"limit": 15, "min_relevance": 0.30, **options}
    return strategic_recall(mem, recall.Query(ASK, **asked))


def ids(found: Strategic) -> list[int]:
    return [item.insight.id for item in found.ranked]


def led(mem: Memory, parent: int, child: int) -> None:
    edges.add_edges(mem.conn, [(parent, child, 1.0, "led_to")], mem.moment)


def test_it_is_the_recall_of_the_spec_where_there_is_no_lineage(mem: Memory) -> None:
    known = [put(mem, n, 0.9 - n * 0.02, effectiveness=(n % 5) / 4) for n in range(20)]
    edges.add_edges(mem.conn, [(known[0], known[19], 0.8, "similar")], mem.moment)
    asked = recall.Query(ASK, limit=15, min_relevance=0.30)
    found = ask(mem)
    assert found.ranked == recall.recall(mem, asked).ranked
    assert found.summary.lineage == 0


def test_the_gate_is_lower_than_a_tasks_and_holds_for_kin(mem: Memory) -> None:
    over, under = put(mem, 1, 0.31), put(mem, 2, 0.29)
    led(mem, over, under)
    assert ids(ask(mem)) == [over]
    assert ids(ask(mem, min_relevance=0.35)) == []


def test_up_to_a_fifth_of_the_places_go_to_what_descends_from_a_hit(mem: Memory) -> None:
    top = [put(mem, n, 0.95 - n * 0.01) for n in range(60)]
    kin = [put(mem, 60 + n, 0.31) for n in range(5)]
    for n, child in enumerate(kin):
        led(mem, *((top[n], child) if n % 2 else (child, top[n])))  # ancestors count as well
    found = ask(mem)
    assert ids(found)[:12] == top[:12]
    assert set(ids(found)[12:]) == set(kin[:3])  # those of the best parents
    assert (found.summary.lineage, found.summary.graph_expanded) == (3, 3)
    assert [item.through for item in found.ranked[12:]] == [
        item.insight.name for item in found.ranked[:3]
    ]
    scores = [item.score for item in found.ranked]
    assert scores == sorted(scores, reverse=True)
    assert ids(ask(mem, hops=0)) == top[:15]
    assert ids(ask(mem, limit=4)) == top[:4]  # a fifth of four is no place


def test_places_no_kin_needs_stay_with_the_ranking(mem: Memory) -> None:
    top = [put(mem, n, 0.95 - n * 0.01) for n in range(20)]
    kin = put(mem, 30, 0.31)
    led(mem, top[0], kin)
    found = ids(ask(mem))
    assert len(found) == len(set(found)) == 15
    assert set(found) == {*top[:14], kin}


def test_kin_that_is_bad_or_suppressed_takes_no_place(mem: Memory) -> None:
    top = [put(mem, n, 0.95 - n * 0.01) for n in range(60)]
    bad, hidden = put(mem, 60, 0.31, effectiveness=0.1), put(mem, 61, 0.31)
    led(mem, top[0], bad)
    led(mem, top[0], hidden)
    name = insights.names_of(mem.conn, [hidden])[hidden]
    found = ask(mem, min_effectiveness=0.2, suppress=frozenset({name}))
    assert ids(found) == top[:15]


def test_the_summary_counts_what_was_recalled(mem: Memory) -> None:
    used = {"use_count": 4, "causal_hits": 4}
    tags = json.dumps(["db", "ci"])
    a = put(mem, 1, 0.9, effectiveness=0.9, tags=tags, **used)
    b = put(mem, 2, 0.8, effectiveness=0.3, tags=json.dumps(["db"]), **used)
    c = put(mem, 3, 0.7, effectiveness=0.5, use_count=1)
    d = put(mem, 4, 0.6, effectiveness=0.9, use_count=3)  # never causal: 0.9 * 0.33
    put(mem, 5, 0.1)
    edges.add_edges(
        mem.conn,
        [(a, b, 0.7, "similar"), (b, c, 0.7, "similar"), (a, b, 1.0, "led_to")],
        mem.moment,
    )
    summary = ask(mem).summary
    assert (summary.recalled, summary.in_system) == (4, 5)
    assert summary.mean_effectiveness == pytest.approx((0.9 + 0.3 + 0.5 + 0.9 * 0.33) / 4)
    assert summary.mean_relevance == pytest.approx(0.75, abs=0.001)
    assert (summary.proven, summary.risky, summary.untested) == (1, 2, 1)
    assert (summary.coverage, summary.tags) == (1.0, {"db": 2, "ci": 1})
    shape = summary.topology
    assert isinstance(shape, dict)
    assert (shape["nodes"], shape["links"], shape["components"]) == (4, 2, 2)
    assert (shape["isolates"], shape["density"]) == (1, pytest.approx(2 / 6))
    assert shape["articulation_points"] == [insights.names_of(mem.conn, [b])[b]]
    assert d in ids(ask(mem))


@pytest.mark.parametrize("count", [0, 1, 2])
def test_two_insights_have_no_topology(mem: Memory, count: int) -> None:
    for n in range(count):
        put(mem, n, 0.8)
    summary = ask(mem).summary
    assert (summary.recalled, summary.topology) == (count, "too small")
    assert summary.coverage == 0.0


@pytest.mark.parametrize("limit", [0, -2])
def test_no_places_is_no_error(mem: Memory, limit: int) -> None:
    put(mem, 1, 0.9)
    assert ids(ask(mem, limit=limit)) == []


def test_by_keyword_it_says_so_and_knows_no_relevance(blind: Memory) -> None:
    for n, what in enumerate(("retries of the invoice job", "totals of the invoice job")):
        done = remember.store(blind, f"When the {what} fail {n} look at {n} because of it")
        assert done.status == "added"
    remember.store(blind, "When the moon is full paint the fence because it dries")
    found = strategic_recall(blind, recall.Query("repair the invoice job", limit=15))
    assert len(found.ranked) == 2
    assert (found.summary.mode, found.summary.mean_relevance) == ("keyword", None)
    assert "by keyword" in found.summary.note
