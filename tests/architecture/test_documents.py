"""What the documents tell a reader to type exists, leads somewhere, and runs."""

from __future__ import annotations

import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

from helix_core import settings
from helix_core.demo.lessons import LESSONS
from tests.architecture.documents import (
    NAMES,
    Named,
    broken_links,
    commands,
    fault,
    make_targets,
    text_of,
)
from tests.architecture.sources import ROOT, python_files
from tests.core.command import helix
from tests.hooks import scene

ALL = [named for name in NAMES for named in commands(name)]
NOT_RUN = {
    "demo", "setup", "worker", "hook", "doctor", "calibrate", "reindex", "dag", "learn",
}  # fmt: skip
"""Commands with tests of their own that build, start or ask for what a scratch project lacks."""
FILLED = {
    "QUERY": "voucher", "DIR": ".", "FILE": "kept.jsonl", "KEY": "holdout", "VALUE": "0.1",
    "TEXT": "voucher", "ID": "s1", "NAMES": "", "EVENT": "SessionStart",
}  # fmt: skip


@pytest.mark.parametrize("name", NAMES)
def test_every_command_exists(name: str) -> None:
    found = {one.line: fault(one) for one in commands(name)}
    assert {line: why for line, why in found.items() if why} == {}


@pytest.mark.parametrize("name", NAMES)
def test_every_link_leads_somewhere(name: str) -> None:
    assert broken_links(name) == []


def test_the_readme_names_all_kinds_of_commands() -> None:
    firsts = {shlex.split(one.line)[0] for one in commands("README.md")}
    assert {"helix", "helix-tui", "make", "python", "claude", "/helix", "/helix:helix"} <= firsts


@pytest.mark.parametrize(
    "line",
    [
        "helix remember x",
        "helix-tui --view nowhere",
        "make coffee",
        "python -m benchmarks.nothing",
        "claude plugin install helix@nowhere",
        "claude plugin fetch helix@helix",
        "/helix:forget all",
        "HELIX_SETUP=off make tea",
    ],
)
def test_what_does_not_exist_is_seen(line: str) -> None:
    assert [fault(one) for one in commands("x.md", f"Type `{line}` now.")] != [None]
    assert len(commands("x.md", f"```\n{line}\n```\n")) == 1


def test_every_variable_and_setting_exists() -> None:
    files = [*python_files("helix_core", "helix_tui", "tests"), ROOT / "hooks" / "launch"]
    sources = "\n".join(path.read_text(encoding="utf-8") for path in files)
    known = {f"HELIX_{key.upper()}" for key in settings.KEYS}
    for name in NAMES:
        named = set(re.findall(r"\bHELIX_[A-Z0-9_]+\b", text_of(name)))
        assert {one for one in named - known if one not in sources} == set()
        for one in commands(name):
            if match := re.match(r"helix config ([a-z_]+)", one.line):
                assert match[1] in settings.KEYS, one.line


def test_every_make_target_can_be_planned_and_is_explained() -> None:
    for target in make_targets():
        planned = subprocess.run(
            ["make", "-n", target], cwd=ROOT, capture_output=True, text=True, check=False
        )
        assert planned.returncode == 0, planned.stderr
    told = {word for one in commands("CONTRIBUTING.md") for word in one.line.split()}
    assert make_targets() <= told


@pytest.mark.parametrize(
    "line", sorted({one.line for one in ALL if one.line.startswith("python -m benchmarks.")})
)
def test_every_benchmark_takes_the_options_named(line: str) -> None:
    module, *words = shlex.split(line)[2:]
    helped = subprocess.run(
        [sys.executable, "-m", module, "--help"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )
    assert helped.returncode == 0, helped.stderr
    assert [word for word in words if word.startswith("--") and word not in helped.stdout] == []


def test_every_helix_command_that_harms_nothing_runs(
    project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    lines = sorted({one.line for one in ALL if _runs(one)})
    assert len(lines) >= 15
    (name,) = scene.store(project, LESSONS[8].content)
    monkeypatch.chdir(project)
    (project / "CLAUDE.md").write_text("- When x fails, do y because z is not there\n")
    for line in lines:
        words = [FILLED.get(word, word) for word in shlex.split(line)[1:]]
        words = [name if word == "NAME" else word for word in words]
        done = helix(project, *words)
        assert done.code in (0, 1), (line, done.err)
        assert len(done.err.splitlines()) <= 2, (line, done.err)
        if words[0] == "trash":
            assert helix(project, "restore", name).code == 0


def _runs(named: Named) -> bool:
    words = named.line.split()
    if words[0] != "helix" or words[1].startswith("-") or words[1] in NOT_RUN:
        return False
    return fault(Named(named.document, named.line, True)) is None
