"""Hostile texts (B12, B13): literal in every view and dialog; nothing of them drives a terminal."""

from __future__ import annotations

import json
import re
import sqlite3

import pytest
import shop
from kit import make_app, ready, text, until

from benchmarks.terminal import dashboard
from helix_core.paths import Project
from helix_core.store.connection import open_store
from helix_tui import plain, views
from helix_tui.screens.replying import Reply

MARKUP = "When [/] or [/etc/hosts] or [red]x[/blue] comes show it"
DRIVING = "When \x1b]0;pwned\x07 or \x1b[31mred\x9b2J comes \x00 keep calm"
COLUMNS = {
    "insight": ("content",),
    "agent_run": ("task", "summary"),
    "run": ("objective",),
    "task": ("slug",),
    "hook_call": ("error",),
    "question": ("question", "header"),
}


def put(project: Project, text: str) -> None:
    conn = open_store(project.database)
    for table, columns in COLUMNS.items():
        for column in columns:
            conn.execute(f"UPDATE {table} SET {column} = ?", (text,))
    options = [{"label": text, "insight": text}, {"label": "b"}]
    noted = {"reason": text, "files": [text], "verify": text, "injected": [{"name": text}]}
    conn.execute(
        "UPDATE question SET options = ?, evidence = ?", (json.dumps(options), json.dumps(noted))
    )
    conn.execute("UPDATE hook_call SET ok = 0 WHERE id % 2")
    conn.close()


@pytest.fixture
def full(project: Project) -> Project:
    """The shop with questions, so that no view is empty."""
    shop.questions(project.root)
    return project


SHOWN = {
    "run": "[red]x[/blue]",
    "insights": "[red]x[/blue]",
    "graph": "[red]x[/blue]",
    "learn": "[red]x[/blue]",
    "health": "[/] or [/etc/hosts]",
}
"""What of the text each view has room for; effectiveness shows figures only."""


async def test_b12_every_view_shows_markup_as_it_is(full: Project) -> None:
    put(full, MARKUP)
    app = make_app(full)
    async with app.run_test(size=(160, 50)) as pilot:
        for view in views.VIEWS:
            app.switch_mode(view.name)
            await ready(pilot)
            await until(pilot, lambda v=view: SHOWN.get(v.name, "") in text(app), view.name)


async def test_b12_the_learn_dialog_and_what_is_said_of_it(full: Project) -> None:
    put(full, MARKUP)
    app = make_app(full, "learn")
    async with app.run_test(size=(120, 40)) as pilot:
        await ready(pilot)
        await until(pilot, lambda: f"stores  {MARKUP[:30]}" in text(app))
        await pilot.press("e")
        await until(pilot, lambda: isinstance(app.screen, Reply))
        assert text(app).count("[red]x[/blue]") >= 2
        await pilot.press("f2")
        await until(pilot, lambda: not isinstance(app.screen, Reply))
        await until(pilot, lambda: "answered in the dashboard" in text(app))


@pytest.mark.parametrize("view", views.NAMES)
def test_b13_the_plain_facts_hold_no_control_character(full: Project, view: str) -> None:
    put(full, DRIVING)
    shown = plain.as_text(plain.facts(full, view, ask_worker=False))
    assert not any((ord(c) < 32 and c != "\n") or 127 <= ord(c) < 160 for c in shown)
    assert "␛" in shown or view in ("effectiveness", "graph")  # figures; names


@pytest.mark.terminal
def test_b13_no_byte_of_a_text_drives_the_terminal(full: Project) -> None:
    put(full, DRIVING)
    with dashboard(full.root, "run", size=(120, 36)) as shown:
        shown.until(b"[1 Run]")
        written = shown.quiet(0.5)
        for key in ("2", "3", "4", "6", "5"):
            shown.press(key)
            written += shown.quiet(0.8)
    assert "␛]0;pwned␇".encode() in written
    assert b"]0;pwned\x07" not in written.replace("␛".encode(), b"")
    assert b"\x07" not in re.sub(rb"\x1b\]22;\w+\x07", b"", written)  # Textual's mouse pointer
    assert b"\x1b[31mred" not in written
    assert b"\x9b2J" not in written.replace("\ufffd".encode(), b"")


async def test_b13_half_an_emoji_and_a_cell_that_is_no_text(full: Project) -> None:
    raw = sqlite3.connect(full.database)
    raw.execute(
        "UPDATE insight SET content = CAST(x'5768656e20EDA0BD20656e64' AS TEXT) WHERE id = 1"
    )
    raw.execute("UPDATE question SET question = CAST(x'4861EDA0BD6c66' AS TEXT) WHERE id = 4")
    raw.execute("UPDATE agent_run SET task = x'00ff00', summary = 12.5 WHERE id % 2")
    raw.commit()
    raw.close()
    app = make_app(full)
    async with app.run_test(size=(120, 40)) as pilot:
        await ready(pilot)
        app.switch_mode("insights")
        await ready(pilot)
        await until(pilot, lambda: "9 insights" in text(app) or "10 insights" in text(app))
        app.switch_mode("learn")
        await ready(pilot)
        await until(pilot, lambda: "Ha\ufffd" in text(app))
        text(app).encode("utf-8")


def test_b13_such_a_file_has_its_plain_facts(full: Project) -> None:
    raw = sqlite3.connect(full.database)
    raw.execute("UPDATE insight SET content = CAST(x'EDA0BD' AS TEXT)")
    raw.commit()
    raw.close()
    for view in views.NAMES:
        found = plain.facts(full, view, ask_worker=False)
        assert found["problem"] is None, view
        plain.as_json(found).encode("utf-8")
