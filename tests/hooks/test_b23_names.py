"""B23: a secret in the place of a name or an id (task, session, link, tag) ends up in no file."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from helix_core.text import credentials, fields, values
from tests.conftest import User
from tests.core.command import helix
from tests.core.text.fakes import FAKES
from tests.hooks import scene
from tests.hooks.fire import fire

LESSON = "When tests fail, read the log because it says why"
ONE_WORD = {name: fake for name, fake in FAKES.items() if not set(fake.text) & set(" \n\t")}
KINDS = sorted(ONE_WORD)[::3]


def nowhere(project: Path, core: str) -> None:
    """No file below the project holds a secret's core, in capitals or not."""
    wanted = core.encode().lower()
    found = [f for f in project.rglob("*") if f.is_file() and wanted in f.read_bytes().lower()]
    assert found == []


@pytest.mark.parametrize("kind", KINDS)
def test_as_the_id_of_a_task(user: User, project: Path, kind: str) -> None:
    fake = ONE_WORD[kind]
    scene.store_directly(project, LESSON)
    plan = [{"seq": fake.text, "slug": "a", "description": "Do it", "verify": "pytest -q",
             "relevant_files": [], "blocked_by": []},
            {"seq": 2, "slug": "b", "description": "Do more", "verify": "pytest -q",
             "relevant_files": [], "blocked_by": [fake.text]}]  # fmt: skip
    ran = helix(project, "dag", "plan", json.dumps(plan), "--session", "s1", "--json")
    assert ran.code == 0, ran.out  # both ends of the wait are masked the same way
    fire("PreToolUse", project, prompt=f"TASK_ID: {fake.text}\nTASK: Read the log\nOBJECTIVE: x")
    ran = helix(project, "dag", "show", fake.text, "--session", "s1")
    assert fake.core not in ran.out + ran.err
    nowhere(project, fake.core)


@pytest.mark.parametrize("kind", KINDS)
def test_as_a_session_a_link_or_a_tag(user: User, project: Path, kind: str) -> None:
    fake = ONE_WORD[kind]
    scene.store_directly(project, LESSON)
    fire("SessionStart", project, session_id=fake.text)
    fire("PreToolUse", project, session_id=fake.text, prompt=scene.task("Read the log of tests"))
    plan = [{"seq": 1, "slug": "a", "description": "Do it", "verify": "pytest -q",
             "relevant_files": [], "blocked_by": []}]  # fmt: skip
    helix(project, "dag", "plan", json.dumps(plan), "--session", fake.text)
    assert helix(project, "dag", "status", "--session", fake.text, "--json").code == 0
    helix(project, "dag", "set", "1", "link", fake.text, "--session", fake.text)
    notes = {"objective": "x", "constraints": [], "risk_areas": [], "exploration_targets": []}
    helix(project, "recall-synthesis", "set", json.dumps(notes), "--session", fake.text)
    assert helix(project, "recall-synthesis", "get", "--session", fake.text).code == 0
    tasks = json.dumps([{"task_id": fake.text, "task": "Read the log"}])
    helix(project, "batch-inject", "--tasks", tasks, "--session", fake.text)
    option = {"label": "yes", "insight": {"content": LESSON, "tags": [fake.text]}}
    asked = {"header": "Why?", "question": "Why?", "options": [option, {"label": "no"}]}
    (project / "asked.json").write_text(json.dumps(asked))
    helix(project, "learn", "ask", str(project / "asked.json"), "--session", fake.text)
    (project / "asked.json").unlink()
    helix(project, "session", "report", "--session", fake.text)
    fire("SessionEnd", project, session_id=fake.text)
    nowhere(project, fake.core)


def test_a_plain_id_is_what_it_was() -> None:
    for plain in (
        "7",
        "fix-parser",
        "0199a2b4-c5d6-4e7f-8a9b-0c1d2e3f4a5b",
        "toolu_01A09q90qw90lq91",
    ):
        assert credentials.label(plain) == plain
        assert values.task_id(plain) == plain
        assert fields.read_prompt(f"TASK_ID: {plain}\nTASK: x").task_id == plain
