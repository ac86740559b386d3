"""What the source files import, read from the files and seen in clean interpreters.

Role: helpers of the architecture tests. May import: standard library only.
"""

from __future__ import annotations

import ast
import os
import re
import subprocess
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
PRODUCT = ("helix_core", "helix_tui", "hooks")
_TIMED = re.compile(r"^import time:\s+\d+ \|\s+\d+ \|\s+(\S+)$", re.MULTILINE)


@dataclass(frozen=True)
class Import:
    """One imported module: by which module, on which line, and whether at import time.

    `deferred` is true inside a function and under `if TYPE_CHECKING:`, where importing the file
    does not import the module.
    """

    importer: str
    target: str
    line: int
    deferred: bool

    def __str__(self) -> str:
        return f"{self.importer}:{self.line} imports {self.target}"


def python_files(*folders: str) -> list[Path]:
    """The Python files under folders of the repository, in order."""
    found = (path for name in folders for path in (ROOT / name).rglob("*.py"))
    return sorted(path for path in found if "__pycache__" not in path.parts)


def module_name(path: Path, root: Path = ROOT) -> str:
    """`helix_core/text/terms.py` is `helix_core.text.terms`; a package's file is the package."""
    parts = path.relative_to(root).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


def imports_of(path: Path, root: Path = ROOT) -> list[Import]:
    """Every import of a file. `from a import b` gives `a.b`, so that submodules are seen."""
    name = module_name(path, root)
    package = name if path.name == "__init__.py" else name.rpartition(".")[0]
    tree = ast.parse(path.read_text(encoding="utf-8"), str(path))
    return [
        Import(name, target, node.lineno, deferred)
        for node, deferred in _import_nodes(tree, False)
        for target in _targets(node, package)
    ]


def _import_nodes(
    parent: ast.AST, deferred: bool
) -> Iterator[tuple[ast.Import | ast.ImportFrom, bool]]:
    for node in ast.iter_child_nodes(parent):
        if isinstance(node, (ast.Import, ast.ImportFrom)):
            yield node, deferred
            continue
        inner = isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda))
        typing_only = isinstance(node, ast.If) and "TYPE_CHECKING" in ast.unparse(node.test)
        yield from _import_nodes(node, deferred or inner or typing_only)


def _targets(node: ast.Import | ast.ImportFrom, package: str) -> list[str]:
    if isinstance(node, ast.Import):
        return [alias.name for alias in node.names]
    base = node.module or ""
    if node.level:
        kept = package.split(".")[: len(package.split(".")) - node.level + 1]
        base = ".".join([*kept, base] if base else kept)
    return [f"{base}.{alias.name}" for alias in node.names]


def inside(module: str, *prefixes: str) -> bool:
    """Whether a module is one of `prefixes` or lies in it."""
    return any(module == prefix or module.startswith(f"{prefix}.") for prefix in prefixes)


def loaded(
    arguments: Sequence[str],
    env: dict[str, str],
    *,
    cwd: Path | None = None,
    stdin: str = "",
    python: str = sys.executable,
) -> tuple[set[str], str]:
    """The modules that `python ARGUMENTS` imported or tried to, and what it printed.

    The interpreter itself says so (`-X importtime`), hence nothing in the process is patched.
    """
    done = subprocess.run(
        [python, "-X", "importtime", *arguments],
        input=stdin,
        capture_output=True,
        text=True,
        cwd=cwd,
        env={"PATH": os.environ["PATH"], **env},
        timeout=60,
        check=False,
    )
    assert done.returncode == 0, done.stderr[-2000:]
    return set(_TIMED.findall(done.stderr)), done.stdout


def foreign(modules: set[str], *own: str) -> set[str]:
    """The modules that are neither of the standard library nor in the packages `own`.

    The interpreter reports attempts too. Three of them are in order: `copy` looks for Jython,
    `site` for its customisations, and Python 3.10 has no TOML reader of its own.
    """
    attempts = ("org", "sitecustomize", "usercustomize", "tomli")
    return {
        name
        for name in modules
        if name.partition(".")[0] not in sys.stdlib_module_names
        and not inside(name, *own, *attempts)
    }
