"""What the dashboard does, driven by keys and mouse through Textual's pilot."""

from __future__ import annotations

import re

import pytest
import shop
from kit import make_app, ready, shown, shown_insights, shown_run, text, until
from textual.command import CommandPalette
from textual.pilot import Pilot
from textual.widgets import Input

from helix_core.paths import Project
from helix_core.store import insights
from helix_core.store.connection import open_store
from helix_tui import actions, views
from helix_tui.app import HelixApp
from helix_tui.screens.confirm import Confirm
from helix_tui.screens.help import Help
from helix_tui.widgets.filter_bar import FilterBar
from helix_tui.widgets.live_table import LiveTable

SIZE = (100, 30)


def table(app: HelixApp, name: str) -> LiveTable:
    return app.screen.query_one(f"#{name}", LiveTable)


def names(project: Project) -> set[str]:
    conn = open_store(project.database, readonly=True)
    found = {row.name for row in insights.all_insights(conn)}
    conn.close()
    return found


async def test_the_run_view_shows_agents_tasks_and_what_they_got(project: Project) -> None:
    app = make_app(project)
    async with app.run_test(size=(120, 36)) as pilot:
        await ready(pilot)
        screen = text(app)
        for words in ("Run 2 of 2", "1 running", "▸ running", "! crashed", "✗ blocked", "4 mail"):
            assert words in screen
        assert "degraded (keyword only)" in screen
        assert "shop" in screen.splitlines()[0]
        await pilot.press("k", "k")
        await until(pilot, lambda: shown_run(app).agent == 6)
        screen = text(app)
        assert "50% -> 40%" in screen
        assert "✗ blocked (self)" in screen
        assert "When the checkout form rounds prices, use Decimal because" in screen


async def test_the_newest_run_is_followed_until_another_is_chosen(project: Project) -> None:
    app = make_app(project)
    async with app.run_test(size=SIZE) as pilot:
        await ready(pilot)
        await pilot.press("left_square_bracket")
        await until(pilot, lambda: "Run 1 of 2" in text(app))
        assert "over after" in text(app)
        assert not app.screen.query_one("#plan-pane").display
        world = shop.World(project.root)
        world.now = shop.NOW
        world.call("builder", shop.prompt(4, "send the order mail"))
        await until(pilot, lambda: shown(app).counts.running == 2)
        assert "Run 1 of 2" in text(app)
        await pilot.press("n")
        await until(pilot, lambda: "Run 2 of 2 newest  6 agents" in text(app))


async def test_an_insight_opens_from_where_it_was_given(project: Project) -> None:
    app = make_app(project)
    async with app.run_test(size=SIZE) as pilot:
        await ready(pilot)
        await pilot.press("enter")
        assert app.focused is table(app, "given")
        key = table(app, "given").key
        await pilot.press("enter")
        await until(pilot, lambda: app.current_mode == "insights")
        await until(pilot, lambda: table(app, "insights").key == key)
        await until(pilot, lambda: "When a webhook arrives twice" in text(app))
        assert shown_insights(app).detail.line.id == key  # type: ignore[union-attr]


async def test_cursor_scroll_and_filter_survive_what_others_write(project: Project) -> None:
    world = shop.World(project.root)
    for number in range(60):
        world.store(f"When row {number} of kind {number * 104729} comes then keep {number * 31}")
    app = make_app(project, "insights")
    async with app.run_test(size=SIZE) as pilot:
        await ready(pilot)
        await pilot.press("slash", *"row", "enter")
        await until(pilot, lambda: table(app, "insights")._total == 60)
        await pilot.press(*("j" * 30))
        await ready(pilot)
        view = table(app, "insights")
        key, line = view.key, view.cursor - view.scroll_offset.y
        assert view.scroll_offset.y > 0
        conn = open_store(project.database)
        conn.execute("UPDATE insight SET effectiveness = 0.9 WHERE id > 50")
        conn.close()
        await until(pilot, lambda: view.cursor > 30)
        assert view.key == key
        assert view.cursor - view.scroll_offset.y == line
        assert app.screen.query_one(FilterBar).text == "row"
        conn = open_store(project.database)
        conn.execute("DELETE FROM insight WHERE id = ?", (key,))
        conn.close()
        await until(pilot, lambda: view._total == 59)
        assert view.key is not None
        assert view.key != key


async def test_letters_are_letters_in_the_filter(project: Project) -> None:
    app = make_app(project, "insights")
    async with app.run_test(size=SIZE) as pilot:
        await ready(pilot)
        await pilot.press("slash", *"quid", "space", "1", "question_mark")
        assert app.screen.query_one(Input).value == "quid 1?"
        await until(pilot, lambda: "No insight matches" in text(app))
        assert app.is_running
        await pilot.press("escape")
        await until(pilot, lambda: "9 insights" in text(app))
        assert app.focused is table(app, "insights")
        assert not app.screen.query_one(FilterBar).display


async def test_sort_and_reverse_show_column_and_direction(project: Project) -> None:
    app = make_app(project, "insights")
    async with app.run_test(size=SIZE) as pilot:
        await ready(pilot)
        assert "eff▼" in text(app)
        await pilot.press("s")
        await until(pilot, lambda: "uses▼" in text(app))
        await pilot.press("S")
        await until(pilot, lambda: "uses▲" in text(app))
        head = text(app).splitlines()[2]
        await pilot.click("#insights", offset=(head.index("age"), 1))
        await until(pilot, lambda: "age▼" in text(app))
        await until(pilot, lambda: table(app, "insights").key == 9)


async def test_trash_asks_and_the_default_is_cancel(project: Project) -> None:
    before = names(project)
    app = make_app(project, "insights")
    async with app.run_test(size=SIZE) as pilot:
        await ready(pilot)
        await pilot.press("d")
        await until(pilot, lambda: isinstance(app.screen, Confirm))
        assert app.focused is not None
        assert app.focused.id == "cancel"
        await pilot.press("enter")
        await until(pilot, lambda: not isinstance(app.screen, Confirm))
        await pilot.press("d")
        await until(pilot, lambda: isinstance(app.screen, Confirm))
        await pilot.press("escape")
        await until(pilot, lambda: not isinstance(app.screen, Confirm))
        assert names(project) == before


async def test_trash_and_undo_by_keys(project: Project) -> None:
    before = names(project)
    app = make_app(project, "insights")
    async with app.run_test(size=SIZE) as pilot:
        await ready(pilot)
        await pilot.press("j", "d")
        await until(pilot, lambda: isinstance(app.screen, Confirm))
        await pilot.press("y")
        await until(pilot, lambda: shown(app).counts.insights == 8)
        assert len(names(project)) == 8
        await until(pilot, lambda: table(app, "insights")._total == 8)
        await pilot.press("u")
        await until(pilot, lambda: shown(app).counts.insights == 9)
        assert names(project) == before


async def test_a_row_trashed_elsewhere_is_a_word_not_an_error(project: Project) -> None:
    app = make_app(project, "insights")
    async with app.run_test(size=SIZE) as pilot:
        await ready(pilot)
        await pilot.press("d")
        await until(pilot, lambda: isinstance(app.screen, Confirm))
        other = make_app(project, "insights")
        name = shown_insights(app).page.rows[0].name
        other._in_thread("trash", (name,))
        await pilot.press("y")
        await until(pilot, lambda: len(app._notifications) > 0)
        assert [n.severity for n in app._notifications] == ["warning"]


async def test_pin_shows_a_sign(project: Project) -> None:
    app = make_app(project, "insights")
    async with app.run_test(size=SIZE) as pilot:
        await ready(pilot)
        await pilot.press("p")
        await until(pilot, lambda: "◆" in text(app))
        await pilot.press("p")
        await until(pilot, lambda: "◆" not in text(app))


async def test_pause_holds_the_picture(project: Project) -> None:
    app = make_app(project, "insights")
    async with app.run_test(size=SIZE) as pilot:
        await ready(pilot)
        await pilot.press("space")
        await until(pilot, lambda: "paused" in text(app))
        shop.World(project.root).store("When paused, wait because somebody reads")
        await until(pilot, lambda: "paused, news waits" in text(app))
        assert "9 insights" in text(app)
        await pilot.press("j")
        await until(pilot, lambda: shown_insights(app).wanted.key_index == 1)
        await pilot.press("space")
        await until(pilot, lambda: "10 insights" in text(app))


@pytest.mark.parametrize("view", views.NAMES)
async def test_no_size_is_too_odd(project: Project, view: str) -> None:
    app = make_app(project, view)
    async with app.run_test(size=SIZE) as pilot:
        await ready(pilot)
        for size in ((1, 1), (20, 5), (300, 2), (2, 80), (59, 30), (80, 15), (200, 60), (60, 16)):
            await pilot.resize_terminal(*size)
            await pilot.pause()
            if size[0] >= 40 and (size[0] < 60 or size[1] < 16):
                assert "a little more room" in text(app)
        assert "degraded" in text(app)


async def test_b12_text_from_memory_is_literal_everywhere(project: Project) -> None:
    nasty = "When [/] or [/etc/hosts] or [red]x[/blue] \x1b[31mcomes show it [link=http://x]y"
    conn = open_store(project.database)
    conn.execute('UPDATE insight SET content = ?, tags = \'["[/]", "a[b"]\'', (nasty,))
    conn.execute("UPDATE agent_run SET task = ?, summary = ?, task_id = '[/x]'", (nasty, nasty))
    conn.execute("UPDATE run SET objective = ?", (nasty,))
    conn.execute("UPDATE task SET slug = ?", (nasty,))
    conn.execute("UPDATE hook_call SET event = ?", (nasty,))
    conn.close()
    app = make_app(project)
    async with app.run_test(size=(200, 50)) as pilot:
        await ready(pilot)
        assert text(app).count("[/] or [/etc/hosts] or [red]x[/blue] ␛[31mcomes") >= 3
        await pilot.press("2")
        await ready(pilot)
        assert "[red]x[/blue] ␛[31mcomes" in text(app)
        assert "[/] a[b" in text(app)
        await pilot.press("d")
        await until(pilot, lambda: isinstance(app.screen, Confirm))
        assert "[red]x[/blue] ␛[31mcomes" in text(app)
        await pilot.press("y")
        await until(pilot, lambda: shown(app).counts.insights == 8)
        assert "\x1b" not in text(app)


async def test_help_lists_the_keys_of_the_view_and_closes(project: Project) -> None:
    app = make_app(project, "insights")
    async with app.run_test(size=(100, 50)) as pilot:
        await ready(pilot)
        await pilot.press("question_mark")
        await until(pilot, lambda: isinstance(app.screen, Help))
        await until(pilot, lambda: "Filter as you type" in text(app))
        assert "Move the insight to the trash" in text(app)
        await pilot.press("q")
        await until(pilot, lambda: not isinstance(app.screen, Help))
        assert app.is_running


async def test_the_palette_has_every_action(project: Project) -> None:
    app = make_app(project, "insights")
    async with app.run_test(size=SIZE) as pilot:
        await ready(pilot)
        offered = {command.title for command in app.get_system_commands(app.screen)}
        for action in (*actions.of("app"), *actions.of("insights")):
            assert action.label in offered or not action.palette
        await pilot.press("colon")
        await until(pilot, lambda: isinstance(app.screen, CommandPalette))
        await pilot.press("escape")


async def test_no_memory_yet_then_one(bare: Project) -> None:
    app = make_app(bare)
    async with app.run_test(size=SIZE) as pilot:
        await until(pilot, lambda: "No memory here yet" in text(app))
        assert "~/bare/.helix/helix.db" in text(app)
        assert "○ off" in text(app)
        shop.World(bare.root).store("When it appears, show it because somebody waits")
        await until(pilot, lambda: "No memory here yet" not in text(app))
        await pilot.press("2")
        await until(pilot, lambda: "When it appears" in text(app))


async def test_running_clocks_go_on_without_any_change(
    project: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    app = make_app(project)
    async with app.run_test(size=SIZE) as pilot:
        await ready(pilot)
        assert re.search(r"running .* 19m50", text(app))
        monkeypatch.setenv("HELIX_NOW", "2026-03-14T12:01:05+00:00")
        await until(pilot, lambda: re.search(r"running .* 20m55", text(app)))


async def test_plain_characters_only(project: Project) -> None:
    for view in views.NAMES:
        app = make_app(project, view, ascii_only=True)
        async with app.run_test(size=SIZE) as pilot:
            await ready(pilot)
            screen = text(app)
            assert "> running" in screen or view != "run"
            ours = {c for c in screen if not c.isascii()}
            assert ours <= set("…─▁▂▃▄▅▆▇█▎▊"), ours


async def test_leaving_ends_the_thread_and_lets_go_of_the_file(project: Project) -> None:
    app = make_app(project)
    async with app.run_test(size=SIZE) as pilot:
        await ready(pilot)
        feed = app.feed
        assert feed.is_alive()
        await pilot.press("q")
    assert not feed.is_alive()
    assert feed._source._conn is None


async def _scroll_to_the_end(pilot: Pilot[None], app: HelixApp) -> None:
    await pilot.press("G")
    await until(pilot, lambda: table(app, "insights").key is not None)


async def test_ten_thousand_rows_are_a_window(project: Project, tmp_path_factory: object) -> None:
    world = shop.many(project.root.parent / "many", 10_000)
    app = make_app(world.project, "insights")
    async with app.run_test(size=SIZE) as pilot:
        await ready(pilot)
        view = table(app, "insights")
        assert "10,000 insights" in text(app)
        assert len(view._rows) <= 200
        await _scroll_to_the_end(pilot, app)
        assert view.cursor == 9_999
        await until(pilot, lambda: "When part" in text(app).splitlines()[12])
        assert len(view._rows) <= 200
        key = view.key
        conn = open_store(world.project.database)
        conn.execute("UPDATE insight SET effectiveness = 1.0 WHERE id = ?", (key,))
        conn.close()
        await until(pilot, lambda: view.cursor < 200)
        assert view.key == key
        await until(pilot, lambda: view._row(view.cursor) is not None)
        await ready(pilot)
        assert shown_insights(app).detail.line.id == key  # type: ignore[union-attr]


async def test_time_alone_draws_no_table_again(project: Project) -> None:
    app = make_app(project, "insights")
    async with app.run_test(size=SIZE) as pilot:
        await ready(pilot)
        ticks, draws = 0, 0
        screen, tick, draw = app.view, app.view.show, app.view.draw

        def ticked() -> None:
            nonlocal ticks
            ticks += 1
            tick()

        def drawn(*args: object) -> None:
            nonlocal draws
            draws += 1
            draw(*args)  # type: ignore[arg-type]

        screen.show, screen.draw = ticked, drawn  # type: ignore[method-assign]
        await until(pilot, lambda: ticks >= 3)
        assert draws == 0
        screen.redraw()
        assert draws == 1


@pytest.mark.parametrize(
    ("room", "words"),
    [
        (100, "◐ degraded (keyword only) │ shop │ live, changed 12m"),
        (80, "◐ degraded (keyword only) │ shop │ 12m"),
        (60, "◐ degraded │ shop │ 12m"),
    ],
)
async def test_the_first_line_always_tells_state_project_and_age(
    project: Project, room: int, words: str
) -> None:
    shop.World(project.root).run("learn-ask", {"document": {"questions": shop.QUESTIONS}})
    app = make_app(project)
    async with app.run_test(size=(room, 24)) as pilot:
        await ready(pilot)
        first = text(app).splitlines()[0]
        age = first.rpartition("│")[2].split()[-1]
        assert first.endswith(words.replace("12m", age))
        assert f"5 Learn ({2})" in first or f"5 ({2})" in first
