"""The what-if line by keys: it answers as one types, and leaves no trace.

That its answer is the hook's own is tested in tests/hooks/test_what_if.py.
"""

from __future__ import annotations

import shop
from kit import make_app, ready, shown_insights, text, until
from textual.widgets import Input

from helix_core.paths import Project
from helix_core.store.connection import open_store
from helix_tui.screens.what_if import WhatIfDialog
from helix_tui.widgets.live_table import LiveTable

SIZE = (120, 36)
TASK = "the checkout form rounds prices with Decimal"


def counts(project: Project) -> list[int]:
    conn = open_store(project.database, readonly=True)
    tables = ("agent_run", "injection", "hook_call", "feedback_event", "curation_event", "offer")
    found = [conn.execute(f"SELECT count(*) FROM {t}").fetchone()[0] for t in tables]
    conn.close()
    return found


async def test_it_answers_as_one_types_and_records_nothing(project: Project) -> None:
    before = counts(project)
    app = make_app(project, "insights")
    async with app.run_test(size=SIZE) as pilot:
        await ready(pilot)
        await pilot.press("w")
        await until(pilot, lambda: isinstance(app.screen, WhatIfDialog))
        dialog = app.screen
        assert isinstance(dialog, WhatIfDialog)
        await pilot.press(*"the checkout form rounds q1")
        await until(pilot, lambda: dialog.answer is not None)
        await until(pilot, lambda: "1 insight would be given" in text(app))
        assert "by keyword only" in text(app)
        assert "1.  " in text(app)
        dialog.query_one(Input).value = "nothing alike anywhere at all"
        await until(pilot, lambda: "0 insights would be given" in text(app))
        assert "NO_MATCHING_INSIGHTS" in text(app)
        dialog.query_one(Input).value = ""
        await until(pilot, lambda: "Type a task" in text(app))
        await pilot.press("escape")
        await until(pilot, lambda: not isinstance(app.screen, WhatIfDialog))
    assert counts(project) == before


async def test_rows_tell_each_part_and_open_their_insight(project: Project) -> None:
    app = make_app(project, "insights")
    async with app.run_test(size=SIZE) as pilot:
        await ready(pilot)
        await pilot.press("w")
        await until(pilot, lambda: isinstance(app.screen, WhatIfDialog))
        app.screen.query_one(Input).value = TASK
        await until(pilot, lambda: "would be given" in text(app))
        await pilot.press("enter")
        await until(pilot, lambda: app.focused is app.screen.query_one(LiveTable))
        await until(pilot, lambda: "score 0.0" in text(app))
        assert "x value" in text(app)
        key = app.screen.query_one(LiveTable).key
        await pilot.press("escape")
        await until(pilot, lambda: app.focused is app.screen.query_one(Input))
        await pilot.press("enter", "enter")
        await until(pilot, lambda: not isinstance(app.screen, WhatIfDialog))
        await until(
            pilot,
            lambda: (d := shown_insights(app).detail) is not None and d.line.id == key,
        )


async def test_an_answer_to_what_is_no_longer_typed_is_not_shown(project: Project) -> None:
    app = make_app(project, "insights")
    async with app.run_test(size=SIZE) as pilot:
        await ready(pilot)
        await pilot.press("w")
        await until(pilot, lambda: isinstance(app.screen, WhatIfDialog))
        dialog = app.screen
        assert isinstance(dialog, WhatIfDialog)
        app._in_thread("what-if", TASK, to=dialog)
        await pilot.pause()
        assert dialog.answer is None


async def test_without_a_memory_it_says_so(bare: Project) -> None:
    shop.World(bare.root).store("When it appears, show it because somebody waits")
    app = make_app(bare, "insights")
    async with app.run_test(size=SIZE) as pilot:
        await ready(pilot)
        await pilot.press("w")
        await until(pilot, lambda: isinstance(app.screen, WhatIfDialog))
        for extra in ("", "-wal", "-shm"):
            bare.database.with_name(bare.database.name + extra).unlink(missing_ok=True)
        app.screen.query_one(Input).value = TASK
        await until(pilot, lambda: "no memory here yet" in text(app))
