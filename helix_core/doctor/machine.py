"""Checks of what helix stands on: Python, SQLite, its environment, the model, the worker.

Standard library only. The environment is asked by its own interpreter (`probe`), in a process.
"""

from __future__ import annotations

import sqlite3
import sys
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import helix_core
from helix_core import paths, probe, profiles, provision, setup_state
from helix_core.doctor.finding import SETUP, Finding, Place, State, check
from helix_core.embed import client, holder, lifecycle, sources
from helix_core.store import migrations

NEWEST_TRIED = (3, 13)
OLDEST_SQLITE = (3, 25)  # window functions, upsert
NO_FTS5 = "its SQLite has no FTS5: no recall by keyword, which hooks fall back to"
ANOTHER_PYTHON = "set up with another Python: make setup PYTHON=python3.12 (any from 3.10 to 3.13)"


@check("python")
def python(place: Place) -> Iterator[Finding]:
    """The interpreter that runs this."""
    version = sys.version_info[:2]
    says = f"{'.'.join(map(str, sys.version_info[:3]))} ({sys.executable})"
    if version < probe.OLDEST:
        yield Finding("python", "fail", f"{says} is too old", ANOTHER_PYTHON)
    elif version > NEWEST_TRIED:
        yield Finding("python", "warn", f"{says} is newer than what helix was tried with",
                      ANOTHER_PYTHON)  # fmt: skip
    else:
        yield Finding("python", "ok", says)


@check("sqlite")
def sqlite(place: Place) -> Iterator[Finding]:
    """Its SQLite, and whether that can search full text."""
    with closing(sqlite3.connect(":memory:")) as conn:
        fts5 = migrations.has_fts5(conn)
    if sqlite3.sqlite_version_info < OLDEST_SQLITE:
        yield Finding("sqlite", "fail", f"{sqlite3.sqlite_version} is too old", ANOTHER_PYTHON)
    elif not fts5:
        yield Finding("sqlite", "fail", f"{sqlite3.sqlite_version}, {NO_FTS5}", ANOTHER_PYTHON)
    else:
        yield Finding("sqlite", "ok", f"{sqlite3.sqlite_version} with FTS5")


@check("environment")
def environment(place: Place) -> Iterator[Finding]:
    """helix's own Python environment: whole, of this version, and what its Python says."""
    venv = paths.environment_dir(place.environ)
    building = setup_state.progress(venv)
    if building is not None:
        state: State = "fail" if building.error else "warn"
        yield Finding("environment", state, building.line, SETUP if building.error else "")
        return
    executable = venv / "bin" / "python"
    if not executable.exists():
        half = venv.is_dir() and any(venv.iterdir())
        says = f"half-made, no Python in {venv}" if half else f"not set up ({venv})"
        yield Finding("environment", "fail" if half else "warn", f"{says}: recall by keyword only",
                      SETUP)  # fmt: skip
        return
    report, why = probe.ask(executable)
    place.notes["environment"] = report
    if report is None:
        yield Finding("environment", "fail", f"its Python does not work ({executable}): {why}",
                      SETUP)  # fmt: skip
        return
    yield _whole(place, venv, report)
    if report["problems"]:
        listed = "; ".join(report["problems"][:6])
        yield Finding("packages", "fail", listed, SETUP)
    else:
        yield Finding("packages", "ok", "every required package, at a version that fits")
    if not report["fts5"]:
        yield Finding("environment", "fail", NO_FTS5, ANOTHER_PYTHON)


def _whole(place: Place, venv: Path, report: dict[str, Any]) -> Finding:
    version = ".".join(map(str, report["python"]))
    says = f"{venv}, Python {version}, helix {report['helix'] or 'missing'}"
    if provision.is_ready(venv):
        return Finding("environment", "ok", says)
    if not (venv / provision.STAMP).exists():
        if place.environ.get("HELIX_VENV") and not report["problems"]:
            return Finding("environment", "warn", f"{says}; named by HELIX_VENV, not made by helix",
                           "unset HELIX_VENV, or take care of it yourself")  # fmt: skip
        return Finding("environment", "fail", f"half-made: its set-up never ended ({venv})", SETUP)
    return Finding("environment", "warn", f"{says}; this is helix {helix_core.__version__}", SETUP)


@check("worker")
def worker(place: Place) -> Iterator[Finding]:
    """The process that holds the model: answering, absent, or gone and not tidied up."""
    address = paths.socket_path(place.environ)
    status = client.status(address=address)
    place.notes["worker"] = status
    if status is not None:
        yield from _running(status)
        return
    held = holder.find(address)
    if held is not None and client.status(lifecycle.PATIENCE_MS, address) is None:
        yield _silent(held)
    elif address.exists():
        yield Finding("worker", "warn", f"a stale socket lies at {address}, nobody answers there",
                      "run: helix worker start (it replaces the socket)")  # fmt: skip
    elif not place.settings.worker_enabled:
        origin = place.settings.origins.get("worker", "the settings")
        yield Finding("worker", "ok", f"switched off by {origin}: recall by keyword")
    else:
        yield Finding("worker", "ok", "not running; the next session or command starts it")


def _silent(held: holder.Holder) -> Finding:
    since = f"for {held.seconds:.0f} s"
    if held.overdue:
        return Finding("worker", "fail", f"process {held.pid} hangs: it has held the worker's place"
                       f" {since} and does not answer; recall by keyword until it is ended",
                       "run: helix worker stop (it ends that process)")  # fmt: skip
    return Finding("worker", "ok", f"process {held.pid} is starting, {since}")


def _running(status: dict[str, Any]) -> Iterator[Finding]:
    ours, theirs = helix_core.__version__, str(status.get("version"))
    says = f"answers, process {status.get('pid')}, helix {theirs}"
    if client.numbers(theirs) != client.numbers(ours):
        older = client.numbers(theirs) < client.numbers(ours)
        remedy = "run: helix worker stop, then helix worker start" if older else SETUP
        yield Finding("worker", "warn", f"{says}; this is helix {ours}", remedy)
    elif status.get("model_state") == "none":
        yield Finding("worker", "fail", f"{says}, without a model: {status.get('model_error')}",
                      f"{SETUP}, then helix worker stop")  # fmt: skip
    else:
        yield Finding("worker", "ok", f"{says}, model {status.get('model') or 'loading'}")


@check("model")
def model(place: Place) -> Iterator[Finding]:
    """The embedding model: the one in use, else where the next worker would get one."""
    status = place.notes.get("worker") or {}
    if status.get("model"):
        place.notes["model"] = status["model"]
        yield Finding("model", "ok", f"in use: {status['model']}")
        return
    wanted = place.settings.embed_model or profiles.ARCTIC.name
    if Path(wanted).expanduser().is_dir():
        place.notes["model"] = Path(wanted).name
        yield Finding("model", "ok", f"the folder {wanted}")
        return
    yield _to_come(place, wanted)


def _to_come(place: Place, wanted: str) -> Finding:
    kept = sources.cached(wanted, place.environ)
    folder = sources.cache_folder(wanted, place.environ)
    packaged = (place.notes.get("environment") or {}).get("packaged_model")
    if kept == "whole":
        place.notes["model"] = wanted
        return Finding("model", "ok", f"cached: {wanted}")
    broken = f"; a broken download lies in {folder}" if kept == "half" else ""
    if not place.quick and sources.hub_answers():
        place.notes["model"] = wanted
        return Finding("model", "ok", f"downloadable: {wanted}{broken}")
    if place.settings.embed_model:
        return Finding("model", "fail", f"{wanted} is neither cached nor downloadable{broken}",
                       "unset embed_model, or go online once: helix worker start")  # fmt: skip
    if packaged:
        place.notes["model"] = profiles.MINILM.name
        return Finding("model", "warn" if broken else "ok",
                       f"the packaged {profiles.MINILM.name}; {wanted} is not cached{broken}",
                       f"remove {folder}" if broken else "")  # fmt: skip
    return Finding("model", "warn", f"none: {wanted} is not cached, none is packaged{broken}",
                   SETUP)  # fmt: skip


@check("configuration")
def configuration(place: Place) -> Iterator[Finding]:
    """The settings: each file readable, each key known."""
    if "settings" in place.notes:
        yield Finding("configuration", "fail", str(place.notes["settings"]),
                      "correct or remove that line")  # fmt: skip
        return
    origins = sorted(set(place.settings.origins.values()) - {"default"})
    yield Finding("configuration", "ok", ", ".join(origins) or "defaults")
