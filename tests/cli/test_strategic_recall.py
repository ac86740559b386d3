"""`helix strategic-recall` as the orchestrator runs it: one document, or text for people."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tests.core.command import helix as in_process
from tests.core.test_b30_queries import QUERIES
from tests.hooks import scene
from tests.hooks.shell import helix

LESSONS = (
    "When the parser of a config file fails, look at its tabs first",
    "When the parser of a config file is slow, cache the compiled grammar",
    "When the parser reads a config file, keep its comments because users miss them",
)
OBJECTIVE = "Fix the parser of the config file"
FIGURES = {
    *("recalled", "in_system", "mean_effectiveness", "mean_relevance", "proven", "risky"),
    *("untested", "tags", "coverage", "graph_expanded", "lineage", "topology", "mode", "note"),
    "notice",
}


def overview(project: Path, *arguments: str, stdin: str = "") -> dict[str, Any]:
    found = helix(project, "strategic-recall", "--json", *arguments, stdin=stdin).json
    assert set(found) == {"insights", "summary"}
    assert set(found["summary"]) == FIGURES
    return dict(found)


def test_one_document_by_keyword(project: Path) -> None:
    names = scene.store(project, *LESSONS, tags=["parser"])
    scene.store(project, "When the moon is full, paint the fence in blue")
    found = overview(project, "-", stdin=OBJECTIVE)
    assert {item["name"] for item in found["insights"]} == set(names)
    assert {"_relevance", "_effectiveness", "_score", "_hop", "_through"} <= set(
        found["insights"][0]
    )
    summary = found["summary"]
    assert (summary["recalled"], summary["in_system"], summary["tags"]) == (3, 4, {"parser": 3})
    assert (summary["mode"], summary["mean_relevance"]) == ("keyword", None)
    assert "by keyword" in summary["note"]
    assert summary["topology"]["isolates"] == 3
    assert len(overview(project, OBJECTIVE, "--limit", "1")["insights"]) == 1


def test_text_for_people(project: Path) -> None:
    scene.store(project, *LESSONS[:2], tags=["parser"])
    said = helix(project, "strategic-recall", OBJECTIVE)
    assert said.code == 0 and "by keyword" in said.err
    lines = said.out.splitlines()
    assert lines[0].startswith("[50%] When the parser")
    assert "recalled 2 of 2" in lines
    assert "topology: too small" in said.out and "tags: parser 2" in lines


def test_an_empty_memory_is_told_from_one_where_nothing_fits(project: Path) -> None:
    missing = helix(project, "strategic-recall", OBJECTIVE)
    assert missing.code == 3 and "no memory yet" in missing.refusal
    assert not (project / ".helix").exists()
    (name,) = scene.store(project, LESSONS[0])
    other = "Translate the privacy notice to Portuguese"
    assert overview(project, other)["summary"]["notice"].startswith("NO_MATCHING_INSIGHTS: ")
    assert overview(project, OBJECTIVE)["summary"]["notice"] == ""
    helix(project, "trash", name)
    empty = overview(project, OBJECTIVE)["summary"]
    assert (empty["notice"], empty["in_system"]) == ("NO_PRIOR_MEMORY: Novel domain.", 0)
    assert (empty["coverage"], empty["mean_effectiveness"]) == (0.0, None)
    assert "NO_PRIOR_MEMORY" in helix(project, "strategic-recall", OBJECTIVE).out


@pytest.mark.parametrize("kind", ["damaged", "newer"])
def test_nothing_is_said_of_a_memory_that_cannot_be_read(project: Path, kind: str) -> None:
    scene.store(project, LESSONS[0])
    if kind == "damaged":
        for file in (project / ".helix").glob("helix.db-*"):
            file.unlink()
        scene.database(project).write_bytes(b"no database" * 1000)
        said = helix(project, "strategic-recall", OBJECTIVE)
        assert said.code == 3 and "PRIOR_MEMORY" not in said.out + said.err
        return
    scene.change(project, "INSERT INTO schema_version VALUES (99, '2030-01-01')")
    assert len(overview(project, OBJECTIVE)["insights"]) == 1  # a newer one is still read
    task = '[{"task_id": 1, "task": "Fix the parser of the config file"}]'
    assert helix(project, "batch-inject", "--tasks", task).code == 3


@pytest.mark.parametrize("text", ["設定ファイルの解析を直す", "Почини разбор файла настроек"])
def test_an_objective_in_any_script(project: Path, text: str) -> None:
    (name,) = scene.store(project, f"{text}: tabs")
    assert [item["name"] for item in overview(project, text)["insights"]] == [name]


@pytest.mark.parametrize("query", QUERIES, ids=lambda q: ascii(q)[:20])
def test_b30_no_objective_is_an_error(project: Path, query: str) -> None:
    scene.store(project, LESSONS[0])
    assert in_process(project, "strategic-recall", "--json", "--", query).json["summary"]


@pytest.mark.parametrize(
    "arguments",
    [(), ("x", "--limit", "many"), ("x", "--min-relevance", "much"), ("x", "--graph-hops", "2")],
)
def test_wrong_usage(project: Path, arguments: tuple[str, ...]) -> None:
    assert helix(project, "strategic-recall", *arguments).code == 2


@pytest.mark.usefixtures("worker")
def test_by_meaning_through_the_worker(project: Path) -> None:
    names = scene.store(project, *LESSONS)
    asked = "Make reading the settings robust"
    found = overview(project, asked)
    summary = found["summary"]
    assert {item["name"] for item in found["insights"]} <= set(names)
    assert summary["recalled"] == len(found["insights"]) > 0
    assert summary["mode"] == "vector" and summary["mean_relevance"] >= 0.30
    assert all(item["_relevance"] >= 0.30 for item in found["insights"])
    wide = overview(project, asked, "--min-relevance", "-1")
    assert wide["summary"]["recalled"] == 3
    assert isinstance(wide["summary"]["topology"], dict)
