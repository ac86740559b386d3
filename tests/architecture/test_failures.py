"""Every kind of failure has its line in tests/README.md, and every test named there exists."""

from __future__ import annotations

import re
from pathlib import Path

TESTS = Path(__file__).parents[1]
TABLE = (TESTS / "README.md").read_text(encoding="utf-8")
LINE = re.compile(r"^\| (B\d\d) \| ([^|]+) \| ([^|]+) \|$", re.MULTILINE)
NAMED = re.compile(r"`([\w/]+\.py)(?:::(\w+))?`")


def test_all_37_are_there_in_order() -> None:
    assert [match[1] for match in LINE.finditer(TABLE)] == [f"B{n:02}" for n in range(1, 38)]


def test_every_line_names_tests_that_exist() -> None:
    assert missing(TABLE) == []
    assert missing("| B01 | x | `hooks/test_b07_output.py::test_no_such` |") == [
        "B01: hooks/test_b07_output.py::test_no_such"
    ]


def missing(table: str) -> list[str]:
    """The tests a table names that are not there, and the lines that name none."""
    found = []
    for match in LINE.finditer(table):
        named = NAMED.findall(match[3])
        found += [] if named else [f"{match[1]}: no test"]
        for file, function in named:
            path = TESTS / file
            text = path.read_text(encoding="utf-8") if path.is_file() else ""
            if not text or (function and f"def {function}(" not in text):
                found.append(f"{match[1]}: {file}::{function}")
    return found
