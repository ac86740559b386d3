"""A replay: the run as it stood, out of the rows of the run as it stands."""

from __future__ import annotations

import json

import pytest
import shop
from kit import make_app, ready, shown_run, text, until

from helix_core.paths import Project
from helix_core.store.connection import open_store
from helix_tui import replay
from helix_tui.data import run as run_part
from helix_tui.data.source import Source
from helix_tui.glyphs import Glyphs
from helix_tui.state import RunView, RunWanted
from helix_tui.widgets.replay_bar import ReplayBar, place_at, slider

SIZE = (120, 36)


def read(project: Project, wanted: RunWanted | None = None) -> RunView:
    source = Source(project)
    source.version()
    view = source.read(lambda desk: run_part.read(desk, wanted or RunWanted(whole=True)))
    source.close()
    return view


def states(view: RunView) -> dict[str, str]:
    return {task.key: task.state for task in view.tasks}


@pytest.fixture
def whole(project: Project) -> RunView:
    return read(project)


def at(minutes: float) -> str:
    """A moment of the shop's run, in minutes after it began."""
    return (shop.NOW - shop.timedelta(minutes=40 - minutes)).isoformat()


def test_each_moment_shows_what_had_happened_and_no_more(whole: RunView) -> None:
    before = replay.as_of(whole, at(1))
    assert [agent.state for agent in before.agents] == ["running"]
    assert before.tasks == ()  # the planner is at work
    planned = replay.as_of(whole, at(3.5))
    assert states(planned) == {"1": "running", "2": "pending", "3": "pending", "4": "pending"}
    one = replay.as_of(whole, at(9.2))
    assert states(one) == {"1": "delivered", "2": "running", "3": "running", "4": "pending"}
    assert [task.attempts for task in one.tasks] == [1, 1, 1, 0]
    end = replay.as_of(whole, whole.feed[0].at)
    assert states(end) == {"1": "delivered", "2": "blocked", "3": "running", "4": "pending"}
    assert end.agents == whole.agents
    assert end.tasks == whole.tasks
    assert end.feed == whole.feed


def test_scores_stand_as_they_were_until_the_agent_ends(whole: RunView) -> None:
    blocked = next(a for a in whole.agents if a.state == "blocked")
    during = replay.as_of(whole, blocked.started_at, blocked.id)
    assert during.agent == blocked.id
    assert during.given
    assert all(g.after is None and g.outcome == "" for g in during.given)
    assert during.agents[-1].summary == ""
    after = replay.as_of(whole, blocked.ended_at, blocked.id)
    assert [g.insight_id for g in after.given] == [g.insight_id for g in during.given]
    assert after.given[0].outcome == "blocked"
    assert after.given[0].after is not None
    assert after.given[0].before > after.given[0].after


def test_the_end_of_a_replay_is_the_run_at_every_step_before_it(whole: RunView) -> None:
    steps = replay.moments(whole)
    assert list(steps) == sorted(set(steps))
    assert len(steps) > 8
    last = 0
    for n, step in enumerate(steps):
        view = replay.as_of(whole, step)
        assert replay.place(steps, step) == n
        assert len(view.feed) >= last
        assert all(event.at <= step for event in view.feed)
        assert all(agent.ended_at <= step for agent in view.agents)
        assert view.run.running == sum(a.state == "running" for a in view.agents)
        last = len(view.feed)
    assert replay.place(steps, "") == 0
    assert replay.place(steps, "9999") == len(steps) - 1


def test_a_decision_counts_from_when_it_was_taken(project: Project) -> None:
    world = shop.World(project.root)
    world.now = shop.NOW
    conn = open_store(project.database)
    run_id = conn.execute("SELECT max(run_id) FROM task").fetchone()[0]
    conn.execute(
        "UPDATE task SET decided = 'skipped', decided_at = ?, decided_by = 'cli'"
        " WHERE run_id = ? AND seq = '4'",
        (shop.NOW.isoformat(), run_id),
    )
    conn.close()
    view = read(project)
    assert states(view)["4"] == "skipped"
    assert states(replay.as_of(view, at(39)))["4"] == "pending"
    assert states(replay.as_of(view, at(40)))["4"] == "skipped"


def test_a_run_without_a_plan_has_moments_too(project: Project) -> None:
    newest = read(project)
    old = read(project, RunWanted(run=newest.runs[-1].key, whole=True))
    steps = replay.moments(old)
    assert [len(replay.as_of(old, step).agents) for step in steps[:2]] == [0, 1]  # called, started
    assert replay.as_of(old, steps[-1]).tasks == ()
    assert replay.as_of(RunView(), "2026").agents == ()


def test_the_slider_is_as_wide_as_it_says_and_its_cells_are_its_moments() -> None:
    for glyphs in (Glyphs(), Glyphs(ascii=True)):
        for count in (1, 2, 7, 200):
            for width in (3, 10, 61):
                for place in {0, count // 2, count - 1}:
                    line = slider(place, count, width, glyphs)
                    assert len(line) == width
                    if count <= width:
                        assert place_at(line.index(glyphs.mark("knob")), count, width) == place
    assert slider(0, 5, 2, Glyphs()) == ""


async def test_a_run_is_replayed_by_keys_and_left_again(project: Project) -> None:
    app = make_app(project)
    async with app.run_test(size=SIZE) as pilot:
        await ready(pilot)
        await pilot.press("R")
        await until(pilot, lambda: "REPLAY" in text(app), "the bar")
        assert app.screen.has_class("-replay")
        await until(pilot, lambda: shown_run(app).all_given, "the whole run")
        assert "0 agents" in text(app)
        assert not app.screen.query_one("#plan-pane").display
        bar = app.screen.query_one(ReplayBar)
        asked = app.view.wanted()
        steps = len(bar._steps)
        seen = []
        for _ in range(steps - 1):
            await pilot.press("full_stop")
            await pilot.pause()
            seen.append(text(app))
        assert app.view.wanted() == asked  # no step reads anything
        assert f"{steps} of {steps}" in seen[-1]
        assert "planner  ▸ running" in seen[0]
        assert any("✓ delivered" in s and "✗ blocked" not in s for s in seen)
        await pilot.press("less_than_sign", "comma")
        await until(pilot, lambda: "1 of" in text(app))
        await pilot.press("escape")
        await until(pilot, lambda: "REPLAY" not in text(app))
        bar.step(1)  # from the palette: without a replay it does nothing
        bar.play()
        assert bar.moment == ""
        assert "✗ blocked" in text(app)
        assert not app.screen.has_class("-replay")


async def test_a_replay_plays_to_its_end(project: Project, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("helix_tui.widgets.replay_bar.PACE", 0.01)
    app = make_app(project)
    async with app.run_test(size=SIZE) as pilot:
        await ready(pilot)
        await pilot.press("R", "p")
        bar = app.screen.query_one(ReplayBar)
        await until(pilot, lambda: bar.moment == bar._steps[-1] and not bar.playing, "the end")
        await pilot.press("p")
        await until(pilot, lambda: bar.moment == bar._steps[-1] and not bar.playing, "once more")


async def test_the_mouse_goes_to_a_moment(project: Project) -> None:
    app = make_app(project)
    async with app.run_test(size=SIZE) as pilot:
        await ready(pilot)
        await pilot.press("R")
        await until(pilot, lambda: "REPLAY" in text(app))
        bar = app.screen.query_one(ReplayBar)
        start, width = bar._rail
        await pilot.click("#replay", offset=(start + width - 1, 0))
        await until(pilot, lambda: bar.moment == bar._steps[-1])


async def test_what_happens_meanwhile_lengthens_the_replay_and_moves_nothing(
    project: Project,
) -> None:
    app = make_app(project)
    async with app.run_test(size=SIZE) as pilot:
        await ready(pilot)
        await pilot.press("R", "full_stop", "full_stop")
        bar = app.screen.query_one(ReplayBar)
        moment, count = bar.moment, len(bar._steps)
        world = shop.World(project.root)
        world.now = shop.NOW
        plan = [{"seq": 1, "slug": "next", "description": "The next thing", "blocked_by": []}]
        planner = world.call("planner", "OBJECTIVE: another run\n")
        world.end(
            planner,
            "planner",
            f"PLAN_SPEC:\n{json.dumps(plan)}\n\nPLAN_COMPLETE: 1 tasks specified",
        )
        await until(pilot, lambda: len(shown_run(app).runs) == 3)
        assert bar.moment == moment
        assert len(bar._steps) >= count
        assert "Run 2 of 3" in text(app)
        await pilot.press("escape")
        await until(pilot, lambda: "REPLAY" not in text(app))
