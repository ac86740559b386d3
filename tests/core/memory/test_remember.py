"""Storing: refusals, duplicates, standing, links (decisions 13 and 16; pitfalls, Store)."""

from __future__ import annotations

import pytest
from geometry import at, degrees, directions

from helix_core.errors import UsageError
from helix_core.memory import remember
from helix_core.memory.context import Memory
from helix_core.store import curation, insights

HANGS = "When pytest hangs in CI, pass -x because a fixture leaks"
OTHER = "When pytest hangs in CI, use -x because one fixture leaks"


def place(mem: Memory, text: str, cosine: float) -> str:
    directions(mem)[text] = at(degrees(cosine))
    return text


def rows(mem: Memory) -> list[str]:
    return [i.content for i in insights.all_insights(mem.conn)]


def test_a_paraphrase_merges_and_both_wordings_stay(mem: Memory) -> None:
    first = remember.store(mem, place(mem, HANGS, 1.0), ["ci"])
    second = remember.store(mem, place(mem, OTHER, 0.95), ["pytest"])
    assert (second.status, second.name) == ("merged", first.name)
    [row] = insights.all_insights(mem.conn)
    assert row.content == OTHER and row.confirmations == 1
    assert set(row.tags) == {"ci", "pytest"}
    kept = mem.conn.execute("SELECT content FROM revision").fetchall()
    assert kept == [(HANGS,)]


@pytest.mark.parametrize("standing", ["pinned", "used", "user"])
def test_a_text_of_higher_standing_is_not_overwritten(mem: Memory, standing: str) -> None:
    tags = ["user-provided"] if standing == "user" else []
    first = remember.store(mem, place(mem, HANGS, 1.0), tags)
    if standing == "pinned":
        curation.set_pinned(mem.conn, str(first.name), True, actor="cli", moment=mem.now)
    if standing == "used":
        mem.conn.execute("UPDATE insight SET use_count = 5, causal_hits = 4")
    remember.store(mem, place(mem, OTHER, 0.95))
    assert rows(mem) == [HANGS]
    kept = mem.conn.execute("SELECT content FROM revision WHERE reason LIKE 'merged%'")
    assert kept.fetchall() == [(OTHER,)]


def test_opposite_and_differently_numbered_advice_stays_apart_but_linked(mem: Memory) -> None:
    remember.store(mem, place(mem, "When deploying, always run migrations first because x", 1.0))
    remember.store(mem, place(mem, "When deploying, never run migrations first because x", 0.99))
    remember.store(mem, place(mem, "When on Python 3.10, vendor tomli because of imports", 0.1))
    assert len(rows(mem)) == 3
    weights = mem.conn.execute("SELECT src_id, dst_id, relation FROM insight_edges").fetchall()
    assert (1, 2, "similar") in weights


def test_related_texts_are_linked_to_the_five_closest(mem: Memory) -> None:
    words = ["red", "orange", "yellow", "green", "blue", "violet", "white"]
    for n, word in enumerate(words):
        place(mem, f"When {word} paint peels sand it because of {word}", 1.0)
        directions(mem)[f"When {word} paint peels sand it because of {word}"] = at(40, n % 6 + 1)
        remember.store(mem, f"When {word} paint peels sand it because of {word}")
    mem.conn.execute("DELETE FROM insight_edges")
    done = remember.store(mem, place(mem, "When any paint peels strip it because it is old", 1.0))
    linked = mem.conn.execute(
        "SELECT count(*) FROM insight_edges WHERE dst_id = ?", (done.insight_id,)
    ).fetchone()[0]
    assert linked == 5


def test_a_person_gets_an_own_row_but_the_same_words_only_once(mem: Memory) -> None:
    remember.store(mem, place(mem, HANGS, 1.0))
    mine = remember.store(mem, place(mem, OTHER, 0.95), ["user-provided"])
    assert mine.status == "added" and mine.insight_id is not None
    again = remember.store(mem, OTHER.upper(), ["user-provided"])
    assert again.status == "merged"
    assert mem.conn.execute("SELECT count(*) FROM insight_edges").fetchone()[0] == 1


def test_rejected_knowledge_stays_rejected_unless_a_person_says_it(mem: Memory) -> None:
    done = remember.store(mem, place(mem, HANGS, 1.0))
    curation.discard(mem.conn, [str(done.name)], actor="tui", moment=mem.now)
    for text in (HANGS, place(mem, OTHER, 0.95)):
        again = remember.store(mem, text)
        assert (again.status, again.reason) == ("rejected", "tombstone")
    assert remember.store(mem, HANGS, ["user-provided"]).status == "added"
    counted = dict(mem.conn.execute("SELECT rule, count FROM rejection").fetchall())
    assert counted == {"tombstone": 2}


def test_pruned_by_maintenance_leaves_no_tombstone(mem: Memory) -> None:
    done = remember.store(mem, place(mem, HANGS, 1.0))
    curation.prune(mem.conn, {str(done.name): "low"}, actor="maintenance", moment=mem.now)
    assert remember.store(mem, HANGS).status == "added"


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("", "empty"),
        ("   \n", "empty"),
        ("When x do " + "y" * 4000, "longer than 4,000 characters"),
        ("When deploying use AKIAIOSFODNN7EXAMPLE because prod needs it", "credential"),
    ],
)
def test_refusals_say_why_and_are_counted_without_the_text(
    mem: Memory, text: str, reason: str
) -> None:
    done = remember.store(mem, text)
    assert done.status == "rejected" and reason in done.reason
    assert rows(mem) == []
    [(rule, count)] = mem.conn.execute("SELECT rule, count FROM rejection").fetchall()
    assert count == 1 and "AKIA" not in rule


@pytest.mark.parametrize(("content", "effectiveness"), [(5, 0.5), (None, 0.5), ("When x", 1.5)])
def test_wrong_types_are_a_usage_error(mem: Memory, content: object, effectiveness: float) -> None:
    with pytest.raises(UsageError):
        remember.store(mem, content, effectiveness=effectiveness)


def test_names_are_unique_for_any_script_and_collision(mem: Memory) -> None:
    names = set()
    for n in range(20):
        text = (
            "When the very same fifty characters begin a text do " + "abcdefghijklmnopqrst"[n] * 9
        )
        directions(mem)[text] = at(90, n % 6 + 1)
        done = remember.store(mem, text, ["user-provided"])
        names.add(done.name)
    for text in ("日本語のテキストは保存される", "!!! ??? ...", "когда тесты висят"):
        names.add(remember.store(mem, text, ["user-provided"]).name)
    assert len(names) == 23 and None not in names


def test_the_same_lesson_with_run_numbers_is_one_row_without_a_model(blind: Memory) -> None:
    for n in range(20):
        dot = "." if n % 2 else ""
        remember.store(
            blind, f"When pytest hangs in CI run {n}, pass -x because a fixture leaks{dot}"
        )
    [row] = insights.all_insights(blind.conn)
    assert row.confirmations == 19


def test_texts_that_differ_late_are_not_duplicates(mem: Memory) -> None:
    long = "When building the parser " + "keep every table in one place and " * 60
    first = long + "run make tables because it is stale"
    second = long + "delete build/cache because it lies"
    directions(mem)[first] = at(0)
    directions(mem)[second] = at(1)
    remember.store(mem, first)
    done = remember.store(mem, second)
    assert done.status == "added"
