"""Each threat and each decision in ARCHITECTURE.md names a test or a benchmark that exists."""

from __future__ import annotations

import ast
import re
import subprocess
import sys
from pathlib import Path

import pytest

from tests.architecture.documents import Named, fault
from tests.architecture.sources import ROOT, python_files

SPAN = re.compile(r"`([^`]+)`")
TEST = re.compile(r"(tests/[\w/]+\.py)(?:::(\w+))?")
MENTION = re.compile(r"\bdecisions? (\d+)")
HEADS = ("| who", "| | decided", "| --- ")


def lines(title: str) -> list[str]:
    """The rows of the tables of one section, without their heads."""
    text = (ROOT / "ARCHITECTURE.md").read_text(encoding="utf-8")
    part = text.partition(f"\n## {title}\n")[2].partition("\n## ")[0]
    return [line for line in part.splitlines() if line.startswith("| ") and line[:5] and
            not line.startswith(HEADS)]  # fmt: skip


def faults(line: str) -> list[str]:
    """What the last cell of a row names and is not there; a cell that names nothing is one."""
    named = SPAN.findall(line.replace("\\|", "").rstrip("| ").rpartition(" | ")[2])
    found = [] if named else ["nothing is named"]
    for one in named:
        match = TEST.fullmatch(one)
        if match is None:
            found += [one] if not one.startswith("python -m ") or fault(_command(one)) else []
            continue
        path = ROOT / match[1]
        source = path.read_text(encoding="utf-8") if path.is_file() else ""
        if not source or (match[2] and f"def {match[2]}(" not in source):
            found.append(one)
    return found


def _command(line: str) -> Named:
    return Named("ARCHITECTURE.md", line, False)


@pytest.mark.parametrize(("title", "least"), [("Threats", 15), ("Decisions", 60)])
def test_every_line_has_its_test_or_its_benchmark(title: str, least: int) -> None:
    assert len(lines(title)) >= least
    assert [(line, faults(line)) for line in lines(title) if faults(line)] == []


@pytest.mark.parametrize(
    "cell",
    ["nothing at all", "`tests/hooks/test_none.py`", "`python -m benchmarks.none`", "`a word`",
     "`tests/hooks/test_fuzz.py::test_none`, `python -m benchmarks.hooks`"],
)  # fmt: skip
def test_a_line_without_is_seen(cell: str) -> None:
    assert len(faults(f"| 7 | decided `this` | {cell} |")) == 1


def test_every_number_the_code_mentions_is_explained() -> None:
    told = {int(line.split("|")[1]) for line in lines("Decisions") if line.split("|")[1].strip()}
    assert told == set(range(1, 32))
    texts = [path.read_text(encoding="utf-8") for path in python_files("helix_core", "helix_tui")]
    assert {int(number) for text in texts for number in MENTION.findall(text)} <= told


def test_every_table_of_the_schema_is_told_of() -> None:
    source = (ROOT / "helix_core" / "store" / "schema.py").read_text(encoding="utf-8")
    made = set(re.findall(r"CREATE TABLE IF NOT EXISTS (\w+)", source)) - {"schema_version"}
    told = {name for line in lines("Tables") for name in SPAN.findall(line.split(" | ")[0])}
    assert made - told == set()
    assert {name for name in told if name not in source} == set()


def test_the_house_has_every_room_and_no_other() -> None:
    named = {name for line in lines("The house") for name in SPAN.findall(line.split(" | ")[0])}
    told = {ROOT / name if "/" in name or (ROOT / name).exists() else ROOT / "helix_core" / name
            for name in named}  # fmt: skip
    assert [path.name for path in told if not path.exists()] == []
    rooms = [path for path in (ROOT / "helix_core").iterdir() if path.name[0] not in "_."]
    code = [path for path in rooms if path.is_dir() or path.suffix == ".py"]
    assert sorted(path.name for path in code if path not in told) == ["dispatch.py", "local.py"]
    text = (ROOT / "ARCHITECTURE.md").read_text(encoding="utf-8")
    assert "`helix_core/dispatch.py`" in text and "(`local.py`)" in text


@pytest.mark.parametrize("path", sorted((ROOT / "helix_core").glob("**/formulas*.py")), ids=str)
def test_every_formula_names_its_source(path: Path) -> None:
    """A decision, the specification, or a paper by its year."""
    public = [
        node
        for node in ast.parse(path.read_text(encoding="utf-8")).body
        if isinstance(node, ast.FunctionDef) and not node.name.startswith("_")
    ]
    assert len(public) >= 20
    source = re.compile(r"[Dd]ecision \d+|\bspec\b|\b(18|19|20)\d\d\b|Welford")
    missing = [node.name for node in public if not source.search(ast.get_docstring(node) or "")]
    assert missing == []


def test_whatever_is_public_in_the_product_is_documented() -> None:
    """Ruff looks (D1: modules, classes, functions, methods); nothing of the product is exempt."""
    done = subprocess.run(
        [sys.executable, "-m", "ruff", "check", "--show-settings", "helix_core/formulas.py"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=True,
    )
    rules = done.stdout.partition("linter.rules.enabled = [")[2].partition("]")[0]
    assert {f"D10{n}" for n in (0, 1, 2, 3, 4, 6)} <= set(re.findall(r"\((D\d+)\)", rules))
    exempt = re.findall(r'^"([^"]+)" = \[[^\]]*"D', _text("pyproject.toml"), re.MULTILINE)
    assert [name for name in exempt if name.startswith(("helix_", "hooks"))] == []


def _text(name: str) -> str:
    return (ROOT / name).read_text(encoding="utf-8")
