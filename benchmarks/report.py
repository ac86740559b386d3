"""What every benchmark prints: where it ran, and a table; and what it writes to a file."""

from __future__ import annotations

import argparse
import json
import os
import platform
import sqlite3
import statistics
import subprocess
import time
from collections.abc import Sequence
from datetime import datetime, timezone
from importlib import metadata
from pathlib import Path
from typing import Any

import helix_core

PACKAGES = ("torch", "sentence-transformers", "numpy", "networkx", "textual")
_BEGUN = time.monotonic()


def arguments(description: str) -> argparse.ArgumentParser:
    """The options every benchmark has."""
    parser = argparse.ArgumentParser(description=description)
    parser.add_argument("--json", metavar="FILE", type=Path, help="write everything measured")
    parser.add_argument("--quick", action="store_true", help="fewer rounds")
    return parser


def machine() -> dict[str, Any]:
    """What the figures depend on: when, how busy, which machine, which versions."""
    load = os.getloadavg()[0] if hasattr(os, "getloadavg") else None
    return {
        "date": datetime.now(timezone.utc).isoformat(timespec="seconds"),
        "helix": helix_core.__version__,
        "commit": _commit(),
        "python": platform.python_version(),
        "sqlite": sqlite3.sqlite_version,
        **{name: _version(name) for name in PACKAGES},
        "system": f"{platform.system()} {platform.release()} {platform.machine()}",
        "processor": _processor(),
        "cpus": os.cpu_count(),
        "load": None if load is None else round(load, 1),
    }


def _commit() -> str:
    """The commit that was measured, with a plus where files differ from it."""
    try:
        done = subprocess.run(
            ["git", "describe", "--always", "--dirty=+", "--exclude=*"],
            cwd=Path(__file__).parent,
            capture_output=True,
            text=True,
            check=True,
        )
    except (OSError, subprocess.CalledProcessError):
        return "unknown"
    return done.stdout.strip()


def _version(package: str) -> str:
    try:
        return metadata.version(package)
    except metadata.PackageNotFoundError:
        return "missing"


def _processor() -> str:
    """The name of the processor as the system tells it."""
    try:
        lines = Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines()
    except OSError:
        return platform.processor() or "unknown"
    names = [line.partition(":")[2].strip() for line in lines if line.startswith("model name")]
    return names[0] if names else platform.processor() or "unknown"


def quantile(values: Sequence[float], share: float) -> float:
    """The empirical quantile, nearest rank."""
    ordered = sorted(values)
    return ordered[min(len(ordered) - 1, int(share * len(ordered)))]


def summary(values: Sequence[float]) -> dict[str, float]:
    """Median, p95, largest and count."""
    return {
        "median": statistics.median(values),
        "p95": quantile(values, 0.95),
        "max": max(values),
        "n": len(values),
    }


def table(head: Sequence[str], rows: Sequence[Sequence[str]]) -> None:
    """Print columns."""
    widths = [max(len(str(r[n])) for r in [head, *rows]) for n in range(len(head))]
    for row in [head, *rows]:
        print("  ".join(str(cell).ljust(width) for cell, width in zip(row, widths, strict=True)))


def finish(name: str, results: dict[str, Any], target: Path | None) -> None:
    """Print what was measured on which machine, and how long that took; write the file."""
    here = {**machine(), "seconds": round(time.monotonic() - _BEGUN)}
    print("  ".join(f"{key} {value}" for key, value in here.items()))
    if target:
        target.parent.mkdir(parents=True, exist_ok=True)
        found = {"benchmark": name, "machine": here, "results": results}
        target.write_text(json.dumps(found, indent=1) + "\n")
