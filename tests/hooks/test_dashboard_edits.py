"""An edit from the dashboard has its new vector at once; undo gives back the old one exactly."""

from __future__ import annotations

from pathlib import Path

import pytest

from helix_core import paths
from helix_tui.data import commands
from tests.hooks import scene
from tests.hooks.test_claims import relevant

VECTOR = "SELECT embedding, embedding_model FROM insight WHERE name = ?"
EDGES = "SELECT src_id, dst_id, weight, relation, created_at FROM insight_edges ORDER BY 1, 2, 4"


@pytest.mark.usefixtures("worker")
def test_an_edit_is_embedded_by_the_worker(project: Path) -> None:
    place = paths.find_project(project)
    name, *_ = relevant(project, 3)
    before, linked = scene.rows(project, VECTOR, name), scene.rows(project, EDGES)
    assert before[0][0] is not None
    assert linked
    said = commands.edit(place, name, "When the invoice is printed, add the owner's logo", 1)
    assert "vector follows" not in said
    after = scene.rows(project, VECTOR, name)
    assert after[0][0] not in (None, before[0][0])
    assert after[0][1] == before[0][1]
    commands.undo(place)
    assert scene.rows(project, VECTOR, name) == before
    assert scene.rows(project, EDGES) == linked


def test_without_a_worker_the_vector_follows(project: Path) -> None:
    name, *_ = scene.store(project, "When the retry test is flaky, freeze its clock")
    said = commands.edit(paths.find_project(project), name, "When it rains, take a coat along", 1)
    assert "its vector follows" in said
    assert scene.one(project, "SELECT embedding FROM insight WHERE name = ?", name) is None
