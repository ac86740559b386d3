"""The demonstration without an embedding model: it says so, and nothing moves by guesswork."""

from __future__ import annotations

from pathlib import Path

from helix_core.embed import client
from tests.conftest import User
from tests.demo.conftest import run_demo


def test_by_keyword_only(user: User, tmp_path: Path) -> None:
    shown = run_demo(tmp_path, user.env, "--json", "--tui")
    report = shown.report
    assert shown.returncode == 0, shown.stderr
    assert report["vectors"] is False
    assert report["recall"].startswith("by keyword only")
    assert report["recall"] in shown.stderr
    assert "no dashboard, --json was given" in shown.stderr
    assert report["embedding_models"] == []
    agents = [agent for session in report["sessions"] for agent in session["agents"]]
    given = [item for agent in agents for item in agent["given"]]
    assert given, "keywords alone still find insights"
    assert all(item["relevance"] is None and item["before"] is None for item in given)
    assert all(item["start"] == item["end"] and not item["n"] for item in report["insights"])
    pending = [agent for agent in agents if agent["feedback"] == "pending"]
    assert report["waiting"] == len(pending) > 0
    assert client.status() is None, "no worker was started"
    assert list(shown.elsewhere.iterdir()) == []
