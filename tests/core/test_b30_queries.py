"""B30: no query is an error, and identifiers are found, through the command line."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.core.command import helix

WANTED = "When foo_bar.baz or C++ or user-id or src/app/main.py breaks, check x because y"
QUERIES = [
    *('"', '""', "a AND", "AND", "OR", "NOT", "NEAR(", "NEAR(a b, 2)", "col:x", "content:x"),
    *("^*", "*", "(", ")", "((a)", "don't", "'; --", "a-b -c", "{x}", "+", "\\", "%", "_", "?"),
    *("", "   ", "\n", "\t\x00\x07", "\ud83d", "日本語テキスト", "مرحبا", "👩‍👩‍👧‍👦", "a" * 10_000),
    "word " * 2000,
    'insight_fts MATCH "x"',
]


@pytest.fixture(scope="module")
def memory(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("b30")


@pytest.fixture
def filled(memory: Path) -> Path:
    """One memory for all queries, filled by the first."""
    if not (memory / ".helix").exists():
        for n in range(12):
            text = f"When topic {n * 7919} fails restart service {n} because reason {n}"
            assert helix(memory, "store", text, "--tag", f"t{n}").code == 0
        assert helix(memory, "store", WANTED).code == 0
    return memory


@pytest.mark.parametrize("command", ["recall", "explain"])
@pytest.mark.parametrize("query", QUERIES, ids=lambda q: ascii(q)[:20])
def test_b30_no_query_is_an_error(filled: Path, command: str, query: str) -> None:
    ran = helix(filled, command, "--json", "--", query)
    assert ran.code == 0, ran.err
    assert ran.json is not None
    assert "syntax" not in ran.err and "Traceback" not in ran.err
    assert ("nothing is asked for" in ran.err) == (not query.strip())


@pytest.mark.parametrize(
    "query",
    [
        *("foo_bar.baz", "FOO_BAR.BAZ", "foo_bar", "C++", "user-id", "src/app/main.py"),
        *("main.py breaks", '"foo_bar.baz"', "foo_bar.baz*", "what about user-id?"),
    ],
)
def test_b30_identifiers_are_found(filled: Path, query: str) -> None:
    found = helix(filled, "recall", "--json", "--", query).json
    assert [item["content"] for item in found][:1] == [WANTED]
