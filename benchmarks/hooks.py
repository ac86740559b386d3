"""Whole-process wall time of each hook, against `python3 -c pass` in the same run.

1,000 insights. With the worker warm: PreToolUse (injection) median at most 5 times, p95 at most 12
times the bare interpreter; SubagentStop median at most 8 times. With no worker and autostart off:
at most 20 times and never over 1 s. A hook process stays under 40 MiB.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from benchmarks import report

ROOT = Path(__file__).resolve().parent.parent
SUBJECTS = ("parser", "cache", "migration", "token", "queue", "worker", "schema", "fixture",
            "session", "router")  # fmt: skip
FAULTS = ("hangs", "leaks", "drifts", "times out", "loses rows", "double counts", "deadlocks",
          "returns stale data", "rejects input", "grows without bound")  # fmt: skip
CURES = ("rerun it with a frozen clock", "pin the driver", "take the write lock first",
         "rebuild the index", "clear the temp folder", "raise the batch size",
         "check the locale", "seed the generator", "drain it before the deploy",
         "compare the checksums")  # fmt: skip
LIMITS = {
    ("worker", "PreToolUse"): (5, 12),
    ("worker", "SubagentStop"): (8, None),
}
NO_WORKER_TIMES, NO_WORKER_SECONDS, MEMORY_MIB = 20, 1.0, 40


def insights(count: int) -> list[str]:
    """Different texts of the usual form."""
    return [
        f"When the {SUBJECTS[n % 10]} of area {n} {FAULTS[n // 10 % 10]},"
        f" {CURES[n // 100 % 10]} because reason {n * 7919 % 1000} applies"
        for n in range(count)
    ]


@contextmanager
def scene(count: int) -> Iterator[dict[str, str]]:
    """A scratch user and project with a filled memory and a warm worker."""
    with tempfile.TemporaryDirectory(prefix="helix-bench-") as folder:
        project = Path(folder) / "project"
        (project / ".git").mkdir(parents=True)
        env = {
            **{k: v for k, v in os.environ.items() if not k.startswith(("HELIX_", "CLAUDE_"))},
            "HOME": folder,
            "XDG_DATA_HOME": f"{folder}/data",
            "XDG_RUNTIME_DIR": folder,
            "HELIX_VENV": sys.prefix,
            "PROJECT": str(project),
        }
        helix(env, "worker", "start")
        fill(env, count)
        try:
            yield env
        finally:
            helix(env, "worker", "stop")


def helix(env: dict[str, str], *arguments: str) -> str:
    """One call of the command line in the scratch project."""
    return subprocess.run(
        [str(ROOT / "bin/helix"), *arguments],
        cwd=env["PROJECT"], env=env, check=True, capture_output=True, text=True,
    ).stdout  # fmt: skip


def fill(env: dict[str, str], count: int) -> None:
    """Store the insights in this process, then let the worker embed them."""
    code = (
        "import sys, json; from helix_core import local, paths\n"
        "project = paths.find_project(sys.argv[1])\n"
        "from helix_core.memory import remember\n"
        "for text in json.load(sys.stdin):\n"
        "    local.run(project, 'store', {'content': text, 'tags': ['user-provided']})\n"
    )
    subprocess.run(
        [sys.executable, "-c", code, env["PROJECT"]],
        input=json.dumps(insights(count)), text=True, env={**env, "PYTHONPATH": str(ROOT)},
        check=True, cwd=ROOT,
    )  # fmt: skip
    helix(env, "reindex")


def payload(event: str, number: int, env: dict[str, str]) -> dict[str, Any]:
    """What Claude Code would send for call `number`."""
    base = {"session_id": "bench", "transcript_path": f"{env['HOME']}/t.jsonl",
            "cwd": env["PROJECT"], "hook_event_name": event}  # fmt: skip
    subject, fault = SUBJECTS[number % 10], FAULTS[number // 10 % 10]
    prompt = (
        f"TASK_ID: {number}\nTASK: The {subject} {fault} in area {number}, find out why\n"
        f"OBJECTIVE: mend the {subject}\nVERIFY: pytest tests/test_{subject}.py"
    )
    agent = {"agent_id": f"agent{number}", "agent_type": "helix:helix-builder"}
    call = {"tool_name": "Agent", "tool_use_id": f"toolu_{number}",
            "tool_input": {"subagent_type": "helix:helix-builder", "prompt": prompt}}  # fmt: skip
    extra: dict[str, dict[str, Any]] = {
        "SessionStart": {"source": "startup"},
        "PreToolUse": call,
        "PostToolUse": {**call, "tool_response": {"agentId": f"agent{number}"}},
        "SubagentStart": agent,
        "SubagentStop": {
            **agent,
            "last_assistant_message": f"DELIVERED: the {subject} works again\n"
            f'INSIGHT: {{"content": "When the {subject} {fault} in lane {number}, look at its'
            f' log because it names cause {number}", "tags": ["bench"]}}',
        },
        "StopFailure": {**agent, "agent_id": f"crashed{number}", "error": "unknown"},
        "SessionEnd": {"reason": "other"},
    }
    return {**base, **extra[event]}


def timed(command: list[str], stdin: bytes, env: dict[str, str]) -> tuple[float, float]:
    """Wall seconds and peak memory (MiB) of one whole process."""
    started = time.perf_counter()
    child = subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, env=env
    )
    assert child.stdin and child.stdout
    child.stdin.write(stdin)
    child.stdin.close()
    child.stdout.read()
    _, status, usage = os.wait4(child.pid, 0)
    seconds = time.perf_counter() - started
    child.returncode = os.waitstatus_to_exitcode(status)
    child.stdout.close()
    if child.returncode:
        raise RuntimeError(f"{command} ended with {child.returncode}")
    return seconds, usage.ru_maxrss / 1024


EVENTS = ("SessionStart", "PreToolUse", "SubagentStart", "PostToolUse", "SubagentStop",
          "StopFailure", "SessionEnd")  # fmt: skip


def script(event: str) -> str:
    """The launcher's argument for an event."""
    return "".join(f"_{c.lower()}" if c.isupper() else c for c in event).lstrip("_")


def measure(env: dict[str, str], rounds: int, first: int) -> dict[str, Any]:
    """Every event and the bare interpreter in turn, so that drift of the machine cancels out."""
    seconds: dict[str, list[float]] = {name: [] for name in ("python3 -c pass", *EVENTS)}
    memory: dict[str, list[float]] = {name: [] for name in EVENTS}
    bare = [f"{env['HELIX_VENV']}/bin/python", "-c", "pass"]
    for number in range(first, first + rounds):
        for event in EVENTS:
            seconds["python3 -c pass"].append(timed(bare, b"", env)[0])
            command = ["sh", str(ROOT / "hooks/launch"), script(event)]
            data = json.dumps(payload(event, number, env)).encode()
            wall, peak = timed(command, data, env)
            seconds[event].append(wall)
            memory[event].append(peak)
    return {
        "ms": {
            name: report.summary([v * 1000 for v in values]) for name, values in seconds.items()
        },
        "mib": {name: max(values) for name, values in memory.items()},
    }


def verdicts(mode: str, found: dict[str, Any]) -> list[list[str]]:
    """One row per event: figures, ratios, and whether the limit holds."""
    bare = found["ms"]["python3 -c pass"]["median"]
    rows = [["python3 -c pass", f"{bare:.0f}", "", "1.0", "", "", ""]]
    for event in EVENTS:
        ms = found["ms"][event]
        median, p95 = ms["median"] / bare, ms["p95"] / bare
        most, most95 = LIMITS.get((mode, event), (None, None))
        if mode == "no worker":
            good = median <= NO_WORKER_TIMES and ms["max"] <= NO_WORKER_SECONDS * 1000
            limit = f"{NO_WORKER_TIMES}x, 1 s"
        else:
            good = (most is None or median <= most) and (most95 is None or p95 <= most95)
            limit = f"{most}x" + (f", p95 {most95}x" if most95 else "") if most else ""
        good = good and found["mib"][event] < MEMORY_MIB
        rows.append(
            [event, f"{ms['median']:.0f}", f"{ms['p95']:.0f}", f"{median:.1f}", f"{p95:.1f}",
             f"{found['mib'][event]:.0f}", f"{'ok' if good else 'MISSED'} {limit}"]
        )  # fmt: skip
    return rows


def main() -> int:
    """Run it."""
    options = report.arguments(__doc__ or "").parse_args()
    rounds = 8 if options.quick else 40
    results = {}
    missed = False
    with scene(1000) as env:
        for mode, extra in (("worker", {}), ("no worker", {"HELIX_WORKER": "off"})):
            found = measure({**env, **extra}, rounds, 0 if mode == "worker" else 10_000)
            results[mode] = found
            rows = verdicts(mode, found)
            missed = missed or any("MISSED" in row[-1] for row in rows)
            print(f"\n{mode}, {rounds} rounds")
            head = ("hook", "median ms", "p95 ms", "times", "p95 times", "MiB", "limit")
            report.table(head, rows)
    report.finish("hooks", results, options.json)
    return 1 if missed else 0


if __name__ == "__main__":
    raise SystemExit(main())
