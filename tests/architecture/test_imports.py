"""Who may import what: read from the sources, and seen in interpreters that start clean."""

from __future__ import annotations

import importlib.util
import json
import sys
from pathlib import Path

import pytest

from tests.architecture.sources import (
    PRODUCT,
    ROOT,
    Import,
    foreign,
    imports_of,
    inside,
    loaded,
    module_name,
    python_files,
)

MODEL = ("sentence_transformers", "torch", "transformers")
HEAVY = (*MODEL, "numpy", "scipy", "sklearn", "networkx")
SCREEN = ("textual", "rich", "watchfiles")
ABOVE_TEXT = tuple(f"helix_core.{name}" for name in ("store", "memory", "embed", "hooks", "cli"))

# Files that need more than the standard library as soon as they are imported; only the worker
# (and, for the graph, the command that draws it) gets there.
WORKER_SIDE = (
    "helix_core.embed.index",
    "helix_core.embed.model",
    "helix_core.embed.projects",
    "helix_core.embed.server",
    "helix_core.embed.worker",
    "helix_core.memory.graph",
)

# package -> what nothing in it may import, not even inside a function
NEVER: dict[str, tuple[str, ...]] = {
    "helix_core": ("helix_tui", *SCREEN),
    "helix_core.text": (*ABOVE_TEXT, *HEAVY, "sqlite3"),
    "helix_core.dag": (*ABOVE_TEXT, *(name for name in HEAVY if name != "networkx"), "sqlite3"),
    "helix_core.store": (*ABOVE_TEXT[1:], "helix_core.dag.graph", "helix_core.service", *HEAVY),
    "helix_core.memory": (*ABOVE_TEXT[2:], "helix_core.service", *MODEL),
    "helix_core.hooks": (*HEAVY, "helix_core.cli", "helix_core.embed.model"),
    "helix_core.embed.client": (*HEAVY, *ABOVE_TEXT[:2], "sqlite3"),
    "helix_core.embed.protocol": (*HEAVY, *ABOVE_TEXT, "sqlite3"),
    "helix_core.embed.lifecycle": (*HEAVY, *ABOVE_TEXT[:2], "sqlite3"),
    "helix_core.paths": (*HEAVY, *ABOVE_TEXT),
    "helix_core.errors": (*HEAVY, *ABOVE_TEXT),
    "helix_core.atomic": (*HEAVY, *ABOVE_TEXT),
    "helix_core.formulas": (*HEAVY, *ABOVE_TEXT, "sqlite3", "pathlib", "os"),
    "helix_core.cli": MODEL,
    "helix_tui": (*MODEL, "helix_core.embed.model", "helix_core.embed.server"),
    "helix_tui.widgets": ("helix_tui.data", "helix_tui.screens", "helix_core.store", "sqlite3"),
    "helix_tui.screens": ("helix_core.store", "sqlite3"),
    "helix_tui.data": ("helix_tui.screens", "helix_tui.widgets"),
    "helix_tui.formats": ("textual",),
    "helix_tui.glyphs": ("textual",),
}
# package -> what is allowed there, but only deferred
NOT_AT_IMPORT: dict[str, tuple[str, ...]] = {
    "helix_core": (*MODEL, "networkx"),
    "helix_core.memory": ("numpy",),
    "helix_core.cli": ("helix_core.hooks", "helix_core.demo", *HEAVY),
    "helix_core.cli.main": ("helix_core.cli", "helix_core.store", "sqlite3"),
    "helix_tui": ("numpy", "networkx", "watchfiles"),
}


def _all_imports() -> list[Import]:
    return [found for path in python_files(*PRODUCT) for found in imports_of(path)]


def _broken(found: list[Import]) -> list[str]:
    """The imports that a rule forbids."""
    never = [
        item
        for item in found
        for package, targets in NEVER.items()
        if inside(item.importer, package) and inside(item.target, *targets)
    ]
    early = [
        item
        for item in found
        for package, targets in NOT_AT_IMPORT.items()
        if not item.deferred
        and inside(item.importer, package)
        and inside(item.target, *targets)
        and not (inside(item.importer, *WORKER_SIDE) and inside(item.target, "numpy", "networkx"))
    ]
    return sorted({str(item) for item in (*never, *early)})


def test_no_file_imports_what_its_package_may_not() -> None:
    assert _broken(_all_imports()) == []


@pytest.mark.parametrize(
    ("file", "source", "broken"),
    [
        ("helix_core/text/a.py", "from helix_core import store", True),
        ("helix_core/store/a.py", "def f():\n    from ..memory import recall", True),
        ("helix_core/memory/a.py", "import numpy", True),
        ("helix_core/memory/a.py", "def f():\n    import numpy", False),
        ("helix_core/memory/graph.py", "import networkx", False),
        ("helix_core/embed/a.py", "if TYPE_CHECKING:\n    import torch", False),
        ("helix_core/cli/a.py", "try:\n    import textual\nexcept ImportError:\n    pass", True),
        ("helix_tui/widgets/a.py", "import sqlite3", True),
    ],
)
def test_the_rules_see_a_breach(tmp_path: Path, file: str, source: str, broken: bool) -> None:
    path = tmp_path / file
    path.parent.mkdir(parents=True)
    path.write_text(source, encoding="utf-8")
    assert bool(_broken(imports_of(path, tmp_path))) is broken


def test_hook_scripts_import_the_hook_process_and_the_standard_library() -> None:
    targets = {found.target for path in python_files("hooks") for found in imports_of(path)}
    assert {t for t in targets if t.partition(".")[0] not in sys.stdlib_module_names} == {
        "helix_core.hooks.process.main"
    }


def test_one_file_names_the_model_library_and_only_the_worker_imports_it() -> None:
    found = _all_imports()
    users = {i.importer for i in found if inside(i.target, *MODEL)}
    assert users == {"helix_core.embed.model"}
    assert {i.importer for i in found if inside(i.target, "helix_core.embed.model")} == {
        "helix_core.embed.worker"
    }


def test_everything_but_the_worker_imports_without_any_package() -> None:
    names = [module_name(path) for path in python_files("helix_core")]
    light = [name for name in names if not inside(name, *WORKER_SIDE)]
    code = f"import sys; sys.path.insert(0, {str(ROOT)!r})\n" + "".join(
        f"import {name}\n" for name in light
    )
    modules, _ = loaded(["-S", "-E", "-c", code], {})
    assert len(modules & set(light)) == len(light)
    assert foreign(modules, "helix_core") == set()


@pytest.fixture
def place(tmp_path: Path) -> dict[str, str]:
    """A scratch project (`HERE`) and an environment without any helix installation."""
    project = tmp_path / "project"
    project.mkdir()
    return {
        "HERE": str(project),
        "HOME": str(tmp_path),
        "XDG_DATA_HOME": str(tmp_path / "data"),
        "XDG_RUNTIME_DIR": str(tmp_path),
        "HELIX_VENV": str(tmp_path / "no-environment"),
    }


AGENT = {"agent_id": "a1", "agent_type": "helix:helix-builder"}
CALL = {
    "tool_name": "Agent",
    "tool_use_id": "toolu_1",
    "tool_input": {
        "subagent_type": "helix:helix-builder",
        "description": "Build",
        "prompt": "TASK_ID: 1\nTASK: Repair the invoice renewal job\nOBJECTIVE: invoices",
    },
}
LESSON = "When the invoice renewal job is repaired, run its migration first because it locks"
EVENTS = (
    ("session_start", "SessionStart", {"source": "startup"}),
    ("pre_tool_use", "PreToolUse", CALL),
    ("subagent_start", "SubagentStart", AGENT),
    ("post_tool_use", "PostToolUse", {**CALL, "tool_response": {"agentId": "a1"}}),
    ("subagent_stop", "SubagentStop", {**AGENT, "last_assistant_message": "DELIVERED: it runs"}),
    ("stop_failure", "StopFailure", {**AGENT, "agent_id": "a2", "error": "overloaded"}),
    ("session_end", "SessionEnd", {"reason": "exit"}),
)


def test_a_hook_without_worker_needs_nothing_but_the_standard_library(
    place: dict[str, str],
) -> None:
    here = Path(place["HERE"])
    stored = ["-S", "-E", "-c", f"import sys; sys.path.insert(0, {str(ROOT)!r})\n{_STORE}"]
    loaded(stored, {**place, "HELIX_WORKER": "off"}, cwd=here, stdin=LESSON)
    answers = {}
    for script, event, payload in EVENTS:
        modules, printed = loaded(
            ["-S", "-E", str(ROOT / "hooks" / f"{script}.py")],
            place,
            cwd=here,
            stdin=json.dumps({"session_id": "s1", "cwd": str(here), **payload}),
        )
        assert foreign(modules, "helix_core") == set(), event
        assert "helix_core.memory.recall" in modules, f"{event} did not do its own work"
        answers[event] = printed
    given = json.loads(answers["PreToolUse"])["hookSpecificOutput"]
    assert LESSON in given["updatedInput"]["prompt"]


_STORE = """
from helix_core.cli.main import main
sys.exit(main(["store", "-"]))
"""


def test_version_is_answered_before_the_store_is_imported(place: dict[str, str]) -> None:
    modules, printed = loaded(
        ["-S", "-m", "helix_core", "--version"], {**place, "PYTHONPATH": str(ROOT)}
    )
    assert printed.startswith("helix ")
    too_much = {"sqlite3", "subprocess", "socket", "helix_core.cli.commands", "helix_core.store"}
    assert modules & too_much == set()


@pytest.mark.parametrize("module", ["helix_tui.app", "helix_tui.__main__"])
def test_the_dashboard_loads_no_model_and_no_numpy(place: dict[str, str], module: str) -> None:
    if not ROOT.joinpath(*module.split(".")).with_suffix(".py").exists():
        pytest.skip(f"{module} is not written yet")
    if importlib.util.find_spec("textual") is None:
        pytest.skip("textual is not installed")
    modules, _ = loaded(["-c", f"import {module}"], {**place, "PYTHONPATH": str(ROOT)})
    assert module in modules
    assert {name for name in modules if inside(name, *HEAVY)} == set()
