"""Each line of the README's table of symptoms: what it says one sees is what is seen."""

from __future__ import annotations

import os
import re
import sqlite3
import subprocess
import sys
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest

from helix_core import atomic, paths, provision
from tests.conftest import cleaned_environ
from tests.core.command import helix
from tests.hooks import scene
from tests.hooks.fire import ROOT, fire
from tests.operation.conftest import House

LESSON = "When fixing the parser, run the tokenizer tests first"


def symptoms() -> list[str]:
    """The first cells of the table."""
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    part = text.partition("\n## When something is off\n")[2].partition("\n## ")[0]
    cells = [line.split(" | ")[0].removeprefix("| ") for line in part.splitlines() if " | " in line]
    return [cell for cell in cells if cell not in ("what you see", "---")]


def dashboard(folder: Path, *arguments: str, **env: str) -> str:
    """What the dashboard says, run as a process with its output in a pipe."""
    done = subprocess.run(
        [ROOT / "bin" / "helix-tui", *arguments],
        cwd=folder,
        env={**cleaned_environ(), **os.environ, **env},
        capture_output=True,
        text=True,
        check=False,
    )
    return done.stdout + done.stderr


def by_keyword(project: Path) -> str:
    scene.store(project, LESSON)
    return helix(project, "recall", "fix the parser").err


def not_found(project: Path) -> str:
    said = subprocess.run(
        ["/bin/sh", "-c", "helix stats"],
        env={"PATH": "/usr/bin:/bin"},
        capture_output=True,
        text=True,
        check=False,
    ).stderr
    return said.replace("helix: not found", "command not found")  # dash's words for it


def without_packages(project: Path) -> str:
    return dashboard(project, "--snapshot", "run", HELIX_VENV=str(bare(project)))


def bare(project: Path) -> Path:
    """An environment with nothing in it, as before the set-up."""
    venv = project.parent / "bare"
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", venv], check=True)
    return venv


def in_a_pipe(project: Path) -> str:
    return dashboard(project)


def an_empty_project(project: Path) -> str:
    return dashboard(project, "--snapshot", "run")


def nothing_relevant(project: Path) -> str:
    scene.store(project, LESSON)
    asked = fire("PreToolUse", project, prompt=scene.task("Paint the fence green"))
    found = helix(project, "recall", "paint the fence green")
    return found.out + asked.specific("updatedInput")["prompt"]


def beside_another(project: Path) -> str:
    house = paths.environment_dir().parent
    house.mkdir(parents=True, exist_ok=True)
    with atomic.exclusive(house / provision.LOCK):
        return helix(project, "setup").err


def locked(project: Path) -> str:
    scene.store(project, LESSON)
    with closing(sqlite3.connect(scene.database(project), isolation_level=None)) as conn:
        conn.execute("BEGIN IMMEDIATE")
        said = helix(project, "pin", "when-fixing-the-parser-run-the-tokenizer-tests-fir").err
        assert "another process holds the write lock" in helix(project, "doctor").out
    return said


def damaged(project: Path) -> str:
    scene.store(project, LESSON)
    for file in project.glob(".helix/helix.db*"):
        file.unlink()
    scene.database(project).write_text("not a database, however long one looks at it" * 100)
    assert "restore-backup" in helix(project, "doctor").out
    return helix(project, "count").err


SEEN: dict[str, Callable[[Path], str]] = {
    "`by keyword only`": by_keyword,
    "`command not found` for `helix`": not_found,
    "`the package rich is missing` from `helix-tui`": without_packages,
    "`needs a terminal`": in_a_pipe,
    "`No memory here yet.`": an_empty_project,
    "`nothing relevant enough`, or agents get `NO_MATCHING_INSIGHTS`": nothing_relevant,
    "`another set-up is running`": beside_another,
    "`set-up failed`": beside_another,
    "`the memory is locked by another process`": locked,
    "`the memory is damaged or not a database`": damaged,
}
ELSEWHERE = {
    "`worker process N holds its place but does not answer`": "hooks/test_hanging_worker.py",
    "a percentage does not move": "demo/test_demo.py",
    "`/helix` starts something else": "e2e/test_other_skills.py",
    "all seems well and yet nothing happens": "operation/test_doctor.py",
}
"""Symptoms without words of ours, or staged elsewhere, and the tests of what the table says."""


def test_every_symptom_is_tried() -> None:
    assert sorted(symptoms()) == sorted([*SEEN, *ELSEWHERE])
    assert all((ROOT / "tests" / file).is_file() for file in ELSEWHERE.values())


@pytest.mark.parametrize("symptom", sorted(SEEN))
def test_it_is_what_one_sees(symptom: str, project: Path, house: House) -> None:
    said = SEEN[symptom](project)
    words = re.findall(r"`([^`]+)`", symptom.partition(" for ")[0].partition(" from ")[0])
    assert words
    for one in words:
        assert one in said, said
