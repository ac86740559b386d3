"""Maintenance: decay, prune, reindex, trash and undo (decisions 11, 12, 16, 24)."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest
from geometry import at, degrees, directions, dump, later

from helix_core.errors import RefusedError, StoreTooNewError
from helix_core.memory import remember, upkeep
from helix_core.memory.context import Memory
from helix_core.store import curation, edges, insights, journal, runs, undo
from helix_core.store.connection import writing


def put(mem: Memory, text: str, cosine: float = 0.9, **columns: object) -> str:
    directions(mem)[text] = at(degrees(cosine), len(directions(mem)) % 30 + 1)
    done = remember.store(mem, text)
    assert done.name
    for name, value in columns.items():
        mem.conn.execute(f"UPDATE insight SET {name} = ? WHERE name = ?", (value, done.name))
    return done.name


def effectiveness(mem: Memory, name: str) -> float:
    row = insights.get(mem.conn, name)
    assert row
    return row.effectiveness


def test_decay_moves_the_dormant_above_neutral_once_a_day(mem: Memory) -> None:
    high = put(mem, "When the parser fails do x because y", effectiveness=0.9)
    low = put(mem, "When the lexer fails do z because w", effectiveness=0.2)
    old = later(mem, days=31)
    assert [c.name for c in upkeep.decay(old, dry_run=True)] == [high]
    assert effectiveness(mem, high) == 0.9
    upkeep.decay(old)
    upkeep.decay(later(old, hours=2))
    assert effectiveness(mem, high) == pytest.approx(0.86)
    assert effectiveness(mem, low) == 0.2
    upkeep.decay(later(old, days=1))
    assert effectiveness(mem, high) == pytest.approx(0.824)
    kinds = mem.conn.execute("SELECT kind, before, after FROM feedback_event").fetchall()
    assert [k[0] for k in kinds] == ["decay", "decay"]


def test_a_general_insight_decays_at_half_the_pace(mem: Memory) -> None:
    name = put(
        mem, "When x fails do y because z", effectiveness=0.9, context_spread=0.4, context_count=5
    )
    upkeep.decay(later(mem, days=40))
    assert effectiveness(mem, name) == pytest.approx(0.88)


def test_maintenance_runs_once_per_session_in_which_an_agent_ended(mem: Memory) -> None:
    put(mem, "When the parser fails do x because y", effectiveness=0.9)
    old = later(mem, days=40)
    for session in ("with-agent", "without"):
        with writing(mem.conn):
            journal.open_session(mem.conn, session, "startup", "", old.moment)
            journal.close_session(mem.conn, session, old.moment)
    with writing(mem.conn):
        runs.create(mem.conn, "with-agent", "helix-builder", old.moment, agent_id="a",
                    state="delivered", ended_at=old.moment)  # fmt: skip
    assert upkeep.maintain(old) == ["with-agent"]
    assert upkeep.maintain(old) == []


def test_a_session_that_never_ended_is_maintained_a_day_later(mem: Memory) -> None:
    with writing(mem.conn):
        runs.create(mem.conn, "killed", "helix-builder", mem.moment, agent_id="a",
                    state="delivered", ended_at=mem.moment)  # fmt: skip
    assert upkeep.maintain(later(mem, hours=20)) == []
    assert upkeep.maintain(later(mem, hours=30)) == ["killed"]


def test_prune_takes_the_poor_and_the_ghosts_only(mem: Memory) -> None:
    texts: dict[str, dict[str, object]] = {
        "poor": {"use_count": 4, "causal_hits": 4, "effectiveness": 0.1},
        "poorpinned": {"use_count": 4, "causal_hits": 4, "effectiveness": 0.1, "pinned": 1},
        "young": {"use_count": 2, "causal_hits": 2, "effectiveness": 0.1},
        "ghost": {},
        "ghostnovector": {"embedding": None, "embedding_model": None},
        "ghostuser": {"source": "user"},
        "used": {"use_count": 5, "causal_hits": 4, "effectiveness": 0.7},
    }
    names = {
        key: put(mem, f"When {key} appears do {key} because {key}", **columns)
        for key, columns in texts.items()
    }
    gone = {c.name: c.reason for c in upkeep.prune(later(mem, days=181))}
    assert gone == {names["poor"]: "low", names["ghost"]: "ghost"}
    assert {t[0] for t in mem.conn.execute("SELECT name FROM trash")} == set(gone)


def test_a_ghost_that_was_shown_lately_stays(mem: Memory) -> None:
    name = put(mem, "When the parser fails do x because y")
    row = insights.get(mem.conn, name)
    assert row
    soon = later(mem, days=170)
    mem.conn.execute(
        "INSERT INTO injection(agent_run_id, session_id, tool_use_id, insight_id, name, rank,"
        " effectiveness, score, source, created_at) VALUES (1,'s','t',?,?,1,0.5,0.1,'hook',?)",
        (row.id, name, soon.moment),
    )
    assert upkeep.prune(later(mem, days=181)) == []


def test_trash_and_undo_give_back_exactly_the_old_state(mem: Memory) -> None:
    a = put(mem, "When the parser fails do x because y", effectiveness=0.8, use_count=3)
    b = put(mem, "When the lexer fails do z because w")
    ids = [i.id for i in insights.all_insights(mem.conn)]
    edges.add_edges(mem.conn, [(ids[0], ids[1], 0.7, "similar"), (ids[1], ids[0], 1.0, "led_to")],
                    mem.moment)  # fmt: skip
    before = dump(mem)
    curation.discard(mem.conn, [a, b], actor="tui", moment=mem.now)
    assert insights.count(mem.conn) == 0 and edges.get_neighbors(mem.conn, ids) == []
    done = undo.newest(mem.conn, actor="tui", moment=mem.now)
    assert done["names"] == [a, b]
    assert dump(mem) == before
    with pytest.raises(RefusedError):
        undo.newest(mem.conn, actor="tui", moment=mem.now)


def test_edges_come_back_whichever_end_is_restored_last(mem: Memory) -> None:
    names = [put(mem, f"When {w} breaks mend {w} because of {w}") for w in ("red", "blue", "tea")]
    ids = [i.id for i in insights.all_insights(mem.conn)]
    edges.add_edges(mem.conn, [(ids[0], i, 1.0, "led_to") for i in ids[1:]], mem.moment)
    before = dump(mem)
    for name in names:
        curation.discard(mem.conn, [name], actor="hook", moment=mem.now)
    for name in (names[1], names[0], names[2]):
        curation.restore(mem.conn, name, actor="cli", moment=mem.now)
    assert dump(mem) == before


def test_undo_walks_back_newest_first(mem: Memory) -> None:
    a = put(mem, "When the parser fails do x because y")
    before = dump(mem)
    curation.set_pinned(mem.conn, a, True, actor="cli", moment=mem.now)
    curation.discard(mem.conn, [a], actor="cli", moment=mem.now)
    curation.restore(mem.conn, a, actor="cli", moment=mem.now)
    undone = [undo.newest(mem.conn, actor="cli", moment=mem.now)["undone"] for _ in range(3)]
    assert undone == ["restore", "trash", "pin"]
    assert dump(mem) == before


def test_trash_refuses_the_whole_list_for_one_unknown_name(mem: Memory) -> None:
    a = put(mem, "When the parser fails do x because y")
    with pytest.raises(RefusedError):
        curation.discard(mem.conn, [a, "nobody"], actor="cli", moment=mem.now)
    assert insights.count(mem.conn) == 1


def test_a_name_in_the_trash_is_not_given_again(mem: Memory) -> None:
    a = put(mem, "When the parser fails do x because y")
    curation.prune(mem.conn, {a: "low"}, actor="maintenance", moment=mem.now)
    assert put(mem, "When the parser fails do x because y") != a
    curation.restore(mem.conn, a, actor="cli", moment=mem.now)
    assert insights.count(mem.conn) == 2


def test_the_trash_is_emptied_after_ninety_days(mem: Memory) -> None:
    a = put(mem, "When the parser fails do x because y")
    curation.prune(mem.conn, {a: "low"}, actor="maintenance", moment=mem.now)
    assert upkeep.empty_trash(later(mem, days=89)) == 0
    assert upkeep.empty_trash(later(mem, days=91)) == 1


def test_reindex_embeds_links_and_merges_what_came_without_the_model(mem: Memory) -> None:
    blind = replace(mem, embedder=None, index=None)
    texts: dict[str, dict[str, object]] = {
        "When pytest hangs in CI, pass -x because a fixture leaks": at(0),
        "When pytest hangs on CI, use -x because one fixture leaks": at(10),
        "When fixtures leak, isolate them because state stays": at(45),
    }
    for text, vector in texts.items():
        directions(mem)[text] = vector
        assert remember.store(blind, text).status == "added"
    assert upkeep.reindex(mem, batch=2) == 2
    assert upkeep.reindex(mem, batch=2) == 1
    assert upkeep.reindex(mem) == 0
    rows = insights.all_insights(mem.conn)
    assert len(rows) == 2 and rows[0].confirmations == 1
    assert mem.conn.execute("SELECT count(*) FROM insight_edges").fetchone()[0] == 1
    [(reason,)] = mem.conn.execute("SELECT reason FROM trash").fetchall()
    assert "says the same" in reason


def test_a_newer_schema_is_read_but_never_written(mem: Memory) -> None:
    from helix_core.store.connection import open_store

    name = put(mem, "When the parser fails do x because y")
    mem.conn.execute("INSERT INTO schema_version VALUES (99, 'later')")
    newer = replace(mem, conn=open_store(mem.project.database))
    row = insights.get(newer.conn, name)
    assert row is not None
    with pytest.raises(StoreTooNewError):
        remember.store(newer, "When newer do not write because risk")
    with pytest.raises(StoreTooNewError):
        curation.discard(newer.conn, [name], actor="cli", moment=mem.now)
    newer.conn.close()


def test_a_broken_cell_costs_its_row_only(mem: Memory) -> None:
    put(mem, "When b do c because d")
    put(mem, "When e do f because g")
    mem.conn.execute("UPDATE insight SET content = CAST(x'63757420EDA0BD20656E64' AS TEXT)"
                     " WHERE id = 1")  # fmt: skip
    mem.conn.execute("UPDATE insight SET tags = ? WHERE id = 2", (json.dumps({"a": 1}),))
    rows = insights.all_insights(mem.conn)
    assert len(rows) == 2 and rows[0].content.startswith("cut")
