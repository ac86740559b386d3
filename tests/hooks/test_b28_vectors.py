"""B28: vectors of another length, empty, zero or not a number: found by words, then made anew."""

from __future__ import annotations

import json
import math
from pathlib import Path

import pytest

from helix_core import paths
from helix_core.embed import client
from helix_core.text.fields import read_prompt
from tests.core.command import helix
from tests.hooks import scene
from tests.hooks.fire import fire

NAN = b"\x00\x00\xc0\x7f"
BROKEN = {
    "short": bytes(12),
    "one NaN": NAN,
    "all NaN": NAN * 384,
    "zero": bytes(4 * 384),
    "odd length": b"\x01\x02\x03",
    "no byte": b"",
    "missing": None,
    "infinite": b"\x00\x00\x80\x7f" * 384,
}
TEXTS = [
    "When the vector of an amber lamp flickers, change its bulb",
    "When the vector of a brass bell is silent, oil its clapper",
    "When the vector of a copper pipe leaks, seal its joint",
]
pytestmark = pytest.mark.usefixtures("worker")


def finite(value: object) -> bool:
    """Whether every number in a JSON document is one."""
    if isinstance(value, float):
        return math.isfinite(value)
    if isinstance(value, dict):
        return all(map(finite, value.values()))
    return all(map(finite, value)) if isinstance(value, list) else True


@pytest.mark.parametrize("kind", BROKEN)
def test_b28_a_broken_vector_costs_nothing(project: Path, kind: str) -> None:
    names = scene.store(project, *TEXTS)
    scene.change(project, "UPDATE insight SET embedding = ? WHERE id = 1", BROKEN[kind])
    for command in (("recall", "vector of the amber lamp"), ("neighbors", names[0]), ("health",)):
        ran = helix(project, *command, "--json")
        assert finite(ran.json) and "NaN" not in ran.out
    found = helix(project, "recall", "the vector of the amber lamp flickers", "--json").json
    assert names[0] in [item["name"] for item in found]
    fired = fire("PreToolUse", project, prompt=scene.task("Mend the amber lamp that flickers"))
    assert fired.code == 0
    assert read_prompt(fired.specific("updatedInput")["prompt"]).injected == (names[0],)


@pytest.mark.parametrize("kind", BROKEN)
def test_b28_the_vector_is_made_anew(project: Path, kind: str) -> None:
    scene.store(project, *TEXTS)
    whole = scene.one(project, "SELECT embedding FROM insight WHERE id = 1")
    scene.change(project, "UPDATE insight SET embedding = ? WHERE id = 1", BROKEN[kind])
    client.request("reindex", {}, paths.find_project(project), first_ms=scene.PATIENCE_MS)
    assert scene.one(project, "SELECT embedding FROM insight WHERE id = 1") == whole


def test_b28_vectors_of_another_model_are_not_compared(project: Path) -> None:
    names = scene.store(project, *TEXTS)
    scene.change(
        project,
        "UPDATE insight SET embedding_model = 'another', embedding = ? WHERE id = 2",
        bytes(768 * 4),
    )
    ran = helix(project, "explain", "the brass bell is silent", "--json")
    assert finite(ran.json)
    scene.wait_for(
        lambda: scene.one(project, "SELECT embedding_model FROM insight WHERE id = 2") != "another"
    )
    [best, *_] = helix(project, "recall", "the brass bell is silent", "--json").json
    assert best["name"] == names[1]
    assert json.dumps(best["_relevance"]) != "null"
