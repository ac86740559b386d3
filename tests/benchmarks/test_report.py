"""Every benchmark says when, on which machine and with which versions it measured."""

from __future__ import annotations

import argparse
import json
import re
from pathlib import Path

import pytest

from benchmarks import report
from tests.architecture.sources import ROOT


def names() -> list[str]:
    """The benchmarks of `make bench`, and the long one beside them."""
    text = (ROOT / "Makefile").read_text(encoding="utf-8")
    found = re.search(r"^BENCHES := (.+)$", text, re.MULTILINE)
    assert found
    return [*found[1].split(), "soak"]


@pytest.mark.parametrize("name", names())
def test_it_ends_with_what_the_figures_depend_on(name: str) -> None:
    folder = ROOT / "benchmarks" / name
    script = folder / "__main__.py" if folder.is_dir() else folder.with_suffix(".py")
    source = script.read_text(encoding="utf-8")
    assert "report.table(" in source or "table.show(" in source
    assert f'report.finish("{name}", ' in source
    assert "report.arguments(" in source


def test_what_is_printed_and_kept_is_the_same(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    target = tmp_path / "results" / "x.json"
    report.finish("x", {"figure": 1}, target)
    kept = json.loads(target.read_text(encoding="utf-8"))
    assert kept["results"] == {"figure": 1}
    line = capsys.readouterr().out
    for key, value in kept["machine"].items():
        assert f"{key} {value}" in line
    wanted = {"date", "helix", "commit", "python", "sqlite", "system", "processor", "cpus", "load"}
    assert wanted | set(report.PACKAGES) <= kept["machine"].keys()
    assert "missing" not in line


def test_every_one_takes_a_file_and_may_be_quick() -> None:
    parser = report.arguments("x")
    assert isinstance(parser, argparse.ArgumentParser)
    options = parser.parse_args(["--quick", "--json", "a.json"])
    assert (options.quick, options.json) == (True, Path("a.json"))
