"""Evidence and figures: one task is one observation, and every figure has its statement."""

from __future__ import annotations

import json
import re
import sqlite3
from pathlib import Path
from typing import Any

import pytest
from archive import Subjects, fail
from geometry import later

from helix_core import formulas
from helix_core.memory import evidence, figure, graph, recall, report, stats, synthesis
from helix_core.memory.context import Memory
from helix_core.memory.figure import Figure
from helix_core.store import edges, insights, results, runs
from helix_core.store.connection import writing


def insight(mem: Memory, number: int, **columns: object) -> int:
    with writing(mem.conn):
        found, _ = insights.insert(
            mem.conn, content=f"When part {number} fails do x because y", tags=[],
            effectiveness=0.5, source="agent", moment=mem.moment, embedding=None,
            embedding_model=None,
        )  # fmt: skip
        if columns:
            insights.update(mem.conn, found, mem.moment, **columns)
    return found


def ended(
    mem: Memory, agent: str, outcome: str, shares: dict[int, float], *, shown: float = 0.5
) -> None:
    """One ended task: what each insight weighed in it, and the score it was shown with."""
    with writing(mem.conn):
        run_id = runs.create(mem.conn, "s", "helix-builder", mem.moment, agent_id=agent,
                             tool_use_id=agent, state=outcome)  # fmt: skip
        run = runs.by_id(mem.conn, run_id)
        for insight_id, weight in shares.items():
            mem.conn.execute(
                "INSERT INTO injection(agent_run_id, session_id, tool_use_id, insight_id, name,"
                " rank, effectiveness, score, source, created_at)"
                " VALUES (?,'s',?,?,?,1,?,.1,'h',?)",
                (run_id, agent, insight_id, str(insight_id), shown, mem.moment),
            )
            results.add_event(
                mem.conn, insight_id=insight_id, kind="outcome", agent_id=agent,
                message_hash="m", outcome=outcome, source="self", similarity=0.5 + weight / 2,
                weight=weight, causal=weight > 0, before=0.5, after=0.5, moment=mem.moment,
                run=run,
            )  # fmt: skip


def of(mem: Memory, *ids: int) -> list[evidence.Evidence]:
    rows = insights.by_ids(mem.conn, ids)
    found = evidence.of_insights(mem.conn, rows.values())
    return [found[i] for i in ids]


def test_one_blocked_task_with_three_insights_is_one_failure(mem: Memory) -> None:
    a, b, c, bystander = (insight(mem, n) for n in range(4))
    ended(mem, "a1", "blocked", {a: 0.6, b: 0.3, c: 0.1, bystander: 0.0})
    found = of(mem, a, b, c, bystander)
    assert [e.hurt for e in found] == pytest.approx([0.6, 0.3, 0.1, 0.0])
    assert sum(e.n for e in found) == pytest.approx(1.0)
    assert [e.tasks for e in found] == [1, 1, 1, 0]
    assert (found[3].low, found[3].high) == (0.0, 1.0)
    # Asked for alone, an insight has the same share of the task.
    assert of(mem, b)[0] == found[1]


def test_helped_and_hurt_are_counted_apart(mem: Memory) -> None:
    a, b = insight(mem, 1), insight(mem, 2)
    for number in range(6):
        ended(mem, f"d{number}", "delivered", {a: 0.8})
    ended(mem, "p", "partial", {a: 0.5, b: 0.5})
    ended(mem, "b", "blocked", {a: 1.0})
    [found] = of(mem, a)
    assert (found.helped, found.hurt) == pytest.approx((6 + 0.5 * 0.3, 1 + 0.5 * 0.7))
    assert found.tasks == 8 and found.n == pytest.approx(7.5)
    assert (found.low, found.high) == pytest.approx(formulas.wilson(6.15, 7.5))
    assert found.low < 6.15 / 7.5 < found.high


def test_what_is_no_task_or_was_taken_back_is_no_evidence(mem: Memory) -> None:
    a = insight(mem, 1)
    ended(mem, "a1", "delivered", {a: 1.0})
    ended(mem, "a2", "delivered", {a: 1.0})
    mem.conn.execute("UPDATE feedback_event SET undone_by = 1 WHERE agent_id = 'a2'")
    for kind in ("synthesis", "decay"):
        with writing(mem.conn):
            results.add_event(
                mem.conn, insight_id=a, kind=kind, agent_id=kind, message_hash="m",
                outcome="delivered", source="maintenance", similarity=0.8, weight=0.6,
                causal=True, before=0.5, after=0.6, moment=mem.moment,
            )  # fmt: skip
    [found] = of(mem, a)
    assert (found.helped, found.hurt, found.tasks, found.estimated) == (1.0, 0.0, 1, False)


def test_a_row_of_an_older_database_is_estimated_and_says_so(mem: Memory) -> None:
    a = insight(mem, 1, causal_hits=4, use_count=5, effectiveness=0.75)
    [found] = of(mem, a)
    assert (found.helped, found.hurt, found.estimated) == (3.0, 1.0, True)


def filled(mem: Memory) -> None:
    """A memory with something in every figure."""
    ids = [
        insight(mem, n, effectiveness=e, use_count=u, causal_hits=h, context_spread=s,
                context_count=5)
        for n, (e, u, h, s) in enumerate(
            [(0.0, 4, 0, 0.01), (0.3, 3, 1, 0.2), (0.6 - 1e-16, 2, 2, None), (0.95, 9, 9, 0.5),
             (1.0, 3, 3, 0.3), (0.5, 0, 0, None)]
        )
    ]  # fmt: skip
    for number, outcome in enumerate(("delivered", "delivered", "blocked", "partial")):
        ended(mem, f"a{number}", outcome, {ids[3]: 0.9, ids[4]: 0.3}, shown=1.0)
    ended(mem, "low", "blocked", {ids[1]: 0.2}, shown=0.25)
    links = [(0, 1, 0.7), (1, 2, 0.8), (2, 3, 0.9), (3, 2, 0.9), (1, 1, 0.5), (0, 99, 0.9)]
    with writing(mem.conn):
        edges.add_edges(mem.conn, [(ids[a], ids[b] if b < 9 else 999, w, "similar")
                                   for a, b, w in links], mem.moment)  # fmt: skip
        edges.add_edges(mem.conn, [(ids[1], ids[0], 1.0, "led_to")], mem.moment)
        mem.conn.execute("INSERT INTO rejection VALUES ('secret: aws', 3, '2026-03-01')")
    for number in range(2):
        fail(mem, "oauth", number, outcome=("blocked", "crashed")[number])


def value_of(figures: list[Figure], name: str) -> Any:
    return next(f.value for f in figures if f.name == name)


def test_distributions(mem: Memory) -> None:
    filled(mem)
    found = stats.stats(mem)
    assert value_of(found, "effectiveness") == {
        "0.0-0.1": 1, "0.3-0.4": 1, "0.5-0.6": 1, "0.6-0.7": 1, "0.9-1.0": 2,
    }  # fmt: skip
    assert value_of(found, "context_spread") == {
        "unknown": 2, "observation (under 0.05)": 1, "in between": 1,
        "principle (0.3 and over)": 2,
    }  # fmt: skip
    assert value_of(found, "velocity") == {"0": 3, "1": 1, "4": 2}
    assert value_of(stats.stats(later(mem, days=15)), "velocity") == {"0": 6}
    assert value_of(found, "rejections")[0]["rule"] == "secret: aws"
    assert {r["outcome"]: r["ended"] for r in value_of(found, "session_log")} == {
        "blocked": 1, "crashed": 1,
    }  # fmt: skip


def test_velocity_agrees_with_recall(mem: Memory) -> None:
    filled(mem)
    insight(mem, 9, recent_uses=3, last_feedback_at=mem.moment)
    counted = recall.velocities(mem, insights.all_insights(mem.conn))
    expected: dict[str, int] = {}
    for number in sorted(counted.values()):
        key = "5 and more" if number >= 5 else str(number)
        expected[key] = expected.get(key, 0) + 1
    assert stats.velocity(mem).value == expected


def test_calibration_shares_each_task_among_its_insights(mem: Memory) -> None:
    filled(mem)
    low, high = value_of(stats.stats(mem), "calibration")
    assert (low["score"], low["tasks"], low["rate"]) == ("0.2-0.3", 1.0, 0.0)
    assert (high["score"], high["tasks"]) == ("0.9-1.0", pytest.approx(4.0))
    assert high["rate"] == pytest.approx(0.5)
    assert (high["low"], high["high"]) == pytest.approx(formulas.wilson(2, 4))
    assert high["mean_outcome"] == pytest.approx(2.3 / 4)
    error = value_of(stats.stats(mem), "calibration_error")
    assert error == pytest.approx((4 * (1 - 2.3 / 4) + 0.25) / 5)


def test_credit_counts_tasks_not_insights(mem: Memory) -> None:
    filled(mem)
    found = value_of(stats.stats(mem), "credit")
    assert found["tasks"] == pytest.approx(5.0)
    assert found["helped"] == pytest.approx(2.3)


def test_the_shape_of_the_graph(mem: Memory) -> None:
    filled(mem)
    shape = graph.analyse(mem.conn)
    # 0 - 1 - 2 - 3, parallel edges once, no loop, nothing to an insight that is gone.
    assert (shape.nodes, shape.links, shape.components, shape.largest) == (6, 3, 3, 4)
    assert shape.isolates == 2 and shape.connected_ratio == pytest.approx(4 / 6)
    assert shape.density == pytest.approx(3 / 15)
    names = {row.id: row.name for row in insights.all_insights(mem.conn)}
    assert shape.articulation == (names[2], names[3])
    top = stats.top_connected(mem.conn).value
    assert [t["neighbours"] for t in top] == [2, 2, 1, 1]
    assert top[0]["name"] == names[2] and top[0]["weight"] == pytest.approx(1.8)


def test_an_empty_memory_has_figures_too(mem: Memory) -> None:
    found = figure.values([*report.figures(mem), *stats.stats(mem)])
    assert found["status"] == "empty" and found["effectiveness_mean"] is None
    assert found["graph"]["density"] == 0 and found["calibration"] == []
    assert found["credit"]["low"] == 0.0 and found["credit"]["high"] == 1.0


def test_health_in_sql_is_what_the_formulas_say(mem: Memory) -> None:
    filled(mem)
    found = report.health(mem)
    rows = insights.all_insights(mem.conn)
    adjusted = [recall.adjusted(row) for row in rows]
    assert found["effectiveness_adjusted_mean"] == pytest.approx(sum(adjusted) / len(rows))
    assert found["proven"] == sum(
        1 for row, value in zip(rows, adjusted, strict=True) if row.use_count > 2 and value >= 0.7
    )
    assert found["causal_ratio"] == pytest.approx(15 / 21)
    assert found["loop_coverage"] == pytest.approx(5 / 6)
    assert 0 <= found["connected_ratio"] <= 1
    assert found["edges"] == 4 and found["rejections"] == {"secret: aws": 3}


def test_every_figure_can_be_computed_again_from_its_printed_statement(mem: Memory) -> None:
    from dataclasses import replace

    filled(mem)
    for number in range(2, 5):
        fail(mem, "oauth", number)
    synthesis.synthesize(replace(mem, embedder=Subjects()))
    figures = [*report.figures(mem), *stats.stats(mem)]
    assert len(figures) > 30
    conn = sqlite3.connect(f"{mem.project.database.as_uri()}?mode=ro", uri=True)
    for item in json.loads(json.dumps(figure.explained(figures))):
        assert re.match(r"(SELECT|WITH) ", item["sql"]), item["name"]
        rows = conn.execute(item["sql"]).fetchall()
        if item.get("note"):
            continue
        if isinstance(item["value"], list):
            assert [list(row.values()) for row in item["value"]] == [list(r) for r in rows]
        elif isinstance(item["value"], dict):
            assert item["value"] == dict(rows)
        else:
            assert rows == [(item["value"],)]
    conn.close()


def test_without_networkx_the_rest_is_still_there(
    mem: Memory, monkeypatch: pytest.MonkeyPatch
) -> None:
    import sys

    monkeypatch.setitem(sys.modules, "networkx", None)
    found = stats.stats(mem)
    missing = next(f for f in found if f.name == "graph")
    assert missing.value is None and "networkx" in missing.note
    assert value_of(found, "insights") == 0


def test_a_database_of_the_earlier_plugin_has_all_its_figures(tmp_path: Path) -> None:
    import shutil

    from helix_core.store.connection import open_store

    source = Path(__file__).parents[2] / "fixtures" / "databases" / "v15.db"
    database = tmp_path / "helix.db"
    shutil.copyfile(source, database)
    database.chmod(0o600)
    conn = open_store(database)
    found = stats.shape(conn)[0].value
    assert found["nodes"] == 216 and 0 < found["density"] < 1
    assert sum(stats.effectiveness(conn, "e", "effectiveness").value.values()) == 216
    outcomes = {row["outcome"]: row["ended"] for row in stats.outcomes(conn).value}
    assert outcomes["blocked"] == 12 and outcomes["crashed"] == 4
    conn.close()
