"""What every benchmark prints: where it ran, and a table; and what it writes to a file."""

from __future__ import annotations

import argparse
import json
import os
import platform
import sqlite3
import statistics
from collections.abc import Sequence
from datetime import datetime, timezone
from pathlib import Path
from typing import Any

import helix_core


def arguments(description: str) -> argparse.ArgumentParser:
    """The options every benchmark has."""
    parser = argparse.ArgumentParser(description=description)
    parser.add_argument("--json", metavar="FILE", type=Path, help="write everything measured")
    parser.add_argument("--quick", action="store_true", help="fewer rounds")
    return parser


def machine() -> dict[str, Any]:
    """What the figures depend on."""
    return {
        "date": datetime.now(timezone.utc).isoformat(timespec="seconds"),
        "helix": helix_core.__version__,
        "python": platform.python_version(),
        "sqlite": sqlite3.sqlite_version,
        "system": f"{platform.system()} {platform.machine()}",
        "cpus": os.cpu_count(),
    }


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
    """Print the machine and write the file."""
    found = {"benchmark": name, "machine": machine(), "results": results}
    print("  ".join(f"{key} {value}" for key, value in found["machine"].items()))
    if target:
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(json.dumps(found, indent=1) + "\n")
