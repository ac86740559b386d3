"""SessionEnd is killed about 1.4 s after it starts: nothing may depend on its end."""

from __future__ import annotations

import shutil
import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager

import pytest

from tests.e2e import memory
from tests.e2e.by_hand import fire, payload
from tests.e2e.client import Place
from tests.e2e.scenario import final_message, prompt_of
from tests.e2e.stage import new_place, scratch
from tests.e2e.world import DISTRACTORS, TASKS

KEPT = (
    "insight",
    "insight_edges",
    "agent_run",
    "injection",
    "agent_result",
    "feedback_event",
    "session_log",
    "trash",
)
TASK = TASKS[7]


@pytest.fixture(scope="module")
def made() -> Iterator[Place]:
    """A project without a worker: three insights (one long unused), and one finished builder."""
    with scratch() as root:
        place = new_place(root, HELIX_WORKER="off")
        memory.store_all(place, (TASK.insight, *DISTRACTORS[:2]))
        with closing(sqlite3.connect(memory.database(place))) as db, db:
            db.execute(
                """UPDATE insight SET effectiveness = 0.8, use_count = 4, causal_hits = 4,
                last_used = '2025-01-01T00:00:00+00:00' WHERE content = ?""",
                (DISTRACTORS[0],),
            )
        _one_builder(place, "first")
        yield place


@pytest.fixture
def place(made: Place) -> Iterator[Place]:
    """That project again, in a place of its own."""
    with scratch() as root:
        mine = new_place(root, HELIX_WORKER="off")
        shutil.copytree(made.project, mine.project, dirs_exist_ok=True)
        yield mine


def _one_builder(place: Place, session: str) -> None:
    """A session up to the point where its only builder has delivered."""
    builder = {"agent_id": f"agent-of-{session}", "agent_type": "helix:helix-builder"}
    call = {
        "tool_name": "Agent",
        "tool_use_id": f"toolu_{session}",
        "tool_input": {"subagent_type": "helix:helix-builder", "prompt": prompt_of(TASK)},
    }
    launched = {"status": "async_launched", "agentId": builder["agent_id"]}
    for event, fields in (
        ("SessionStart", {"source": "startup"}),
        ("PreToolUse", call),
        ("SubagentStart", builder),
        ("PostToolUse", {**call, "tool_response": launched}),
        ("SubagentStop", {**builder, "last_assistant_message": final_message(TASK)}),
    ):
        for hook in fire(place, payload(place, event, session, **fields)):
            assert hook.returncode == 0, (event, hook)


def _dump(place: Place) -> dict[str, list[tuple[object, ...]]]:
    """Every row of the tables that must not lose any."""
    db = memory.database(place)
    return {
        table: sorted(map(tuple, memory.rows(db, f"SELECT * FROM {table}")), key=repr)
        for table in KEPT
    }


@contextmanager
def _write_lock(place: Place) -> Iterator[None]:
    """Another process's transaction that nobody can write beside."""
    with closing(sqlite3.connect(memory.database(place), isolation_level=None)) as db:
        db.execute("BEGIN IMMEDIATE")
        yield
        db.execute("ROLLBACK")


@pytest.mark.parametrize("seconds", [0.03, 0.1, 0.3, 1.4])
def test_a_killed_session_end_loses_nothing(place: Place, seconds: float) -> None:
    before = _dump(place)
    assert len(before["agent_result"]) == len(before["injection"]) == 1
    with _write_lock(place):
        fire(place, payload(place, "SessionEnd", "first", reason="other"), kill_after=seconds)
        assert _dump(place) == before
    assert memory.rows(memory.database(place), "PRAGMA integrity_check")[0][0] == "ok"


def test_what_a_killed_session_end_missed_is_done_at_the_next_start(place: Place) -> None:
    spool = place.project / ".helix" / "spool"
    with _write_lock(place):
        ending = payload(place, "SessionEnd", "first", reason="other")
        fire(place, ending, kill_when=lambda: any(spool.glob("*.json")))
    assert any(spool.glob("*.json"))
    events = memory.number(memory.database(place), "SELECT count(*) FROM injection")
    for _ in range(2):
        for hook in fire(place, payload(place, "SessionStart", "second", source="startup")):
            assert hook.returncode == 0, hook
    db = memory.database(place)
    (row,) = memory.rows(db, "SELECT effectiveness FROM insight WHERE content = ?", DISTRACTORS[0])
    assert row["effectiveness"] == pytest.approx(0.8 * 0.9 + 0.5 * 0.1)  # once, as specified
    assert memory.number(db, "SELECT count(*) FROM injection") == events
    (ended,) = memory.rows(db, "SELECT maintained_at FROM session WHERE session_id = 'first'")
    assert ended["maintained_at"]
