"""Hold-out: what the coin withholds is recorded, and reaches nobody.

Not the agent, not its credit, not its siblings' claims; batch-inject and what-if do not toss it.
"""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

from helix_core import holdout, paths
from helix_tui.data import commands
from tests.hooks import scene
from tests.hooks.fire import fire
from tests.hooks.shell import helix
from tests.hooks.test_claims import TASK, relevant

CHANCE = 0.5
RECORDED = (
    "SELECT name, rank, relevance, effectiveness, value, score, hop, withheld, holdout"
    " FROM injection WHERE tool_use_id = ? ORDER BY rank"
)


def called(project: Path, key: str, session: str = "s1") -> str:
    """The prompt of one builder as the hook leaves it."""
    fired = fire(
        "PreToolUse", project, prompt=scene.task(TASK), tool_use_id=key, session_id=session
    )
    assert (fired.code, fired.err) == (0, "")
    return str(fired.specific("updatedInput")["prompt"])


def key_where(project: Path, name: str, withheld: bool, session: str = "s1") -> str:
    """A call id for which the coin of this insight falls as wanted."""
    number = scene.one(project, "SELECT id FROM insight WHERE name = ?", name)
    keys = (f"toolu_{n}" for n in range(100))
    return next(key for key in keys if holdout.withheld(session, key, number, CHANCE) is withheld)


@pytest.fixture
def half(project: Path) -> None:
    """A project that holds half of all choices out."""
    home = project / ".helix"
    home.mkdir(exist_ok=True)
    (home / "config.toml").write_text(f"holdout = {CHANCE}\n")


@pytest.mark.usefixtures("half")
class Cases:
    """The same with and without the worker."""

    def test_what_is_withheld_is_recorded_with_its_scores_and_not_shown(
        self, project: Path
    ) -> None:
        (name,) = relevant(project, 1)
        (text,) = scene.rows(project, "SELECT content FROM insight")[0]
        away, given = key_where(project, name, True), key_where(project, name, False)
        assert text not in called(project, away)
        assert text in called(project, given, "s1")
        (held,) = scene.rows(project, RECORDED, away)
        (shown,) = scene.rows(project, RECORDED, given)
        assert held[:-2] == shown[:-2] and held[1] == 1 and held[5] > 0
        assert (held[-2:], shown[-2:]) == ((1, CHANCE), (0, CHANCE))

    def test_the_same_call_told_twice_is_decided_the_same_way(self, project: Path) -> None:
        (name,) = relevant(project, 1)
        key = key_where(project, name, True)
        first, recorded = called(project, key), scene.rows(project, "SELECT * FROM injection")
        (project / ".helix" / "config.toml").write_text("holdout = 0.0\n")
        assert called(project, key) == first
        assert scene.rows(project, "SELECT * FROM injection") == recorded

    def test_a_sibling_can_have_what_another_was_denied(self, project: Path) -> None:
        (name,) = relevant(project, 1)
        called(project, key_where(project, name, True))
        assert name in str(
            scene.rows(project, "SELECT name FROM injection WHERE withheld = 1")
        )  # nobody has it
        shown = commands.what_if(paths.find_project(project), TASK)
        assert [one.name for one in shown.given] == [name]

    def test_it_gets_no_credit_and_the_agent_is_not_told_of_it(self, project: Path) -> None:
        (name,) = relevant(project, 1)
        key = key_where(project, name, True)
        called(project, key)
        fire("SubagentStart", project)
        fire("PostToolUse", project, tool_use_id=key, prompt=scene.task(TASK))
        assert name not in json.dumps(scene.sideband(project))
        fire("SubagentStop", project, last_assistant_message="BLOCKED: the bucket is not there")
        assert scene.rows(project, "SELECT state, feedback FROM agent_run") == [("blocked", "none")]
        assert scene.one(project, "SELECT count(*) FROM feedback_event") == 0
        assert scene.rows(project, "SELECT use_count, effectiveness FROM insight")[0] == (0, 0.5)
        told = helix(project, "stats", "--json").json["lift"]
        assert (told["shown"], told["withheld"], told["without_it"]) == (0, 1, 0.0)
        assert told["lift"] is None and told["told"].startswith("not enough data yet: 1 of about ")

    def test_what_the_orchestrator_hands_out_is_no_trial(self, project: Path) -> None:
        relevant(project, 2)
        tasks = [{"task_id": n, "task": TASK} for n in range(1, 3)]
        done = helix(
            project, "batch-inject", "--tasks", "-", "--json", stdin=json.dumps(tasks), session="s1"
        )
        for number, one in enumerate(done.json["tasks"], 1):
            assert len(one["injected"]) == 1
            prompt = f"{scene.task(TASK, number)}\n\n{one['block']}"
            fire("PreToolUse", project, prompt=prompt, tool_use_id=f"toolu_{number}")
        assert scene.rows(project, "SELECT withheld, holdout FROM injection") == [(0, None)] * 2


class TestKeyword(Cases):
    """Without the worker."""


class TestVector(Cases):
    """With the real model."""

    @pytest.fixture(autouse=True)
    def _with_worker(self, worker: object) -> None:
        assert os.environ["HELIX_WORKER"] != "off"


def test_without_hold_out_no_coin_is_on_record(project: Path) -> None:
    relevant(project, 1)
    called(project, "toolu_1")
    assert scene.rows(project, "SELECT withheld, holdout FROM injection") == [(0, None)]
    told = helix(project, "stats").out
    assert "hold-out is off" in told


def test_the_setting_is_written_by_command_and_keeps_to_its_range(project: Path) -> None:
    relevant(project, 1)
    helix(project, "config", "holdout", "0.1")
    assert helix(project, "config", "--json").json["holdout"]["value"] == 0.1
    assert helix(project, "config", "holdout").out.strip().startswith("0.1")
    called(project, "toolu_1")
    assert scene.one(project, "SELECT holdout FROM injection") == 0.1
    for value in ("0.6", "-0.1", "nan", "much"):
        refused = helix(project, "config", "holdout", value)
        assert refused.code == 2 and "holdout" in refused.refusal
    assert helix(project, "config", "--json").json["holdout"]["value"] == 0.1
