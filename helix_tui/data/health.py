"""The health view's rows: what the database tells of helix, and what lies beside it."""

from __future__ import annotations

import contextlib
from dataclasses import asdict
from pathlib import Path
from typing import Any

from helix_core.paths import Project
from helix_core.store import view_health
from helix_tui import formats
from helix_tui.data.part import Desk, Part
from helix_tui.state import ErrorLine, FileFacts, HealthView, Nothing

TAIL = 64 * 1024
"""Bytes of the log that are looked through, from its end."""
KEPT = 50
BAD = frozenset({"warn", "error"})


def read(desk: Desk, wanted: Nothing, before: HealthView | None = None) -> HealthView:
    """Everything; files are looked at each time something changed."""
    return before or HealthView(view_health.health(desk.conn), files(desk.project))


def stamp(project: Project) -> object:
    """The log as it is: it is written to without any row changing."""
    with contextlib.suppress(OSError):
        found = (project.home / "helix.log").stat()
        return found.st_size, found.st_mtime_ns
    return None


def files(project: Project) -> FileFacts:
    """Sizes, and the tail of the log."""
    database = project.database
    return FileFacts(
        size=_size(database),
        wal=_size(database.with_name(f"{database.name}-wal")),
        backups=_count(project.home / "backups"),
        log=complaints(project.home / "helix.log"),
    )


def _size(path: Path) -> int:
    with contextlib.suppress(OSError):
        return path.stat().st_size
    return 0


def _count(folder: Path) -> int:
    with contextlib.suppress(OSError):
        return sum(1 for path in folder.iterdir() if not path.name.startswith("."))
    return 0


def complaints(path: Path, limit: int = KEPT) -> tuple[ErrorLine, ...]:
    """The newest warnings and errors of a log, newest first; whatever it holds."""
    try:
        with path.open("rb") as stream:
            stream.seek(max(0, path.stat().st_size - TAIL))
            lines = stream.read(TAIL).decode("utf-8", "replace").splitlines()
    except OSError:
        return ()
    found = []
    for line in reversed(lines):
        moment, _, rest = line.partition(" ")
        level, _, rest = rest.strip().partition(" ")
        if level in BAD:
            pid, _, text = rest.strip().partition(" ")
            found.append(ErrorLine(moment, level, text if pid.isdigit() else rest))
        if len(found) == limit:
            break
    return tuple(found)


def facts(desk: Desk) -> dict[str, Any]:
    """The same as plain values."""
    return {"health": asdict(read(desk, Nothing()))}


def text(found: dict[str, Any]) -> list[str]:
    """The same as lines."""
    rows, beside = found["health"]["rows"], found["health"]["files"]
    lines = [f"{'hook':<14} {'calls':>6} {'p50':>7} {'p95':>7} {'keyword':>7} {'failed':>6}"]
    lines += [
        f"{formats.literal(one['event']):<14} {one['calls']:>6} {one['p50']:>4.0f} ms"
        f" {one['p95']:>4.0f} ms {one['keyword_only']:>7} {one['failed']:>6}"
        for one in rows["hooks"]
    ]
    lines.append(
        f"database {formats.size(beside['size'])}, log of writes {formats.size(beside['wal'])},"
        f" schema {rows['schema']}, {formats.plural(beside['backups'], 'backup')}"
    )
    lines.append(f"{rows['without_vector']} without a vector, {rows['pending']} feedback waiting")
    if rows["set_aside"]:
        lines.append("a damaged memory was put aside: " + formats.literal(rows["set_aside"][0]))
    for one in rows["refusals"]:
        lines.append(f"refused {one['count']:>5} {formats.literal(one['rule'])}")
    for one in [*rows["errors"], *beside["log"]]:
        lines.append(f"{one['at'][:19]} {one['source']}: {formats.literal(one['text'])}")
    return lines


PART: Part[Nothing, HealthView] = Part(Nothing, read, facts, text, stamp)
