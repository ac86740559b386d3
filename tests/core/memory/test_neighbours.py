"""The graph's part in recall: what is left out early never mattered, and who gets places."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory

from geometry import at, degrees, directions, open_memory
from hypothesis import given, settings
from hypothesis import strategies as st

from helix_core.memory import explain, neighbours, recall
from helix_core.memory.context import Memory
from helix_core.store import edges, insights, vectors
from helix_core.store.connection import writing

WORDS = ("parser", "grammar", "token", "lexer", "buffer")


def put(mem: Memory, text: str, cosine: float, effectiveness: float = 0.5, days: int = 0) -> int:
    """One insight at a cosine from the first axis, last used some days ago."""
    with writing(mem.conn):
        axis = 1 + insights.count(mem.conn) % 30
        insight_id, _ = insights.insert(
            mem.conn, content=text, tags=[], effectiveness=effectiveness, source="agent",
            moment=mem.moment, embedding=vectors.pack(at(degrees(cosine), axis)),
            embedding_model="test/plane",
        )  # fmt: skip
        mem.conn.execute(
            "UPDATE insight SET created_at = date(?, ?) WHERE id = ?",
            (mem.moment, f"-{days} days", insight_id),
        )
    return insight_id


def connect(mem: Memory, made: list[tuple[int, int, float]]) -> None:
    with writing(mem.conn):
        edges.add_edges(mem.conn, [(a, b, w, "led_to") for a, b, w in made], mem.moment)


INSIGHT = st.tuples(
    st.lists(st.sampled_from(WORDS), max_size=3),
    st.floats(0.2, 1.0),
    st.floats(0.0, 1.0),
    st.integers(0, 80),
)
EDGE = st.tuples(st.integers(0, 19), st.integers(0, 19), st.floats(0.0, 1.0))


@settings(max_examples=60, deadline=None)
@given(
    st.lists(INSIGHT, min_size=3, max_size=20),
    st.lists(EDGE, max_size=60),
    st.integers(1, 8),
    st.sampled_from([0.0, 0.4, 0.7]),
)
def test_what_is_left_out_early_was_never_a_result(
    rows: list[tuple[list[str], float, float, int]],
    joined: list[tuple[int, int, float]],
    limit: int,
    least: float,
) -> None:
    with TemporaryDirectory() as folder:
        mem = open_memory(Path(folder))
        ids = [
            put(mem, f"When {' '.join(words)} case {n} fails", cosine, effectiveness, days)
            for n, (words, cosine, effectiveness, days) in enumerate(rows)
        ]
        connect(mem, [(ids[a % len(ids)], ids[b % len(ids)], w) for a, b, w in joined])
        directions(mem)["the parser loses a token"] = at(0)
        query = recall.Query("the parser loses a token", limit=limit, min_effectiveness=least)
        whole, _ = recall.choose(recall.candidates(mem, query).ranked, query)
        assert list(recall.recall(mem, query).ranked) == whole
        mem.conn.close()


def test_faint_edges_are_not_even_read(mem: Memory) -> None:
    hub = put(mem, "When the parser fails check the grammar", 0.9, effectiveness=1.0)
    leaves = [put(mem, f"When leaf {n} wilts water it", 0.4) for n in range(6)]
    connect(mem, [(hub, leaf, 0.1 * n) for n, leaf in enumerate(leaves)])
    found = edges.get_neighbors(mem.conn, [hub], lightest=0.25)
    assert {e.other_id for e in found} == set(leaves[3:])
    directions(mem)["parser"] = at(0)
    found_direct = recall.candidates(mem, recall.Query("parser", hops=0)).ranked
    top = [item for item in found_direct if item.insight.id == hub]
    assert set(neighbours.activations(mem.conn, top, set())) == set(leaves[1:])
    limit = top[0].rrf * 0.7 * 0.35 * neighbours.BEST_FACTORS
    assert set(neighbours.activations(mem.conn, top, set(), limit)) == set(leaves[4:])


def test_a_hub_fills_its_share_of_the_places_while_others_wait(mem: Memory) -> None:
    hub = put(mem, "When the parser fails check the grammar", 0.9)
    plain = put(mem, "When the parser stalls look at the buffer", 0.85)
    for n in range(18):  # all the direct hits there can be, none of which ever helped
        put(mem, f"When row {n} is lost count again", 0.7, effectiveness=0.0)
    leaves = [put(mem, f"When leaf {n} wilts water it", 0.4, effectiveness=1.0) for n in range(9)]
    lonely = put(mem, "When paint dries wait", 0.4, effectiveness=1.0)
    connect(mem, [*((hub, leaf, 1.0) for leaf in leaves), (plain, lonely, 1.0)])
    directions(mem)["parser"] = at(0)
    query = recall.Query("parser", limit=6)
    found = recall.recall(mem, query).ranked
    assert {hub, plain, lonely, *leaves[:2]} < {r.insight.id for r in found}
    assert len(found) == 6 and not {r.insight.id for r in found} & set(leaves[2:])
    scores = [r.score for r in found]
    assert scores == sorted(scores, reverse=True)
    told = explain.explain(mem, query).candidates
    assert [one.item for one in told if one.rank] == list(found)


def test_past_a_hubs_share_a_direct_hit_counts_by_itself(mem: Memory) -> None:
    hub = put(mem, "When the parser fails check the grammar", 0.9)
    rows = [put(mem, f"When the parser meets row {n} skip it", 0.8 - n * 0.005) for n in range(44)]
    connect(mem, [(hub, row, 1.0) for row in rows[20:]])
    directions(mem)["the parser fails"] = at(0)
    query = recall.Query("the parser fails", limit=15)
    whole = recall.candidates(mem, query).ranked
    assert sum(item.direct is not None for item in whole) > 5
    kept, rest = recall.choose(whole, query)
    chosen = [*kept, *(item for item, _ in rest)]
    assert len(chosen) == len(whole) and sum(item.hop for item in chosen) <= 5
    plain = {r.insight.id: r for r in recall.candidates(mem, replace(query, hops=0)).ranked}
    assert [r for r in chosen if not r.hop and plain[r.insight.id] != r] == []


def test_no_place_stays_empty_for_a_hubs_sake(mem: Memory) -> None:
    hub = put(mem, "When the parser fails check the grammar", 0.9)
    leaves = [put(mem, f"When leaf {n} wilts water it", 0.4) for n in range(30)]
    connect(mem, [(hub, leaf, 1.0) for leaf in leaves])
    mem.conn.execute("DELETE FROM insight_fts")
    directions(mem)["parser"] = at(0)
    found = recall.recall(mem, recall.Query("parser", limit=12)).ranked
    assert len(found) == 12 and found[0].insight.id == hub
