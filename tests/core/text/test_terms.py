"""The keyword side against a real FTS5 table: every query is valid, every identifier is found."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import closing

import pytest
from hypothesis import given
from hypothesis import strategies as st

from helix_core.text.terms import (
    MAX_QUERY_TERMS,
    encode,
    index_terms,
    keyword_relevant,
    match_expression,
    near_text,
    query_terms,
)

FILLER = [f"When topic {i * 7919} fails restart service {i} because reason {i}" for i in range(12)]
IDENTIFIERS = "When foo_bar.baz or C++ or user-id breaks check x because y"


class Index:
    """An in-memory table like the store's: text and terms, porter over unicode61."""

    def __init__(self, texts: list[str]) -> None:
        self.db = sqlite3.connect(":memory:")
        self.db.execute(
            "create virtual table fts using fts5(content, terms, tokenize='porter unicode61')"
        )
        self.db.executemany("insert into fts values (?, ?)", [(t, index_terms(t)) for t in texts])

    def find(self, query: str) -> list[str]:
        """The texts that match `query`, best first."""
        expression = match_expression(query)
        if expression is None:
            return []
        rows = self.db.execute(
            "select content from fts where fts match ? order by rank", (expression,)
        )
        return [row[0] for row in rows.fetchall()]


@pytest.fixture(scope="module")
def index() -> Iterator[Index]:
    texts = [
        *FILLER,
        IDENTIFIERS,
        "When getUserName returns None check src/app/main.py first because of ECONNREFUSED",
        "日本語テキストの検索 needs pairs",
        "Python3の設定 is read late",
        "در فارسی می‌شود kept",
        "C# and F# differ from C in naming",
        "When E501 fires wrap the line",
        "When std::vector grows, iterators break",
        "ｆｕｌｌ width letters",
        "ภาษาไทย needs pairs as well",
    ]
    built = Index(texts)
    with closing(built.db):
        yield built


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        ("foo_bar.baz", "foo_bar"),
        ("bar", "foo_bar"),
        ("C++", "C++"),
        ("user-id", "user-id"),
        ("user name", "getUserName"),
        ("getUserName()", "getUserName"),
        ("where is src/app/main.py?", "src/app/main.py"),
        ("main.py", "src/app/main.py"),
        ("econnrefused", "ECONNREFUSED"),
        ("検索", "日本語"),
        ("本", "日本語"),
        ("python3", "Python3"),
        ("設定", "Python3"),
        ("می‌شود", "فارسی"),
        ("c#", "C#"),
        ("E501", "E501"),
        ("std::vector", "std::vector"),
        ("full", "ｆｕｌｌ"),
        ("ไทย", "ภาษาไทย"),
    ],
)
def test_b30_what_is_asked_for_comes_first(index: Index, query: str, expected: str) -> None:
    assert expected in index.find(query)[0]


def test_whole_identifiers_beat_their_parts(index: Index) -> None:
    assert index.find("C++")[0] == IDENTIFIERS
    assert index.find("c#")[0].startswith("C#")
    assert len({encode(name) for name in ("c", "c+", "c++", "c#", "a.b", "a_b", "a0ub", "ab")}) == 8


SYNTAX = [
    *['"', '""', "a AND", "OR", "NEAR(", "NEAR(a b, 2)", "col:x", "^*", "(", ")", "-", "a-", "*"],
    *["don't", "'", "\0", "a\0b", "\ud83d", "{a b}", "+", "content : x", "", " ", "a" * 10_000],
    *["x " * 5_000, "_" * 500, "//", "\u202e", "👩‍👩‍👧‍👦", "é", "e\u0301cole"],
]


@pytest.mark.parametrize("query", SYNTAX)
def test_b30_syntax_is_never_an_error(index: Index, query: str) -> None:
    index.find(query)


@given(query=st.text(st.characters(), max_size=200))
def test_b30_no_text_is_an_error(index: Index, query: str) -> None:
    index.find(query)


@given(
    query=st.text(st.sampled_from(list("\"'()*^:-+_./#@ anrordeNOTR09{}\0日เ\u0301")), max_size=60)
)
def test_b30_no_mix_of_operators_is_an_error(index: Index, query: str) -> None:
    index.find(query)


@given(st.text(st.characters(exclude_categories=["Cs"]), min_size=1, max_size=80))
def test_a_text_is_found_by_itself(text: str) -> None:
    built = Index([text])
    with closing(built.db):
        if any(word.isascii() for word in query_terms(text).words):
            assert built.find(text) == [text]


def test_parts_that_the_search_index_finds_itself_are_not_repeated() -> None:
    assert index_terms("foo_bar.baz breaks") == encode("foo_bar.baz")
    assert index_terms("getUserName breaks").split() == [
        encode("getUserName"),
        *["get", "user", "name"],
    ]
    assert index_terms("the user of getUserName").split()[1:] == ["get", "name"]


def test_stop_words_go_unless_nothing_else_is_left() -> None:
    assert query_terms("how do we use the parser").words == ("parser",)
    assert query_terms("to be or not to be").words == ("to", "be", "or", "not")
    assert match_expression("...") is None


def test_long_queries_are_capped_and_keep_their_identifiers() -> None:
    text = " ".join(f"word{chr(97 + i // 26)}{chr(97 + i % 26)}" for i in range(300))
    expression = match_expression(f"{text} foo_bar.baz")
    assert expression is not None
    assert expression.count(" OR ") == MAX_QUERY_TERMS - 1
    assert expression.startswith(f'"{encode("foo_bar.baz")}"')


@pytest.mark.parametrize(
    ("query", "text", "relevant"),
    [
        ("fix the flaky parser tests", "When parser tests hang, run them alone", True),
        ("fix the flaky parser", "When a parser is slow, profile it", False),
        ("handle ECONNREFUSED in the pool", "When ECONNREFUSED appears, start the database", True),
        ("foo_bar.baz returns None", "When foo_bar.baz breaks check x", True),
        ("update README.md", "When README.md is stale, regenerate the table", False),
        ("parser", "When a parser is slow, profile it", True),
        ("", "When a parser is slow, profile it", False),
        ("the and of", "When the sun and the moon", False),
        ("検索を直す", "日本語テキストの検索", False),
        ("日本語の検索", "日本語テキストの検索", True),
        ("use the API", "When the API is slow, cache", True),
        ("use the API for CI", "When the API is slow, cache", False),
    ],
)
def test_keyword_relevance_wants_two_words_or_a_rare_name(
    query: str, text: str, relevant: bool
) -> None:
    assert keyword_relevant(query, text) is relevant


def test_b29_twenty_copies_are_one_lesson() -> None:
    copies = [
        f"When pytest hangs in CI run {i}, pass -x because a fixture leaks{'.' * (i % 2)}"
        for i in range(1, 21)
    ]
    assert all(near_text(copies[0], other) for other in copies[1:])
    assert near_text(copies[0], copies[0].upper().replace("-X", "-x"))


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("edit /home/a/p/tests/conftest.py", "edit /tmp/x/p/tests/conftest.py!"),
        ("edit tests/conftest.py first", "Edit ./tests/conftest.py first."),
        ("In `run 3` it fails", "in run 4 it fails"),
    ],
)
def test_b29_case_paths_and_punctuation_do_not_matter(one: str, other: str) -> None:
    assert near_text(one, other)
    assert near_text(other, one)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Use Python 3.10 here", "Use Python 3.12 here"),
        ("never run it first", "always run it first"),
        ("edit src/auth/config.py", "edit src/billing/config.py"),
        (FILLER[1], FILLER[2]),
        ("run the linter", "run the formatter"),
        ("", ""),
        ("the", "a"),
    ],
)
def test_what_states_something_else_is_no_copy(one: str, other: str) -> None:
    assert not near_text(one, other)
