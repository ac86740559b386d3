"""Questions from before options were objects: what they are about, and what they offer."""

from __future__ import annotations

from pathlib import Path

import pytest

from helix_core.store import migrations, questions, view_questions
from helix_core.store.connection import open_store, writing

AT = "2026-03-01T12:00:00.000+00:00"
PAIR = '{"pair": "3-7", "names": ["a", "b"], "contents": ["A", "B"], "differs": "polarity: x"}'
OLD = [
    ("conflict", '["both", "a", "b", "neither"]', PAIR),
    ("contradicted", '["delivered", "partial", "blocked"]', '{"says": "done", "injected": ["a"]}'),
    ("conflict", "broken", "broken"),
]


@pytest.fixture
def database(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A database as the version before made it, with three questions."""
    path = tmp_path / ".helix" / "helix.db"
    for version in [number for number in migrations.MIGRATIONS if number > 18]:
        monkeypatch.delitem(migrations.MIGRATIONS, version)
    conn = open_store(path, create=True)
    monkeypatch.undo()
    assert "subject" not in migrations.columns(conn, "question")
    conn.executemany(
        "INSERT INTO question(kind, header, question, options, evidence, created_at)"
        f" VALUES (?, 'h', 'q', ?, ?, '{AT}')",
        OLD,
    )
    conn.close()
    return path


def test_they_are_read_as_new_ones(database: Path) -> None:
    conn = open_store(database)
    assert list((database.parent / "backups").glob("*from-18.db"))
    same = questions.latest(conn, questions.CONFLICT, "3-7")
    assert same is not None and same.id == 1
    assert [o.value for o in same.options] == ["both", "first", "second", "neither"]
    assert [o.label for o in same.options] == ["both", "a", "b", "neither"]
    shown = [view_questions.detail(conn, n) for n in (1, 2, 3)]
    assert shown[0] and [w.content for w in shown[0].evidence.compared] == ["A", "B"]
    assert shown[1] and shown[1].evidence.reason == "done"
    assert [w.name for w in shown[1].evidence.injected] == ["a"]
    assert shown[2] and shown[2].options == () and shown[2].line.state == "open"
    assert len(view_questions.queue(conn)) == 3
    conn.close()


def test_odd_cells_cost_their_value_only(database: Path) -> None:
    conn = open_store(database)
    odd = ("5", "null", "[1, null, {}]", '{"label": 3}', b"\xff", '[{"label": [1], "tags": 5}]')
    for cell in odd:
        with writing(conn):
            conn.execute("UPDATE question SET options = ?, evidence = ?, stored = ?", (cell,) * 3)
        assert all(view_questions.detail(conn, line.id) for line in view_questions.queue(conn))
    with writing(conn):
        conn.execute("UPDATE question SET evidence = ?", ('{"injected": [{"ancestry": [5, {}]}]}',))
    found = view_questions.detail(conn, 1)
    assert found and len(found.evidence.injected[0].ancestry) == 1
    conn.close()
