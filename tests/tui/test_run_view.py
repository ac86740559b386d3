"""The run view by keys and mouse: the plan that is walked, the list of runs, what is linked."""

from __future__ import annotations

import json

import shop
from kit import make_app, ready, shown_run, text, until
from textual.pilot import Pilot

from helix_core.paths import Project
from helix_core.store.connection import open_store
from helix_tui.app import HelixApp
from helix_tui.screens.runs import Runs
from helix_tui.widgets import dag_art
from helix_tui.widgets.dag_view import DagView
from helix_tui.widgets.live_table import LiveTable

SIZE = (120, 36)


def plan_of(app: HelixApp) -> DagView:
    return app.screen.query_one(DagView)


def agents(app: HelixApp) -> LiveTable:
    return app.screen.query_one("#agents", LiveTable)


async def drawn(pilot: Pilot[None]) -> None:
    await ready(pilot)
    app = pilot.app
    assert isinstance(app, HelixApp)
    await until(pilot, lambda: plan_of(app).drawing.boxes, "the drawing")


async def test_walking_over_tasks_selects_their_agents(project: Project) -> None:
    app = make_app(project)
    async with app.run_test(size=SIZE) as pilot:
        await drawn(pilot)
        plan = plan_of(app)
        assert plan.key == "3"  # the task of the agent that is shown
        plan.focus()
        await pilot.press("up")
        assert plan.key == "2"
        await until(pilot, lambda: shown_run(app).agent == agents(app).key)
        assert "✗ blocked (self)" in text(app)
        await pilot.press("left")
        assert plan.key == "1"
        await until(pilot, lambda: "orders table" in text(app))
        await pilot.press("l", "l")
        assert plan.key == "4"  # nobody has worked on it: the agent stays
        await pilot.press("g", "enter")
        assert plan.key == "1"
        assert app.focused is agents(app)


async def test_an_agent_selects_its_task_and_links_are_marked(project: Project) -> None:
    app = make_app(project)
    async with app.run_test(size=SIZE) as pilot:
        await drawn(pilot)
        await pilot.press("k", "k", "k")
        await until(pilot, lambda: plan_of(app).key == "1")
        assert "┏ 1 orders-migration" in text(app)
        assert "┫" in text(app)
        await pilot.press("k")  # the planner has no task
        assert plan_of(app).key == "1"


async def test_the_mouse_selects_a_task_and_opens_it(project: Project) -> None:
    app = make_app(project)
    async with app.run_test(size=SIZE) as pilot:
        await drawn(pilot)
        box = plan_of(app).drawing.boxes["2"]
        await pilot.click("#plan", offset=(box.x + 4, box.y + 1))
        assert plan_of(app).key == "2"
        await pilot.click("#plan", offset=(box.x + 4, box.y + 1), times=2)
        await until(pilot, lambda: app.focused is agents(app))


async def test_the_cursor_and_the_drawing_survive_a_refresh(project: Project) -> None:
    app = make_app(project)
    async with app.run_test(size=SIZE) as pilot:
        await drawn(pilot)
        plan = plan_of(app)
        plan.focus()
        await pilot.press("left")
        drawing, key = plan.drawing, plan.key
        world = shop.World(project.root)
        world.now = shop.NOW
        world.call("builder", shop.prompt(2, "the checkout form rounds prices, again"))
        await until(pilot, lambda: "2 tries" in text(app).split("price-rounding")[1][:400])
        assert plan.key == key
        assert plan.drawing is drawing  # the plan is the same: only its boxes were written anew
        assert app.focused is plan


async def test_a_state_shows_within_a_second_of_its_hook(project: Project) -> None:
    app = make_app(project)
    async with app.run_test(size=SIZE) as pilot:
        await drawn(pilot)
        assert "· pending" in text(app)
        assert app.feed._interval < 0.5  # looks that often; what it finds is drawn at once
        world = shop.World(project.root)
        world.now = shop.NOW
        world.call("builder", shop.prompt(4, "send the order mail"))
        await until(pilot, lambda: "· pending" not in text(app))


async def test_tasks_as_a_list_and_back(project: Project) -> None:
    app = make_app(project)
    async with app.run_test(size=SIZE) as pilot:
        await drawn(pilot)
        plan_of(app).focus()
        await pilot.press("t")
        await until(pilot, lambda: not plan_of(app).display)
        tasks = app.screen.query_one("#tasks", LiveTable)
        assert app.focused is tasks
        assert "4: mail" in text(app)
        await pilot.press("g")
        await until(pilot, lambda: plan_of(app).key == "1")
        assert agents(app).key == shown_run(app).agents[1].id
        await pilot.press("t")
        await until(pilot, lambda: plan_of(app).display)
        assert app.focused is plan_of(app)


async def test_a_narrow_screen_lists_a_plan_that_does_not_fit(project: Project) -> None:
    world = shop.World(project.root)
    world.now = shop.NOW
    chain = [
        {"seq": n, "slug": f"step-{n}", "description": "A step", "blocked_by": [n - 1][: n - 1]}
        for n in range(1, 8)
    ]
    planner = world.call("planner", "OBJECTIVE: seven steps\n")
    world.later(seconds=5)
    spec = f"PLAN_SPEC:\n{json.dumps(chain)}\n\nPLAN_COMPLETE: 7 tasks specified"
    world.end(planner, "planner", spec)
    app = make_app(project)
    async with app.run_test(size=(80, 24)) as pilot:
        await drawn(pilot)
        assert not plan_of(app).display
        assert "7: step-7" in text(app) or "1: step-1" in text(app)
        await pilot.press("t")
        await until(pilot, lambda: plan_of(app).display)
        plan_of(app).focus()
        await pilot.press("end")
        assert plan_of(app).key == "7"
        await until(pilot, lambda: "7 step-7" in text(app), "scrolled there")
        await pilot.resize_terminal(160, 40)
        await until(pilot, lambda: "1 step-1" in text(app) or plan_of(app).scroll_offset.x > 0)


async def test_a_run_is_chosen_from_the_list(project: Project) -> None:
    app = make_app(project)
    async with app.run_test(size=SIZE) as pilot:
        await drawn(pilot)
        await pilot.press("r")
        await until(pilot, lambda: isinstance(app.screen, Runs))
        assert "the shop takes orders" in text(app)
        await pilot.press("j", "enter")
        await until(pilot, lambda: "Run 1 of 2" in text(app))
        await pilot.press("r", "escape")
        await until(pilot, lambda: not isinstance(app.screen, Runs))
        assert "Run 1 of 2" in text(app)
        await pilot.press("r", "g", "enter")
        await until(pilot, lambda: "Run 2 of 2 newest" in text(app))
        assert app.view.wanted().rows.run == ""  # the newest one is followed


async def test_a_plan_in_a_circle_says_so(project: Project) -> None:
    conn = open_store(project.database)
    conn.execute("UPDATE task SET blocked_by = '[1, 4]' WHERE seq = '2'")
    conn.close()
    app = make_app(project)
    async with app.run_test(size=SIZE) as pilot:
        await drawn(pilot)
        assert "in a circle: " in text(app)
        assert "4 mail" in text(app)


async def test_text_of_a_plan_is_literal(project: Project) -> None:
    conn = open_store(project.database)
    conn.execute("UPDATE task SET slug = '[red]x[/] \x1b[31m' WHERE seq = '2'")
    conn.execute("UPDATE agent_run SET objective = '[/etc/hosts]' WHERE objective IS NOT NULL")
    conn.close()
    app = make_app(project)
    async with app.run_test(size=SIZE) as pilot:
        await drawn(pilot)
        assert "2 [red]x[/] ␛[3" in text(app)
        await pilot.press("r")
        await pilot.pause()


async def test_sizes_down_to_nothing_and_up(project: Project) -> None:
    app = make_app(project)
    async with app.run_test(size=SIZE) as pilot:
        await drawn(pilot)
        for size in (
            (1, 1),
            (20, 5),
            (300, 2),
            (61, 16),
            (110, 17),
            (150, 20),
            (240, 70),
            (80, 24),
        ):
            await pilot.resize_terminal(*size)
            await pilot.pause()
        await until(pilot, lambda: "2 price-rounding" in text(app))


async def test_zoomed_a_low_plan_has_room_for_boxes(project: Project) -> None:
    conn = open_store(project.database)
    conn.executemany(
        "INSERT INTO task(run_id, seq, slug, description, blocked_by, position)"
        " SELECT max(run_id), ?, ?, '', '[1]', ? FROM task WHERE ?",
        [(str(n), f"more-{n}", n, 1) for n in range(5, 10)],
    )
    conn.close()
    app = make_app(project)
    async with app.run_test(size=SIZE) as pilot:
        await drawn(pilot)
        plan = plan_of(app)
        assert {box.height for box in plan.drawing.boxes.values()} == {1}
        plan.focus()
        await pilot.press("z")
        await until(pilot, lambda: {b.height for b in plan.drawing.boxes.values()} == {3})
        await pilot.press("z")
        await until(pilot, lambda: {b.height for b in plan.drawing.boxes.values()} == {1})


async def test_a_plan_too_long_to_draw_is_a_list(project: Project) -> None:
    conn = open_store(project.database)
    conn.executemany(
        "INSERT INTO task(run_id, seq, slug, description, blocked_by, position)"
        " SELECT max(run_id), ?, ?, '', '[]', ? FROM task WHERE ?",
        [(str(n), f"more-{n}", n, 1) for n in range(5, 5 + dag_art.TASKS)],
    )
    conn.close()
    app = make_app(project)
    async with app.run_test(size=SIZE) as pilot:
        await ready(pilot)
        await until(pilot, lambda: "404 tasks" in text(app))
        assert not plan_of(app).display
        assert app.screen.query_one("#tasks", LiveTable).display
        assert "List" not in text(app).splitlines()[-1]


async def test_a_contradicted_outcome_says_why_it_counts_for_nothing(project: Project) -> None:
    conn = open_store(project.database)
    conn.execute("UPDATE agent_run SET outcome_source = 'contradicted' WHERE state = 'delivered'")
    conn.close()
    app = make_app(project)
    async with app.run_test(size=(160, 48)) as pilot:
        await ready(pilot)
        await pilot.press("k", "k", "k")
        await until(pilot, lambda: "✓ delivered (contradicted)" in text(app))
        said = " ".join(text(app).split())
        assert "its agent says delivered, its last VERIFY run says otherwise" in said
        assert "5 Learn asks you" in said
