"""What learning gets wrong easily, each point with the test that holds it.

unknown is not non-causal: no model, another dimension, no vector, no feedback at all:
    test_feedback.py: test_unknown_similarity_is_no_feedback_until_a_vector_is_there
    test_feedback.py: test_an_insight_of_another_model_is_left_alone
    test_feedback.py: test_a_damaged_vector_costs_its_row_only
erosion and injection do not refresh `last_used`:
    test_feedback.py: test_a_bystander_erodes_from_above_only_and_gains_no_recency
    test_being_injected_changes_nothing_of_an_insight
weight 0 is a use and nothing else; similarities are clamped; 0.0 is a value:
    test_feedback.py: test_weight_zero_is_a_use_but_no_hit
    test_a_similarity_outside_0_and_1_counts_as_its_bound
    test_an_effectiveness_of_zero_is_zero
feedback, merge and prune are one transaction each:
    ../test_concurrency.py: test_two_that_store_and_two_that_judge
    test_prune_decides_with_the_lock_in_hand
    test_a_merge_that_fails_half_way_did_nothing
ghosts: never what a person gave, what is pinned, shown lately, or only lacks a vector:
    test_upkeep.py: test_prune_takes_the_poor_and_the_ghosts_only
    test_upkeep.py: test_a_ghost_that_was_shown_lately_stays
    test_a_row_of_another_model_is_embedded_before_it_can_be_a_ghost
odd times:
    test_recall.py: test_odd_times_score_as_now_and_nothing_breaks
    ../../hooks/test_b31_times.py
    test_days_are_fractional
percentages round, the top bucket holds 1.0, scores are sorted unrounded, ratios stay in [0, 1]:
    test_evidence.py: test_the_shape_of_the_graph
    test_a_percentage_is_rounded_and_the_order_is_not
    test_the_top_bucket_holds_one_and_ratios_stay_in_bounds
limits, minima, suppressed rows, hubs:
    test_recall.py: test_limits_of_zero_and_below_give_nothing
    test_recall.py: test_suppressed_rows_take_no_place
    test_recall.py: test_minimum_effectiveness_is_on_the_adjusted_value
    test_a_poor_neighbour_is_held_to_the_minimum_too
    test_a_hub_does_not_keep_anothers_neighbour_out
an agent cannot make its own text a person's; tags are a short list of short strings:
    ../../hooks/test_b20_insight_json.py: test_b20_what_is_clear_is_taken
    ../text/test_text_lessons.py
    test_tags_are_a_short_list_of_short_strings
"""

from __future__ import annotations

import sqlite3
import threading
from dataclasses import replace

import pytest
from geometry import PROFILE, at, degrees, directions, dump, later

from helix_core import formulas, service
from helix_core.errors import HelixError
from helix_core.hooks import frame
from helix_core.memory import curate, feedback, recall, remember, upkeep
from helix_core.memory.context import Memory
from helix_core.model import Given, Insight
from helix_core.store import edges, insights, runs
from helix_core.store.connection import open_store, writing

PARSER = "When the parser fails do x because y"


def put(mem: Memory, text: str, cosine: float = 0.9, **columns: object) -> Insight:
    directions(mem)[text] = at(degrees(cosine), len(directions(mem)) % 30 + 1)
    done = remember.store(mem, text)
    assert done.name
    for name, value in columns.items():
        mem.conn.execute(f"UPDATE insight SET {name} = ? WHERE name = ?", (value, done.name))
    row = insights.get(mem.conn, done.name)
    assert row
    return row


def test_being_injected_changes_nothing_of_an_insight(mem: Memory) -> None:
    row = put(mem, PARSER)
    before = dump(mem)["insight"]
    with writing(mem.conn):
        run_id = runs.create(mem.conn, "s", "helix-builder", mem.moment, tool_use_id="t")
        run = runs.by_id(mem.conn, run_id)
        assert run
        shown = Given(row.id, row.name, row.content, row.tags, 0.5, 0.9, 0.01, 0)
        runs.add_injection(
            mem.conn, run, shown, rank=1, value=None, chars=1, source="hook", moment=mem.moment
        )
    recall.recall(mem, recall.Query("the parser fails"))
    assert dump(mem)["insight"] == before


@pytest.mark.parametrize(("given", "counts_as"), [(1.7, 1.0), (-0.4, 0.0), (float("nan"), 0.0)])
def test_a_similarity_outside_0_and_1_counts_as_its_bound(
    mem: Memory, given: float, counts_as: float
) -> None:
    row, other = put(mem, PARSER), put(mem, "When the lexer fails do z because w")
    feedback.by_hand(mem, [row.name], "blocked", {row.name: given}, PROFILE)
    feedback.by_hand(mem, [other.name], "blocked", {other.name: counts_as}, PROFILE)
    found = insights.by_ids(mem.conn, [row.id, other.id])
    assert found[row.id].effectiveness == found[other.id].effectiveness
    assert found[row.id].causal_hits == found[other.id].causal_hits == int(counts_as)


def test_an_effectiveness_of_zero_is_zero(mem: Memory) -> None:
    directions(mem)[PARSER] = at(0)
    done = remember.store(mem, PARSER, effectiveness=0.0)
    row = insights.get(mem.conn, str(done.name))
    assert row and row.effectiveness == 0.0
    [moved] = feedback.by_hand(mem, [row.name], "blocked", {}, PROFILE)
    assert (moved.before, moved.after) == (0.0, 0.0)
    [found] = recall.recall(mem, recall.Query(PARSER)).ranked
    assert found.effectiveness == 0.0
    given = Given(row.id, row.name, row.content, row.tags, 0.0, 0.9, 0.01, 0)
    assert frame.line(given).startswith("  - [0%] ")


def test_prune_decides_with_the_lock_in_hand(mem: Memory) -> None:
    """What looked poor before the lock was there, but is good by then, stays."""
    row = put(mem, PARSER, effectiveness=0.1, use_count=4, causal_hits=4)
    assert [change.name for change in upkeep.prune(mem, dry_run=True)] == [row.name]
    other = replace(mem, conn=open_store(mem.project.database, wait_ms=20_000))
    pruned: list[list[upkeep.Change]] = []
    mem.conn.execute("BEGIN IMMEDIATE")
    thread = threading.Thread(target=lambda: pruned.append(upkeep.prune(other)))
    thread.start()
    mem.conn.execute("UPDATE insight SET effectiveness = 0.9")
    mem.conn.execute("COMMIT")
    thread.join(30)
    other.conn.close()
    assert pruned == [[]]
    assert insights.count(mem.conn) == 1


def test_a_merge_that_fails_half_way_did_nothing(mem: Memory) -> None:
    one, two = put(mem, PARSER), put(mem, "When the lexer fails do z because w", use_count=3)
    before = dump(mem)
    mem.conn.execute(
        "CREATE TRIGGER full BEFORE INSERT ON curation_event"
        " BEGIN SELECT RAISE(ABORT, 'disk full'); END"
    )
    with pytest.raises((sqlite3.Error, HelixError)):
        curate.merge(mem, one.name, two.name)
    assert not mem.conn.in_transaction
    assert dump(mem) == before


def test_a_row_of_another_model_is_embedded_before_it_can_be_a_ghost(mem: Memory) -> None:
    row = put(mem, PARSER, embedding_model="another", embedding=bytes(64))
    old = later(mem, days=200)
    assert upkeep.prune(old) == []
    assert upkeep.reindex(old) == 1
    assert [(c.name, c.reason) for c in upkeep.prune(old)] == [(row.name, "ghost")]


def test_days_are_fractional(mem: Memory) -> None:
    put(mem, PARSER)
    directions(mem)["the parser fails"] = at(0)
    fresh = [
        recall.recall(later(mem, hours=hours), recall.Query("the parser fails")).ranked[0].recency
        for hours in (0, 12, 24)
    ]
    assert fresh == pytest.approx([1.0, 1.0 - 0.0015, 1.0 - 0.003])


def test_a_percentage_is_rounded_and_the_order_is_not(mem: Memory) -> None:
    given = Given(1, "n", "text", (), 0.746, 0.9, 0.01, 0)
    assert frame.line(given) == "  - [75%] text"
    nearest, second = put(mem, PARSER, 0.9), put(mem, "When tea is cold warm it now", 0.8)
    share = formulas.rrf(1, 1) / formulas.rrf(2, 1)  # what a rank costs, and a hair more
    mem.conn.execute(
        "UPDATE insight SET effectiveness = ? WHERE id = ?",
        (2 * 0.75 * share * (1 + 1e-7) - 1, second.id),
    )
    directions(mem)["anything"] = at(0)
    found = recall.recall(mem, recall.Query("anything", hops=0)).ranked
    assert round(found[0].score, 6) == round(found[1].score, 6)
    assert [r.insight.id for r in found] == [second.id, nearest.id]


def test_the_top_bucket_holds_one_and_ratios_stay_in_bounds(mem: Memory) -> None:
    one = put(mem, PARSER, effectiveness=1.0)
    two = put(mem, "When the lexer fails do z because w", effectiveness=0.0)
    mem.conn.execute("DELETE FROM insight_edges")
    for source, target, relation in (
        (one.id, two.id, "similar"),
        (one.id, two.id, "led_to"),
        (two.id, one.id, "led_to"),
        (one.id, 999, "led_to"),
        (998, 999, "similar"),
    ):
        edges.add_edges(mem.conn, [(source, target, 1.0, relation)], mem.moment)
    figures = str(service.run(mem, "stats", {}))
    assert "0.9-1.0" in figures
    ratios = [
        value
        for answer in (service.run(mem, "health", {}), service.run(mem, "stats", {}))
        for name, value in _numbers(answer)
        if name.endswith(("ratio", "density", "coverage"))
    ]
    assert len(ratios) >= 3
    assert all(0.0 <= value <= 1.0 for value in ratios)


def _numbers(value: object, name: str = "") -> list[tuple[str, float]]:
    if isinstance(value, dict):
        own = str(value.get("name", name))
        return [
            pair for key, v in value.items() for pair in _numbers(v, own if key == "value" else key)
        ]
    if isinstance(value, list):
        return [pair for item in value for pair in _numbers(item, name)]
    return [(name, float(value))] if isinstance(value, (int, float)) else []


def test_a_poor_neighbour_is_held_to_the_minimum_too(mem: Memory) -> None:
    parent = put(mem, PARSER)
    poor = put(mem, "When tokens vanish flush twice because of buffering", 0.4)
    mem.conn.execute("UPDATE insight SET effectiveness = 0.1 WHERE id = ?", (poor.id,))
    mem.conn.execute("DELETE FROM insight_edges")
    edges.add_edges(mem.conn, [(parent.id, poor.id, 1.0, "led_to")], mem.moment)
    directions(mem)["the parser fails"] = at(0)
    query = recall.Query("the parser fails", min_effectiveness=0.3)
    assert [r.insight.name for r in recall.recall(mem, query).ranked] == [parent.name]


def test_a_hub_does_not_keep_anothers_neighbour_out(mem: Memory) -> None:
    """Thirty neighbours of one insight, one of another: that one is a candidate like them."""
    hub, plain = put(mem, PARSER, 0.9), put(mem, "When the parser stalls do z because w", 0.85)
    far = [put(mem, f"When leaf {n} wilts, water leaf {n} once a day", 0.4) for n in range(30)]
    lonely = put(mem, "When tokens vanish flush twice because of buffering", 0.4)
    mem.conn.execute("DELETE FROM insight_edges")
    edges.add_edges(mem.conn, [(hub.id, leaf.id, 0.9, "led_to") for leaf in far], mem.moment)
    edges.add_edges(mem.conn, [(plain.id, lonely.id, 1.0, "led_to")], mem.moment)
    directions(mem)["the parser"] = at(0)
    found = recall.candidates(mem, recall.Query("the parser", limit=2)).ranked
    through = {r.insight.name: r.through for r in found if r.hop}
    assert through.get(lonely.name) == plain.name
    assert sum(1 for parent in through.values() if parent == hub.name) > 20


def test_tags_are_a_short_list_of_short_strings(mem: Memory) -> None:
    odd = ["A", "a", " b\nc ", 7, None, "", "x" * 200, *[f"t{n}" for n in range(20)]]
    done = remember.store(mem, PARSER, odd)
    row = insights.get(mem.conn, str(done.name))
    assert row and len(row.tags) == remember.MAX_TAGS
    assert row.tags[:3] == ("a", "b c", "7")
    assert all(len(tag) <= remember.MAX_TAG for tag in row.tags)
