"""What the worker is and does, apart from its socket: the model, the projects, one whole request.

Needs numpy (through the projects' matrices); the model is loaded in its own thread.
"""

from __future__ import annotations

import contextlib
import os
import sqlite3
import threading
import time
from collections.abc import Iterator
from datetime import datetime
from pathlib import Path
from typing import Any

import helix_core
from helix_core import clock, dispatch, log, paths, settings
from helix_core.embed import client, footprint, holder, protocol
from helix_core.embed.projects import Projects
from helix_core.errors import HelixError, StoreCorruptError, WorkerError
from helix_core.hooks import scope
from helix_core.memory.context import Embedder, Memory
from helix_core.paths import Project
from helix_core.store import rescue
from helix_core.store.connection import as_store_error

_OWN_ENVIRONMENT = {k: os.environ[k] for k in ("HOME", "XDG_CONFIG_HOME") if k in os.environ}


class Worker:
    """The state of the running worker."""

    def __init__(self, chosen: settings.Settings) -> None:
        self.settings = chosen
        self.projects = Projects()
        self.embedder: Embedder | None = None
        self.model_state = "loading"
        self.model_error = ""
        self.started = time.time()
        self.last_request = time.monotonic()
        self.active = 0
        self.served = 0
        self.stopping = threading.Event()
        self._count = threading.Lock()

    def load_model(self) -> None:
        """Load the embedding model; until then, and without one, requests go by keyword."""
        from helix_core.embed import model

        try:
            self.embedder = model.load(self.settings.embed_model)
            self.model_state = "ready"
        except model.ModelUnavailableError as error:
            self.model_state, self.model_error = "none", str(error)
            log.say(f"no embedding model: {error}")

    def status(self) -> dict[str, Any]:
        """What `helix worker status` prints."""
        return {
            "pid": os.getpid(),
            "version": helix_core.__version__,
            "protocol": protocol.PROTOCOL,
            "model_state": self.model_state,
            "model": self.embedder.profile.name if self.embedder else None,
            "model_error": self.model_error,
            "started": self.started,
            "uptime_seconds": round(time.time() - self.started, 1),
            "idle_seconds": round(time.monotonic() - self.last_request, 1),
            "requests": self.served,
            "memory_mb": round(footprint.resident_mb()) or None,
            "leaving": self.stopping.is_set(),
            "projects": [str(project.database) for project in self.projects.known()],
        }

    def answer(self, request: dict[str, Any]) -> dict[str, Any]:
        """One request's answer; never raises."""
        asked = request.get("op") != "status"  # to be looked at must not keep it alive
        with self._count:
            self.active += 1
            self.served += asked
        if asked:
            self.last_request = time.monotonic()
        try:
            return {"ok": True, "result": self._result(request)}
        except HelixError as error:
            return {"ok": False, "kind": type(error).__name__, "error": str(error)}
        except Exception as error:  # noqa: BLE001 - the client falls back, the worker lives on
            log.say(f"{request.get('op')}: {error!r}")
            return {"ok": False, "kind": "WorkerError", "error": f"{type(error).__name__}: {error}"}
        finally:
            with self._count:
                self.active -= 1
            if asked:
                self.last_request = time.monotonic()

    def _result(self, request: dict[str, Any]) -> Any:
        op = str(request.get("op"))
        if op == "status":
            return self.status()
        if op == "stop":
            self._check_may_stop(str(request.get("version")))
            self.leave()
            return {"stopped": True}
        if op == "embed":
            texts = [str(text) for text in request.get("args", {}).get("texts", ())]
            return self.embedder.embed_documents(texts) if self.embedder else None
        env = {str(k): str(v) for k, v in dict(request.get("env", {})).items()}
        project = _project(dict(request.get("project") or {}), env)
        return self.carry_out(project, op, dict(request.get("args", {})), env)

    def leave(self) -> None:
        """Begin to leave: from now on the next worker may wait for the place."""
        holder.forget(holder.lock_file())
        self.stopping.set()

    def _check_may_stop(self, version: str) -> None:
        """Only a client of this version or a newer one may end the worker."""
        if client.numbers(version) < client.numbers(helix_core.__version__):
            raise HelixError("an older helix may not stop this worker")

    def carry_out(
        self, project: Project, op: str, args: dict[str, Any], env: dict[str, str]
    ) -> Any:
        """One operation on one project, with model and vectors where they are ready."""
        chosen = settings.load(project.home, {**_OWN_ENVIRONMENT, **env})
        if not chosen.worker_enabled:
            raise WorkerError("switched off for this project")
        if scope.leaves_alone(op.removeprefix(dispatch.HOOK), project):
            return None
        moment = clock.parse(env.get("HELIX_NOW"), default=None) or clock.now()
        actor, create = str(args.get("actor", "hook")), op not in dispatch.READING
        try:
            with self.memory(project, chosen, moment, actor, create=create) as mem:
                return dispatch.run(mem, op, args)
        except StoreCorruptError:
            if op not in dispatch.REPAIRING or not self.repair(project):
                raise
        with self.memory(project, chosen, moment, actor, create=create) as mem:
            return dispatch.run(mem, op, args)

    def repair(self, project: Project) -> bool:
        """Put a damaged database aside; whether it is worth another try."""
        self.projects.get(project).close()
        return rescue.repair(project.database)

    @contextlib.contextmanager
    def memory(
        self,
        project: Project,
        chosen: settings.Settings,
        moment: datetime,
        actor: str,
        *,
        create: bool = False,
    ) -> Iterator[Memory]:
        """A project's memory, open for one request."""
        state = self.projects.get(project)
        try:
            with state.connection(create, chosen.lock_wait_ms) as conn:
                yield Memory(
                    conn=conn,
                    project=project,
                    settings=chosen,
                    now=moment,
                    embedder=self.embedder,
                    index=state.index(self.embedder.profile) if self.embedder else None,
                    actor=actor,
                )
        except sqlite3.OperationalError as error:
            raise as_store_error(error, project.database) from error
        except sqlite3.DatabaseError as error:
            found = as_store_error(error, project.database)
            if isinstance(found, StoreCorruptError):
                raise found from error
            raise


def _project(place: dict[str, Any], env: dict[str, str]) -> Project:
    """The project a request names, or the one its working folder belongs to."""
    if "database" not in place:
        cwd = place.get("cwd")
        if not isinstance(cwd, str) or not cwd:
            raise WorkerError("the request names no folder")
        return paths.find_project(cwd, environ=env)
    return Project(
        root=Path(place["root"]),
        home=Path(place["home"]),
        database=Path(place["database"]),
        reason=str(place.get("reason", "")),
    )
