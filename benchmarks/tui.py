"""What the dashboard costs a person: 10,000 and 50,000 insights, 200 agents, a real terminal.

First paint within 1 s of the start at 10,000 (1.5 s at 50,000), a key to its paint 50 ms in the
median, idle at most 1 percent of a core, also with the clocks of twenty running agents on the
screen, at most 150 MiB after a walk through all views. The first paint is the state line with the
view; the first rows come after it and are shown beside it. A key is measured twice: pressed once
everything about the row before has been drawn, and in a burst, thirty a second. Beside all this
stands what an application of one table costs in the same minute (`benchmarks.bare`).
"""

from __future__ import annotations

import statistics
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from benchmarks import bare, filled, lessons, report
from benchmarks.terminal import Dashboard, dashboard, program
from helix_core import clock, local, profiles
from helix_core.embed.index import MatrixIndex
from helix_core.memory.context import Memory
from helix_core.paths import Project, find_project
from helix_core.settings import Settings
from helix_core.store.connection import open_store
from helix_tui import views

SIZES = (10_000, 50_000)
PAINT_SECONDS = {10_000: 1.0, 50_000: 1.5}
KEY_MS = 50.0
IDLE_SHARE = 0.01
PEAK_MB = 150.0
AGENTS = 200
REACH = 2_048
AT_WORK = 2_000
"""Insights there are when the agents run: a hook without a worker is slow on 50,000."""
BURST = 1 / 30
CURSOR = "▌".encode()
SIGNS = {
    "run": b"[1 Run]",
    "insights": b"[2 Insights]",
    "effectiveness": b"[3 Effectiveness]",
    "graph": b"[4 Graph]",
    "learn": b"[5 Learn",
    "health": b"[6 Health]",
}
"""What the state line says once a view is drawn."""
Verdict = tuple[str, str, bool | None]


@contextmanager
def project_of(size: int, agents: int = AGENTS) -> Iterator[Project]:
    """A project with so many insights, their vectors and edges, and a run of so many agents."""
    with tempfile.TemporaryDirectory(prefix="helix-bench-") as folder:
        root = Path(folder) / "project"
        (root / ".git").mkdir(parents=True)
        project = find_project(root, environ={})
        fill(project, min(size, AT_WORK))
        work(project, agents)
        fill(project, size, min(size, AT_WORK))
        yield project


def fill(project: Project, size: int, have: int = 0) -> None:
    """Put the insights in, from number `have` on."""
    texts = lessons.lessons(size)[have:]
    if not texts:
        return
    rows = lessons.vectors(texts, profiles.MINILM.dim)
    conn = open_store(project.database, create=True)
    try:
        mem = Memory(
            conn=conn,
            project=project,
            settings=Settings(),
            now=clock.now(),
            embedder=filled.Known(),
            index=MatrixIndex(profiles.MINILM),
            actor="benchmark",
        )
        filled.fill(mem, texts, [["bench"]] * len(texts), rows, reach=REACH)
    finally:
        conn.close()


def hook(project: Project, event: str, **payload: Any) -> None:
    """One event of a client, carried out as a hook without a worker does."""
    local.run(project, f"hook:{event}", {"payload": {"session_id": "bench", **payload}})


def work(project: Project, agents: int) -> None:
    """One session in which so many agents ran; every tenth still runs."""
    role = "helix:helix-builder"
    tasks = lessons.tasks(agents)
    for number, task in enumerate(tasks):
        use, agent = f"toolu_{number:05d}", f"a{number:07d}"
        prompt = f"TASK_ID: {number + 1}\n\nTASK: {task}\n"
        tool = {"subagent_type": role, "prompt": prompt, "description": "x"}
        call = {"tool_name": "Agent", "tool_use_id": use, "tool_input": tool}
        hook(project, "PreToolUse", **call)
        hook(project, "PostToolUse", **call, tool_response={"agentId": agent})
        if number % 10:
            said = "DELIVERED: done" if number % 3 else "BLOCKED: the table is locked by another"
            about = {"agent_id": agent, "agent_type": role, "last_assistant_message": said}
            hook(project, "SubagentStop", **about)


def start(project: Project, view: str) -> dict[str, float]:
    """Seconds from the start to the first paint and to the first rows, and the processor's."""
    with dashboard(project.root, view) as shown:
        paint = shown.until(SIGNS[view])
        used = shown.processor_seconds()
        rows = paint + shown.until(CURSOR)
        return {"paint": paint, "rows": rows, "processor": used}


def floor(rounds: int) -> dict[str, Any]:
    """The same of an application of one table."""
    runs = []
    for _ in range(max(3, rounds // 15)):
        with program(bare.__name__) as shown:
            paint = shown.until(bare.SIGN)
            runs.append({"paint": paint, "processor": shown.processor_seconds()})
    with program(bare.__name__) as shown:
        shown.until(bare.SIGN)
        key = report.summary(keys(shown, rounds, bare.SIGN))
        memory = shown.memory_mb()
    return {**_medians(runs), "key": key, "memory": memory}


def keys(shown: Dashboard, count: int, sign: bytes = CURSOR, pause: float = 0.3) -> list[float]:
    """Milliseconds from a key to the paint of what it does; each after a pause without any."""
    found = []
    for number in range(count):
        shown.quiet(pause, 2.0)
        begun = time.perf_counter()
        shown.press("k" if number % 10 == 9 else "j")
        shown.until(sign)
        found.append((time.perf_counter() - begun) * 1000)
    return found


def burst(shown: Dashboard, count: int) -> list[float]:
    """The same of a key that is held: so many presses, thirty a second."""
    found = []
    shown.quiet(0.3, 2.0)
    for number in range(count):
        begun = time.perf_counter()
        shown.press("k" if number // 10 % 2 else "j")
        shown.until(CURSOR)
        found.append((time.perf_counter() - begun) * 1000)
        time.sleep(max(0.0, BURST - found[-1] / 1000))
    return found


def idle(shown: Dashboard, seconds: float) -> float:
    """The share of a core it takes while nothing happens."""
    shown.quiet(1.0)
    before, begun = shown.processor_seconds(), time.perf_counter()
    while time.perf_counter() - begun < seconds:
        shown.read(0.5)
    return (shown.processor_seconds() - before) / (time.perf_counter() - begun)


def measure(project: Project, rounds: int) -> dict[str, Any]:
    """Everything at one size."""
    start(project, "run")  # byte code and disk cache are there from now on
    found: dict[str, Any] = {}
    for view in ("run", "insights"):
        runs = [start(project, view) for _ in range(max(3, rounds // 15))]
        found[f"start, {view}"] = _medians(runs)
    with dashboard(project.root, "insights") as shown:
        shown.until(CURSOR)
        found["key"] = report.summary(keys(shown, rounds))
        found["key, held"] = report.summary(burst(shown, rounds))
        found["idle, insights"] = idle(shown, rounds / 5)
        shown.press("1")
        shown.until(SIGNS["run"])
        found["key, run"] = report.summary(keys(shown, rounds // 2))
        found["idle, run"] = idle(shown, rounds / 5)
        memory = {"insights": shown.memory_mb()}
        for entry in views.VIEWS:
            shown.press(entry.key)
            shown.until(SIGNS[entry.name])
            shown.quiet(1.5)
            memory[entry.name] = shown.memory_mb()
        found["memory"] = memory
        found["peak"] = shown.memory_mb("VmHWM")
    return found


def _medians(runs: Sequence[dict[str, float]]) -> dict[str, float]:
    return {name: statistics.median(run[name] for run in runs) for name in runs[0]}


def verdicts(size: int, found: dict[str, Any]) -> list[Verdict]:
    """(what, figures, whether its limit holds)."""
    lines: list[Verdict] = []
    most = PAINT_SECONDS.get(size)
    for view in ("run", "insights"):
        figures = found[f"start, {view}"]
        text = f"{figures['paint']:.2f} s (rows {figures['rows']:.2f}"
        text += f", processor {figures['processor']:.2f})"
        held = None if most is None else figures["paint"] <= most
        lines.append((f"first paint, {view}", f"{text}, at most {most}", held))
    for name in ("key", "key, held", "key, run"):
        figures = found[name]
        text = f"{figures['median']:.1f} ms (p95 {figures['p95']:.1f}), at most {KEY_MS:g}"
        lines.append((f"{name} to paint", text, figures["median"] <= KEY_MS))
    for name, what in (("idle, insights", "idle"), ("idle, run", "idle, run with clocks")):
        text = f"{found[name]:.2%} of a core, at most {IDLE_SHARE:.0%}"
        lines.append((what, text, found[name] <= IDLE_SHARE))
    walk = ", ".join(f"{name} {value:.0f}" for name, value in found["memory"].items())
    text = f"{found['peak']:.0f} MiB ({walk}), at most {PEAK_MB:g}"
    lines.append(("peak memory", text, found["peak"] <= PEAK_MB))
    return [(f"{size:,}: {what}", text, held) for what, text, held in lines]


def run(sizes: Sequence[int], rounds: int) -> tuple[dict[str, Any], list[Verdict]]:
    """The figures of each size, and what they are worth; one project that grows."""
    results: dict[str, Any] = {}
    rows: list[Verdict] = []
    with project_of(sizes[0]) as project:
        for before, size in zip((sizes[0], *sizes), sizes, strict=False):
            fill(project, size, before)
            least = floor(rounds)
            text = f"{least['paint']:.2f} s (processor {least['processor']:.2f}), a key"
            text += f" {least['key']['median']:.1f} ms, {least['memory']:.0f} MiB"
            rows.append((f"{size:,}: a bare table beside it", text, None))
            results[f"{size}"] = found = {**measure(project, rounds), "bare": least}
            rows += verdicts(size, found)
    return results, rows


def main() -> int:
    """Run it."""
    options = report.arguments(__doc__ or "").parse_args()
    results, rows = run(SIZES[:1] if options.quick else SIZES, 20 if options.quick else 40)
    words = {True: "ok", False: "MISSED", None: ""}
    report.table(("", "figures", ""), [(what, text, words[held]) for what, text, held in rows])
    report.finish("tui", results, options.json)
    return 1 if any(held is False for *_, held in rows) else 0


if __name__ == "__main__":
    raise SystemExit(main())
