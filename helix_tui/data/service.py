"""Whether agents get insights now: the worker's word, asked for in the feed's thread, sparingly."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

from helix_core import settings
from helix_core.embed import client
from helix_core.errors import ConfigError
from helix_core.paths import Project
from helix_tui.state import Service

EVERY = 2.0
SLOW = 0.5
EVERY_WHEN_SLOW = 10.0


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
            return Service("degraded", note="no worker")
        model = str(found.get("model") or "").rsplit("/", 1)[-1]
        if found.get("model_state") == "ready":
            return Service("ok", model=model)
        if found.get("model_state") == "none":
            return Service("degraded", note="no embedding model")
        return Service("degraded", note="the model is loading")
