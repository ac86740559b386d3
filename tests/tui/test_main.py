"""The entry point as a process: quick answers, plain facts, friendly failures."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

import helix_core
from helix_core.paths import Project
from helix_tui import plain, views

ROOT = Path(helix_core.__file__).parent.parent


def run(*args: str, **env: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "helix_tui", *args],
        capture_output=True,
        text=True,
        encoding="utf-8",
        stdin=subprocess.DEVNULL,
        env={**os.environ, "PYTHONPATH": str(ROOT), **env},
        timeout=120,
        check=False,
    )


def imported(code: str) -> set[str]:
    out = subprocess.run(
        [sys.executable, "-c", f"{code}; import sys; print(*sorted(sys.modules))"],
        capture_output=True,
        text=True,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        timeout=120,
        check=True,
    ).stdout
    return set(out.split())


def test_version_loads_nothing_heavy() -> None:
    done = run("--version")
    assert (done.returncode, done.stdout) == (0, f"helix {helix_core.__version__}\n")
    found = imported("import helix_tui.__main__")
    assert not found & {"textual", "rich", "sqlite3", "watchfiles"}


def test_the_app_loads_no_model_and_no_numbers() -> None:
    found = imported("import helix_tui.app")
    assert "textual" in found
    heavy = {"torch", "sentence_transformers", "numpy", "networkx", "sklearn", "watchfiles"}
    assert not found & heavy


@pytest.mark.parametrize("view", ["run", "insights"])
def test_facts_as_json(project: Project, view: str) -> None:
    done = run("--project", str(project.root), "--snapshot", view, "--json")
    assert (done.returncode, done.stderr) == (0, "")
    found = json.loads(done.stdout)
    assert found["view"] == view
    assert found["counts"]["insights"] == 9
    if view == "run":
        blocked = next(a for a in found["agents"] if a["state"] == "blocked")
        (given,) = blocked["insights"]
        assert given["before"] > given["after"]
        assert [t["state"] for t in found["tasks"]] == [
            "delivered",
            "blocked",
            "running",
            "pending",
        ]
    else:
        assert len(found["insights"]) == 9
        assert found["insights"][0]["n"] == 1


def test_every_view_has_its_facts(project: Project) -> None:
    words = {
        "run": "blocked (self)",
        "insights": "When a webhook",
        "effectiveness": "loop coverage 56% (5 of 9 insights)",
        "health": "PreToolUse",
    }
    for view in views.NAMES:
        found = plain.facts(project, view)
        assert found["problem"] is None, view
        assert json.loads(plain.as_json(found))["view"] == view
        assert words.get(view, "") in plain.as_text(found)


def test_facts_as_text(project: Project) -> None:
    done = run("--project", str(project.root), "--snapshot", "run")
    assert done.returncode == 0
    assert "blocked (self)" in done.stdout
    assert "50% -> 40%" in done.stdout
    assert "degraded (keyword only) no worker" in done.stdout


@pytest.mark.parametrize("term", ["xterm-256color", "dumb", ""])
def test_without_a_terminal_a_summary(project: Project, term: str) -> None:
    done = run("--project", str(project.root), TERM=term)
    assert done.returncode == 1
    assert "9 insights" in done.stdout
    assert done.stderr == "helix-tui: needs a terminal; above is what it would show\n"


def test_without_a_memory(bare: Project) -> None:
    done = run("--project", str(bare.root), "--snapshot", "run")
    assert done.returncode == 3
    assert "No memory here yet" in done.stdout
    assert "Traceback" not in done.stderr
    assert not bare.home.exists()
    done = run("--project", str(bare.root))
    assert (done.returncode, "Traceback" in done.stderr) == (1, False)


def test_a_wrong_argument() -> None:
    done = run("--snapshot", "nothing")
    assert done.returncode == 2
    assert "Traceback" not in done.stderr


def test_an_encoding_that_is_not_utf8(project: Project) -> None:
    done = run("--project", str(project.root), "--snapshot", "insights", PYTHONIOENCODING="ascii")
    assert done.returncode == 0
    assert "When a webhook" in done.stdout
