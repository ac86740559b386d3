"""What helix asks by itself, what each answer does, and that undo takes it back whole."""

from __future__ import annotations

from dataclasses import replace

import pytest
from geometry import PROFILE, at, degrees, directions, dump, later
from quiz import (
    ALWAYS,
    HANGS,
    MINE,
    NEVER,
    NEWER,
    OLDER,
    OTHER,
    builder,
    candidate,
    conflict,
    contradicted,
    document,
    known,
    only,
    open_ones,
    place,
)

from helix_core.errors import ChangedError, RefusedError
from helix_core.memory import answers, asking, questions, remember, upkeep
from helix_core.memory.answers import Reply
from helix_core.memory.context import Memory
from helix_core.store import (
    curation,
    edges,
    runs,
    trash,
    undo,
    view_questions,
)
from helix_core.store import questions as rows
from helix_core.store.connection import writing


class TestConflicts:
    """Two insights that the guards keep apart."""

    def test_both_hold_and_nothing_changes(self, mem: Memory) -> None:
        question, before = conflict(mem), dump(mem)
        answers.answer(mem, question.id, Reply(options=(1,)))
        assert dump(mem) == before and open_ones(mem) == []

    @pytest.mark.parametrize(("option", "left"), [(2, {ALWAYS}), (3, {NEVER})])
    def test_of_opposites_what_does_not_hold_goes_to_the_trash_for_good(
        self, mem: Memory, option: int, left: set[str]
    ) -> None:
        question, before = conflict(mem), dump(mem)
        answers.answer(mem, question.id, Reply(options=(option,)))
        assert set(known(mem)) == left
        for text in {ALWAYS, NEVER} - left:
            assert remember.store(mem, text).reason == "tombstone"
        undo.newest(mem.conn, actor="cli", moment=mem.now)
        assert dump(mem) == before
        assert {q.id for q in open_ones(mem)} >= {question.id}

    @pytest.mark.parametrize(("first", "second"), [(ALWAYS, NEVER), (OLDER, NEWER)])
    def test_two_that_say_the_same_become_one_with_both_records(
        self, mem: Memory, first: str, second: str
    ) -> None:
        question, before = conflict(mem, first, second), dump(mem)
        number = [option.value for option in question.options].index("same") + 1
        assert "same" in question.options[number - 1].label
        answers.answer(mem, question.id, Reply(options=(number,)))
        [row] = known(mem).values()
        assert row.content == first
        assert trash.listed(mem.conn)[0]["merged_into"] == row.name
        assert mem.conn.execute("SELECT count(*) FROM tombstone").fetchone() == (0,)
        undo.newest(mem.conn, actor="cli", moment=mem.now)
        assert dump(mem) == before and only(mem).id == question.id

    def test_neither_holds_is_still_carried_out_where_it_was_offered(self, mem: Memory) -> None:
        question, before = conflict(mem), dump(mem)
        mem.conn.execute("UPDATE question SET options = json_set(options, '$[3].value', 'neither')")
        answers.answer(mem, question.id, Reply(options=(4,)))
        assert known(mem) == {}
        undo.newest(mem.conn, actor="cli", moment=mem.now)
        assert dump(mem) == before

    def test_of_two_versions_the_record_of_one_is_added_to_the_other(self, mem: Memory) -> None:
        question, before = conflict(mem, OLDER, NEWER), dump(mem)
        answers.answer(mem, question.id, Reply(options=(3,)))
        [row] = known(mem).values()
        assert row.content == NEWER and row.tags == ("deploy",)
        assert trash.listed(mem.conn)[0]["merged_into"] == row.name
        undone = undo.newest(mem.conn, actor="cli", moment=mem.now)
        assert undone["undone"] == "answer" and f"question {question.id}" in undone["names"]
        assert dump(mem) == before and only(mem).id == question.id

    def test_a_side_that_is_gone_already_is_no_hindrance(self, mem: Memory) -> None:
        question = conflict(mem)
        curation.discard(mem.conn, [known(mem)[NEVER].name], actor="cli", moment=mem.now)
        answers.answer(mem, question.id, Reply(options=(2,)))
        assert set(known(mem)) == {ALWAYS}

    def test_merging_into_what_is_gone_is_refused_and_the_question_stays(self, mem: Memory) -> None:
        question = conflict(mem, OLDER, NEWER)
        curation.discard(mem.conn, [known(mem)[NEWER].name], actor="cli", moment=mem.now)
        with pytest.raises(RefusedError, match="no insight named"):
            answers.answer(mem, question.id, Reply(options=(3,)))
        assert only(mem).id == question.id and set(known(mem)) == {OLDER}

    def test_own_words_are_led_to_by_both(self, mem: Memory) -> None:
        question = conflict(mem)
        asked, done = answers.answer(mem, question.id, Reply(text=place(mem, MINE, 0.5)))
        [row] = done.stored
        assert (row.source, row.effectiveness, row.tags) == ("user", 0.5, ("user-provided",))
        led = edges.get_neighbors(mem.conn, [row.id], "led_to")
        assert {n.other_id for n in led} == {known(mem)[t].id for t in (ALWAYS, NEVER)}
        assert not any(n.outgoing for n in led)
        assert asked.answer == MINE and asked.stored == (row.id,)

    def test_a_pair_put_before_options_were_objects_is_answered_alike(self, mem: Memory) -> None:
        question = conflict(mem)
        names = [known(mem)[text].name for text in (ALWAYS, NEVER)]
        old = f'["both", "{names[0]}", "{names[1]}", "neither"]'
        mem.conn.execute("UPDATE question SET options = ?", (old,))
        assert [option.label for option in only(mem).options][1:3] == names
        answers.answer(mem, question.id, Reply(options=(3,)))
        assert set(known(mem)) == {NEVER}


class TestContradicted:
    """An agent whose own test run says otherwise."""

    def test_the_evidence_says_what_is_known(self, mem: Memory) -> None:
        question, insight = contradicted(mem)
        detail = view_questions.detail(mem.conn, question.id)
        assert detail is not None
        shown = detail.evidence
        assert (shown.task, shown.outcome, shown.source, shown.reason, shown.verify) == (
            *("Add the cache", "delivered", "contradicted"),
            *("the cache works", "pytest tests/cache"),
        )
        [given] = shown.injected
        assert (given.name, given.content, given.effectiveness) == (insight.name, HANGS, 0.5)

    @pytest.mark.parametrize(("option", "outcome"), [(1, "delivered"), (3, "blocked")])
    def test_a_persons_word_is_feedback_once_and_undo_takes_it_back(
        self, mem: Memory, option: int, outcome: str
    ) -> None:
        question, insight = contradicted(mem)
        before = dump(mem)
        _, done = answers.answer(later(mem, hours=1), question.id, Reply(options=(option,)))
        [moved] = done.moved
        assert moved.causal and (moved.after > 0.5) == (outcome == "delivered")
        [event] = mem.conn.execute("SELECT source, outcome FROM feedback_event").fetchall()
        assert event == ("user", outcome)
        run = runs.by_agent(mem.conn, "a1")
        assert run and (run.state, runs.outcome_source(mem.conn, run.id)) == (outcome, "user")
        with pytest.raises(ChangedError, match="answered already on the command line"):
            answers.answer(mem, question.id, Reply(options=(1,)))
        undo.newest(mem.conn, actor="cli", moment=later(mem, hours=2).now)
        assert dump(mem) == before
        run = runs.by_agent(mem.conn, "a1")
        assert run and (run.state, run.feedback) == ("delivered", "none")
        assert runs.outcome_source(mem.conn, run.id) == "contradicted"
        answers.answer(later(mem, hours=3), question.id, Reply(options=(3,)))
        assert known(mem)[HANGS].effectiveness < insight.effectiveness

    def test_without_the_tasks_vector_credit_waits_and_undo_finds_it(self, mem: Memory) -> None:
        question, _ = contradicted(mem)
        mem.conn.execute("UPDATE agent_run SET query_vector = NULL, embedding_model = NULL")
        before = dump(mem)
        blind = replace(mem, embedder=None, index=None)
        _, done = answers.answer(blind, question.id, Reply(options=(3,)))
        assert done.moved == [] and "waits" in done.said[0]
        directions(mem)["cache"] = at(10)
        assert upkeep.settle_feedback(later(mem, hours=1)) == 1
        [event] = mem.conn.execute("SELECT source, outcome FROM feedback_event").fetchall()
        assert event == ("user", "blocked") and known(mem)[HANGS].use_count == 1
        undo.newest(mem.conn, actor="cli", moment=later(mem, hours=2).now)
        assert dump(mem) == before
        assert upkeep.settle_feedback(later(mem, hours=3)) == 0

    def test_a_run_that_was_folded_into_its_call_is_still_judged(self, mem: Memory) -> None:
        question, _ = contradicted(mem)
        with writing(mem.conn):
            call = runs.create(mem.conn, "s1", "helix-builder", mem.moment, tool_use_id="toolu_9")
            drop = runs.by_agent(mem.conn, "a1")
            assert drop
            vector = {"query_vector": drop.query_vector, "embedding_model": drop.embedding_model}
            runs.merge_into(mem.conn, call, drop.id)
            runs.update(mem.conn, call, agent_id="a1", state="delivered", query="cache", **vector)
        _, done = answers.answer(mem, question.id, Reply(options=(3,)))
        assert len(done.moved) == 1
        run = runs.by_id(mem.conn, call)
        assert run and run.state == "blocked"

    def test_an_agent_that_ended_anew_is_not_asked_about_twice(self, mem: Memory) -> None:
        question, _ = contradicted(mem)
        run = runs.by_agent(mem.conn, "a1")
        assert run
        with writing(mem.conn):
            questions.withdraw_outcome(mem, run)
            questions.about_outcome(mem, run, "partial")
        assert only(mem).id != question.id


class TestCandidates:
    """What agents come up with again after a person threw it out."""

    def test_it_is_asked_once_for_each_rejection(self, mem: Memory) -> None:
        question = candidate(mem)
        assert HANGS in question.question and OTHER in question.question
        remember.store(mem, OTHER)
        remember.store(mem, HANGS)
        assert only(mem).id == question.id
        answers.dismiss(mem, question.id)
        remember.store(mem, OTHER)
        assert open_ones(mem) == []

    def test_keeping_it_out_leaves_the_tombstone(self, mem: Memory) -> None:
        question, before = candidate(mem), dump(mem)
        answers.answer(mem, question.id, Reply(options=(1,)))
        assert dump(mem) == before
        assert remember.store(mem, OTHER).reason == "tombstone"

    @pytest.mark.parametrize("own", ["", MINE])
    def test_taking_it_in_stores_it_as_a_persons(self, mem: Memory, own: str) -> None:
        question, before = candidate(mem), dump(mem)
        answers.answer(mem, question.id, Reply(options=(2,), insight=own))
        [row] = known(mem).values()
        assert row.content == (own or OTHER) and row.source == "user"
        assert set(row.tags) == {"user-provided", "ci"}
        assert remember.store(mem, HANGS).status != "rejected"
        mem.conn.execute("DELETE FROM insight WHERE name <> ?", (row.name,))
        undo.newest(mem.conn, actor="cli", moment=mem.now)
        assert dump(mem) == before and only(mem).id == question.id


class TestTheQueue:
    """It stays short, and nothing is asked twice."""

    def test_the_oldest_makes_room_and_helixs_own_go_first(self, mem: Memory) -> None:
        ids = [
            questions.put(mem, kind=kind, header=str(n), question="?", options=[], evidence={})
            for n, kind in enumerate(["asked", "conflict", *["asked"] * 18])
        ]
        [new] = asking.ask(mem, document(header="one more"))
        left = {line.id for line in view_questions.queue(mem.conn)}
        assert len(left) == questions.MAX_OPEN
        assert left == {*ids, new.question.id} - {ids[1]}
        asking.ask(mem, document(header="and one"))
        assert {line.id for line in view_questions.queue(mem.conn)} & {ids[0]} == set()
        gone = rows.get(mem.conn, ids[0])
        assert gone and (gone.state, gone.answered_by) == ("dismissed", "maintenance")
        with pytest.raises(RefusedError, match="nothing to undo"):
            undo.newest(mem.conn, actor="cli", moment=mem.now)

    def test_one_session_cannot_fill_it(self, mem: Memory) -> None:
        run = builder(mem, [])
        for n in range(questions.MAX_PER_SESSION + 3):
            for word, cosine in (("always", 1.0), ("never", 0.999)):
                text = f"When item{n} ships, {word} tag item{n} because of item{n}"
                directions(mem)[text] = at(degrees(cosine), n + 1)
                directions(mem)[text] = [0.0] * PROFILE.dim
                directions(mem)[text][n] = cosine
                directions(mem)[text][31] = (1 - cosine**2) ** 0.5
                remember.store(mem, text, run=run)
        assert len(open_ones(mem)) == questions.MAX_PER_SESSION
        assert {question.session_id for question in open_ones(mem)} == {"s1"}
