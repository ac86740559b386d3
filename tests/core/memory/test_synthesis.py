"""Synthesis: recurring failures become insights, once (decision 15)."""

from __future__ import annotations

import threading
from collections.abc import Sequence
from dataclasses import replace

import pytest
from archive import SUBJECTS, Subjects, direction, fail
from geometry import directions, later

from helix_core.constants import SYNTHESIS_EFFECTIVENESS
from helix_core.embed.index import MatrixIndex
from helix_core.errors import RefusedError
from helix_core.memory import clusters, remember, synthesis, upkeep
from helix_core.memory.context import Memory
from helix_core.model import Insight
from helix_core.store import curation, insights, journal, patterns, runs, undo
from helix_core.store.connection import open_store, writing


@pytest.fixture
def mem(mem: Memory) -> Memory:
    """The memory of these tests: a made lesson points where its failures point."""
    return replace(mem, embedder=Subjects())


def prepared(mem: Memory) -> None:
    """Three patterns, and three that are none: too few, one session only, too vague."""
    for subject in ("migration", "oauth", "kafka"):
        for number in range(3):
            fail(mem, subject, number, task=f"Repair the invoice export part {number}")
    for number in range(2):
        fail(mem, "hydration", number)
    for number in range(6):
        fail(mem, "lockfile", number, session="one-long-session")
    for number in range(5):
        with writing(mem.conn):
            mem.conn.execute(
                "INSERT INTO session_log(agent_id, agent_type, outcome, summary, reason,"
                " session_id, created_at) VALUES (?, 'helix-builder', 'blocked', 'timeout',"
                " 'timeout', ?, ?)",
                (f"vague-{number}", f"vague-{number}", mem.moment),
            )


def dump(mem: Memory) -> list[list[tuple[object, ...]]]:
    """Every row of every table."""
    tables = [
        row[0]
        for row in mem.conn.execute(
            "SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE '%fts%'"
        ).fetchall()
    ]
    return [mem.conn.execute(f"SELECT * FROM {name} ORDER BY 1").fetchall() for name in tables]


def lesson(mem: Memory, subject: str, tilt: float = 20.0) -> Insight:
    """An insight of the memory about a subject."""
    text = f"When {subject} breaks the build, look at its notes first because they say why"
    directions(mem)[text] = direction(subject, tilt, 3)
    name = remember.store(mem, text).name
    assert name
    found = insights.get(mem.conn, name)
    assert found
    return found


def patterns_of(mem: Memory) -> list[Insight]:
    return [row for row in insights.all_insights(mem.conn) if row.source == "synthesis"]


def test_exactly_the_expected_patterns_once_and_nine_more_runs_change_nothing(mem: Memory) -> None:
    prepared(mem)
    done = synthesis.synthesize(mem)
    assert [p.action for p in done] == ["created"] * 3
    made = patterns_of(mem)
    assert len(made) == len(insights.all_insights(mem.conn)) == 3
    for row, subject in zip(made, ("migration", "oauth", "kafka"), strict=True):
        assert SUBJECTS[subject].split("{n}")[0] in row.content
        assert row.effectiveness == SYNTHESIS_EFFECTIVENESS
        assert (row.tags, row.use_count) == (("synthesis",), 0)
    after = dump(mem)
    for day in range(1, 10):
        assert synthesis.synthesize(later(mem, days=day)) == []
    assert dump(mem) == after


def test_the_evidence_is_kept_and_told_by_name(mem: Memory) -> None:
    for number in range(3):
        fail(mem, "oauth", number, outcome=("blocked", "partial", "crashed")[number])
    [done] = synthesis.synthesize(replace(mem, actor="maintenance"))
    [row] = mem.conn.execute(
        "SELECT name, action, members, sessions, confidence FROM synthesis"
    ).fetchall()
    assert row[:4] == (done.name, "created", "[1, 2, 3]", 3)
    assert row[4] == pytest.approx(done.confidence) and done.confidence >= 1.5
    log = (mem.project.home / "helix.log").read_text("utf-8")
    assert f"synthesis created {done.name}" in log
    [event] = mem.conn.execute("SELECT action, actor, reason FROM curation_event").fetchall()
    assert event[:2] == ("synthesis", "maintenance") and "3 failures in 3 sessions" in event[2]


def test_what_a_person_had_synthesised_is_taken_back(mem: Memory) -> None:
    for number in range(3):
        fail(mem, "oauth", number)
    [made] = synthesis.synthesize(mem)
    for number in range(3, 6):
        fail(mem, "oauth", number)
    [confirmed] = synthesis.synthesize(mem)
    assert (confirmed.action, confirmed.name) == ("reinforced", made.name)
    for left in (made.after, None):
        done = undo.newest(mem.conn, actor="cli", moment=mem.now)
        assert (done["undone"], done["names"]) == ("synthesis", [made.name])
        row = insights.get(mem.conn, str(made.name))
        assert (row.effectiveness if row else None) == left
    with pytest.raises(RefusedError, match="nothing to undo"):
        undo.newest(mem.conn, actor="cli", moment=mem.now)


def test_a_dry_run_says_the_same_and_writes_nothing(mem: Memory) -> None:
    prepared(mem)
    known = lesson(mem, "kafka")
    before = dump(mem)
    planned = synthesis.synthesize(mem, dry_run=True)
    assert dump(mem) == before
    done = synthesis.synthesize(mem)
    assert [(p.action, p.members, p.after) for p in planned] == [
        (p.action, p.members, p.after) for p in done
    ]
    assert [p.name for p in done if p.action == "reinforced"] == [known.name]


def test_a_known_lesson_is_confirmed_instead_of_repeated(mem: Memory) -> None:
    known = lesson(mem, "migration")
    other = lesson(mem, "oauth")
    for number in range(3):
        fail(mem, "migration", number)
    [done] = synthesis.synthesize(mem)
    assert (done.action, done.name, done.before) == ("reinforced", known.name, 0.5)
    assert patterns_of(mem) == []
    row = insights.get(mem.conn, known.name)
    # Delivered at similarity 0.80: full weight with these thresholds, a step of 0.2.
    assert row and row.effectiveness == pytest.approx(0.6)
    assert row.causal_hits == row.use_count == 1
    [event] = mem.conn.execute(
        "SELECT insight_id, kind, outcome, similarity, before, after FROM feedback_event"
    ).fetchall()
    assert event == (known.id, "synthesis", "delivered", 0.8, 0.5, pytest.approx(0.6))
    untouched = insights.get(mem.conn, other.name)
    assert untouched and untouched.use_count == 0
    assert synthesis.synthesize(mem) == []


def test_a_lesson_on_another_matter_is_not_taken_for_it(mem: Memory) -> None:
    lesson(mem, "migration", tilt=55.0)
    for number in range(3):
        fail(mem, "migration", number)
    assert [p.action for p in synthesis.synthesize(mem)] == ["created"]


def test_a_newer_failure_confirms_the_pattern_it_belongs_to(mem: Memory) -> None:
    for number in range(3):
        fail(mem, "kafka", number)
    [first] = synthesis.synthesize(mem)
    fail(mem, "kafka", 3)
    [again] = synthesis.synthesize(later(mem, days=1))
    assert (again.action, again.name, again.members) == ("reinforced", first.name, (1, 2, 3, 4))
    assert again.before == SYNTHESIS_EFFECTIVENESS and again.after == pytest.approx(0.56)
    assert synthesis.synthesize(later(mem, days=2)) == []
    assert len(patterns_of(mem)) == 1


def test_an_insight_is_not_rewarded_by_failures_it_was_there_for(mem: Memory) -> None:
    known = lesson(mem, "oauth")
    for number in range(3):
        fail(mem, "oauth", number, given=[known])
    [done] = synthesis.synthesize(mem)
    assert (done.action, done.name) == ("withheld", known.name)
    row = insights.get(mem.conn, known.name)
    assert row and (row.effectiveness, row.use_count) == (0.5, 0)
    assert synthesis.synthesize(mem) == []
    for number in (3, 4):
        fail(mem, "oauth", number)
    assert [p.action for p in synthesis.synthesize(mem)] == ["withheld"]  # two are not enough
    fail(mem, "oauth", 5)
    [done] = synthesis.synthesize(mem)
    assert (done.action, done.name, len(done.members)) == ("reinforced", known.name, 6)


def test_what_a_person_threw_out_does_not_come_back(mem: Memory) -> None:
    for number in range(3):
        fail(mem, "migration", number)
    [first] = synthesis.synthesize(mem)
    assert first.name
    curation.discard(mem.conn, [first.name], actor="cli", moment=mem.now)
    assert synthesis.synthesize(mem) == []
    for number in range(3, 6):
        fail(mem, "migration", number)
    again = synthesis.synthesize(mem)
    assert [p.action for p in again] == ["refused"] and again[0].reason == "tombstone"
    assert insights.count(mem.conn) == 0
    assert synthesis.synthesize(mem) == []


def test_a_pruned_pattern_needs_new_evidence_of_its_own(mem: Memory) -> None:
    for number in range(3):
        fail(mem, "kafka", number)
    [first] = synthesis.synthesize(mem)
    assert first.name
    curation.prune(mem.conn, {first.name: "low"}, actor="maintenance", moment=mem.now)
    for number in (3, 4):
        fail(mem, "kafka", number)
        assert synthesis.synthesize(mem) == []
    fail(mem, "kafka", 5)
    [again] = synthesis.synthesize(mem)
    assert (again.action, again.members) == ("created", (4, 5, 6))


def test_the_evidence_follows_a_merge_and_comes_back_with_its_undo(mem: Memory) -> None:
    prepared(mem)
    synthesis.synthesize(mem)
    made, other = patterns_of(mem)[0], lesson(mem, "kafka", tilt=80.0)
    before = patterns.of_insight(mem.conn, made.id)
    assert len(before) == 1 and patterns.of_insight(mem.conn, other.id) == []
    curation.merge(mem.conn, other.name, made.name, actor="cli", moment=mem.now)
    assert patterns.of_insight(mem.conn, other.id) == before
    for number in range(3, 6):
        fail(mem, "migration", number)
    [confirmed] = synthesis.synthesize(replace(mem, actor="maintenance"))
    assert (confirmed.action, confirmed.name) == ("reinforced", other.name)
    undo.newest(mem.conn, actor="cli", moment=mem.now)
    assert patterns.of_insight(mem.conn, made.id) == before
    [later_use] = patterns.of_insight(mem.conn, other.id)
    assert later_use["action"] == "reinforced"  # what came after the merge stays


def test_reasons_are_embedded_once_and_without_what_was_appended(mem: Memory) -> None:
    asked: list[str] = []

    class Counting(Subjects):
        def embed_documents(self, texts: Sequence[str]) -> list[list[float]]:
            asked.extend(texts)
            return super().embed_documents(texts)

    mem = replace(mem, embedder=Counting())
    reasons = [fail(mem, "oauth", number) for number in range(3)]
    synthesis.synthesize(mem)
    synthesis.synthesize(mem)
    assert [asked.count(reason) for reason in reasons] == [1, 1, 1]
    mem.conn.execute("UPDATE session_log SET reason = NULL, embedding_model = NULL")
    assert synthesis.embed_some(mem, 10) == 3
    assert asked[-3:] == reasons


def test_the_worker_synthesizes_once_after_a_session(mem: Memory) -> None:
    for number in range(3):
        fail(mem, "migration", number, session=f"s{number}")
        with writing(mem.conn):
            journal.close_session(mem.conn, f"s{number}", mem.moment)
    assert synthesis.step(mem) is False, "no session has been maintained yet"
    assert upkeep.maintain(mem) == ["s0", "s1", "s2"]
    steps = 0
    while synthesis.step(mem, batch=2):
        steps += 1
    assert steps == 3  # two batches of reasons, then the patterns
    assert len(patterns_of(mem)) == 1
    fail(mem, "migration", 3)
    assert synthesis.step(mem) is False, "not before the next session is over"


def test_without_a_model_nothing_is_made(blind: Memory) -> None:
    with writing(blind.conn):
        runs.create(blind.conn, "s", "helix-builder", blind.moment, agent_id="a")
        journal.set_meta(blind.conn, "last_maintenance", blind.moment)
    assert synthesis.synthesize(blind) == []
    assert synthesis.step(blind) is False


def test_two_at_once_make_each_pattern_once(mem: Memory) -> None:
    """The worker's own run and one asked for by hand: both see the failures before either acts."""
    prepared(mem)
    synthesis.embed_some(mem, 100)
    both_ready = threading.Barrier(2)
    results: list[str] = []

    def run(number: int) -> None:
        conn = open_store(mem.project.database, wait_ms=30_000)
        mine = replace(mem, conn=conn, index=MatrixIndex(mem.embedder.profile))  # type: ignore[union-attr]
        clusters.cluster([[1.0, 0.0], [0.0, 1.0]])  # imports done
        both_ready.wait(60)
        results.extend(p.action for p in synthesis.synthesize(mine))
        conn.close()

    threads = [threading.Thread(target=run, args=(n,)) for n in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert results == ["created"] * 3
    assert len(patterns_of(mem)) == 3
