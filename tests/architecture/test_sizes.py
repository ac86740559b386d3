"""Files and functions stay small enough to be read in one go."""

from __future__ import annotations

import ast
from pathlib import Path

from tests.architecture.sources import ROOT, python_files

FILE_LINES, SCREEN_LINES = 450, 300
HOOK_LINES, FUNCTION_LINES, SKILL_LINES = 40, 60, 250


def _lines(path: Path) -> int:
    return len(path.read_text(encoding="utf-8").splitlines())


def _too_long(paths: list[Path], limit: int) -> list[str]:
    return [
        f"{path.relative_to(ROOT)}: {_lines(path)} lines, over {limit}"
        for path in paths
        if _lines(path) > limit
    ]


def test_python_files() -> None:
    product = python_files("helix_core", "helix_tui", "hooks", "benchmarks", "screenshots")
    assert len(product) > 50, "the files were not found"
    assert _too_long(product, FILE_LINES) == []
    assert _too_long(python_files("tests"), FILE_LINES) == []


def test_screens_and_the_app() -> None:
    paths = python_files("helix_tui/screens")
    app = ROOT / "helix_tui" / "app.py"
    assert _too_long([*paths, *([app] if app.exists() else [])], SCREEN_LINES) == []


def test_hook_scripts() -> None:
    scripts = [*python_files("hooks"), ROOT / "hooks" / "launch"]
    assert len(scripts) == 8
    assert _too_long(scripts, HOOK_LINES) == []


def test_functions() -> None:
    found = [
        f"{path.relative_to(ROOT)}: {node.name}, lines {node.lineno} to {node.end_lineno}"
        for path in python_files("helix_core", "helix_tui", "tests")
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef))
        and (node.end_lineno or 0) - node.lineno >= FUNCTION_LINES
    ]
    assert found == []


def test_skills_and_agents() -> None:
    texts = sorted([*ROOT.glob("skills/*/SKILL.md"), *ROOT.glob("agents/*.md")])
    assert len(texts) >= 6
    assert _too_long(texts, SKILL_LINES) == []
