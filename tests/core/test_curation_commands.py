"""edit, tag, merge, history and undo as a person types them, with the worker and without."""

from __future__ import annotations

import time
from pathlib import Path

import pytest

from helix_core import paths
from helix_core.embed import client
from tests.core.command import helix
from tests.hooks import scene
from tests.hooks.test_b15_locked import locked

ONE = "When the parser of the config file fails, look at its tabs first"
TWO = "When the moon is full, paint the fence in blue"


@pytest.fixture
def names(project: Path) -> list[str]:
    """Two insights without vectors."""
    return scene.store_directly(project, ONE, TWO)


class TestByKeyword:
    """Without a worker."""

    def test_a_day_of_curation_and_back(self, project: Path, names: list[str]) -> None:
        one, two = names
        edited = helix(project, "edit", one, "--content", f"{ONE} always", "--json").json
        assert edited["content"] == f"{ONE} always"
        assert helix(project, "tag", one, "+ci", "+slow tests", "-none").out.endswith(
            "ci, slow tests\n"
        )
        assert helix(project, "tag", one, "-ci", "--json").json["tags"] == ["slow tests"]
        assert helix(project, "merge", one, two).code == 0
        told = helix(project, "history", one)
        for part in ("edit by cli", "merge by cli", TWO, ONE):
            assert part in told.out
        undone = [helix(project, "undo", "--json").json["undone"] for _ in range(4)]
        assert undone == ["merge", "tag", "tag", "edit"]
        assert helix(project, "get", one, "--json").json["content"] == ONE
        assert helix(project, "get", two, "--json").json["content"] == TWO
        assert "taken back" in helix(project, "history", one).out
        undone = [helix(project, "undo", "--json").json["names"] for _ in names]
        assert undone == [[two], [one]]  # they were stored by hand, too
        nothing = helix(project, "undo")
        assert nothing.code == 1 and "nothing to undo" in nothing.err

    def test_a_version_that_is_not_the_present_one_is_refused(
        self, project: Path, names: list[str]
    ) -> None:
        version = helix(project, "get", names[0], "--json").json["row_version"]
        helix(project, "pin", names[0])
        ran = helix(project, "edit", names[0], "--content", TWO, "--version", str(version))
        assert ran.code == 1 and "changed meanwhile" in ran.err
        ran = helix(project, "tag", "--version", str(version), names[0], "+x")
        assert ran.code == 1 and "changed meanwhile" in ran.err
        assert helix(project, "tag", "--version", str(version + 1), names[0], "+x").code == 0

    @pytest.mark.parametrize("changes", [(), ("x",), ("+",), ("--quiet",), ("+a", "b")])
    def test_tags_given_otherwise_are_wrong_usage(
        self, project: Path, names: list[str], changes: tuple[str, ...]
    ) -> None:
        ran = helix(project, "tag", names[0], *changes)
        assert ran.code == 2 and "+TAG or -TAG" in ran.err

    @pytest.mark.parametrize(
        "command",
        [("edit", "nobody", "--content", "x"), ("tag", "nobody", "+x"), ("merge", "nobody", "no")],
    )
    def test_an_unknown_name_is_refused(
        self, project: Path, names: list[str], command: tuple[str, ...]
    ) -> None:
        ran = helix(project, *command)
        assert ran.code == 1 and "nobody" in ran.err

    def test_b15_a_locked_memory_is_said_and_nothing_is_lost_silently(
        self, project: Path, names: list[str]
    ) -> None:
        with locked(project):
            began = time.monotonic()
            for command in (("store", f"{ONE} too"), ("tag", names[0], "+x"), ("undo",)):
                ran = helix(project, *command)
                assert ran.code == 3 and ran.out == "" and "locked" in ran.err
            assert time.monotonic() - began < 15.0
            assert helix(project, "recall", "parser of the config file").code == 0
        assert helix(project, "store", f"{TWO} too").code == 0


@pytest.mark.usefixtures("worker")
class TestWithWorker:
    """The worker answers: the vector is there when the command returns."""

    def test_an_edited_text_is_embedded_at_once(self, project: Path) -> None:
        [name] = scene.store(project, ONE)
        before = scene.one(project, "SELECT embedding FROM insight")
        assert helix(project, "edit", name, "--content", TWO).code == 0
        [(vector, model)] = scene.rows(project, "SELECT embedding, embedding_model FROM insight")
        [expected] = client.request("embed", {"texts": [TWO]}, paths.find_project(project))
        assert model and vector != before and len(vector) == 4 * len(expected)
        [best] = helix(project, "recall", "which colour for the fence", "--json").json
        assert best["name"] == name
        helix(project, "undo")
        assert scene.one(project, "SELECT embedding FROM insight") == before
