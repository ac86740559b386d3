"""Decision 3: a wave's hooks run at once; no insight goes to two while another one is free."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.hooks import scene
from tests.hooks.fire import fire, together

TASK = "Fix the flaky retry test of the upload service"
ADVICE = (
    "freeze the clock because backoff delays depend on it",
    "seed the random jitter, which else differs between runs",
    "start the fake S3 bucket before the fixture opens a socket",
    "raise the file descriptor limit, since sockets leak",
    "run it alone under pytest -p no:xdist to rule out shared ports",
    "read the proxy variables, a corporate proxy answers 407",
    "empty the temporary folder that a killed run left full",
    "await the cancelled task or its exception shows up later",
    "compare the checksum, not the size, of what arrived",
    "disable HTTP keep-alive, the server closes idle ones",
    "mock nothing: the recorded cassette is out of date",
    "check the certificate's expiry date on the test host",
)


def relevant(project: Path, count: int) -> list[str]:
    """So many insights for the same task, none of them like another."""
    about = "When the retry test of the upload service is flaky,"
    return scene.store(project, *(f"{about} {advice}" for advice in ADVICE[:count]))


def wave(project: Path, size: int, session: str = "s1") -> list[list[str]]:
    """Start so many builders for the task at the same moment; what each of them got."""
    fired = together(
        [
            (
                "PreToolUse",
                project,
                {
                    "tool_use_id": f"toolu_{session}_{number}",
                    "prompt": scene.task(TASK, number),
                    "session_id": session,
                },
            )
            for number in range(size)
        ]
    )
    assert all(f.code == 0 and not f.err and f.answer for f in fired)
    names: dict[str, list[str]] = {f"toolu_{session}_{n}": [] for n in range(size)}
    for key, name in scene.rows(
        project, "SELECT tool_use_id, name FROM injection WHERE session_id = ?", session
    ):
        names[key].append(name)
    return list(names.values())


class Cases:
    """The same with and without the worker."""

    def test_eight_agents_get_eight_insights(self, project: Path) -> None:
        names = relevant(project, 8)
        given = wave(project, 8)
        assert sorted(name for each in given for name in each) == sorted(names)
        assert [len(each) for each in given] == [1] * 8

    def test_a_wave_wider_than_one_recall_still_finds_the_free_ones(self, project: Path) -> None:
        names = relevant(project, 12)
        given = wave(project, 12)
        assert sorted(name for each in given for name in each) == sorted(names)

    def test_more_agents_than_insights_share_rather_than_go_without(self, project: Path) -> None:
        names = relevant(project, 2)
        given = wave(project, 5)
        assert [len(each) for each in given] == [1] * 5
        assert {name for each in given for name in each} == set(names)

    def test_an_ended_agent_gives_its_claim_back(self, project: Path) -> None:
        (name,) = relevant(project, 1)
        scene.store(project, "When an upload service test is slow, shorten its retry delay")
        first = {"tool_use_id": "toolu_1", "prompt": scene.task(TASK)}
        fire("PreToolUse", project, **first)
        fire("PostToolUse", project, **first)
        fire("SubagentStop", project, last_assistant_message="DELIVERED: ok")
        fire("PreToolUse", project, tool_use_id="toolu_2", prompt=scene.task(TASK))
        assert scene.rows(project, "SELECT tool_use_id, name FROM injection ORDER BY id") == [
            ("toolu_1", name),
            ("toolu_2", name),
        ]

    def test_another_session_is_another_wave(self, project: Path) -> None:
        (name,) = relevant(project, 1)
        assert wave(project, 1, "s1") == wave(project, 1, "s2") == [[name]]


class TestByKeyword(Cases):
    """By keyword, each hook on its own."""

    def test_a_claim_lapses_after_half_an_hour(
        self, project: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        best, other = relevant(project, 2)
        for minute, expected in ((0, best), (20, other), (40, best)):
            monkeypatch.setenv("HELIX_NOW", f"2026-05-05T10:{minute:02d}:00+00:00")
            key = f"toolu_{minute}"
            fire("PreToolUse", project, tool_use_id=key, prompt=scene.task(TASK))
            found = scene.one(project, "SELECT name FROM injection WHERE tool_use_id = ?", key)
            assert found == expected


@pytest.mark.usefixtures("worker")
class TestWithWorker(Cases):
    """Through the worker."""
