"""The mouse does what the keys do: views, footer, rows, drawings, bars, options, dialogs."""

from __future__ import annotations

import pytest
import shop
from kit import make_app, ready, shown, shown_insights, shown_run, text, until
from rich.cells import cell_len
from textual.command import CommandPalette
from textual.events import MouseScrollDown
from textual.pilot import Pilot

from helix_core.paths import Project
from helix_tui import views
from helix_tui.app import HelixApp
from helix_tui.screens.base import ViewScreen
from helix_tui.screens.confirm import Confirm
from helix_tui.screens.editor import EditText
from helix_tui.screens.help import Help
from helix_tui.screens.runs import Runs
from helix_tui.screens.trash_list import TrashList
from helix_tui.state import LearnView
from helix_tui.widgets.filter_bar import FilterBar
from helix_tui.widgets.graph_canvas import GraphCanvas
from helix_tui.widgets.live_table import LiveTable

SIZE = (120, 36)


def table(app: HelixApp, name: str) -> LiveTable:
    return app.screen.query_one(f"#{name}", LiveTable)


async def click(pilot: Pilot[None], words: str, *, times: int = 1, last: bool = False) -> None:
    """Click where the screen says something, as soon as it does."""
    app = pilot.app
    assert isinstance(app, HelixApp)
    await until(pilot, lambda: words in text(app), words)
    lines = list(enumerate(text(app).splitlines()))
    y, line = next((y, line) for y, line in (lines[::-1] if last else lines) if words in line)
    x = cell_len(line[: line.index(words)])
    await pilot.click(offset=(x, y), times=times)
    await pilot.pause()


async def footer(pilot: Pilot[None], words: str) -> None:
    await click(pilot, words, last=True)


async def test_the_first_line_goes_to_every_view_and_to_all_commands(project: Project) -> None:
    app = make_app(project)
    async with app.run_test(size=(160, 36)) as pilot:
        await ready(pilot)
        for view in (*views.VIEWS[1:], views.VIEWS[0]):
            await click(pilot, view.label)
            await until(pilot, lambda name=view.name: app.current_mode == name)  # type: ignore[misc]
            await ready(pilot)
        await click(pilot, "≡")
        await until(pilot, lambda: isinstance(app.screen, CommandPalette))
        await pilot.press("escape")
        await until(pilot, lambda: isinstance(app.screen, ViewScreen))
        await click(pilot, "degraded")
        await until(pilot, lambda: app.current_mode == "health")


async def test_the_footer_does_what_its_keys_do(project: Project) -> None:
    app = make_app(project, "insights")
    async with app.run_test(size=SIZE) as pilot:
        await ready(pilot)
        await footer(pilot, "s Sort")
        await until(pilot, lambda: "uses▼" in text(app))
        await footer(pilot, "p Pin")
        await until(pilot, lambda: "◆" in text(app))
        await footer(pilot, "u Undo")
        await until(pilot, lambda: "◆" not in text(app))
        await footer(pilot, "e Edit")
        await click(pilot, "Cancel (esc)")
        await until(pilot, lambda: not isinstance(app.screen, EditText))
        await footer(pilot, "d Trash")
        await click(pilot, "Cancel (n)")
        await until(pilot, lambda: not isinstance(app.screen, Confirm))
        assert shown(app).counts.insights == 9
        await footer(pilot, "/ Filter")
        await until(pilot, lambda: app.screen.query_one(FilterBar).display)
        await pilot.press(*"price")
        await footer(pilot, "Keep")
        await until(pilot, lambda: table(app, "insights").has_focus)
        await footer(pilot, "space Pause")
        await until(pilot, lambda: app.paused)
        await footer(pilot, "? Help")
        await click(pilot, "escape closes")
        await until(pilot, lambda: not isinstance(app.screen, Help))
        await footer(pilot, "q Quit")
        await until(pilot, lambda: not app.is_running or app._exit)


async def test_rows_are_selected_opened_and_scrolled(project: Project) -> None:
    world = shop.World(project.root)
    for number in range(60):
        world.store(f"When row {number} of kind {number * 104729} comes then keep {number * 31}")
    app = make_app(project, "insights")
    async with app.run_test(size=SIZE) as pilot:
        await ready(pilot)
        await click(pilot, "When parsing dates", times=2)
        third = next(r for r in shown_insights(app).page.rows if "parsing dates" in r.content)
        assert table(app, "insights").key == third.id
        await until(pilot, lambda: app.focused is not None and app.focused.id == "detail")
        before = table(app, "insights").scroll_offset.y
        for _ in range(3):
            await pilot._post_mouse_events([MouseScrollDown], offset=(20, 10))
        await until(pilot, lambda: table(app, "insights").scroll_offset.y > before)
        assert table(app, "insights").key == third.id


async def test_tasks_agents_insights_and_events_of_a_run(project: Project) -> None:
    app = make_app(project)
    async with app.run_test(size=(160, 48)) as pilot:
        await ready(pilot)
        await click(pilot, "2 price-rounding")
        await until(pilot, lambda: shown_run(app).agent == 6, "the agent of the task")
        await click(pilot, "3 webhook", times=2)
        await until(pilot, lambda: table(app, "agents").has_focus)
        await click(pilot, "add a migration")
        await until(pilot, lambda: shown_run(app).agent == 5, "the agent under the mouse")
        await click(pilot, "↑ 50% -> 60%", times=2)  # what it was given
        await until(pilot, lambda: app.current_mode == "insights")
        await until(pilot, lambda: "NOT NULL" in text(app))
        await click(pilot, "1 Run")
        await ready(pilot)
        await click(pilot, "helix-builder 2: the price list", times=2)  # what happened
        await until(pilot, lambda: shown_run(app).agent == 6, "the agent of the event")
        assert table(app, "agents").has_focus
        await click(pilot, "when-the-checkout-form", times=2, last=True)
        await until(pilot, lambda: app.current_mode == "insights")
        await until(pilot, lambda: "What moved it" in text(app))
        assert "the checkout form rounds" in shown_insights(app).detail.content  # type: ignore[union-attr]
        await click(pilot, "1 Run")
        await ready(pilot)
        await footer(pilot, "r Runs")
        await click(pilot, "escape goes back")
        await until(pilot, lambda: not isinstance(app.screen, Runs))
        await footer(pilot, "r Runs")
        await click(pilot, "over", times=2)
        await until(pilot, lambda: "Run 1 of 2" in text(app))


async def test_the_insight_under_the_mouse_in_the_graph(project: Project) -> None:
    app = make_app(project, "graph")
    async with app.run_test(size=SIZE) as pilot:
        await ready(pilot)
        canvas = app.screen.query_one(GraphCanvas)
        await until(pilot, lambda: canvas.where)
        other = next(key for key in canvas.where if key != canvas.key)
        await pilot.click(canvas, offset=canvas.where[other])
        await until(pilot, lambda: canvas.key == other)
        await pilot.click(canvas, offset=canvas.where[other], times=2)
        await until(pilot, lambda: app.current_mode == "insights")
        await until(pilot, lambda: table(app, "insights").key == other)


async def test_bars_and_rows_of_the_figures_open_their_insights(project: Project) -> None:
    app = make_app(project, "effectiveness")
    async with app.run_test(size=SIZE) as pilot:
        await ready(pilot)
        for words, wanted in (("causal ratio", "is:causal"), ("1 blocked,", "given:builder")):
            await click(pilot, words, times=2)
            await until(pilot, lambda: app.current_mode == "insights")
            bar = app.screen.query_one(FilterBar)
            await until(pilot, lambda bar=bar, wanted=wanted: wanted in bar.text)  # type: ignore[misc]
            await click(pilot, "3 Effectiveness" if "3 Effectiveness" in text(app) else " 3 ")
            await until(pilot, lambda: app.current_mode == "effectiveness")
            await ready(pilot)


@pytest.mark.parametrize("size", [(80, 24), (160, 40)], ids=["80x24", "160x40"])
async def test_an_option_is_chosen_and_accepted(project: Project, size: tuple[int, int]) -> None:
    shop.questions(project.root)
    app = make_app(project, "learn")
    async with app.run_test(size=size) as pilot:
        await ready(pilot)
        await click(pilot, "asked", last=True)
        await ready(pilot)
        await click(pilot, "Nobody knows yet")
        await until(pilot, lambda: "(*) Nobody knows yet" in text(app))
        await click(pilot, "From the bank")
        await until(pilot, lambda: "(*) From the bank" in text(app))
        await click(pilot, "stores")
        await until(pilot, lambda: "(*) Nobody knows yet" in text(app))
        await click(pilot, "enter accepts")

        def answered() -> bool:
            view = shown(app).of(LearnView)
            return bool(view and view.open == 3)

        await until(pilot, answered, "the answer")


async def test_what_the_edge_of_a_list_offers(project: Project) -> None:
    shop.World(project.root).run(
        "trash", {"names": ["when-parsing-dates-from-the-api-read-them-as-utc-b"]}
    )
    app = make_app(project, "insights")
    async with app.run_test(size=SIZE) as pilot:
        await ready(pilot)
        await pilot.press("T")
        await until(pilot, lambda: isinstance(app.screen, TrashList))
        await until(pilot, lambda: table(app, "trash").row is not None)
        await click(pilot, "r or enter restores")
        await until(pilot, lambda: shown(app).counts.insights == 9)
        await click(pilot, "escape closes")
        await until(pilot, lambda: isinstance(app.screen, ViewScreen))
