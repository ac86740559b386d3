"""B29: the same lesson with small changes is one row whose confirmations rise, model or not."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from helix_core.text.fields import read_prompt
from helix_core.text.terms import near_text
from tests.core.command import helix
from tests.hooks import scene
from tests.hooks.fire import fire

WAYS = [
    "When pytest hangs in CI run {n}, pass -x because a fixture leaks",
    "When pytest hangs in CI run {n}, pass -x because a fixture leaks.",
    "when pytest hangs in CI run {n}, pass -x, because a fixture leaks!",
    "When PyTest hangs in CI (run {n}), pass -x because a fixture leaks",
    "When   pytest hangs in CI run #{n}, pass `-x` because a fixture leaks",
]
TEXTS = [way.format(n=number) for number in range(1, 5) for way in WAYS]


class Cases:
    """The same with and without the model."""

    def test_b29_twenty_of_one_are_one(self, project: Path) -> None:
        answers = [helix(project, "store", text, "--json").json["status"] for text in TEXTS]
        assert answers == ["added", *["merged"] * (len(TEXTS) - 1)]
        assert len(helix(project, "recall", "pytest hangs in CI", "--json").json) == 1
        assert scene.rows(project, "SELECT confirmations FROM insight") == [(len(TEXTS) - 1,)]

    def test_b29_agents_that_say_it_again_confirm_it(self, project: Path) -> None:
        for number, text in enumerate(TEXTS[:6]):
            message = f"DELIVERED: ok {number}\nINSIGHT: {json.dumps({'content': text})}"
            fire("SubagentStop", project, agent_id=f"a{number}", last_assistant_message=message)
        assert scene.rows(project, "SELECT confirmations FROM insight") == [(5,)]

    def test_b29_what_differs_in_a_path_or_a_number_that_matters_stays(self, project: Path) -> None:
        pair = [
            f"When building for Python 3.{n}, vendor tomli because of imports" for n in (10, 12)
        ]
        assert [helix(project, "store", t, "--json").json["status"] for t in pair] == ["added"] * 2


class TestByKeyword(Cases):
    """Without the model."""

    def test_b29_no_two_near_equal_lines_are_injected(self, project: Path) -> None:
        """Even where a person gave both, each its own row."""
        for text in TEXTS[:5]:
            helix(project, "store", text, "--tag", "user-provided")
        scene.change(
            project, "UPDATE insight SET effectiveness = 0.9, use_count = 5, causal_hits = 5"
        )
        fired = fire("PreToolUse", project, prompt=scene.task("Find why pytest hangs in CI"))
        prompt = read_prompt(fired.specific("updatedInput")["prompt"])
        marks = ",".join("?" * len(prompt.injected))
        shown = [
            row[0]
            for row in scene.rows(
                project, f"SELECT content FROM insight WHERE name IN ({marks})", *prompt.injected
            )
        ]
        assert shown
        assert not [(a, b) for a in shown for b in shown if a != b and near_text(a, b)]


@pytest.mark.usefixtures("worker")
class TestWithWorker(Cases):
    """With the model."""
