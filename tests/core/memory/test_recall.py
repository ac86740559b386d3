"""Recall: the gate, two lists, fusion, the spec's factors, the graph (decisions 17 to 20)."""

from __future__ import annotations

from dataclasses import replace

import pytest
from geometry import at, degrees, directions, later

from helix_core import formulas
from helix_core.memory import recall, remember
from helix_core.memory.context import Memory
from helix_core.store import edges, insights


def put(mem: Memory, text: str, cosine: float) -> str:
    """Store a text at a cosine from the query direction, off every other text's plane, unlinked."""
    directions(mem)[text] = at(degrees(cosine), len(directions(mem)) % 30 + 1)
    done = remember.store(mem, text)
    assert done.status == "added" and done.name
    mem.conn.execute("DELETE FROM insight_edges")
    return done.name


def ask(mem: Memory, text: str = "what about the parser", **options: object) -> list[str]:
    directions(mem)[text] = at(0)
    found = recall.recall(mem, recall.Query(text, **options))  # type: ignore[arg-type]
    return [item.insight.name for item in found.ranked]


def test_gate_holds_for_keyword_hits_and_says_so(mem: Memory) -> None:
    near = put(mem, "When quoting strings use the raw lexer because escapes differ", 0.8)
    put(mem, "When the parser fails look at ECONNREFUSED because sockets", 0.2)
    directions(mem)["parser ECONNREFUSED"] = at(0)
    found = recall.recall(mem, recall.Query("parser ECONNREFUSED"))
    assert [r.insight.name for r in found.ranked] == [near]
    assert found.note == "1 keyword match under the gate"
    assert [item.reason for item in found.left] == ["below the gate"]
    opened = recall.recall(mem, recall.Query("parser ECONNREFUSED", min_relevance=0.0))
    assert len(opened.ranked) == 2


def test_the_gate_does_not_hide_what_lies_behind_stronger_words(mem: Memory) -> None:
    """Two hundred better matches by keyword, all of them under the gate, take no place."""
    for n in range(200):
        put(mem, f"When the parser drops tokens in stage {n * 7919} do {n} because of {n}", 0.1)
    near = put(mem, "When a stage is slow profile it because guesses mislead the team", 0.5)
    directions(mem)["parser drops tokens in a stage"] = at(0)
    found = recall.recall(mem, recall.Query("parser drops tokens in a stage", limit=1))
    assert [(r.insight.name, r.keyword_rank) for r in found.ranked] == [(near, 1)]
    assert found.note == "9 keyword matches under the gate"


def test_score_is_the_specs_product(mem: Memory) -> None:
    name = put(mem, "When the parser stalls raise the buffer because it blocks", 0.7)
    directions(mem)["parser stalls"] = at(0)
    aged = later(mem, days=20)
    [item] = recall.recall(aged, recall.Query("parser stalls")).ranked
    assert item.insight.name == name
    assert item.rrf == pytest.approx(formulas.rrf(1, 1))
    assert item.recency == pytest.approx(1 - 0.003 * 20)
    assert item.score == pytest.approx(item.rrf * 0.75 * item.recency)


def test_absent_from_a_list_counts_one_past_its_end(mem: Memory) -> None:
    put(mem, "When quoting use the raw lexer because escapes differ", 0.8)
    put(mem, "When the parser is slow profile it because guesses mislead", 0.6)
    directions(mem)["parser"] = at(0)
    found = {r.insight.content: r for r in recall.recall(mem, recall.Query("parser")).ranked}
    only_vector = found["When quoting use the raw lexer because escapes differ"]
    assert (only_vector.vector_rank, only_vector.keyword_rank) == (1, None)
    assert only_vector.rrf == pytest.approx(formulas.rrf(1, 2))


def test_limits_of_zero_and_below_give_nothing(mem: Memory) -> None:
    put(mem, "When the parser fails do x because y", 0.9)
    assert ask(mem, limit=0) == []
    assert ask(mem, limit=-3) == []
    assert ask(mem, "   ") == []


def test_suppressed_rows_take_no_place(mem: Memory) -> None:
    texts = [
        f"When the parser meets {word} do {n} because it is case {n}"
        for n, word in enumerate(
            ["commas", "quotes", "braces", "tabs", "hashes", "colons", "dashes", "stars"]
        )
    ]
    names = [put(mem, text, 0.9 - n * 0.05) for n, text in enumerate(texts)]
    assert ask(mem, limit=2, suppress=frozenset(names[:6]), hops=0) == names[6:]


def test_minimum_effectiveness_is_on_the_adjusted_value(mem: Memory) -> None:
    name = put(mem, "When the parser fails do x because y", 0.9)
    with mem.conn:
        mem.conn.execute("UPDATE insight SET use_count = 4, causal_hits = 0")
    assert ask(mem, min_effectiveness=0.2) == []
    assert ask(mem, min_effectiveness=0.1) == [name]


def test_a_neighbour_gets_activation_but_never_beats_its_parent(mem: Memory) -> None:
    parent = put(mem, "When the parser fails check the grammar because it changed", 0.9)
    hub = put(mem, "When tokens are lost flush twice because of buffering", 0.40)
    first, second = insights.get(mem.conn, parent), insights.get(mem.conn, hub)
    assert first and second
    fillers = [
        put(mem, f"When {word} breaks the parser mend {word} because of {word}", 0.8 - n * 0.01)
        for n, word in enumerate(
            ["alpha", "beta", "gamma", "delta", "epsilon", "zeta", "eta", "theta", "iota"]
        )
    ]
    edges.add_edges(mem.conn, [(first.id, second.id, 1.0, "led_to")], mem.moment)
    directions(mem)["parser"] = at(0)
    found = recall.candidates(mem, recall.Query("parser", limit=3))
    item = next(r for r in found.ranked if r.insight.name == hub)
    top = max(r.rrf for r in found.ranked)
    assert item.hop == 1 and item.through == parent
    assert item.rrf == pytest.approx(0.7 * top)
    assert ask(mem, "parser", limit=3)[0] == parent
    assert hub not in ask(mem, "parser", limit=3) and len(fillers) == 9


def test_a_neighbour_below_the_gate_or_suppressed_stays_out(mem: Memory) -> None:
    parent = put(mem, "When the parser fails check the grammar because it changed", 0.9)
    far = put(mem, "When paint dries wait because it smells", 0.1)
    a, b = insights.get(mem.conn, parent), insights.get(mem.conn, far)
    assert a and b
    edges.add_edges(mem.conn, [(a.id, b.id, 1.0, "led_to")], mem.moment)
    assert ask(mem) == [parent]
    assert ask(mem, min_relevance=0.05) == [parent, far]
    assert ask(mem, min_relevance=0.05, suppress=frozenset({far})) == [parent]


def test_a_broken_graph_costs_only_the_neighbours(mem: Memory) -> None:
    name = put(mem, "When the parser fails check the grammar because it changed", 0.9)
    mem.conn.execute("DROP TABLE insight_edges")
    assert ask(mem) == [name]
    assert "graph expansion failed" in (mem.project.home / "helix.log").read_text()


def test_without_a_model_two_words_or_an_identifier_are_needed(blind: Memory) -> None:
    remember.store(blind, "When the parser drops tokens rerun the lexer because of state")
    remember.store(blind, "When ECONNREFUSED appears start redis because it is down")
    found = recall.recall(blind, recall.Query("parser tokens vanish"))
    assert found.mode == "keyword" and len(found.ranked) == 1
    assert "keyword only" in found.note
    assert found.ranked[0].relevance is None
    assert recall.recall(blind, recall.Query("the parser vanished yesterday")).ranked == ()
    assert len(recall.recall(blind, recall.Query("we saw ECONNREFUSED")).ranked) == 1


def test_a_row_that_waits_for_its_vector_is_found_by_its_words(mem: Memory) -> None:
    without = replace(mem, embedder=None, index=None)
    done = remember.store(without, "When the parser drops tokens rerun the lexer because of state")
    directions(mem)["parser drops tokens"] = at(0)
    found = recall.recall(mem, recall.Query("parser drops tokens"))
    assert [r.insight.name for r in found.ranked] == [done.name]
    assert found.ranked[0].relevance is None


@pytest.mark.parametrize(
    "query",
    [
        '"',
        "a AND",
        "NEAR(",
        "col:x",
        "^*",
        "(",
        "don't",
        "",
        "a" * 10_000,
        "日本語テキスト",
        "'; --",
    ],
)
def test_no_query_is_an_error(mem: Memory, query: str) -> None:
    put(mem, "When foo_bar.baz or C++ breaks check x because y", 0.9)
    ask(mem, query)


@pytest.mark.parametrize("query", ["foo_bar.baz", "C++", "user-id", "foo_bar"])
def test_identifiers_are_found_whole_and_in_parts(mem: Memory, query: str) -> None:
    text = "When foo_bar.baz or C++ or user-id breaks check x because y"
    name = put(mem, text, 0.9)
    for n in range(12):
        put(mem, f"When topic {n * 7919} fails restart {n} because reason {n}", 0.5)
    assert ask(mem, query)[0] == name


def test_odd_times_score_as_now_and_nothing_breaks(mem: Memory) -> None:
    for n, word in enumerate(["future", "words", "naive"]):
        put(mem, f"When the {word} clock is off keep it because {word}", 0.9 - n * 0.1)
    for n, stamp in enumerate(["2099-01-01", "yesterday", "2026-02-01T00:00:00"], 1):
        mem.conn.execute("UPDATE insight SET created_at = ? WHERE id = ?", (stamp, n))
    directions(mem)["clock is off"] = at(0)
    found = recall.recall(mem, recall.Query("clock is off"))
    fresh = {r.insight.id: r.recency for r in found.ranked}
    assert fresh[1] == 1.0 and fresh[2] == 1.0 and 0.85 < fresh[3] < 1.0
