"""View 3: every figure is a count of rows, and every bar opens exactly those rows."""

from __future__ import annotations

import shop
from kit import make_app, ready, shown, shown_insights, text, until

from helix_core.paths import Project
from helix_core.store import view_figures, view_insight, views
from helix_core.store.connection import open_store
from helix_core.store.views import PageQuery
from helix_tui.app import HelixApp
from helix_tui.glyphs import Glyphs
from helix_tui.state import Effectiveness
from helix_tui.widgets import insight_text
from helix_tui.widgets.bar_chart import BarChart
from helix_tui.widgets.filter_bar import FilterBar
from helix_tui.widgets.live_table import LiveTable

SIZE = (120, 36)


def figures(project: Project) -> Effectiveness:
    conn = open_store(project.database, readonly=True)
    found = view_figures.effectiveness(conn)
    conn.close()
    return found


def chart(app: HelixApp, name: str) -> BarChart:
    return app.screen.query_one(f"#{name}", BarChart)


def spread(project: Project) -> None:
    """Give the insights contexts enough to have a generality."""
    conn = open_store(project.database)
    conn.execute("UPDATE insight SET context_count = 3, context_spread = id * 0.05 WHERE id > 1")
    conn.close()


def test_every_bin_counts_what_its_filter_lets_through(project: Project) -> None:
    spread(project)
    found = figures(project)
    conn = open_store(project.database, readonly=True)
    for histogram in (found.effectiveness, found.generality, found.velocity):
        assert histogram.known + histogram.unknown == 9
        for one in histogram.bins:
            assert views.page(conn, PageQuery(text=one.filter)).matching == one.count
    assert found.generality.unknown == 1
    assert found.generality.bins[-1].count == 4  # 0.30 to 0.45
    for line in found.calibration:
        assert views.page(conn, PageQuery(text=line.filter)).matching
    given = {line.filter: views.page(conn, PageQuery(text=line.filter)) for line in found.outcomes}
    assert {name: page.matching for name, page in given.items()} == {
        "given:builder on:2026-03-14": 3,
        "given:planner on:2026-03-14": 0,
        "given:builder on:2026-03-12": 3,
    }
    conn.close()


def test_the_figures_are_those_of_health_and_stats(project: Project) -> None:
    world = shop.World(project.root)
    health, stats = world.run("health", {}), world.run("stats", {})
    found = figures(project)
    assert found.loop.coverage == health["loop_coverage"]
    assert found.loop.causal_ratio == health["causal_ratio"]
    assert (found.loop.helped, found.loop.hurt) == (
        stats["credit"]["helped"],
        stats["credit"]["hurt"],
    )
    assert found.loop.calibration_error == stats["calibration_error"]
    assert [(c.label, c.tasks, c.rate) for c in found.calibration] == [
        (c["score"], c["tasks"], c["rate"]) for c in stats["calibration"]
    ]
    tenths = {f"{n / 10:.1f}-{(n + 1) / 10:.1f}": b for n, b in enumerate(found.effectiveness.bins)}
    assert {k: b.count for k, b in tenths.items() if b.count} == stats["effectiveness"]
    assert {b.label: b.count for b in found.velocity.bins if b.count} == stats["velocity"]


def test_outcomes_of_many_days_are_told_by_the_month(project: Project) -> None:
    conn = open_store(project.database)
    for day in range(1, 21):
        conn.execute(
            "INSERT INTO agent_run(session_id, agent_type, state, created_at, ended_at)"
            f" VALUES ('s', 'helix-builder', 'blocked', '2026-02-{day:02d}T10:00:00.000+00:00',"
            f" '2026-02-{day:02d}T11:00:00.000+00:00')"
        )
    conn.close()
    lines = figures(project).outcomes
    assert [(line.period, line.ended) for line in lines if line.agent_type == "helix-builder"] == [
        ("2026-03", 6),
        ("2026-02", 20),
    ]
    assert lines[-1].states == (("blocked", 20),)


async def test_a_bar_opens_its_rows(project: Project) -> None:
    app = make_app(project, "effectiveness")
    async with app.run_test(size=SIZE) as pilot:
        await ready(pilot)
        await until(pilot, lambda: app.focused is chart(app, "by-effectiveness"))
        bars = chart(app, "by-effectiveness")
        assert bars.cursor == 6  # where there is most
        assert "3 insights" in str(bars.border_title)
        await pilot.press("h", "h", "left")
        await until(pilot, lambda: ".3: 2 insights" in text(app))
        await pilot.press("enter")
        await until(pilot, lambda: app.current_mode == "insights")
        await until(pilot, lambda: shown_insights(app).wanted.text == "eff:0.3-0.4")
        await until(pilot, lambda: "2 insights" in text(app))
        assert app.screen.query_one(FilterBar).text == "eff:0.3-0.4"
        await pilot.press("escape")
        await until(pilot, lambda: "9 insights" in text(app))


async def test_an_empty_bar_opens_nothing(project: Project) -> None:
    app = make_app(project, "effectiveness")
    async with app.run_test(size=SIZE) as pilot:
        await ready(pilot)
        await until(pilot, lambda: app.focused is chart(app, "by-effectiveness"))
        await pilot.press("l", "l", "l", "enter")
        await until(pilot, lambda: ".9: 0 insights" in text(app))
        assert app.current_mode == "effectiveness"


async def test_rows_of_the_tables_open_theirs(project: Project) -> None:
    app = make_app(project, "effectiveness")
    async with app.run_test(size=SIZE) as pilot:
        for name, filtered in (
            ("loop", "is:used"),
            ("calibration", "shown:0.5-0.6"),
            ("outcomes", "given:builder on:2026-03-14"),
        ):
            await ready(pilot)
            table = app.screen.query_one(f"#{name}", LiveTable)
            table.focus()
            await until(pilot, lambda table=table: table.row is not None and table.has_focus)
            await pilot.press("enter")
            await until(pilot, lambda: app.current_mode == "insights")
            await until(
                pilot, lambda filtered=filtered: shown_insights(app).wanted.text == filtered
            )
            await pilot.press("3")
            await until(pilot, lambda: app.current_mode == "effectiveness")


async def test_the_mouse_selects_and_opens_a_bar(project: Project) -> None:
    app = make_app(project, "effectiveness")
    async with app.run_test(size=SIZE) as pilot:
        await ready(pilot)
        bars = chart(app, "by-velocity")
        await pilot.click("#by-velocity", offset=(3, 6))
        await until(pilot, lambda: bars.has_focus and bars.cursor == 0)
        await pilot.click("#by-velocity", offset=(3, 6), times=2)
        await until(pilot, lambda: app.current_mode == "insights")
        await until(pilot, lambda: shown_insights(app).wanted.text == "vel:0")


async def test_the_cursor_stays_on_its_bar_while_others_write(project: Project) -> None:
    app = make_app(project, "effectiveness")
    async with app.run_test(size=SIZE) as pilot:
        await ready(pilot)
        await until(pilot, lambda: app.focused is chart(app, "by-effectiveness"))
        await pilot.press("h")
        await until(pilot, lambda: ".5: 2 insights" in text(app))
        shop.World(project.root).store("When others write, count again because figures age")
        await until(pilot, lambda: ".5: 3 insights" in text(app))
        assert shown(app).counts.insights == 10


async def test_the_lift_is_a_line_of_the_loop_once_something_was_held_out(
    project: Project,
) -> None:
    assert figures(project).lift is None
    shop.hold_out(project, 12)
    found = figures(project)
    assert found.lift is not None and found.lift.told.startswith("not enough data yet: 12 of ")
    stats = shop.World(project.root).run("stats", {})
    assert stats["lift"]["told"] == found.lift.told
    app = make_app(project, "effectiveness")
    async with app.run_test(size=SIZE) as pilot:
        await ready(pilot)
        await until(pilot, lambda: "not enough data yet: 12 of about" in text(app))
        assert app.screen.query_one("#loop", LiveTable).size.height == 4


def test_enough_of_it_is_told_with_its_interval(project: Project) -> None:
    shop.hold_out(project, 700)
    found = figures(project).lift
    assert found is not None and " points (95%: " in found.told
    conn = open_store(project.database, readonly=True)
    told = {number: view_insight.detail(conn, number) for number in (1, 7)}
    conn.close()
    one, untried = told[1], told[7]
    assert one is not None and " points (95%: " in one.lift
    assert untried is not None and untried.lift == ""
    history = shop.World(project.root).run("history", {"name": one.line.name})
    assert history["lift"]["told"] == one.lift
    lines = "".join(
        word for line in insight_text.about(one, Glyphs(), shop.NOW) for word, _ in line
    )
    assert f"lift: {one.lift}" in lines
