"""A memory that begins where no project is says so, once, and begins all the same."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.core.command import helix

LESSON = "When a memory begins by mistake, say where because it is easily removed then"


def test_outside_of_any_project_it_says_where_a_memory_begins(project: Path) -> None:
    first = helix(project, "store", LESSON)
    assert first.code == 0
    assert first.err == f"helix: no project here: a new memory begins in {project / '.helix'}\n"
    assert helix(project, "store", LESSON).err == ""
    assert helix(project, "count", "--json").json == {"count": 1}


@pytest.mark.parametrize("way", ["git", "--quiet", "--json", "reading"])
def test_where_that_is_meant_or_nobody_listens_it_is_silent(project: Path, way: str) -> None:
    if way == "git":
        (project / ".git").mkdir()
    if way == "reading":
        assert "no project here" not in helix(project, "count").err
        assert not (project / ".helix").exists()
    else:
        ran = helix(project, "store", LESSON, *([way] if way.startswith("-") else []))
        assert (ran.code, ran.err) == (0, "")
