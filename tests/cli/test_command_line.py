"""The command line: what it prints, what it exits with, and that it never shows a traceback."""

from __future__ import annotations

import json
import os
import sqlite3
import subprocess
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from helix_core.cli.main import main

ROOT = Path(__file__).parents[2]
TEXT = "When pytest hangs in CI, pass -x because a fixture leaks"
Run = Callable[..., tuple[int, str, str]]


@pytest.fixture
def run(project: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Run:
    """Call the command line in a scratch project; gives exit code, stdout, stderr."""
    monkeypatch.chdir(project)

    def call(*arguments: str) -> tuple[int, str, str]:
        code = main(arguments)
        out, err = capsys.readouterr()
        return code, out, err

    return call


def data(result: tuple[int, str, str]) -> Any:
    """The one JSON document of a call that went well."""
    code, out, _ = result
    assert code == 0
    return json.loads(out)


def stored(run: Run, text: str = TEXT, *more: str) -> str:
    name = data(run("store", text, "--json", *more))["name"]
    assert isinstance(name, str)
    return name


def test_store_recall_get_in_json(run: Run) -> None:
    name = stored(run, TEXT, "--tag", "ci", "--tag", "CI")
    [found] = data(run("recall", "pytest hangs in the pipeline", "--json"))
    assert (found["name"], found["content"], found["tags"]) == (name, TEXT, ["ci"])
    assert set(found) >= {
        "name", "content", "tags", "effectiveness", "use_count", "causal_hits", "recent_uses",
        "context_spread", "created_at", "last_used", "pinned", "source",
        "_relevance", "_effectiveness", "_score", "_hop",
    }  # fmt: skip
    assert data(run("get", name, "--json"))["content"] == TEXT
    assert data(run("count", "--json")) == {"count": 1}


def test_the_same_text_twice_is_merged_and_a_secret_is_refused(run: Run) -> None:
    stored(run)
    assert data(run("store", TEXT.upper(), "--json"))["status"] == "merged"
    code, out, _ = run("store", "When deploying use AKIAIOSFODNN7EXAMPLE because", "--json")
    answer = json.loads(out)
    assert code == 1 and answer["status"] == "rejected" and "AKIA" not in answer["reason"]


def test_store_reads_standard_input(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    import io

    monkeypatch.setattr("sys.stdin", io.StringIO("When $(rm -rf /) is `quoted` keep it because\n"))
    assert data(run("store", "-", "--json"))["status"] == "added"
    assert data(run("get", "when-rm-rf-is-quoted-keep-it-because", "--json"))["content"].startswith(
        "When $(rm"
    )


def test_feedback_moves_and_history_tells(run: Run) -> None:
    name = stored(run)
    [moved] = data(run("feedback", name, "--outcome", "delivered", "--json"))
    assert moved["before"] == 0.5 and moved["after"] == pytest.approx(0.6)
    data(run("feedback", name, "--outcome", "blocked", "--causal", f"{name}=0.75", "--json"))
    history = data(run("history", name, "--json"))
    assert [e["outcome"] for e in history["events"]] == ["delivered", "blocked"]
    assert history["events"][1]["before"] == pytest.approx(0.6)
    assert "0.600" in run("history", name)[1]


def test_trash_restore_undo_and_pin(run: Run) -> None:
    name = stored(run)
    assert run("trash", name)[0] == 0
    assert run("get", name)[0] == 1
    assert [t["name"] for t in data(run("trash", "--json"))] == [name]
    assert data(run("undo", "--json"))["names"] == [name]
    assert run("pin", name)[0] == 0
    assert data(run("get", name, "--json"))["pinned"] is True
    assert run("unpin", name)[0] == 0
    run("trash", name)
    assert run("restore", name)[0] == 0
    assert data(run("count", "--json")) == {"count": 1}


def test_maintenance_has_a_dry_run(
    run: Run, project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    name = stored(run, TEXT, "--effectiveness", "0.9")
    monkeypatch.setenv("HELIX_NOW", "2030-01-01T00:00:00+00:00")
    assert [c["name"] for c in data(run("decay", "--dry-run", "--json"))] == [name]
    assert data(run("prune", "--dry-run", "--json")) == []  # without a vector it had no chance yet
    with closing(sqlite3.connect(project / ".helix" / "helix.db")) as conn, conn:
        conn.execute("UPDATE insight SET embedding_model = 'any'")
    assert [c["reason"] for c in data(run("prune", "--dry-run", "--json"))] == ["ghost"]
    assert data(run("get", name, "--json"))["effectiveness"] == 0.9
    assert data(run("decay", "--json"))[0]["after"] == pytest.approx(0.86)
    data(run("prune", "--json"))
    assert data(run("count", "--json")) == {"count": 0}


@pytest.mark.parametrize(
    ("arguments", "code"),
    [
        ((), 2),
        (("nonsense",), 2),
        (("recall",), 2),
        (("recall", "x", "--limit", "many"), 2),
        (("feedback", "x", "--outcome", "splendid"), 2),
        (("feedback", "x", "--outcome", "delivered", "--causal", "x"), 2),
        (("hook", "Nothing"), 2),
        (("store", TEXT, "--effectiveness", "7"), 2),
        (("get", "nobody"), 1),
        (("restore", "nobody"), 1),
    ],
)
def test_errors_are_one_line_and_a_meaningful_code(
    run: Run, arguments: tuple[str, ...], code: int
) -> None:
    stored(run)
    got, out, err = run(*arguments)
    assert got == code and out == ""
    assert len(err.strip().splitlines()) == 1 and err.startswith("helix: ")


def test_reading_creates_nothing_and_says_what_is_missing(run: Run, project: Path) -> None:
    for arguments in (("recall", "x"), ("count",), ("health",), ("history", "x"), ("explain", "y")):
        code, _, err = run(*arguments)
        assert code == 3 and "no memory yet" in err
    assert list(project.iterdir()) == []


def test_a_damaged_database_is_code_three_and_untouched(run: Run, project: Path) -> None:
    (project / ".helix").mkdir()
    file = project / ".helix" / "helix.db"
    file.write_bytes(b"this is no database, it is a text that goes on " * 40)
    before = file.read_bytes()
    code, _, err = run("count")
    assert code == 3 and len(err.strip().splitlines()) == 1
    assert file.read_bytes() == before


def test_wrong_configuration_names_file_and_key(run: Run, project: Path) -> None:
    stored(run)
    (project / ".helix" / "config.toml").write_text("colour = 1\n")
    code, _, err = run("count")
    assert code == 2 and "config.toml" in err and "colour" in err
    (project / ".helix" / "config.toml").write_text("max_insights = 'few'\n")
    assert run("count")[0] == 2
    (project / ".helix" / "config.toml").write_text("max_insights = 2\n")
    found = data(run("config", "--json"))["max_insights"]
    assert found["value"] == 2 and found["origin"].endswith("config.toml")


def test_project_and_db_options_choose_the_memory(run: Run, new_project: Any) -> None:
    other = new_project("other")
    stored(run, TEXT, "--project", str(other))
    assert data(run("--project", str(other), "count", "--json")) == {"count": 1}
    assert data(run("count", "--json", "--db", str(other / ".helix" / "helix.db"))) == {"count": 1}
    assert run("count")[0] == 3


def test_the_launcher_works_from_anywhere_and_version_is_quick(project: Path) -> None:
    called = subprocess.run(
        [ROOT / "bin/helix", "--version"], cwd=project, capture_output=True, text=True, check=True
    )
    assert called.stdout.startswith("helix ")
    link = project / "it's a link"
    link.symlink_to(ROOT / "bin/helix")
    through = subprocess.run([link, "count"], cwd=project, capture_output=True, text=True,
                             check=False, env={**os.environ})  # fmt: skip
    assert through.returncode == 3 and "no memory yet" in through.stderr


def test_with_the_worker_recall_goes_by_meaning(worker: Any, run: Run) -> None:
    name = stored(run)
    stored(run, "When the soup boils over, turn the gas down because it burns")
    [found] = data(run("recall", "pytest never finishes on the CI server", "--json"))
    assert found["name"] == name and found["_relevance"] > 0.35
    parts = data(run("explain", "continuous integration hangs", "--json"))
    assert parts["mode"] == "vector"
    status = data(run("worker", "status", "--json"))
    assert status["model_state"] == "ready"
