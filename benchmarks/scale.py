"""How recall and store grow with the memory: 1,000, 10,000 and 100,000 insights, a warm worker.

Everything the worker does for a request but the embedding and the socket, in this process, on a
real database that grows. Medians of one run: recall (5 results, query vector known) at most 2 ms
at 1,000 insights, 8 ms at 10,000 and 60 ms at 100,000; a store at 10,000 at most 25 ms; ten times
the insights take at most ten times as long. Ranking for injection is shown beside them.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from typing import Any

from benchmarks import filled, lessons, report
from helix_core import profiles
from helix_core.memory import inject, recall, remember
from helix_core.memory.context import Memory

SIZES = (1_000, 10_000, 100_000)
RECALL_MS = {1_000: 2.0, 10_000: 8.0, 100_000: 60.0}
STORE_MS = {10_000: 25.0}
TIMES_PER_TENFOLD = 10.0
REACH = 8_192
WARM_UP = 10
Limits = dict[int, float]


def timed(work: Callable[[str], object], texts: Sequence[str]) -> dict[str, float]:
    """Milliseconds of each call, after some that do not count; and of processor time.

    The latter says what the work is worth where other programs share the machine.
    """
    for text in texts[:WARM_UP]:
        work(text)
    wall, processor = [], []
    for text in texts[WARM_UP:]:
        started, busy = time.perf_counter(), time.process_time()
        work(text)
        processor.append((time.process_time() - busy) * 1000)
        wall.append((time.perf_counter() - started) * 1000)
    return {**report.summary(wall), "processor_median": report.summary(processor)["median"]}


def measure(mem: Memory, tasks: Sequence[str], new: Sequence[str]) -> dict[str, Any]:
    """Recall, ranking for injection and store at the present size."""
    return {
        "recall": timed(lambda text: recall.recall(mem, recall.Query(text)), tasks),
        "recall, limit 15": timed(
            lambda text: recall.recall(mem, recall.Query(text, limit=15)), tasks
        ),
        "inject": timed(lambda text: inject.rank(mem, recall.Query(text)), tasks),
        "store": timed(lambda text: remember.store(mem, text, ["bench"]), new),
    }


def run(sizes: Sequence[int], rounds: int) -> dict[int, dict[str, Any]]:
    """The figures at each size, in one memory that grows."""
    known = filled.Known()
    tasks = lessons.tasks(rounds + WARM_UP)
    known.learn(tasks, lessons.vectors(tasks, profiles.MINILM.dim))
    results: dict[int, dict[str, Any]] = {}
    there, extra = 0, 0
    with filled.memory(known) as mem:
        for size in sizes:
            texts = lessons.lessons(size - there, start=there)
            rows = lessons.vectors(texts, profiles.MINILM.dim)
            filled.fill(mem, texts, [["bench"]] * len(texts), rows, reach=REACH)
            there = size
            new = lessons.lessons(rounds + WARM_UP, start=10_000_000 + extra)
            extra += len(new)
            known.learn(new, lessons.vectors(new, profiles.MINILM.dim))
            results[size] = measure(mem, tasks, new)
    return results


def verdicts(results: dict[int, dict[str, Any]]) -> list[tuple[str, str, bool | None]]:
    """(what, figures, whether its limit holds; None without one), medians throughout."""
    found: list[tuple[str, str, bool | None]] = []
    for name in next(iter(results.values())):
        limits: Limits = {"recall": RECALL_MS, "store": STORE_MS}.get(name, {})
        previous: float | None = None
        for size, figures in results.items():
            value = figures[name]["median"]
            most = limits.get(size)
            held = None if most is None else value <= most
            text = f"{value:.2f} ms (processor {figures[name]['processor_median']:.2f})"
            text += f", at most {most:g}" if most else ""
            found.append((f"{name} at {size:,}", text, held))
            if previous is not None and limits:
                times = value / previous
                text = f"{times:.1f} times, at most {TIMES_PER_TENFOLD:g}"
                found.append((f"{name}: growth to {size:,}", text, times <= TIMES_PER_TENFOLD))
            previous = value
    return found


def main() -> int:
    """Run it."""
    options = report.arguments(__doc__ or "").parse_args()
    sizes = SIZES[:2] if options.quick else SIZES
    results = run(sizes, 40 if options.quick else 150)
    rows = verdicts(results)
    words = {True: "ok", False: "MISSED", None: ""}
    report.table(("", "median", ""), [(what, text, words[held]) for what, text, held in rows])
    report.finish("scale", {f"{size}": found for size, found in results.items()}, options.json)
    return 1 if any(held is False for *_, held in rows) else 0


if __name__ == "__main__":
    raise SystemExit(main())
