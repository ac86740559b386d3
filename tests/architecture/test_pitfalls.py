"""The tables of pitfalls, at the top of their test files, name tests that exist."""

from __future__ import annotations

import ast
import re
from pathlib import Path

import pytest

TESTS = Path(__file__).parents[1]
TABLES = sorted(TESTS.rglob("test_pitfalls_*.py"))
FILE = re.compile(r"[\w./]+\.py")
NAME = re.compile(r"test_\w+\*?")


def missing(table: str, here: Path) -> list[str]:
    """The points of a table that name no test, and the tests named that are not there.

    A point is a line that ends in a colon; the indented lines under it name functions of this file
    or, after `file.py:`, of another one; `*` stands for any end, a file alone for all of it.
    """
    found, point, named = [], "", True
    for line in table.splitlines()[1:]:
        if not line.startswith(" ") and line.endswith(":"):
            found += [] if named else [f"{point} names no test"]
            point, named = line, False
        elif line.startswith("    "):
            named = True
            found += _absent(line.strip(), here)
    return found if named else [*found, f"{point} names no test"]


def _absent(line: str, here: Path) -> list[str]:
    files, _, rest = line.rpartition(": ")
    places = [here.parent / name for name in FILE.findall(files or rest)]
    gone = [str(place) for place in places if not place.is_file()]
    names = NAME.findall(FILE.sub("", rest))
    texts = [place.read_text(encoding="utf-8") for place in places or [here] if place.is_file()]
    for name in names:
        wanted = re.escape(name.removesuffix("*")) + (r"\w*" if name.endswith("*") else "")
        if not any(re.search(rf"def {wanted}\(", text) for text in texts):
            gone.append(line)
    return gone if names or places else [line]


@pytest.mark.parametrize("file", TABLES, ids=lambda file: file.stem)
def test_every_point_names_tests_that_exist(file: Path) -> None:
    table = ast.get_docstring(ast.parse(file.read_text(encoding="utf-8"))) or ""
    assert table.count(":\n    ") >= 5
    assert missing(table, file) == []


def test_what_is_missing_is_told() -> None:
    here = TESTS / "hooks" / "test_b07_output.py"
    table = "x\n\none point:\n    test_no_such_test\nanother:\n    no_such.py: test_x\nlast:\n"
    assert [line.rpartition("/")[2] for line in missing(table, here)] == [
        "test_no_such_test",
        "no_such.py",
        "no_such.py: test_x",
        "last: names no test",
    ]


def test_each_part_has_its_table() -> None:
    assert {file.stem.removeprefix("test_pitfalls_") for file in TABLES} >= {
        *("injection", "learning", "extraction", "store", "database"),
    }
