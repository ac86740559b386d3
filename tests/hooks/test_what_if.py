"""What-if shows exactly what the next injection for a task gives, and records nothing.

The dashboard's line against the hook itself: the same siblings, the same choice, the same scores.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from helix_core import paths
from helix_tui.data import commands
from helix_tui.whatif import WhatIf
from tests.core.command import helix
from tests.hooks import scene
from tests.hooks.fire import fire
from tests.hooks.test_claims import TASK, relevant

TABLES = "SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite_%'"


def everything(project: Path) -> dict[str, list[str]]:
    """Every row of every table."""
    names = [str(row[0]) for row in scene.rows(project, TABLES)]
    return {name: sorted(map(repr, scene.rows(project, f"SELECT * FROM {name}"))) for name in names}


def asked(project: Path, task: str) -> WhatIf:
    """The line's answer; nothing may have been recorded."""
    before = everything(project)
    answer = commands.what_if(paths.find_project(project), task)
    assert everything(project) == before
    return answer


def injected(project: Path, prompt: str, key: str) -> tuple[str, list[tuple[object, ...]]]:
    """What the hook puts under a prompt, and what it recorded about it."""
    fired = fire("PreToolUse", project, prompt=prompt, tool_use_id=key, session_id="s1")
    assert (fired.code, fired.err) == (0, "")
    block = str(fired.specific("updatedInput")["prompt"]).removeprefix(prompt).strip()
    recorded = scene.rows(
        project,
        "SELECT name, rank, relevance, effectiveness, value, score, hop FROM injection"
        " WHERE tool_use_id = ? ORDER BY rank",
        key,
    )
    return block, recorded


def shown(answer: WhatIf) -> list[tuple[object, ...]]:
    """The given ones in the form the hook records them."""
    return [
        (
            one.name,
            one.place,
            pytest.approx(one.relevance) if one.relevance is not None else None,
            pytest.approx(one.effectiveness),
            pytest.approx(one.value),
            pytest.approx(one.score),
            int(bool(one.through)),
        )
        for one in answer.given
    ]


class Cases:
    """The same with and without the worker."""

    mode = ""

    @pytest.mark.parametrize("siblings", [0, 1, 4])
    def test_it_is_what_the_next_agent_gets(self, project: Path, siblings: int) -> None:
        names = relevant(project, 4)
        scene.change(
            project,
            "UPDATE insight SET effectiveness = 0.9, use_count = 9, causal_hits = 9 WHERE id < 4",
        )
        for number in range(siblings):
            injected(project, scene.task(TASK, 10 + number), f"toolu_{number}")
        answer = asked(project, TASK)
        assert answer.mode == self.mode
        assert answer.given
        assert answer.siblings == len(
            scene.rows(project, "SELECT DISTINCT insight_id FROM injection")
        )
        block, recorded = injected(project, scene.task(TASK, 1), "toolu_next")
        assert answer.block == block
        assert recorded == shown(answer)
        assert {one.name for one in answer.candidates} <= set(names)
        assert all(one.why for one in answer.others)
        for one in answer.candidates:
            assert one.place is None or not one.why
            assert answer.formula(one).endswith(f"= {one.score:.5f}")

    def test_explain_as_injection_is_the_same_choice(self, project: Path) -> None:
        relevant(project, 4)
        before = everything(project)
        told = helix(project, "explain", TASK, "--as", "injection", "--json").json
        text = helix(project, "explain", TASK, "--as", "injection").out
        assert everything(project) == before
        _, recorded = injected(project, scene.task(TASK, 1), "toolu_next")
        given = sorted((c for c in told["candidates"] if c["_place"]), key=lambda c: c["_place"])
        assert (told["as"], told["mode"]) == ("injection", self.mode)
        assert [(c["name"], c["_place"]) for c in given] == [row[:2] for row in recorded]
        assert all(f"{c['name']}: {c['_why']}" in text for c in told["candidates"])
        assert (
            "as for an agent" in text and "as helix recall" in helix(project, "explain", TASK).out
        )

    def test_a_whole_prompt_is_read_as_the_hook_reads_it(self, project: Path) -> None:
        relevant(project, 2)
        prompt = f"{scene.task(TASK, 1)}\n\nRELEVANT_FILES: src/upload/retry.py"
        answer = asked(project, prompt)
        block, recorded = injected(project, prompt, "toolu_next")
        assert (answer.block, shown(answer)) == (block, recorded)

    def test_nothing_near_and_nothing_to_ask_by(self, project: Path) -> None:
        relevant(project, 1)
        far = asked(project, "Bake a cake with cherries for the party on Sunday afternoon")
        assert far.given == ()
        assert (
            far.block
            == injected(
                project,
                scene.task("Bake a cake with cherries for the party on Sunday afternoon", 1),
                "t1",
            )[0]
        )
        assert asked(project, "E501").query == ""


class TestWithout(Cases):
    """No worker: by keyword, and said so."""

    mode = "keyword"

    def test_it_says_so(self, project: Path) -> None:
        relevant(project, 1)
        assert "keyword" in asked(project, TASK).note


@pytest.mark.usefixtures("worker")
class TestWith(Cases):
    """The real model, through the worker."""

    mode = "vector"

    def test_what_the_gate_stops_is_told(self, project: Path) -> None:
        (near,) = relevant(project, 1)
        (far,) = scene.store(project, "When the invoice is printed, the owner wants his logo on it")
        answer = asked(project, TASK)
        assert [one.name for one in answer.given] == [near]
        assert {one.name: one.why for one in answer.left}[far] == "below the gate"
