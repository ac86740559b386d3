"""A dashboard beside a busy session for ten minutes: its memory must not grow.

A writer stores, edits and feeds back all the time, while keys go through every view of a dashboard
in a real terminal. After a warm-up of a fifth of the time memory is read at the end of each round;
the median of the last fifth may be at most 8 MiB above that of the first one after the warm-up.
"""

from __future__ import annotations

import argparse
import statistics
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

from benchmarks import report, tui
from benchmarks.terminal import ROOT, Dashboard, dashboard
from helix_core import local
from helix_core.paths import find_project
from helix_tui import views

SECONDS = 600.0
GROWTH_MB = 8.0
INSIGHTS = 2_000
AGENTS = 40
PAUSE = 0.05
MINUTES = (1, 2, 5, 9.5)
"""When memory is told, beside the growth."""


def write(root: str) -> None:
    """Keep a project busy until this process is ended."""
    project = find_project(root, environ={})
    number = 0
    while True:
        number += 1
        text = f"When job {number} of kind {number * 7919} fails, look at log {number * 104729}"
        done = local.run(project, "store", {"content": text, "tags": [f"t{number % 9}"]})
        name = done.get("name")
        if name and number % 3 == 0:
            outcome = "delivered" if number % 2 else "blocked"
            local.run(project, "feedback", {"names": [name], "outcome": outcome})
        if name and number % 2:  # the memory stays about as large as it is
            local.run(project, "trash", {"names": [name]})
        agent = f"busy{number:07d}"
        about = {"agent_id": agent, "agent_type": "helix:helix-builder"}
        tui.hook(project, "SubagentStart", **about)
        tui.hook(project, "SubagentStop", **about, last_assistant_message="DELIVERED: done")
        time.sleep(PAUSE)


def visit(shown: Dashboard) -> None:
    """Go once through all views, move about in each."""
    for view in views.VIEWS:
        shown.press(view.key)
        shown.quiet(0.1, 0.6)
        for key in "jjkG":
            shown.press(key)
            shown.quiet(0.02, 0.15)
        shown.press("g")
        shown.quiet(0.05, 0.3)


def soak(seconds: float, insights: int = INSIGHTS, agents: int = AGENTS) -> dict[str, Any]:
    """Memory at the end of each round, in MiB, how much it grew, what it was at some minutes."""
    with tui.project_of(insights, agents) as project:
        code = f"from benchmarks import soak; soak.write({str(project.root)!r})"
        writer = subprocess.Popen([sys.executable, "-c", code], cwd=ROOT)
        rounds: list[float] = []
        times: list[float] = []
        try:
            with dashboard(project.root, "run") as shown:
                shown.until(tui.SIGNS["run"])
                begun, used = time.monotonic(), shown.processor_seconds()
                while time.monotonic() < begun + seconds or len(rounds) < 10:
                    visit(shown)
                    rounds.append(shown.memory_mb())
                    times.append(time.monotonic() - begun)
                share = (shown.processor_seconds() - used) / times[-1]
                assert writer.poll() is None, "the writer has ended"
        finally:
            writer.kill()
            writer.wait()
        written = local.run(project, "count", {})
    return {
        "rounds": rounds,
        "growth": growth(rounds),
        "minutes": {str(minute): at(minute * 60, times, rounds) for minute in MINUTES},
        "processor": share,
        "insights": written,
    }


def at(second: float, times: list[float], rounds: list[float]) -> float | None:
    """The memory at the end of the first round after so many seconds."""
    return next((mb for when, mb in zip(times, rounds, strict=True) if when >= second), None)


def growth(rounds: list[float]) -> float:
    """How far the last fifth lies above the first fifth after the warm-up."""
    part = max(1, len(rounds) // 5)
    return statistics.median(rounds[-part:]) - statistics.median(rounds[part : 2 * part])


def main() -> int:
    """Run it."""
    parser: argparse.ArgumentParser = report.arguments(__doc__ or "")
    parser.add_argument("--seconds", type=float, default=SECONDS)
    options = parser.parse_args()
    found = soak(60.0 if options.quick else options.seconds)
    held = found["growth"] <= GROWTH_MB
    rounds = found["rounds"]
    text = f"{found['growth']:+.1f} MiB over {len(rounds)} rounds, at most {GROWTH_MB:+g}"
    told = ", ".join(f"{mb:.0f} at {m} min" for m, mb in found["minutes"].items() if mb)
    walk = f"{rounds[0]:.0f} to {rounds[-1]:.0f} MiB, most {max(rounds):.0f}, {told}"
    report.table(("", "figures", ""), [("growth", f"{text} ({walk})", "ok" if held else "MISSED")])
    target: Path | None = options.json
    report.finish("soak", found, target)
    return 0 if held else 1


if __name__ == "__main__":
    raise SystemExit(main())
