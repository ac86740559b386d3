"""Whether agents get insights now: the worker's word, asked for in the feed's thread, sparingly."""

from __future__ import annotations

import time
from collections.abc import Callable
from datetime import datetime, timedelta
from typing import Any

from helix_core import clock, settings, setup_state
from helix_core.embed import client
from helix_core.errors import ConfigError
from helix_core.paths import Project
from helix_core.store import cells
from helix_core.timestamps import parse_time
from helix_tui.state import Service, WorkerFacts

EVERY = 2.0
SLOW = 0.5
EVERY_WHEN_SLOW = 10.0
JITTER = 2.0


class Watch:
    """Asks the worker at most every two seconds, and less often one that is slow to answer."""

    def __init__(
        self, project: Project, ask: Callable[[], dict[str, Any] | None] = client.status
    ) -> None:
        self._project = project
        self._ask = ask
        self._next = 0.0
        self._last = Service()

    def now(self) -> Service:
        """The newest answer there is."""
        begun = time.monotonic()
        if begun >= self._next:
            self._last = self._look()
            took = time.monotonic() - begun
            self._next = begun + (EVERY if took < SLOW else EVERY_WHEN_SLOW)
        return self._last

    def _look(self) -> Service:
        try:
            if not settings.load(self._project.home).worker_enabled:
                return Service("degraded", note="the worker is switched off")
        except ConfigError as error:
            return Service("degraded", note=str(error))
        try:
            found = self._ask()
        except OSError as error:  # a socket path no socket can have
            return Service("degraded", note=str(error))
        if found is None:
            building = setup_state.progress()
            return Service("degraded", note=building.line if building else "no worker")
        facts = self._facts(found)
        if facts.model_state == "ready":
            return Service("ok", model=facts.model, worker=facts)
        if facts.model_state == "none":
            return Service("degraded", note="no embedding model", worker=facts)
        return Service("degraded", note="the model is loading", worker=facts)

    def _facts(self, found: dict[str, Any]) -> WorkerFacts:
        before, now = self._last.worker, clock.now()
        memory = found.get("memory_mb")
        return WorkerFacts(
            pid=cells.whole(found.get("pid")),
            version=str(found.get("version") or ""),
            model=str(found.get("model") or "").rsplit("/", 1)[-1],
            model_state=str(found.get("model_state") or "loading"),
            model_error=str(found.get("model_error") or ""),
            started_at=_moment(
                now, found.get("uptime_seconds"), before.started_at if before else None
            ),
            asked_at=_moment(now, found.get("idle_seconds"), before.asked_at if before else None),
            requests=cells.whole(found.get("requests")),
            memory_mb=_steady(memory, before.memory_mb if before else None),
            projects=len(found.get("projects") or ()),
        )


def _moment(now: datetime, seconds_ago: object, before: str | None) -> str:
    """When something was; the moment known before where that is the same within the rounding."""
    moment = now - timedelta(seconds=cells.number(seconds_ago))
    known = parse_time(before) if before else None
    if known is not None and abs((moment - known).total_seconds()) < JITTER:
        return before or ""
    return clock.iso(moment)


def _steady(value: object, before: int | None) -> int | None:
    """A size; the one known before where it moved by less than a twentieth."""
    if not isinstance(value, int):
        return None
    return before if before is not None and abs(value - before) * 20 < before else value
