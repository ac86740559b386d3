"""What an environment's own Python says of itself: asked from outside, answered inside.

Standard library only. Imports none of the packages it looks for: that would take seconds.
"""

from __future__ import annotations

import json
import sqlite3
import subprocess
import sys
from contextlib import closing
from importlib import import_module, metadata
from pathlib import Path
from typing import Any

EXTRAS = ("tui", "embed")
PACKAGE = "helix-memory"
OLDEST = (3, 10)
SECONDS = 30.0


def ask(executable: Path) -> tuple[dict[str, Any] | None, str]:
    """The report of an environment's Python, or None and why there is none."""
    root = Path(__file__).resolve().parent.parent
    code = (
        f"import sys; sys.version_info < {OLDEST} and sys.exit('Python %d.%d is too old'"
        " % sys.version_info[:2]);"
        f"sys.path.insert(0, {str(root)!r}); from helix_core import probe; probe.main()"
    )
    try:
        done = subprocess.run(
            [str(executable), "-I", "-B", "-c", code],
            capture_output=True,
            text=True,
            errors="replace",
            timeout=SECONDS,
            check=False,
            stdin=subprocess.DEVNULL,
        )
        found: dict[str, Any] = json.loads(done.stdout) if done.returncode == 0 else {}
    except (OSError, ValueError, subprocess.TimeoutExpired) as error:
        return None, f"{type(error).__name__}: {error}"
    if done.returncode or not {"python", "problems"} <= found.keys():
        last = [line for line in done.stderr.splitlines() if line.strip()][-1:]
        return None, last[0].strip() if last else f"exit code {done.returncode}"
    return found, ""


def report() -> dict[str, Any]:
    """Versions, whether full text can be searched, and what is missing or of another version."""
    from helix_core.embed import sources
    from helix_core.store import migrations

    with closing(sqlite3.connect(":memory:")) as conn:
        fts5 = migrations.has_fts5(conn)
    folder = sources.packaged_folder()
    return {
        "python": list(sys.version_info[:3]),
        "sqlite": sqlite3.sqlite_version,
        "fts5": fts5,
        "helix": _version(PACKAGE),
        "problems": list(problems()),
        "packaged_model": str(folder) if folder else None,
    }


def _version(name: str) -> str | None:
    try:
        return metadata.version(name)
    except metadata.PackageNotFoundError:
        return None


def problems() -> list[str]:
    """What helix requires and this environment lacks, one line each."""
    try:
        wanted = metadata.requires(PACKAGE) or []
    except metadata.PackageNotFoundError:
        return ["helix itself is not installed in it"]
    requirement = _parser()
    found = []
    for line in wanted:
        need = requirement(line)
        if need.marker and not any(need.marker.evaluate({"extra": e}) for e in ("", *EXTRAS)):
            continue
        version = _version(need.name)
        if version is None:
            found.append(f"{need.name} is missing")
        elif not need.specifier.contains(version, prereleases=True):
            found.append(f"{need.name} {version} is not {need.specifier}")
    return found


def _parser() -> Any:
    """The parser of requirement lines: its own package, else the one inside pip."""
    for name in ("packaging.requirements", "pip._vendor.packaging.requirements"):
        try:
            return import_module(name).Requirement
        except ImportError:
            continue
    raise ModuleNotFoundError("neither packaging nor pip is there")


def main() -> None:
    """Print the report as one JSON document."""
    sys.stdout.write(json.dumps(report()))
