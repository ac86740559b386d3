"""B31: times of another zone, from the future, without a zone, or no times at all."""

from __future__ import annotations

from datetime import datetime, timedelta, timezone
from pathlib import Path

import pytest

from tests.core.command import helix
from tests.hooks import scene
from tests.hooks.fire import fire

ODD = {
    "future": "2099-01-01",
    "far future": "9999-12-31T23:59:59+00:00",
    "words": "yesterday",
    "empty": "",
    "number": 1767225600,
    "blob": b"\x00\xff",
    "no such day": "2026-02-30T00:00:00",
}
COLUMNS = ("created_at", "last_used", "last_feedback_at", "updated_at")


def filled(project: Path) -> list[str]:
    return scene.store(
        project,
        *(f"When the {w} clock is off, keep it because of {w}" for w in ("tea", "sun", "sea")),
    )


def an_old_session_is_over(project: Path) -> None:
    """What makes the next start of a session decay and prune."""
    fire("SubagentStop", project, last_assistant_message="DELIVERED: ok")
    fire("SessionEnd", project)


@pytest.mark.parametrize("kind", ODD)
def test_b31_nothing_is_deleted_or_fails_because_of_a_date(
    project: Path, kind: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    filled(project)
    sets = ", ".join(f"{column} = :odd" for column in COLUMNS)
    scene.change(
        project, f"UPDATE insight SET effectiveness = 0.9, {sets}".replace(":odd", "?1"), ODD[kind]
    )
    monkeypatch.setenv("TZ", "Asia/Kathmandu")
    assert len(helix(project, "recall", "the clock is off", "--json").json) == 3
    an_old_session_is_over(project)
    monkeypatch.setenv("TZ", "America/St_Johns")
    fire("SessionStart", project, session_id="s2")
    assert helix(project, "decay", "--json").json == []
    assert helix(project, "prune", "--json").json == []
    assert helix(project, "health", "--json").code == 0
    assert scene.rows(project, "SELECT effectiveness FROM insight") == [(0.9,)] * 3


@pytest.mark.parametrize("zone", ["Asia/Kathmandu", "America/St_Johns", "Pacific/Kiritimati"])
def test_b31_times_are_stored_in_utc_wherever_one_is(
    project: Path, zone: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    import time

    monkeypatch.setenv("TZ", zone)
    time.tzset()
    try:
        filled(project)
    finally:
        monkeypatch.undo()
        time.tzset()
    stored = datetime.fromisoformat(scene.one(project, "SELECT max(created_at) FROM insight"))
    assert stored.utcoffset() == timedelta(0)
    assert abs(datetime.now(timezone.utc) - stored) < timedelta(minutes=5)


@pytest.mark.parametrize(
    "form", ["{:%Y-%m-%dT%H:%M:%S}", "{:%Y-%m-%d %H:%M:%S}", "{:%Y-%m-%dT%H:%M:%S}Z", "{:%Y-%m-%d}"]
)
def test_b31_a_time_without_a_zone_is_utc(project: Path, form: str) -> None:
    names = filled(project)
    old = form.format(datetime.now(timezone.utc) - timedelta(days=40))
    scene.change(
        project,
        "UPDATE insight SET effectiveness = 0.9, created_at = ?, last_used = ? WHERE id = 1",
        old,
        old,
    )
    changed = helix(project, "decay", "--json").json
    assert [item["name"] for item in changed] == names[:1]


def test_b31_a_clock_set_back_makes_nothing_old(
    project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    filled(project)
    scene.change(project, "UPDATE insight SET effectiveness = 0.9")
    monkeypatch.setenv("HELIX_NOW", "2001-01-01T00:00:00+00:00")
    for command in ("decay", "prune"):
        assert helix(project, command, "--json").json == []
    assert len(helix(project, "recall", "the clock is off", "--json").json) == 3
