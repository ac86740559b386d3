"""Random keys, clicks and sizes over hostile texts: nothing that is pressed ends the dashboard."""

from __future__ import annotations

import os
import random
import sqlite3
from collections.abc import Iterable

import pytest
import shop
from kit import make_app, ready
from textual.events import Key
from textual.widgets import Input, TextArea

from helix_core.paths import Project
from helix_core.store.connection import open_store
from helix_tui import actions
from helix_tui.app import HelixApp
from helix_tui.screens.base import ViewScreen

STEPS = int(os.environ.get("HELIX_FUZZ_STEPS", "2000"))
"""Keys of one run; HELIX_FUZZ_STEPS=20000 is a thorough one."""
AT_ONCE = (1, 5, 20, 40)
"""Keys in one go, faster than anything can be drawn between them."""
SIZES = ((80, 24), (120, 36), (160, 50), (60, 16), (1, 1), (20, 5), (300, 2), (2, 80), (100, 30))
NASTY = (
    "When [/] or [/etc/hosts] or [red]x[/blue] arr[0] [link=http://x]y then show it",
    "When \x1b[31mred\x07 \x1b]0;title\x07 comes then \x00 stay calm",
    "When 日本語テキスト مرحبا בעברית ｆｕｌｌ appears then pad because width",
    "When 👩‍👩‍👧‍👦 or می‌شود or e\u0301\u0301\u0301 occurs keep it \u202e as it is",
    "When " + "longwordwithoutanyspace" * 60 + " then cut",
    "",
    "\n\n\n",
)
TYPED = ("a", "Z", "[", "]", "tab", "shift+tab", "backspace", "ctrl+u", "f2", "f5", "delete")
LEAVES = {"q", "ctrl+c"}
SEED = 1
CHARACTERS = {
    "space": " ",
    "slash": "/",
    "colon": ":",
    "comma": ",",
    "full_stop": ".",
    "question_mark": "?",
    "less_than_sign": "<",
    "greater_than_sign": ">",
    "left_square_bracket": "[",
    "right_square_bracket": "]",
}


def poison(project: Project) -> None:
    """Put the texts wherever a view shows one."""
    conn = open_store(project.database)
    for table, columns in {
        "insight": ("content", "tags"),
        "agent_run": ("task", "summary", "task_id", "agent_type"),
        "run": ("objective",),
        "task": ("slug", "description"),
        "hook_call": ("event", "error"),
        "question": ("question", "header", "answer"),
        "feedback_event": ("outcome", "source"),
        "session_log": ("summary",),
    }.items():
        ids = [row[0] for row in conn.execute(f"SELECT rowid FROM {table}").fetchall()]
        for number, rowid in enumerate(ids):
            for place, column in enumerate(columns):
                text = NASTY[(number + place) % len(NASTY)]
                try:
                    conn.execute(f"UPDATE {table} SET {column} = ? WHERE rowid = ?", (text, rowid))
                except sqlite3.IntegrityError:  # a column with a rule of its own
                    continue
    conn.close()


def test_the_poison_arrives(project: Project) -> None:
    shop.questions(project.root)
    poison(project)
    conn = open_store(project.database, readonly=True)
    for table, column in (("insight", "content"), ("agent_run", "task"), ("question", "question")):
        sql = f"SELECT count(*) FROM {table} WHERE {column} LIKE '%[/etc/hosts]%'"
        assert conn.execute(sql).fetchone()[0] > 0, table
    conn.close()


def press(app: HelixApp, names: Iterable[str]) -> None:
    """Keys as a terminal sends them; nothing waits for a picture between them."""
    for name in names:
        app.post_message(Key(name, CHARACTERS.get(name, name if len(name) == 1 else None)))


def in_a_view(app: HelixApp) -> bool:
    return isinstance(app.screen, ViewScreen) and not isinstance(app.focused, (Input, TextArea))


@pytest.mark.long
@pytest.mark.timeout(1200)
async def test_no_key_ends_it(project: Project, monkeypatch: pytest.MonkeyPatch) -> None:
    # The palette offers to leave, too, and a random enter would take it.
    monkeypatch.setattr(HelixApp, "action_leave", lambda self: None)
    shop.questions(project.root)
    poison(project)
    keys = sorted({key for action in actions.ACTIONS for key in action.keys} - LEAVES)
    dice = random.Random(SEED)
    app = make_app(project)
    pressed, seen = 0, set()
    async with app.run_test(size=(100, 30)) as pilot:
        await ready(pilot)
        while pressed < STEPS:
            chance = dice.random()
            if chance < 0.1:
                await pilot.resize_terminal(*dice.choice(SIZES))
            elif chance < 0.3:
                width, height = app.size
                spot = (dice.randrange(max(1, width)), dice.randrange(max(1, height)))
                await pilot.click(offset=spot)
            count = dice.choice(AT_ONCE)
            press(app, (dice.choice(TYPED if dice.random() < 0.25 else keys) for _ in range(count)))
            pressed += count
            await pilot.pause()
            seen.add(type(app.screen).__name__)
            if dice.random() < 0.3:  # out of whatever is open, so that every view has its turn
                for _ in range(6):
                    if in_a_view(app):
                        break
                    press(app, ["escape"])
                    await pilot.pause()
                press(app, [dice.choice("123456")])
            assert app.is_running, pressed
            assert app._exception is None
        await pilot.resize_terminal(100, 30)
        await pilot.pause()
        assert app.feed.is_alive()
    assert len(seen) > 6, seen
