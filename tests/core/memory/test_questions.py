"""What helix asks by itself, what each answer does, and that undo takes it back whole."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
from geometry import PROFILE, at, degrees, directions, dump, later

from helix_core.errors import ChangedError, RefusedError, UsageError
from helix_core.memory import answers, asking, questions, remember, upkeep
from helix_core.memory.answers import Reply
from helix_core.memory.context import Memory
from helix_core.model import Given, Insight
from helix_core.store import (
    ancestry,
    curation,
    edges,
    insights,
    runs,
    trash,
    undo,
    vectors,
    view_questions,
)
from helix_core.store import questions as rows
from helix_core.store.connection import writing

ALWAYS = "When deploying, always run migrations first because the schema is older"
NEVER = "When deploying, never run migrations first because the schema is older"
OLDER = "When building on Python 3.10, pin tomli because tomllib is missing"
NEWER = "When building on Python 3.12, pin tomli because tomllib is missing"
HANGS = "When pytest hangs in CI, pass -x because a fixture leaks"
OTHER = "When pytest hangs in CI, use -x because one fixture leaks"
MINE = "When deploying on Fridays, run migrations last because nobody is there"


def place(mem: Memory, text: str, cosine: float) -> str:
    directions(mem)[text] = at(degrees(cosine))
    return text


def known(mem: Memory) -> dict[str, Insight]:
    return {row.content: row for row in insights.all_insights(mem.conn)}


def open_ones(mem: Memory) -> list[rows.Question]:
    found = [rows.get(mem.conn, line.id) for line in view_questions.queue(mem.conn)]
    return [question for question in found if question is not None]


def only(mem: Memory) -> rows.Question:
    [question] = open_ones(mem)
    return question


def conflict(mem: Memory, old: str = ALWAYS, new: str = NEVER) -> rows.Question:
    """Two insights of agents that contradict each other, and the question about them."""
    remember.store(mem, place(mem, old, 1.0), ["deploy"])
    remember.store(mem, place(mem, new, 0.99))
    return only(mem)


def builder(
    mem: Memory, given: list[Insight], *, agent: str = "a1", source: str = "contradicted"
) -> runs.AgentRun:
    """A builder that says it delivered and was given these insights."""
    with writing(mem.conn):
        run_id = runs.create(
            mem.conn, "s1", "helix-builder", mem.moment, tool_use_id=f"toolu_{agent}",
            agent_id=agent, task_id="3", task="Add the cache", verify="pytest tests/cache",
            state="delivered", outcome_source=source, summary="the cache works", query="cache",
            query_vector=vectors.pack(at(10)), embedding_model=PROFILE.name,
        )  # fmt: skip
        run = runs.by_id(mem.conn, run_id)
        assert run is not None
        for rank, row in enumerate(given):
            shown = Given(row.id, row.name, row.content, row.tags, 0.5, 0.9, 1.0, 0)
            runs.add_injection(
                mem.conn, run, shown, rank=rank, value=None, chars=9, source="t", moment=mem.moment
            )
    return run


def contradicted(mem: Memory) -> tuple[rows.Question, Insight]:
    remember.store(mem, place(mem, HANGS, 0.95))
    insight = known(mem)[HANGS]
    run = builder(mem, [insight])
    with writing(mem.conn):
        questions.about_outcome(mem, run, "delivered")
    return only(mem), insight


def candidate(mem: Memory) -> rows.Question:
    """A text that a person threw out, and that an agent comes up with in other words."""
    done = remember.store(mem, place(mem, HANGS, 1.0))
    curation.discard(mem.conn, [str(done.name)], actor="cli", moment=mem.now)
    again = remember.store(mem, place(mem, OTHER, 0.95), ["ci"])
    assert (again.status, again.reason) == ("rejected", "tombstone")
    return only(mem)


class TestConflicts:
    """Two insights that the guards keep apart."""

    def test_both_hold_and_nothing_changes(self, mem: Memory) -> None:
        question, before = conflict(mem), dump(mem)
        answers.answer(mem, question.id, Reply(options=(1,)))
        assert dump(mem) == before and open_ones(mem) == []

    @pytest.mark.parametrize(("option", "left"), [(2, {ALWAYS}), (3, {NEVER}), (4, set[str]())])
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


def document(**changes: Any) -> dict[str, Any]:
    """One question as an orchestrator hands it in."""
    return {
        "header": "Redis?",
        "question": 'Task 3 ended with "the cache works" in src/cache.py, the tests fail. Why?',
        "options": [
            {"label": "Only here", "description": "this machine has no redis"},
            {"label": "Never redis", "insight": {"content": MINE, "tags": ["cache"]}},
            {"label": "Both", "insight": OTHER},
        ],
        **changes,
    }


class TestAsked:
    """What a session asks."""

    def test_the_agent_of_the_task_is_the_evidence(self, mem: Memory) -> None:
        remember.store(mem, place(mem, HANGS, 1.0))
        builder(mem, list(known(mem).values()), source="self")
        [asked] = asking.ask(mem, document(task=3, files=["src/cache.py"]), "s1")
        noted = asked.question.evidence
        assert asked.new and asked.warnings == ()
        assert (noted["agent_id"], noted["outcome"], noted["verify"]) == (
            *("a1", "delivered"),
            "pytest tests/cache",
        )
        assert [item["content"] for item in noted["injected"]] == [HANGS]

    @pytest.mark.parametrize(
        ("changes", "warning"),
        [
            ({"task": 3, "question": "Why does src/cache.py fail?"}, "does not quote the outcome"),
            ({"files": ["src/other.py"]}, "names none of the files"),
            ({"task": "99"}, "no builder worked on task '99'"),
        ],
    )
    def test_a_question_that_does_not_say_what_it_is_about_is_warned(
        self, mem: Memory, changes: dict[str, Any], warning: str
    ) -> None:
        builder(mem, [])
        [asked] = asking.ask(mem, document(**changes), "s1")
        assert any(warning in said for said in asked.warnings)

    @pytest.mark.parametrize("changes", [{"agent": "nobody"}, {"corrects": "nothing"}])
    def test_what_is_named_has_to_be_there(self, mem: Memory, changes: dict[str, str]) -> None:
        with pytest.raises(RefusedError, match=r"questions\[0\]\.(agent|corrects): .*no"):
            asking.ask(mem, document(**changes), "s1")
        assert open_ones(mem) == []

    def test_the_same_question_of_a_session_is_one(self, mem: Memory) -> None:
        [first] = asking.ask(mem, document(), "s1")
        [again] = asking.ask(mem, document(), "s1")
        assert (again.question.id, again.new) == (first.question.id, False)
        answers.answer(mem, first.question.id, Reply(options=(1,), by="tui"))
        [late] = asking.ask(mem, document(), "s1")
        assert (late.question.state, late.question.answer) == ("answered", "Only here")
        [other] = asking.ask(mem, document(), "s2")
        assert other.new

    def test_an_option_without_a_text_stores_nothing_and_says_so(self, mem: Memory) -> None:
        [asked] = asking.ask(mem, document())
        _, done = answers.answer(mem, asked.question.id, Reply(options=(1,)))
        assert done.said == ["recorded; nothing was stored"] and known(mem) == {}

    @pytest.mark.parametrize(
        ("words", "stored"),
        [("yes, leave it", False), ("when", False), ("Never mind", False), (MINE, True)],
    )
    def test_own_words_are_stored_if_they_are_a_lesson(
        self, mem: Memory, words: str, stored: bool
    ) -> None:
        [asked] = asking.ask(mem, document())
        answers.answer(mem, asked.question.id, Reply(text=words))
        assert set(known(mem)) == ({words} if stored else set())

    def test_several_options_where_they_are_allowed(self, mem: Memory) -> None:
        [one] = asking.ask(mem, document())
        with pytest.raises(UsageError, match="one option only"):
            answers.answer(mem, one.question.id, Reply(options=(2, 3)))
        [many] = asking.ask(mem, document(multi_select=True, header="all?"))
        asked, _ = answers.answer(mem, many.question.id, Reply(options=(2, 3, 2)))
        assert set(known(mem)) == {MINE, OTHER} and asked.answer == "Never redis; Both"
        undo.newest(mem.conn, actor="cli", moment=mem.now)
        assert known(mem) == {}

    def test_a_persons_text_stands_beside_its_like_and_under_what_it_corrects(
        self, mem: Memory
    ) -> None:
        remember.store(mem, place(mem, HANGS, 1.0))
        place(mem, OTHER, 0.99)
        old = known(mem)[HANGS]
        [asked] = asking.ask(mem, document(corrects=old.name))
        _, done = answers.answer(mem, asked.question.id, Reply(options=(3,), text="of course"))
        [new] = done.stored
        assert set(known(mem)) == {HANGS, OTHER} and new.source == "user"
        found = edges.get_neighbors(mem.conn, [old.id])
        assert {(n.other_id, n.relation) for n in found} == {
            (new.id, "similar"),
            (new.id, "led_to"),
        }
        assert [n.weight for n in found if n.relation == "similar"] == pytest.approx(
            [0.99], abs=0.01
        )

    def test_words_that_are_known_stay_one_row(self, mem: Memory) -> None:
        remember.store(mem, place(mem, MINE, 1.0), ["deploy"])
        before = dump(mem)
        [asked] = asking.ask(mem, document())
        answers.answer(mem, asked.question.id, Reply(options=(2,)))
        [row] = known(mem).values()
        assert row.protected and set(row.tags) == {"deploy", "user-provided", "cache"}
        undo.newest(mem.conn, actor="cli", moment=mem.now)
        assert dump(mem) == before

    @pytest.mark.parametrize(
        "reply", [Reply(text=f"{MINE} ghp_{'a' * 36}"), Reply(insight="x" * 4001)]
    )
    def test_a_text_that_may_not_be_stored_leaves_it_open(self, mem: Memory, reply: Reply) -> None:
        [asked] = asking.ask(mem, document())
        with pytest.raises(RefusedError, match="stays open"):
            answers.answer(mem, asked.question.id, reply)
        assert only(mem).id == asked.question.id and known(mem) == {}

    def test_a_secret_in_an_answer_is_not_kept(self, mem: Memory) -> None:
        [asked] = asking.ask(mem, document())
        words = f"the token was ghp_{'a' * 36}\x1b[31m"
        found, _ = answers.answer(mem, asked.question.id, Reply(options=(1,), text=words))
        assert "ghp_" not in found.answer and "\x1b" not in found.answer
        kept = mem.conn.execute("SELECT answer FROM question").fetchall()
        kept += mem.conn.execute("SELECT detail || reason FROM curation_event").fetchall()
        assert "ghp_" not in str(kept)

    def test_what_agents_have_seen_since_goes_to_the_trash(self, mem: Memory) -> None:
        [asked] = asking.ask(mem, document())
        _, done = answers.answer(mem, asked.question.id, Reply(options=(2,)))
        builder(mem, done.stored)
        undo.newest(mem.conn, actor="cli", moment=mem.now)
        assert known(mem) == {}
        assert [item["content"] for item in trash.listed(mem.conn)] == [MINE]
        assert remember.store(mem, MINE).status == "added", "an undone answer rejects nothing"


class TestLineage:
    """The insights that an agent was given, and what they come from."""

    def test_a_low_lineage_is_named_though_its_root_is_in_the_trash(self, mem: Memory) -> None:
        texts = [f"When {word} breaks, mend {word} because of it" for word in ("ash", "bay", "fir")]
        for n, text in enumerate(texts):
            directions(mem)[text] = at(80, n + 1)
            remember.store(mem, text)
        root, middle, leaf = (known(mem)[text] for text in texts)
        lines = [(root.id, middle.id, 1.0, "led_to"), (middle.id, leaf.id, 1.0, "led_to")]
        edges.add_edges(mem.conn, lines, mem.moment)
        mem.conn.execute("UPDATE insight SET effectiveness = 0.1 WHERE id = ?", (root.id,))
        curation.prune(mem.conn, {root.name: "low"}, actor="maintenance", moment=mem.now)
        run = builder(mem, [leaf, middle])
        noted = questions.evidence_of(mem, run)
        assert noted["risky"] == [leaf.name, middle.name]
        [first, second] = noted["injected"]
        assert [(a["name"], a["steps"], a["in_trash"]) for a in first["ancestry"]] == [
            (middle.name, 1, False),
            (root.name, 2, True),
        ]
        assert first["lineage"] == pytest.approx((0.5 + 0.1) / 2)
        assert second["lineage"] == pytest.approx(0.1)
        mem.conn.execute("UPDATE insight SET effectiveness = 0.9 WHERE id = ?", (middle.id,))
        assert questions.evidence_of(mem, run)["risky"] == [middle.name]

    def test_circles_end(self, mem: Memory) -> None:
        with writing(mem.conn):
            for n in (1, 2):
                insights.insert(
                    mem.conn, content=f"c{n}", tags=[], effectiveness=0.5, source="agent",
                    moment=mem.moment, embedding=None, embedding_model=None,
                )  # fmt: skip
            edges.add_edges(mem.conn, [(1, 2, 1.0, "led_to"), (2, 1, 1.0, "led_to")], mem.moment)
        assert ancestry.parents(mem.conn, [1], 3) == {1: [2], 2: [1]}
