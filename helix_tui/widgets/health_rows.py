"""The rows of the health view: hooks, the worker, the database, errors, refusals. Pure."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import datetime

from helix_tui import formats
from helix_tui.glyphs import Glyphs
from helix_tui.state import ErrorLine, HealthView, HookLine, Refusal, Service
from helix_tui.widgets.table_layout import Cell, Column, Row

HOOK_COLUMNS = (
    Column("state", "", 1),
    Column("event", "hook"),
    Column("calls", "calls", 5, right=True, drop=3),
    Column("p50", "p50", 6, right=True),
    Column("p95", "p95", 6, right=True),
    Column("budget", "budget", 6, right=True, drop=2),
    Column("last", "last ok", 7, right=True),
    Column("keyword", "keyword", 7, right=True, drop=1),
    Column("failed", "failed", 6, right=True),
)
ERROR_COLUMNS = (
    Column("at", "ago", 4, right=True),
    Column("source", "where", 13, drop=1),
    Column("text", "what went wrong"),
)
REFUSAL_COLUMNS = (
    Column("count", "times", 5, right=True),
    Column("rule", "rule"),
    Column("last", "last", 4, right=True, drop=1),
)
WIDTH = 9
WAL_MUCH = 8 * 1024 * 1024


def hook_rows(
    lines: Sequence[HookLine], budget: Callable[[str], float], glyphs: Glyphs, now: datetime
) -> list[Row]:
    """One row per event; the sign before it says whether it keeps its budget."""
    rows = []
    for n, line in enumerate(lines):
        most = budget(line.event)
        slow = line.p95 > most
        state = glyphs.state("partial" if slow or line.failed else "done")
        rows.append(
            Row(
                n,
                (
                    (state.glyph, state.role),
                    (formats.literal(line.event), ""),
                    (formats.short(line.calls), "muted"),
                    (formats.millis(line.p50), ""),
                    (formats.millis(line.p95), "warn" if slow else ""),
                    (formats.millis(most), "muted"),
                    (formats.age(line.last_ok, now), ""),
                    (str(line.keyword_only or "-"), "warn" if line.keyword_only else "muted"),
                    (str(line.failed or "-"), "bad" if line.failed else "muted"),
                ),
            )
        )
    return rows


def error_rows(view: HealthView, now: datetime) -> list[Row]:
    """What went wrong, from hook calls and the log, newest first."""
    lines: list[ErrorLine] = [*view.rows.errors, *view.files.log]
    lines.sort(key=lambda line: line.at, reverse=True)
    return [
        Row(
            hash((line.at, line.source, line.text)),
            (
                (formats.age(line.at, now), "muted"),
                (formats.literal(line.source), "bad" if line.source != "warn" else "warn"),
                (formats.literal(line.text), ""),
            ),
        )
        for line in dict.fromkeys(lines)
    ]


def refusal_rows(lines: Sequence[Refusal], now: datetime) -> list[Row]:
    """Refused texts by rule."""
    return [
        Row(
            n,
            (
                (f"{line.count:,}", "strong"),
                (formats.literal(line.rule), ""),
                (formats.age(line.last_at, now), "muted"),
            ),
        )
        for n, line in enumerate(lines)
    ]


def about(
    view: HealthView, service: Service, checked: str, glyphs: Glyphs, now: datetime
) -> list[list[Cell]]:
    """Worker, vectors and database, line by line."""
    lines = [_worker(service, glyphs, now)]
    if service.worker is not None:
        lines.append(_worker_more(service, now))
    lines += [_vectors(view), _database(view), _integrity(checked)]
    if view.rows.set_aside is not None:
        file, at, why = map(formats.literal, view.rows.set_aside)
        lines.append(
            [
                _named("put aside"),
                (f"a damaged memory, {formats.age(at, now)} ago: backups/{file}", "warn"),
                (f" ({why})" if why else "", "muted"),
            ]
        )
    return lines


def _named(name: str) -> Cell:
    return formats.fit(name, WIDTH) + " ", "muted"


def _worker(service: Service, glyphs: Glyphs, now: datetime) -> list[Cell]:
    state = glyphs.state(service.state)
    parts: list[Cell] = [_named("worker"), (state.text, state.role)]
    if service.model:
        parts.append((f"  {formats.literal(service.model)}", ""))
    if service.note:
        parts.append((f"  {formats.literal(service.note)}", "warn"))
    if service.worker is not None and service.worker.model_error:
        parts.append((f": {formats.literal(service.worker.model_error)}", "muted"))
    if service.worker is None and service.state != "off":
        parts.append((" (helix worker start)", "muted"))
    return parts


def _worker_more(service: Service, now: datetime) -> list[Cell]:
    worker = service.worker
    assert worker is not None
    words = [
        f"up {formats.span(worker.started_at, '', now)}",
        f"idle {formats.span(worker.asked_at, '', now)}",
        f"{formats.plural(worker.requests, 'request')}",
    ]
    if worker.memory_mb is not None:
        words.append(f"{worker.memory_mb:,} MiB")
    words.append(formats.plural(worker.projects, "project"))
    words.append(f"pid {worker.pid}, version {formats.literal(worker.version)}")
    return [_named(""), (", ".join(words), "")]


def _vectors(view: HealthView) -> list[Cell]:
    rows = view.rows
    models = ", ".join(model.rsplit("/", 1)[-1] for model in rows.models) or "no model yet"
    parts: list[Cell] = [_named("vectors"), (formats.literal(models), "")]
    if rows.without_vector:
        parts.append((f", {formats.plural(rows.without_vector, 'insight')} without", "warn"))
    if rows.pending:
        parts.append((f", feedback of {formats.plural(rows.pending, 'agent')} waits", "warn"))
    return parts


def _database(view: HealthView) -> list[Cell]:
    rows, files = view.rows, view.files
    free = rows.free_pages * rows.page_size
    parts: list[Cell] = [
        _named("database"),
        (f"{formats.size(files.size)}, WAL ", ""),
        (formats.size(files.wal), "warn" if files.wal > WAL_MUCH else ""),
        (f", {formats.size(free)} free" if free else "", ""),
        (f", schema {rows.schema}, {formats.plural(files.backups, 'backup')}", ""),
    ]
    if rows.last_maintenance:
        parts.append((f", maintained {formats.day_time(rows.last_maintenance)}", "muted"))
    return parts


def _integrity(checked: str) -> list[Cell]:
    if checked:
        return [_named("integrity"), (formats.literal(checked), "")]
    return [_named("integrity"), ("not checked since this was opened: i does", "muted")]
