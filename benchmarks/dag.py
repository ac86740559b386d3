"""The task graph at 1,000 tasks, in a warm process: `status` stays under 100 ms.

A plan is recorded as `helix dag plan` does, half of its tasks are delivered, and the ledger is
asked as the command line asks it: open the database, answer, close. A chain, a fan and a mesh in
which each task waits for three. The processor's time stands beside the wall's, which is what counts
where other programs share the machine.
"""

from __future__ import annotations

import json
import tempfile
import time
from pathlib import Path
from typing import Any

from benchmarks import report
from helix_core import local, paths
from helix_core.paths import Project
from helix_core.store import runs
from helix_core.store.connection import open_store, writing

STATUS_MS = 100.0
SHAPES: dict[str, tuple[int, ...]] = {"chain": (1,), "mesh": (1, 7, 31), "fan": ()}
QUESTIONS = ("dag-status", "dag-ready", "dag-show")
AT = "2026-01-01T00:00:00.000+00:00"


def plan(size: int, back: tuple[int, ...]) -> str:
    """The text of a plan whose tasks wait for those so many places before, or all for the first."""
    entries = [
        {
            "seq": n,
            "slug": f"part-{n}",
            "description": "One outcome that one builder reaches in one sitting. " * 4,
            "relevant_files": [f"src/part_{n}.py", f"tests/test_part_{n}.py"],
            "blocked_by": [n - b for b in back if n > b] if back else [1] * (n > 1),
            "verify": f"pytest tests/test_part_{n}.py",
        }
        for n in range(1, size + 1)
    ]
    return json.dumps(entries)


def half_done(project: Project, size: int) -> None:
    """The first half of the tasks is delivered."""
    conn = open_store(project.database)
    with writing(conn):
        for n in range(1, size // 2 + 1):
            known = {"task_id": str(n), "agent_id": f"a{n}", "state": "delivered"}
            runs.create(conn, "s", "helix-builder", AT, **known, summary="what it delivered " * 5)
    conn.close()


def measure(size: int, back: tuple[int, ...], rounds: int) -> dict[str, Any]:
    """Milliseconds of recording a plan of that shape, and of each question about it."""
    with tempfile.TemporaryDirectory() as folder:
        (Path(folder) / ".git").mkdir()
        project = paths.find_project(folder)
        began = time.perf_counter()
        local.run(project, "dag-plan", {"text": plan(size, back), "session": "s"})
        found: dict[str, Any] = {"record": (time.perf_counter() - began) * 1000}
        half_done(project, size)
        for question in QUESTIONS:
            wall, processor = [], []
            for _ in range(rounds + 1):
                began, busy = time.perf_counter(), time.process_time()
                local.run(project, question, {"session": "s"})
                processor.append((time.process_time() - busy) * 1000)
                wall.append((time.perf_counter() - began) * 1000)
            found[question] = {
                "wall_ms": report.summary(wall[1:]),
                "processor_ms": report.summary(processor[1:]),
            }
        return found


def main() -> int:
    """Run it; exit code 1 where `status` takes too long."""
    options = report.arguments(__doc__ or "").parse_args()
    size, rounds = 1000, 5 if options.quick else 30
    results = {shape: measure(size, back, rounds) for shape, back in SHAPES.items()}
    rows = [
        (
            f"{shape}, {question}",
            *(f"{found[question]['wall_ms'][key]:.1f}" for key in ("median", "p95")),
            f"{found[question]['processor_ms']['median']:.1f}",
            f"{STATUS_MS:.0f}" if question == "dag-status" else "-",
        )
        for shape, found in results.items()
        for question in QUESTIONS
    ]
    report.table(("1,000 tasks", "median ms", "p95 ms", "processor ms", "target"), rows)
    report.finish("dag", {"tasks": size, "shapes": results}, options.json)
    slow = [s for s, f in results.items() if f["dag-status"]["wall_ms"]["median"] > STATUS_MS]
    return 1 if slow else 0


if __name__ == "__main__":
    raise SystemExit(main())
