"""The last line: the keys that apply now, for the eye and for the mouse; a theme reaches all of it.

And the style sheets behind it: parsed once for all views, anew for another theme.
"""

from __future__ import annotations

from kit import make_app, ready, text, until
from rich.color import Color

from helix_core.paths import Project
from helix_tui.app import HelixApp
from helix_tui.themes import DARK, LIGHT
from helix_tui.widgets.key_line import KeyLine
from helix_tui.widgets.live_table import LiveTable

SIZE = (120, 36)


def last(app: HelixApp) -> str:
    return text(app).splitlines()[-1]


def keys_of(app: HelixApp) -> KeyLine:
    return app.screen.query_one(KeyLine)


def background(app: HelixApp, x: int) -> Color | None:
    style = keys_of(app).render_line(0).crop(x, x + 1)._segments[0].style
    return style.bgcolor if style else None


async def test_a_click_presses_the_key(project: Project) -> None:
    app = make_app(project)
    async with app.run_test(size=SIZE) as pilot:
        await ready(pilot)
        await until(pilot, lambda: "Pause" in last(app))
        place = last(app).index("Pause")
        await pilot.click(KeyLine, offset=(place, 0))
        await until(pilot, lambda: app.paused)
        await pilot.click(KeyLine, offset=(len(last(app)) + 5, 0))  # beside them: nothing
        assert app.paused


async def test_the_mouse_over_a_key_says_what_it_does(project: Project) -> None:
    app = make_app(project)
    async with app.run_test(size=SIZE) as pilot:
        await ready(pilot)
        await until(pilot, lambda: "Undo" in last(app))
        place, plain = last(app).index("Undo"), background(app, last(app).index("Undo"))
        await pilot.hover(KeyLine, offset=(place, 0))
        await until(pilot, lambda: keys_of(app).tooltip == "Take back the newest change")
        assert background(app, place) != plain
        await pilot.hover(LiveTable)
        await until(pilot, lambda: keys_of(app).tooltip is None)
        assert background(app, place) == plain


async def test_it_follows_what_applies(project: Project) -> None:
    app = make_app(project, "insights")
    async with app.run_test(size=SIZE) as pilot:
        await ready(pilot)
        await until(pilot, lambda: "Sort" in last(app))
        assert "Older" not in last(app)
        await pilot.press("slash")
        await until(pilot, lambda: "Keep" in last(app))
        await pilot.press("escape")
        await until(pilot, lambda: "Keep" not in last(app))
        await pilot.press("1")
        await until(pilot, lambda: "Older" in last(app))


async def test_a_line_too_long_is_moved_by_the_wheel(project: Project) -> None:
    app = make_app(project)
    async with app.run_test(size=(60, 20)) as pilot:
        await ready(pilot)
        await until(pilot, lambda: "Older" in last(app))
        assert "Quit" not in last(app)
        for _ in range(8):
            keys_of(app).on_mouse_scroll_down()
        await until(pilot, lambda: "q Quit" in last(app))
        assert "Older" not in last(app)
        place = last(app).index("Quit")
        await pilot.resize_terminal(120, 36)
        await until(pilot, lambda: "Older" in last(app) and "Quit" in last(app))
        assert last(app).index("Quit") > place


async def test_another_theme_reaches_views_that_were_there_before(project: Project) -> None:
    app = make_app(project)
    async with app.run_test(size=SIZE) as pilot:
        await ready(pilot)
        await pilot.press("2")
        await ready(pilot)
        app.theme = LIGHT.name
        for view in ("insights", "run", "health"):  # in front, behind, not made yet
            app.switch_mode(view)
            await ready(pilot)
            await until(pilot, lambda: app.screen.styles.background.hex == "#F7F8FA", view)
            panel = keys_of(app).styles.background.hex.lower()
            assert panel == LIGHT.panel != DARK.panel
