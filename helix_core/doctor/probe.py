"""What an environment's own Python says of itself; run inside it, with its own packages.

Standard library only. Imports none of the packages it looks for: that would take seconds.
"""

from __future__ import annotations

import json
import sqlite3
import sys
from contextlib import closing
from importlib import import_module, metadata
from typing import Any

EXTRAS = ("tui", "embed")
PACKAGE = "helix-memory"


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
