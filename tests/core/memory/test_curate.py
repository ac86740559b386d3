"""Edit, tag, merge and undo, one by one (decisions 12, 13, 16; contracts, commands)."""

from __future__ import annotations

from dataclasses import replace

import pytest
from geometry import PROFILE, at, directions, dump, later

from helix_core import clock, formulas, service
from helix_core.errors import ChangedError, RefusedError
from helix_core.memory import curate, feedback, recall, remember, upkeep
from helix_core.memory.context import Memory
from helix_core.model import Given, Insight
from helix_core.store import curation, edges, insights, results, runs, trash, undo
from helix_core.store.connection import writing

ONE = "When the parser fails do x because y"
TWO = "When the lexer fails do z because w"
THREE = "When paint peels sand it because it is old"


def put(mem: Memory, text: str, angle: float = 10, axis: int = 1, **columns: object) -> Insight:
    directions(mem)[text] = at(angle, axis)
    done = remember.store(mem, text, ["user-provided"] if columns.pop("user", False) else [])
    assert done.status == "added"
    for name, value in columns.items():
        mem.conn.execute(f"UPDATE insight SET {name} = ? WHERE name = ?", (value, done.name))
    return read(mem, str(done.name))


def read(mem: Memory, name: str) -> Insight:
    row = insights.get(mem.conn, name)
    assert row
    return row


def take_back(mem: Memory) -> str:
    return str(undo.newest(mem.conn, actor="cli", moment=mem.now)["undone"])


def agents(mem: Memory) -> Memory:
    """The same memory as agents change it: nothing of that is a person's to take back."""
    return replace(mem, actor="hook")


def three(mem: Memory) -> list[Insight]:
    return [put(mem, ONE), put(mem, TWO, 60, 2), put(mem, THREE, 60, 3)]


def test_an_edit_is_embedded_and_linked_anew_and_the_old_text_stays(mem: Memory) -> None:
    row, other = put(mem, ONE), put(mem, TWO, 80, 2)
    new = "When the lexer stalls do q because of r"
    directions(mem)[new] = at(45, 2)
    edited = curate.edit(mem, row.name, f"  {new}\n", row.row_version)
    assert (edited.content, edited.name) == (new, row.name)
    assert edited.embedding_model == PROFILE.name and edited.row_version > row.row_version
    [edge] = edges.get_neighbors(mem.conn, [row.id])
    assert edge.other_id == other.id
    directions(mem)["lexer stalls"] = at(45, 2)
    found = recall.recall(mem, recall.Query("lexer stalls")).ranked
    assert found[0].insight.name == row.name
    told = service.run(mem, "history", {"name": row.name})
    assert [(r["content"], r["reason"], r["actor"]) for r in told["revisions"]] == [
        (ONE, "edit", "cli")
    ]
    assert [(c["action"], c["undone"]) for c in told["changes"]] == [("edit", False)]


def test_an_edit_without_a_model_waits_for_its_vector(blind: Memory) -> None:
    done = remember.store(blind, ONE)
    edited = curate.edit(blind, str(done.name), TWO)
    assert edited.embedding_model is None
    assert [i for i, _ in insights.search_keywords(blind.conn, '"lexer"', 5)] == [edited.id]
    assert insights.search_keywords(blind.conn, '"parser"', 5) == []


def test_an_edit_based_on_an_older_version_is_reported_not_written(mem: Memory) -> None:
    row = put(mem, ONE)
    feedback.by_hand(mem, [row.name], "delivered", {}, PROFILE)
    for change in (
        lambda: curate.edit(mem, row.name, TWO, row.row_version),
        lambda: curate.tag(mem, row.name, ["new"], (), row.row_version),
    ):
        before = dump(mem)
        with pytest.raises(ChangedError, match=f"now version {row.row_version + 1}"):
            change()
        assert dump(mem) == before
    assert curate.edit(mem, row.name, TWO, row.row_version + 1).content == TWO


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("", "empty"),
        ("x" * 4001, "4,000"),
        ("When deploying use AKIAIOSFODNN7" + "EXAMPLE now", "aws-key"),
        (TWO.upper(), "says this already"),
    ],
)
def test_an_edit_is_screened_like_a_new_text(mem: Memory, text: str, reason: str) -> None:
    row, _ = put(mem, ONE), put(mem, TWO, 60, 2)
    before = dump(mem)
    with pytest.raises(RefusedError, match=reason):
        curate.edit(mem, row.name, text)
    assert dump(mem) == before


def test_what_changes_nothing_is_no_event(mem: Memory) -> None:
    row = put(mem, ONE)
    curate.edit(mem, row.name, ONE)
    curate.tag(mem, row.name, [], ["not-there"])
    curation.set_pinned(mem.conn, row.name, False, actor="cli", moment=mem.now)
    assert mem.conn.execute("SELECT count(*) FROM curation_event").fetchone() == (0,)
    assert read(mem, row.name) == row


def test_tags_come_and_go_and_are_searched(mem: Memory) -> None:
    row = put(mem, ONE)
    assert curate.tag(mem, row.name, ["CI", "slow tests"]).tags == ("ci", "slow tests")
    assert insights.search_keywords(mem.conn, '"slow"', 5)
    assert curate.tag(mem, row.name, ["x"], ["ci"]).tags == ("slow tests", "x")
    with pytest.raises(RefusedError, match="at most 8"):
        curate.tag(mem, row.name, [f"t{n}" for n in range(9)])
    assert [take_back(mem), take_back(mem)] == ["tag", "tag"]
    assert read(mem, row.name).tags == ()


def test_a_merge_adds_up_and_one_undo_parts_it_exactly(mem: Memory) -> None:
    keep, drop, third = three(mem)
    for n, row in enumerate((keep, drop, drop, drop)):
        feedback.by_hand(later(mem, minutes=n), [row.name], "delivered", {}, PROFILE)
    curate.tag(mem, drop.name, ["lexer"])
    curation.set_pinned(mem.conn, drop.name, True, actor="cli", moment=mem.now)
    edges.add_edges(
        mem.conn,
        [(drop.id, third.id, 1.0, "led_to"), (keep.id, drop.id, 0.7, "similar"),
         (keep.id, third.id, 0.2, "similar"), (drop.id, third.id, 0.6, "similar")],
        mem.moment,
    )  # fmt: skip
    before, events = dump(mem), mem.conn.execute("SELECT * FROM feedback_event").fetchall()
    both = [read(mem, row.name) for row in (keep, drop)]
    merged = curate.merge(mem, keep.name, drop.name)
    assert (merged.content, merged.use_count, merged.causal_hits) == (ONE, 4, 4)
    assert merged.confirmations == 1 and merged.pinned and merged.tags == ("lexer",)
    assert merged.effectiveness == pytest.approx(
        (both[0].effectiveness + 3 * both[1].effectiveness) / 4
    )
    assert merged.last_used == later(mem, minutes=3).moment
    found = {(e.other_id, e.relation, e.weight) for e in edges.get_neighbors(mem.conn, [keep.id])}
    assert found == {(third.id, "led_to", 1.0), (third.id, "similar", 0.6)}
    assert len(service.run(mem, "history", {"name": keep.name})["events"]) == 4
    [gone] = trash.listed(mem.conn)
    assert (gone["name"], gone["merged_into"]) == (drop.name, keep.name)
    assert mem.conn.execute("SELECT count(*) FROM tombstone").fetchone() == (0,)
    assert take_back(mem) == "merge"
    assert dump(mem) == before
    assert mem.conn.execute("SELECT * FROM feedback_event").fetchall() == events


def test_feedback_after_a_merge_stays_with_the_one_that_was_kept(mem: Memory) -> None:
    keep, drop, _ = three(mem)
    feedback.by_hand(mem, [drop.name], "delivered", {}, PROFILE)
    curate.merge(mem, keep.name, drop.name)
    feedback.by_hand(agents(later(mem, minutes=1)), [keep.name], "blocked", {}, PROFILE)
    take_back(mem)
    kept, back = read(mem, keep.name), read(mem, drop.name)
    assert (kept.use_count, back.use_count) == (1, 1)
    assert kept.effectiveness == formulas.ema(0.5, 1.0, 0.0)
    assert back.effectiveness == formulas.ema(0.5, 1.0, 1.0)
    assert kept.last_used == later(mem, minutes=1).moment


def test_an_agent_that_was_shown_the_dropped_one_still_gives_credit(mem: Memory) -> None:
    keep, drop, _ = three(mem)
    with writing(mem.conn):
        run_id = runs.create(
            mem.conn, "s", "helix-builder", mem.moment, tool_use_id="t", agent_id="a", query="q"
        )
        run = runs.by_id(mem.conn, run_id)
        assert run
        shown = Given(drop.id, drop.name, drop.content, (), 0.5, 0.9, 0.01, 0)
        runs.add_injection(
            mem.conn, run, shown, rank=1, value=None, chars=1, source="hook", moment=mem.moment
        )
    curate.merge(mem, keep.name, drop.name)
    directions(mem)["q"] = at(10)
    with writing(mem.conn):
        results.open_result(mem.conn, "a", "m", "s", "delivered", mem.moment)
    moved = feedback.for_run(mem, run, "m", "delivered", "self")
    assert moved and [m.name for m in moved] == [keep.name]


def test_a_merged_one_is_restored_by_taking_the_merge_back(mem: Memory) -> None:
    keep, drop, third = three(mem)
    before = dump(mem)
    curate.merge(mem, keep.name, drop.name)
    curation.set_pinned(mem.conn, third.name, True, actor="cli", moment=mem.now)
    curation.restore(mem.conn, drop.name, actor="cli", moment=mem.now)
    assert take_back(mem) == "pin"
    assert dump(mem) == before
    curate.merge(mem, keep.name, drop.name)
    curate.tag(mem, keep.name, ["later"])
    with pytest.raises(RefusedError, match="undo"):
        curation.restore(mem.conn, drop.name, actor="cli", moment=mem.now)


def test_feedback_by_hand_does_not_bar_the_way_back_from_a_merge(mem: Memory) -> None:
    keep, drop, _ = three(mem)
    curate.merge(mem, keep.name, drop.name)
    feedback.by_hand(mem, [keep.name], "delivered", {}, PROFILE)
    curation.restore(mem.conn, drop.name, actor="cli", moment=mem.now)
    assert (read(mem, keep.name).use_count, read(mem, drop.name).use_count) == (1, 0)
    assert take_back(mem) == "feedback"
    assert (read(mem, keep.name).use_count, read(mem, keep.name).effectiveness) == (0, 0.5)


@pytest.mark.parametrize("names", [("keep", "keep"), ("keep", "nobody"), ("nobody", "keep")])
def test_a_merge_that_makes_no_sense_is_refused(mem: Memory, names: tuple[str, str]) -> None:
    known = {"keep": put(mem, ONE).name}
    before = dump(mem)
    with pytest.raises(RefusedError):
        curate.merge(mem, *(known.get(name, name) for name in names))
    assert dump(mem) == before


def test_a_prune_is_one_event_and_one_undo(mem: Memory) -> None:
    rows = three(mem)
    mem.conn.execute("UPDATE insight SET use_count = 4, causal_hits = 4, effectiveness = 0.1")
    before = dump(mem)
    assert len(upkeep.prune(mem)) == 3
    assert insights.count(mem.conn) == 0
    done = undo.newest(mem.conn, actor="cli", moment=mem.now)
    assert (done["undone"], done["names"]) == ("prune", [row.name for row in rows])
    assert dump(mem) == before


def test_maintenance_is_taken_back_like_anything_else(mem: Memory) -> None:
    row = put(mem, ONE)
    curation.prune(mem.conn, {row.name: "ghost"}, actor="maintenance", moment=mem.now)
    assert take_back(mem) == "prune"
    assert read(mem, row.name) == row


def test_a_tombstone_from_before_comes_back_with_the_undo(mem: Memory) -> None:
    row = put(mem, ONE)
    curation.discard(mem.conn, [row.name], actor="tui", moment=mem.now, reason="first time")
    remember.store(mem, ONE, ["user-provided"])
    again = read(mem, str(mem.conn.execute("SELECT name FROM insight").fetchone()[0]))
    before = dump(mem)
    assert before["tombstone"]
    moment = later(mem, hours=1).now
    curation.discard(mem.conn, [again.name], actor="tui", moment=moment, reason="second")
    assert dump(mem)["tombstone"] != before["tombstone"]
    take_back(mem)
    assert dump(mem) == before


def test_what_the_trash_forgot_does_not_block_the_undo_of_older_changes(mem: Memory) -> None:
    first, second, _ = three(mem)
    curation.set_pinned(mem.conn, first.name, True, actor="cli", moment=mem.now)
    curation.prune(mem.conn, {second.name: "low"}, actor="cli", moment=mem.now)
    assert upkeep.empty_trash(later(mem, days=91)) == 1
    assert take_back(mem) == "pin"
    with pytest.raises(RefusedError, match="nothing to undo"):
        take_back(mem)


def test_feedback_between_a_change_and_its_undo_is_kept(mem: Memory) -> None:
    row = put(mem, ONE)
    curate.edit(mem, row.name, TWO)
    curate.tag(mem, row.name, ["t"])
    feedback.by_hand(agents(mem), [row.name], "delivered", {}, PROFILE)
    take_back(mem), take_back(mem)
    back = read(mem, row.name)
    assert (back.content, back.tags, back.use_count) == (ONE, (), 1)
    assert back.effectiveness == formulas.ema(0.5, 1.0, 1.0)


def test_the_versions_only_rise(mem: Memory) -> None:
    """An editor that is still open must notice an undo, too."""
    row = put(mem, ONE)
    seen = [row.row_version]
    curate.edit(mem, row.name, TWO)
    seen.append(read(mem, row.name).row_version)
    take_back(mem)
    seen.append(read(mem, row.name).row_version)
    assert seen == sorted(set(seen))
    assert clock.parse(read(mem, row.name).updated_at, default=None) == mem.now
