"""Foreign text becomes safe: B13, and one line where one line is due."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from helix_core.text.clean import fold, scrub, scrub_tree, shorten

JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(st.characters()),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=8,
)


def test_fold_makes_one_line_of_every_kind_of_break() -> None:
    assert fold(" a\r\nb\x0bc\u2028d\u2029e\x85f\tg  h \n") == "a b c d e f g h"


def test_fold_keeps_joiners_that_emoji_and_persian_need() -> None:
    assert fold("👩\u200d💻 می\u200cخواهم") == "👩\u200d💻 می\u200cخواهم"


def test_fold_removes_nul_and_replaces_half_an_emoji_b13() -> None:
    assert fold("cut \ud83d en\0d") == "cut \ufffd end"


def test_scrub_drops_escape_sequences_but_keeps_lines_b13() -> None:
    assert scrub("a\x1b]0;pwned\x07\n\tb\x9b31m\r\n", 100) == "a]0;pwned\n\tb31m\n"


@pytest.mark.parametrize(
    ("value", "text"),
    [(None, ""), (5, "5"), (True, "true"), (["a", 1], '["a", 1]'), ({"k": None}, '{"k": null}')],
)
def test_scrub_takes_any_json_value(value: object, text: str) -> None:
    assert scrub(value, 50) == text


@pytest.mark.parametrize(("limit", "text"), [(3, "abc"), (0, ""), (-1, "")])
def test_scrub_cuts_at_the_limit(limit: int, text: str) -> None:
    assert scrub("abcdef", limit) == text


def test_scrub_survives_a_bottomless_value() -> None:
    value: list[object] = []
    for _ in range(100_000):
        value = [value]
    assert scrub(value, 10) == ""


def test_scrub_tree_cleans_keys_and_values_at_every_level() -> None:
    dirty = {"a\x00": ["x\ud83d", {"b": "\x1by"}, 3]}
    assert scrub_tree(dirty, 100) == {"a": ["x\ufffd", {"b": "y"}, 3]}


@pytest.mark.parametrize(
    ("text", "limit", "short"),
    [
        ("one two three", 13, "one two three"),
        ("one two three", 10, "one two…"),
        ("one two three", 8, "one two…"),
        ("abcdefghijkl", 5, "abcd…"),
        ("a bcdefghijklmnop", 10, "a bcdefgh…"),
        ("abc", 1, "…"),
        ("abc", 0, ""),
    ],
)
def test_shorten_cuts_at_a_word_where_one_is_near(text: str, limit: int, short: str) -> None:
    assert shorten(text, limit) == short


@settings(max_examples=200, deadline=None)
@given(JSON, st.integers(-5, 60))
def test_scrub_is_always_writable_and_bounded(value: object, limit: int) -> None:
    text = scrub(value, limit)
    assert len(text) <= max(limit, 0)
    text.encode("utf-8")
    assert not any((ord(c) < 32 and c not in "\n\t") or 127 <= ord(c) < 160 for c in text)


@settings(max_examples=200, deadline=None)
@given(st.text(st.characters()), st.integers(0, 40))
def test_fold_and_shorten_are_idempotent_and_bounded(text: str, limit: int) -> None:
    line = fold(text)
    assert fold(line) == line
    assert len(line.splitlines()) <= 1
    line.encode("utf-8")
    assert len(shorten(line, limit)) <= limit
