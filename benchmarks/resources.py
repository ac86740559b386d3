"""What helix takes: memory and CPU of worker, hooks and dashboard; what a session leaves on disk.

On a memory of 1,000 insights. Limits: a hook under 40 MiB, the worker under its ceiling
(`worker_memory_mb`) and an idle one under 2% of a CPU, an idle dashboard under 1%, the write-ahead
log under 8 MiB while a dashboard looks on. Linux only: it reads /proc.
"""

from __future__ import annotations

import fcntl
import os
import pty
import sqlite3
import struct
import subprocess
import termios
import threading
import time
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any

from benchmarks import hooks, report
from helix_core import paths, settings
from helix_core.embed import client, footprint

MIB = 1024 * 1024
WAL_MIB, HOOK_MIB = 8, 40
WORKER_IDLE, DASHBOARD_IDLE = 2.0, 1.0
SESSION = ("SessionStart", "PreToolUse", "PostToolUse", "SubagentStart", "SubagentStop",
           "SessionEnd")  # fmt: skip


def cpu_seconds(pid: int) -> float:
    """User and system time of a process so far."""
    fields = Path(f"/proc/{pid}/stat").read_text(encoding="ascii").rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def share(pid: int, seconds: float) -> float:
    """Per cent of one CPU that a process takes while nobody asks it for anything."""
    before, begun = cpu_seconds(pid), time.monotonic()
    time.sleep(seconds)
    return 100 * (cpu_seconds(pid) - before) / (time.monotonic() - begun)


def asked(env: dict[str, str], event: str, number: int) -> None:
    """One hook event, sent to the worker as a hook process sends it."""
    payload = hooks.payload(event, number, env) | {"session_id": f"bench{number}"}
    client.request(f"hook:{event}", {"payload": payload, "started": time.time()},
                   {"cwd": env["PROJECT"]}, first_ms=10_000, answer_ms=30_000)  # fmt: skip


def worker(env: dict[str, str], seconds: float, requests: int) -> dict[str, float]:
    """The warm worker, idle and busy."""
    found = client.wait_ready(180)
    if not found or found["model_state"] != "ready":
        raise RuntimeError(f"the worker has no model: {found}")
    pid = int(found["pid"])
    time.sleep(2)  # what it had to catch up with
    idle, before = share(pid, seconds), cpu_seconds(pid)
    begun = time.monotonic()
    place = {"cwd": env["PROJECT"]}
    for n in range(requests):
        query = f"why the {hooks.SUBJECTS[n % 10]} {hooks.FAULTS[n // 10 % 10]} in area {n}"
        client.request("recall", {"query": query}, place, first_ms=10_000, answer_ms=30_000)
    wall = time.monotonic() - begun
    return {
        "pid": pid,
        "idle_percent": idle,
        "busy_percent": 100 * (cpu_seconds(pid) - before) / wall,
        "cpu_ms_per_recall": 1000 * (cpu_seconds(pid) - before) / requests,
        "memory_mib": footprint.resident_mb(pid),
    }


def size(database: Path) -> int:
    """Bytes of the database itself, with what was in its log folded in."""
    with closing(sqlite3.connect(database, timeout=30)) as conn:
        conn.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    return database.stat().st_size


def sessions(env: dict[str, str], database: Path, first: int, count: int) -> float:
    """How many MiB 1,000 sessions add, each with one builder that leaves one new insight."""
    before = size(database)
    for number in range(first, first + count):
        for event in SESSION:
            asked(env, event, number)
    time.sleep(3)  # what the worker does afterwards
    return (size(database) - before) / count * 1000 / MIB


@contextmanager
def dashboard(env: dict[str, str]) -> Iterator[int]:
    """A dashboard in a terminal of its own; its process id."""
    master, slave = pty.openpty()
    fcntl.ioctl(slave, termios.TIOCSWINSZ, struct.pack("HHHH", 36, 120, 0, 0))
    process = subprocess.Popen(
        [str(hooks.ROOT / "bin/helix-tui")],
        cwd=env["PROJECT"], env={**env, "TERM": "xterm-256color"},
        stdin=slave, stdout=slave, stderr=slave, start_new_session=True,
    )  # fmt: skip
    os.close(slave)
    threading.Thread(target=_drain, args=(master,), daemon=True).start()
    try:
        time.sleep(6)
        if process.poll() is not None:
            raise RuntimeError(f"the dashboard ended with {process.returncode}")
        yield process.pid
    finally:
        process.terminate()
        process.wait(20)
        os.close(master)


def _drain(master: int) -> None:
    try:
        while os.read(master, 1 << 16):
            pass
    except OSError:
        return


def log_beside_a_dashboard(database: Path, writes: int) -> float:
    """The largest write-ahead log (MiB) while somebody writes and the dashboard looks on."""
    log, largest = database.with_name(f"{database.name}-wal"), 0
    with closing(sqlite3.connect(database, timeout=30, isolation_level=None)) as conn:
        for number in range(writes):
            conn.execute("REPLACE INTO meta VALUES ('bench', hex(randomblob(10000)))")
            if number % 25 == 0:
                conn.execute("UPDATE insight SET use_count = use_count + 1 WHERE id % 50 = 0")
                largest = max(largest, log.stat().st_size if log.exists() else 0)
        conn.execute("DELETE FROM meta WHERE key = 'bench'")
    return largest / MIB


def measured(env: dict[str, str], quick: bool) -> dict[str, Any]:
    """Everything, in turn."""
    database = paths.find_project(env["PROJECT"], environ=env).database
    seconds = 5.0 if quick else 20.0
    found: dict[str, Any] = {"worker": worker(env, seconds, 50 if quick else 300)}
    found["hooks_mib"] = hooks.measure(env, 2 if quick else 10, 50_000)["mib"]
    found["mib_per_1000_sessions"] = sessions(env, database, 60_000, 20 if quick else 100)
    found["worker"]["memory_mib_after"] = footprint.resident_mb(int(found["worker"]["pid"]))
    with dashboard(env) as pid:
        found["dashboard"] = {"memory_mib": footprint.resident_mb(pid),
                              "idle_percent": share(pid, seconds)}  # fmt: skip
        found["wal_mib"] = log_beside_a_dashboard(database, 1000 if quick else 20_000)
    return found


def rows(found: dict[str, Any]) -> list[list[str]]:
    """One row for each figure, with its limit where it has one."""
    ceiling = settings.Settings().worker_memory_mb
    work, dash = found["worker"], found["dashboard"]
    peak = max(found["hooks_mib"].values())
    figures: list[tuple[str, float, str, float | None]] = [
        ("worker, memory", work["memory_mib_after"], "MiB", ceiling),
        ("worker, CPU idle", work["idle_percent"], "%", WORKER_IDLE),
        ("worker, CPU busy", work["busy_percent"], "%", None),
        ("worker, CPU for one recall", work["cpu_ms_per_recall"], "ms", None),
        ("hook, memory (largest)", peak, "MiB", HOOK_MIB),
        ("dashboard, memory", dash["memory_mib"], "MiB", None),
        ("dashboard, CPU idle", dash["idle_percent"], "%", DASHBOARD_IDLE),
        ("write-ahead log beside it", found["wal_mib"], "MiB", WAL_MIB),
        ("database, by 1,000 sessions", found["mib_per_1000_sessions"], "MiB", None),
    ]
    return [
        [name, f"{value:.1f} {unit}",
         "" if limit is None else f"{'ok' if value < limit else 'MISSED'} < {limit:g} {unit}"]
        for name, value, unit, limit in figures
    ]  # fmt: skip


def main() -> int:
    """Run it."""
    options = report.arguments(__doc__ or "").parse_args()
    with hooks.scene(1000) as env:
        before = dict(os.environ)
        # A hook that finds the memory locked comes back through the spool; here it just waits.
        os.environ.update(env, HELIX_LOCK_WAIT_MS="30000")
        for name in [
            n
            for n in os.environ
            if n.startswith(("HELIX_", "CLAUDE_")) and n not in (*env, "HELIX_LOCK_WAIT_MS")
        ]:
            del os.environ[name]
        try:
            found = measured(env, options.quick)
        finally:
            os.environ.clear()
            os.environ.update(before)
    table = rows(found)
    report.table(("what", "measured", "limit"), table)
    report.finish("resources", found, options.json)
    return 1 if any("MISSED" in row[-1] for row in table) else 0


if __name__ == "__main__":
    raise SystemExit(main())
