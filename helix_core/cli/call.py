"""How the command line reaches the memory: vectors through the worker, the rest directly."""

from __future__ import annotations

import contextlib
from dataclasses import dataclass
from typing import Any

from helix_core import folders, local, settings
from helix_core.cli.output import say
from helix_core.dispatch import READING
from helix_core.embed import client, lifecycle
from helix_core.errors import StoreError, StoreMissingError, UnknownOperationError, WorkerError
from helix_core.paths import WORKING_FOLDER, Project
from helix_core.store.connection import is_empty

AT_ONCE_SECONDS = 1.0
"""How long a worker may keep a person waiting who can be answered by keyword."""
MODEL_WAIT_SECONDS = 30.0
"""How long for what is worth little without the model; only while a worker answers."""
PATIENT = frozenset(
    {*("strategic-recall", "batch-inject", "synthesize", "calibrate", "reindex"), "count"}
)
"""Operations that wait so long; `count` is what `helix worker start` asks."""
WITHOUT_MODEL = "answered without the embedding model"
ANSWER_MS = 60_000.0
FRESHEN_MS = 5_000.0


@dataclass(frozen=True)
class Caller:
    """One project, asked from the command line."""

    project: Project
    quiet: bool = False
    verbose: bool = False

    def with_vectors(self, op: str, args: dict[str, Any]) -> Any:
        """An operation that wants the embedding model; by keyword where there is none."""
        if op in READING and is_empty(self.project.database):
            raise StoreMissingError(f"there is no memory yet at {self.project.database}")
        self._tell_of_a_new_home(op)
        if settings.load(self.project.home).worker_enabled:
            try:
                return self._ask(op, args)
            except WorkerError as error:
                if not self.quiet:
                    say(f"helix: {error}; going on by keyword")
        self.tell(WITHOUT_MODEL)
        return local.run(self.project, op, args)

    def tell(self, text: str) -> None:
        """A line for who asked to be told how an answer comes about."""
        if self.verbose:
            say(f"helix: {text}")

    def directly(self, op: str, args: dict[str, Any]) -> Any:
        """An operation that needs no vector, in this process."""
        self.tell(WITHOUT_MODEL)
        self._tell_of_a_new_home(op)
        return local.run(self.project, op, args)

    def _tell_of_a_new_home(self, op: str) -> None:
        """Outside of any project a memory begins where one stands, which may be a mistake."""
        home = self.project.home
        if self.quiet or op in READING or self.project.reason != WORKING_FOLDER or home.exists():
            return
        if self.project.database.parent == home and not folders.obstacle(home):
            say(f"helix: no project here: a new memory begins in {home}")

    def freshen(self) -> None:
        """Have a text that lost its vector embedded now, if a worker is there; it follows else."""
        if settings.load(self.project.home).worker_enabled:
            with contextlib.suppress(WorkerError, StoreError):
                client.request("reindex", {"batch": 8}, self.project, answer_ms=FRESHEN_MS)

    def _ask(self, op: str, args: dict[str, Any]) -> Any:
        """Ask the worker; one whose code is too old to know the operation is replaced, once."""
        patience = MODEL_WAIT_SECONDS if op in PATIENT else AT_ONCE_SECONDS
        asked = {**args, "actor": "cli"}
        self._await_worker(patience)
        self.tell("the worker answers, with the embedding model")
        try:
            return client.request(op, asked, self.project, answer_ms=ANSWER_MS)
        except UnknownOperationError:
            if not lifecycle.renew():
                raise
        self._await_worker(patience)
        return client.request(op, asked, self.project, answer_ms=ANSWER_MS)

    def _await_worker(self, patience: float) -> None:
        """Start the worker if need be, and give its model some time to load.

        Raises WorkerError where it is not ready then: it goes on loading for the next call.
        """
        found = client.status()
        if found and found.get("model_state") in {"ready", "none"}:
            return
        if not self.quiet and patience > AT_ONCE_SECONDS:
            say("helix: waiting for the embedding worker ...")
        if not lifecycle.ensure(patience):
            raise WorkerError(lifecycle.hindrance() or "the embedding worker is not ready yet")
