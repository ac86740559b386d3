"""The one thread that reads: it waits, looks whether anything changed, and posts a snapshot.

It is woken by a 300 ms timer, by a change under `.helix/`, by a screen that wants other rows, or by
a command. Only what is visible is read, and only when it changed. A failure is a snapshot too: the
last good rows stay, marked as stale, and the feed tries again, ever more slowly.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING

from helix_core import clock
from helix_core.errors import StoreError
from helix_core.paths import Project
from helix_tui import views
from helix_tui.state import Answer, Counts, Problem, Service, Snapshot, Wanted

if TYPE_CHECKING:
    from helix_tui.data.service import Watch
    from helix_tui.data.source import Source, Version

INTERVAL = 0.3
SLOWEST = 5.0
REST = 9.0
"""A part is read again for news after so many times what it took: a tenth of a core at most."""
READ = frozenset({"too new", "read only"})
"""What can still be read, and is as new as ever."""
QUICK = frozenset({"missing", "misplaced", "gone"})  # looking for a file costs nothing


@dataclass(frozen=True)
class _Read:
    stamp: tuple[Version, object]
    answer: Answer
    done: float
    """When it was read (monotonic), ..."""
    took: float
    """... and how long that took."""

    def rests(self) -> bool:
        """Whether it was costly, and read only just now."""
        return time.monotonic() - self.done < self.took * REST


class Feed(threading.Thread):
    """Reads in its own thread; `post` is called there with every new snapshot."""

    def __init__(
        self,
        project: Project,
        post: Callable[[Snapshot], object],
        *,
        watch: Watch | None = None,
        interval: float = INTERVAL,
    ) -> None:
        super().__init__(name="helix-feed", daemon=True)
        self.project = project
        self._post = post
        self._given_watch = watch
        self._interval = interval
        self._event = threading.Event()
        self._lock = threading.Lock()
        self._stopping = False
        self._wanted = Wanted()
        self._paused = False
        self._fresh = False
        self._note = ""
        # From here on only the feed's own thread looks.
        self._version: Version | None = None
        self._counts = Counts()
        self._read: dict[str, _Read] = {}
        self._read_at = ""
        self._delay = interval
        self._last: Snapshot | None = None
        self._logged = ""

    @cached_property
    def _source(self) -> Source:
        from helix_tui.data.source import Source  # read in this thread, after the first paint

        return Source(self.project)

    @cached_property
    def _watch(self) -> Watch:
        from helix_tui.data.service import Watch

        return self._given_watch or Watch(self.project)

    def want(self, wanted: Wanted) -> None:
        """Say what is visible now."""
        with self._lock:
            self._wanted = wanted
        self._event.set()

    def pause(self, paused: bool) -> None:
        """Hold the rows as they are, or go on; what a screen wants is read all the same."""
        with self._lock:
            self._paused = paused
        self._event.set()

    def wake(self) -> None:
        """Look now instead of at the next tick."""
        self._event.set()

    def refresh(self) -> None:
        """Read anew even while paused: the person's own change has to show."""
        with self._lock:
            self._fresh = True
        self._event.set()

    def remark(self, note: str) -> None:
        """Carry a line with every snapshot from now on."""
        with self._lock:
            self._note = note
        self._event.set()

    def stop(self, seconds: float = 1.0) -> None:
        """End the thread and wait for it, but not for a worker that does not answer."""
        self._stopping = True
        self._event.set()
        if self.is_alive():
            self.join(seconds)

    def run(self) -> None:
        """The thread: one look after another."""
        while not self._stopping:
            self._event.clear()
            snapshot = self.look()
            if self._last is None or replace(snapshot, number=self._last.number) != self._last:
                number = self._last.number + 1 if self._last else 1
                self._last = replace(snapshot, number=number)
                self._post(self._last)
            self._event.wait(self._delay)
        self._source.close()

    def look(self) -> Snapshot:
        """Read what is wanted, if it changed; never raises."""
        from helix_tui.data.source import lesser, short_place

        with self._lock:
            wanted, paused, fresh, note = self._wanted, self._paused, self._fresh, self._note
            self._fresh = False
        problem, held = None, False
        service = self._watch.now()
        try:
            held = self._take_in(wanted, paused and not fresh, fresh)
            self._delay = self._interval
            problem = lesser(self._source)
        except Exception as error:  # noqa: BLE001 - the thread must outlive every odd row
            problem = self._problem(error)
        if problem is not None and problem.blocking:
            service = Service("off", note=problem.title)
        return Snapshot(
            project=self.project.root.name or str(self.project.root),
            place=short_place(self.project.database),
            service=service,
            counts=self._counts,
            parts=tuple(read.answer for read in self._read.values()),
            problem=problem,
            read_at=self._read_at,
            stale=problem is not None and problem.kind not in READ,
            held_back=held,
            note=note,
        )

    def _take_in(self, wanted: Wanted, paused: bool, fresh: bool) -> bool:
        """Read the parts that are visible and not up to date; returns whether news is held back."""
        version = self._source.version()
        held = paused and self._version is not None and version != self._version
        if held and self._version is not None:
            version = self._version
        if version != self._version:
            self._counts = self._source.counts()
            self._read_at = clock.iso(clock.now())
        self._version = version
        part, known = views.of(wanted.view).part, self._read.get(wanted.view)
        rows = part.wanted() if wanted.rows is None else wanted.rows
        outside = known.stamp[1] if known and paused else part.stamp(self.project)
        stamp = (version, outside)
        same = known is not None and known.answer.wanted == rows
        if known is None or not same or (known.stamp != stamp and (fresh or not known.rests())):
            before = known.answer.value if known and known.stamp == stamp else None
            begun = time.monotonic()
            value = self._source.read(lambda desk: part.read(desk, rows, before))
            done = time.monotonic()
            answer = Answer(wanted.view, rows, value)
            self._read[wanted.view] = _Read(stamp, answer, done, done - begun)
        return held

    def _problem(self, error: Exception) -> Problem:
        from helix_core import log
        from helix_tui.data.source import problem_of

        found = problem_of(error, self.project)
        if found.kind in QUICK:
            self._delay = self._interval
            self._forget()
        else:
            self._delay = min(SLOWEST, self._delay * 2)
        if not isinstance(error, StoreError) and repr(error) != self._logged:
            self._logged = repr(error)
            log.write(self.project.home, "error", f"dashboard: {error!r}")
        if found.kind == "locked" and self._version is None:
            found = replace(found, blocking=True)  # there is no last good picture
        self._version = None
        return found

    def _forget(self) -> None:
        self._counts, self._read = Counts(), {}
