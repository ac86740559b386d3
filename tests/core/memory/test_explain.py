"""Explain: every candidate with every part of its score, and why the others are not there."""

from __future__ import annotations

import pytest
from geometry import at, directions, later
from test_evidence import ended
from test_recall import put

from helix_core import formulas, service
from helix_core.memory import explain, inject, recall
from helix_core.memory.context import Memory
from helix_core.store import edges, insights

QUERY = "what about the parser"


def ask(mem: Memory, **options: object) -> explain.Explanation:
    directions(mem)[QUERY] = at(0)
    return explain.explain(mem, recall.Query(QUERY, **options))  # type: ignore[arg-type]


def test_the_parts_multiply_to_the_score_and_the_order_is_that_of_recall(mem: Memory) -> None:
    for number, cosine in enumerate((0.9, 0.8, 0.7, 0.6)):
        put(mem, f"When the parser fails in place {number} look there because it hides", cosine)
    aged = later(mem, days=20)
    found = ask(aged, limit=2)
    answer = recall.recall(aged, recall.Query(QUERY, limit=2))
    assert [c.item.insight.name for c in found.candidates if c.rank] == [
        r.insight.name for r in answer.ranked
    ]
    assert [(c.rank, c.left_out) for c in found.candidates] == [
        (1, ""), (2, ""), (None, "past the limit"), (None, "past the limit"),
    ]  # fmt: skip
    for candidate in found.candidates:
        item = candidate.item
        assert item.score == pytest.approx(
            item.rrf * (0.5 + 0.5 * item.effectiveness) * item.recency * item.velocity
        )
    injected = inject.rank(aged, recall.Query(QUERY, limit=2)).ranked
    assert {c.item.insight.id: c.injection_rank for c in found.candidates} == {
        r.insight.id: n for n, r in enumerate(injected, 1)
    }


def test_evidence_value_and_its_interval_are_there(mem: Memory) -> None:
    name = put(mem, "When the parser stalls raise the buffer because it blocks", 0.8)
    row = insights.get(mem.conn, name)
    assert row
    for number in range(3):
        ended(mem, f"a{number}", "delivered" if number else "blocked", {row.id: 0.8})
    [candidate] = ask(mem).candidates
    proof = candidate.evidence
    assert (proof.helped, proof.hurt, proof.tasks) == (2.0, 1.0, 3)
    assert (proof.low, proof.high) == formulas.wilson(2, 3)
    assert 0.0 <= candidate.worth.value <= 1.0
    assert candidate.injection_score == pytest.approx(
        formulas.injection_score(candidate.item.rrf, candidate.worth.value)
    )


def test_activation_and_through_whom(mem: Memory) -> None:
    parent = put(mem, "When the parser fails read the grammar because it changed", 0.9)
    child = put(mem, "When quoting strings use the raw form because escapes differ", 0.4)
    for number in range(9):  # they fill the lists, so that the child is reached by its edge alone
        put(mem, f"When the parser stops in place {number} look there because it hides", 0.7)
    ids = {row.name: row.id for row in insights.all_insights(mem.conn)}
    edges.add_edges(mem.conn, [(ids[parent], ids[child], 1.0, "led_to")], mem.moment)
    directions(mem)[QUERY] = at(0)
    found = service.run(mem, "explain", {"query": QUERY, "limit": 2})
    by_name = {c["name"]: c for c in found["candidates"]}
    lifted = by_name[child]
    assert lifted["_through"] == parent and lifted["_hop"] == 1
    assert lifted["_activation"] == pytest.approx(0.7 * by_name[parent]["_rrf"])
    assert lifted["_rrf"] is None and lifted["_vector_rank"] is None
    assert by_name[parent]["_activation"] is None
    assert by_name[parent]["_evidence"]["n"] == 0


def test_who_is_left_out_and_why(mem: Memory) -> None:
    near = put(mem, "When the parser fails do x because y", 0.9)
    weak = put(mem, "When the lexer fails do z because w", 0.8)
    far = put(mem, "When sockets close retry because peers leave", 0.2)
    word = put(mem, "When the parser prints nothing flush because of buffers", 0.1)
    hidden = put(mem, "When tokens vanish look at the parser because it eats them", 0.85)
    mem.conn.execute("UPDATE insight SET effectiveness = 0.1 WHERE name = ?", (weak,))
    found = ask(mem, suppress=frozenset({hidden}), min_effectiveness=0.3)
    assert [c.item.insight.name for c in found.candidates if not c.left_out] == [near]
    reasons = {c.item.insight.name: c.left_out for c in found.candidates if c.left_out}
    reasons |= {item.name: item.reason for item in found.left}
    assert reasons == {
        weak: "below the asked effectiveness",
        far: "below the gate",
        word: "below the gate",
        hidden: "suppressed",
    }
    cosines = {item.name: item.relevance for item in found.left}
    assert cosines[far] == pytest.approx(0.2, abs=1e-6)
    assert cosines[word] == pytest.approx(0.1, abs=1e-6)


def test_by_keyword_alone_and_for_nothing(mem: Memory, blind: Memory) -> None:
    from helix_core.memory import remember

    remember.store(blind, "When the parser stalls raise the buffer because it blocks")
    found = explain.explain(blind, recall.Query("parser stalls"))
    assert found.mode == "keyword" and len(found.candidates) == 1
    assert found.candidates[0].item.relevance is None
    assert explain.explain(mem, recall.Query("  ")).candidates == ()
    assert explain.explain(mem, recall.Query("x", limit=0)).candidates == ()
