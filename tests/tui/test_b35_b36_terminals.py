"""Odd terminals (B35, B36): any size, wide and joined letters, no colours, letters in an input."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import pytest
import shop
from kit import make_app, ready, text, until
from rich.cells import cell_len
from textual.command import CommandPalette
from textual.theme import Theme
from textual.widgets import Input, TextArea

from benchmarks.terminal import Dashboard, dashboard
from helix_core.paths import Project
from helix_core.store.connection import open_store
from helix_tui import views
from helix_tui.screens.editor import EditText
from helix_tui.themes import THEMES

WIDE = (
    "When 日本語テキスト مرحبا בעברית ｆｕｌｌ appears then pad because width counts",
    "When 👩‍👩‍👧‍👦 or Persian می‌شود occurs keep it because joiners are ordinary letters",
    "When e\u0301\u0301 combines, count a cell because marks take none",
)
ESCAPES = re.compile(rb"\x1b\[[0-9;?]*[a-zA-Z]")


@pytest.fixture
def wide(project: Project) -> Project:
    world = shop.World(project.root)
    for content in WIDE:
        world.store(content, "寬")
    return project


@pytest.mark.parametrize("view", views.NAMES)
async def test_b35_every_line_is_as_wide_as_the_screen(wide: Project, view: str) -> None:
    app = make_app(wide, view)
    async with app.run_test(size=(80, 24)) as pilot:
        await ready(pilot)
        for width in (80, 61, 97):
            await pilot.resize_terminal(width, 24)
            await pilot.pause()
            await ready(pilot)
            for strip in app.screen._compositor.render_strips():
                line = "".join(segment.text for segment in strip)
                assert cell_len(line) == width, line


async def test_b35_joined_letters_are_shown_and_can_be_edited(wide: Project) -> None:
    app = make_app(wide, "insights")
    async with app.run_test(size=(120, 40)) as pilot:
        await ready(pilot)
        await pilot.press("slash", *"joiners", "enter")
        await until(pilot, lambda: "1 insight" in text(app))
        await until(pilot, lambda: "می\u200cشود" in text(app))
        await pilot.press("e")
        await until(pilot, lambda: isinstance(app.screen, EditText))
        assert app.screen.query_one(TextArea).text == WIDE[1]
        await pilot.press("end", "!", "f2")
        await until(pilot, lambda: not isinstance(app.screen, EditText))
        await until(pilot, lambda: "letters!" in text(app))


def alive(shown: Dashboard) -> bool:
    return Path(f"/proc/{shown.pid}/fd").exists()


@pytest.mark.terminal
@pytest.mark.parametrize("size", [(1, 1), (20, 5)])
def test_b35_it_starts_and_lives_at_any_size(wide: Project, size: tuple[int, int]) -> None:
    with dashboard(wide.root, "insights", size=size) as shown:
        shown.until(b"\x1b[?1049h")
        shown.quiet(1.0)
        for width, height in ((300, 2), (2, 80), (1, 1), (59, 15), (80, 24)):
            shown.resize(width, height)
            written = shown.quiet(0.3)
        written += shown.quiet(1.0)
        assert alive(shown)
        assert b"Traceback" not in written
        assert b"Insights]" in ESCAPES.sub(b"", written)


@pytest.fixture
def no_color(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.setenv("NO_COLOR", "1")
    yield


@pytest.mark.parametrize("view", views.NAMES)
async def test_b36_without_colour_text_stands_out_from_its_ground(
    project: Project, no_color: None, view: str
) -> None:
    shop.questions(project.root)
    app = make_app(project, view)
    async with app.run_test(size=(120, 40)) as pilot:
        await ready(pilot)
        for strip in app.screen._compositor.render_strips():
            for segment in strip:
                style = segment.style
                if (
                    style is None
                    or not segment.text.strip()
                    or not style.color
                    or not style.bgcolor
                ):
                    continue
                fore, back = style.color.triplet, style.bgcolor.triplet
                if fore is not None and back is not None:
                    assert fore != back, segment.text


async def test_b36_states_are_words_too(project: Project, no_color: None) -> None:
    app = make_app(project)
    async with app.run_test(size=(120, 36)) as pilot:
        await ready(pilot)
        screen = text(app)
        for word in ("running", "crashed", "blocked", "delivered", "degraded (keyword only)"):
            assert word in screen


@pytest.mark.parametrize("theme", [theme.name for theme in THEMES])
async def test_b36_every_theme_is_readable(project: Project, theme: str) -> None:
    """Each text against its ground: a contrast of at least 3 (WCAG 2.1, large text)."""
    shop.questions(project.root)
    for view in views.NAMES:
        app = make_app(project, view)
        app.theme = theme
        async with app.run_test(size=(120, 40)) as pilot:
            await ready(pilot)
            for strip in app.screen._compositor.render_strips():
                for segment in strip:
                    style = segment.style
                    if style is None or not any(c.isalnum() for c in segment.text):
                        continue
                    fore = style.color.triplet if style.color else None
                    back = style.bgcolor.triplet if style.bgcolor else None
                    if fore is None or back is None:
                        continue
                    found = contrast(tuple(fore), tuple(back))
                    assert found >= 3.0, (view, segment.text, fore, back)


def contrast(one: tuple[int, ...], two: tuple[int, ...]) -> float:
    light, dark = sorted((luminance(one), luminance(two)), reverse=True)
    return (light + 0.05) / (dark + 0.05)


def luminance(color: tuple[int, ...]) -> float:
    """Relative luminance of an sRGB colour (WCAG 2.1)."""
    parts = [c / 255 for c in color]
    linear = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in parts]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


@pytest.mark.parametrize("key", ["o", "e"])
async def test_b36_a_letter_in_the_learn_dialogs_is_a_letter(project: Project, key: str) -> None:
    shop.questions(project.root)
    app = make_app(project, "learn")
    async with app.run_test(size=(120, 40)) as pilot:
        await ready(pilot)
        await until(pilot, lambda: "What may fail" in text(app))
        await pilot.press(key)
        await until(pilot, lambda: bool(app.screen.query(TextArea)))
        before = app.screen.query_one(TextArea).text
        await pilot.press(*"q5xu1n?")
        assert app.screen.query_one(TextArea).text == before + "q5xu1n?"
        assert app.is_running
    conn = open_store(project.database, readonly=True)
    assert conn.execute("SELECT count(*) FROM question WHERE state = 'open'").fetchone()[0] == 4
    conn.close()


async def test_b36_the_palette_opens_by_its_key_and_takes_letters(project: Project) -> None:
    app = make_app(project)
    async with app.run_test(size=(100, 30)) as pilot:
        await ready(pilot)
        await pilot.press("colon")
        await until(pilot, lambda: isinstance(app.screen, CommandPalette))
        await pilot.press(*"quit")
        await until(pilot, lambda: app.screen.query_one(Input).value == "quit")
        assert app.is_running


BLIND = {  # Machado, Oliveira and Fernandes 2009, severity 1, on linear RGB
    "protan": ((0.152286, 1.052583, -0.204868), (0.114503, 0.786281, 0.099216)),
    "deutan": ((0.367322, 0.860646, -0.227968), (0.280085, 0.672501, 0.047413)),
}
BLUE = {"protan": (-0.003882, -0.048116, 1.051998), "deutan": (-0.011820, 0.042940, 0.968881)}


def seen_by(colour: str, eye: str) -> list[float]:
    """A colour as such an eye sees it, in [0, 1] of gamma-corrected RGB."""
    parts = [int(colour[n : n + 2], 16) / 255 for n in (1, 3, 5)]
    linear = [p / 12.92 if p <= 0.04045 else ((p + 0.055) / 1.055) ** 2.4 for p in parts]
    mixed = [
        sum(m * p for m, p in zip(row, linear, strict=True)) for row in (*BLIND[eye], BLUE[eye])
    ]
    return [max(0.0, m) ** (1 / 2.4) for m in mixed]


def apart(one: str, other: str, eye: str) -> float:
    pairs = zip(seen_by(one, eye), seen_by(other, eye), strict=True)
    return sum((a - b) ** 2 for a, b in pairs) ** 0.5


@pytest.mark.parametrize("eye", BLIND)
@pytest.mark.parametrize("theme", THEMES, ids=lambda theme: theme.name)
def test_b36_good_and_bad_differ_to_eyes_that_mix_up_red_and_green(theme: Theme, eye: str) -> None:
    assert theme.success and theme.error
    assert apart("#d04040", "#7a8a30", eye) < 0.3  # what such an eye takes for one colour
    assert apart(theme.success, theme.error, eye) > 0.4
