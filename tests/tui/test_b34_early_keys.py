"""Keys faster than the dashboard (B34): each one is for what it was pressed at, in order."""

from __future__ import annotations

import time

import pytest
import shop
from kit import make_app, ready, shown, shown_insights, text, until
from textual import events
from textual.widgets import Input, TextArea

from helix_core.paths import Project
from helix_core.store.connection import open_store
from helix_tui import keyboard
from helix_tui.app import HelixApp
from helix_tui.data import insights as rows
from helix_tui.screens.confirm import Confirm
from helix_tui.screens.editor import EditText
from helix_tui.state import LearnView

SIZE = (110, 32)


def at_once(app: HelixApp, *keys: str) -> None:
    """Keys as a terminal sends them when somebody is faster than the screen."""
    for key in keys:
        character = {"space": " "}.get(key, key if len(key) == 1 else None)
        app.post_message(events.Key(key, character))


def slow_reads(monkeypatch: pytest.MonkeyPatch, seconds: float) -> None:
    """A database that takes its time for one insight; the rows themselves are real."""
    detail = rows.view_insight.detail

    def slowly(*args: object) -> object:
        time.sleep(seconds)
        return detail(*args)  # type: ignore[arg-type]

    monkeypatch.setattr(rows.view_insight, "detail", slowly)


def content(project: Project, insight: int) -> str:
    conn = open_store(project.database, readonly=True)
    found = conn.execute("SELECT content FROM insight WHERE id = ?", (insight,)).fetchone()[0]
    conn.close()
    return str(found)


async def test_edit_right_after_a_step_edits_the_row_that_was_stepped_to(
    project: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    slow_reads(monkeypatch, 0.4)
    app = make_app(project, "insights")
    async with app.run_test(size=SIZE) as pilot:
        await ready(pilot)
        third = shown_insights(app).page.rows[2]
        at_once(app, "j", "j", "e", "space", *"qd1?")
        await until(pilot, lambda: isinstance(app.screen, EditText), "the editor")
        await until(pilot, lambda: app.screen.query_one(TextArea).text.endswith(" qd1?"))
        assert app.screen.query_one(TextArea).text == f"{content(project, third.id)} qd1?"
        at_once(app, "x", "f2")
        await until(pilot, lambda: content(project, third.id).endswith(" qd1?x"))
        await until(pilot, lambda: not isinstance(app.screen, EditText))


async def test_another_view_and_what_is_done_there_in_one_go(project: Project) -> None:
    app = make_app(project)
    async with app.run_test(size=SIZE) as pilot:
        await ready(pilot)
        at_once(app, "2", "j", "d")
        await until(pilot, lambda: isinstance(app.screen, Confirm))
        await until(pilot, lambda: shown_insights(app).page.rows[1].content[:40] in text(app))
        at_once(app, "y")
        await until(pilot, lambda: shown(app).counts.insights == 8)
        at_once(app, "slash", *"price", "enter", "e")
        await until(pilot, lambda: isinstance(app.screen, EditText), "the editor")
        assert "price" in app.screen.query_one(TextArea).text


async def test_opening_goes_to_the_insight_of_the_agent_that_was_stepped_to(
    project: Project,
) -> None:
    app = make_app(project)
    async with app.run_test(size=(120, 36)) as pilot:
        await ready(pilot)
        at_once(app, "k", "k", "enter", "enter", "e")
        await until(pilot, lambda: isinstance(app.screen, EditText), "the editor")
        assert "the checkout form rounds prices" in app.screen.query_one(TextArea).text


async def test_a_digit_right_after_a_step_answers_and_goes_to_no_view(project: Project) -> None:
    shop.questions(project.root)
    app = make_app(project, "learn")
    async with app.run_test(size=SIZE) as pilot:
        await ready(pilot)
        at_once(app, "j", "2", "enter")

        def answered() -> bool:
            view = shown(app).of(LearnView)
            return bool(view and view.open == 3)

        await until(pilot, answered, "the answer")
        assert app.current_mode == "learn"
        view = shown(app).of(LearnView)
        assert view is not None
        line = next(line for line in view.lines if line.state == "answered")
        assert line.header == "No rate table"
        assert line.answer == "Nobody knows yet"


async def test_letters_typed_before_the_what_if_line_is_there(project: Project) -> None:
    app = make_app(project, "insights")
    async with app.run_test(size=SIZE) as pilot:
        await ready(pilot)
        at_once(app, "w", *"quad", "space", *"1")
        await until(pilot, lambda: app.screen.query("#what-if-task"))
        await until(pilot, lambda: app.screen.query_one(Input).value == "quad 1")
        assert app.is_running


async def test_keys_for_what_never_comes_are_dropped_and_that_is_said(
    project: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(keyboard, "PATIENCE", 0.3)
    slow_reads(monkeypatch, 1.5)
    app = make_app(project, "insights")
    async with app.run_test(size=SIZE) as pilot:
        await ready(pilot)
        at_once(app, "j", "e", "d", "y")
        await until(pilot, lambda: app._notifications, "a word about it")
        assert [note.message for note in app._notifications] == [keyboard.LATE]
        await ready(pilot)
        assert shown(app).counts.insights == 9
        at_once(app, "j", "d", "escape", "space")  # escape lets go of what waits
        await until(pilot, lambda: app.paused)
        await ready(pilot)
        assert not isinstance(app.screen, Confirm)
