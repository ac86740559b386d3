"""What the orchestrator asks, and the lineage that stands behind a question."""

from __future__ import annotations

from typing import Any

import pytest
from geometry import at, directions, dump
from quiz import (
    HANGS,
    MINE,
    OTHER,
    builder,
    document,
    known,
    only,
    open_ones,
    place,
)

from helix_core.errors import RefusedError, UsageError
from helix_core.memory import answers, asking, questions, remember
from helix_core.memory.answers import Reply
from helix_core.memory.context import Memory
from helix_core.store import (
    ancestry,
    curation,
    edges,
    insights,
    trash,
    undo,
)
from helix_core.store.connection import writing


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
