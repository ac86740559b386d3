"""The feed: one thread, real files, every failure a state that ends by itself."""

from __future__ import annotations

import shutil
import socket
import sqlite3
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import replace
from pathlib import Path

import pytest
import shop
from kit import nobody_may_write

from helix_core import paths
from helix_core.embed import protocol
from helix_core.paths import Project
from helix_core.store import schema
from helix_core.store.connection import open_store
from helix_tui.data import feed as feed_module
from helix_tui.data import files
from helix_tui.data.feed import Feed
from helix_tui.data.service import Watch
from helix_tui.state import InsightsView, InsightsWanted, RunView, Snapshot, Wanted


class Listener:
    """Takes the feed's snapshots, and waits for the one that is meant."""

    def __init__(self) -> None:
        self.all: list[Snapshot] = []
        self._news = threading.Condition()

    def __call__(self, snapshot: Snapshot) -> None:
        with self._news:
            self.all.append(snapshot)
            self._news.notify_all()

    def wait(self, wanted: Callable[[Snapshot], object]) -> Snapshot:
        with self._news:
            found = self._news.wait_for(lambda: self.all and wanted(self.all[-1]), timeout=60)
            assert found, self.all[-1:]
            return self.all[-1]


def wait_until(condition: Callable[[], object]) -> None:
    deadline = time.monotonic() + 30
    while not condition():
        assert time.monotonic() < deadline
        time.sleep(0.02)


@contextmanager
def feeding(project: Project) -> Iterator[tuple[Feed, Listener]]:
    heard = Listener()
    feed = Feed(project, heard, interval=0.05)
    feed.start()
    try:
        yield feed, heard
    finally:
        feed.stop(10)
        assert not feed.is_alive()


def run_of(snapshot: Snapshot) -> RunView | None:
    return snapshot.of(RunView)


def insights_of(snapshot: Snapshot) -> InsightsView | None:
    return snapshot.of(InsightsView)


def kind(snapshot: Snapshot) -> str:
    return snapshot.problem.kind if snapshot.problem else ""


def test_it_attaches_when_the_memory_appears(bare: Project, project: Project) -> None:
    with feeding(bare) as (_, heard):
        first = heard.wait(lambda s: kind(s) == "missing")
        assert first.service.state == "off"
        bare.home.mkdir()
        shutil.copy(project.database, bare.database)
        found = heard.wait(lambda s: s.problem is None and run_of(s))
        assert found.counts.insights == 9
        assert found.service.state == "degraded"
        assert not found.stale


def test_only_the_visible_view_is_read_and_nothing_while_nothing_changes(project: Project) -> None:
    with feeding(project) as (feed, heard):
        heard.wait(lambda s: run_of(s) is not None)
        assert insights_of(heard.all[-1]) is None
        feed.want(Wanted("insights"))
        heard.wait(lambda s: insights_of(s) is not None)
        count, looks = len(heard.all), 0
        original = feed.look

        def counted() -> Snapshot:
            nonlocal looks
            looks += 1
            return original()

        feed.look = counted  # type: ignore[method-assign]
        deadline = time.monotonic() + 30
        while looks < 8 and time.monotonic() < deadline:
            threading.Event().wait(0.02)
        assert looks >= 8
        assert len(heard.all) == count
        run = run_of(heard.all[-1])
        shop.World(project.root).store("When news comes, read it because it is new")
        found = heard.wait(lambda s: insights_of(s) and insights_of(s).page.total == 10)
        assert run_of(found) is run  # the view behind was not read again


def test_a_change_of_one_row_leaves_the_detail_of_another_wish(project: Project) -> None:
    with feeding(project) as (feed, heard):
        wanted = InsightsWanted(key=3, key_index=0)
        feed.want(Wanted("insights", wanted))
        found = heard.wait(lambda s: insights_of(s) and insights_of(s).wanted == wanted)
        assert insights_of(found) is not None
        assert insights_of(found).detail is not None
        assert insights_of(found).detail.line.id == 3
        page = insights_of(found).page
        other = replace(wanted, key=5, key_index=4)
        feed.want(Wanted("insights", other))
        later = heard.wait(lambda s: insights_of(s) and insights_of(s).wanted == other)
        assert insights_of(later) is not None
        assert insights_of(later).page is page  # moving the cursor reads one insight, no page


def test_what_is_costly_to_read_rests_unless_a_person_wants_it(
    project: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(feed_module, "REST", 1e9)
    with feeding(project) as (feed, heard):
        feed.want(Wanted("insights"))
        heard.wait(lambda s: insights_of(s) is not None)
        shop.World(project.root).store("When figures cost, let them rest because others work too")
        found = heard.wait(lambda s: s.counts.insights == 10)
        view = insights_of(found)
        assert view is not None
        assert view.page.total == 9
        feed.want(Wanted("insights", InsightsWanted(text="figures cost")))
        heard.wait(lambda s: (v := insights_of(s)) is not None and v.page.matching == 1)
        shop.World(project.root).store("When a person asks, let nothing rest because they wait")
        heard.wait(lambda s: s.counts.insights == 11)
        feed.refresh()
        heard.wait(lambda s: (v := insights_of(s)) is not None and v.page.total == 11)


def test_a_damaged_database_is_explained_and_comes_back(project: Project) -> None:
    damage = b"not a database at all, but long enough to look\n" * 90
    good = project.database.read_bytes()
    with feeding(project) as (_, heard):
        heard.wait(lambda s: run_of(s) is not None)
        for extra in ("-wal", "-shm"):
            project.database.with_name(project.database.name + extra).unlink(missing_ok=True)
        broken = project.home / "broken"
        broken.write_bytes(damage)
        broken.replace(project.database)
        found = heard.wait(lambda s: kind(s) == "corrupt")
        assert found.problem is not None
        assert "restore-backup" in found.problem.todo
        assert found.stale
        assert project.database.read_bytes() == damage  # nobody writes to it from here
        mended = project.home / "mended"
        mended.write_bytes(good)
        mended.replace(project.database)
        assert not heard.wait(lambda s: s.problem is None and run_of(s)).stale


@contextmanager
def held(database: Path) -> Iterator[None]:
    """Another process's worth of exclusive lock."""
    holder = sqlite3.connect(database, isolation_level=None)
    try:
        holder.execute("PRAGMA locking_mode = EXCLUSIVE")
        holder.execute("BEGIN EXCLUSIVE")
        holder.execute("UPDATE insight SET content = content || '.' WHERE id = 1")
        yield
        holder.execute("COMMIT")
    finally:
        holder.close()


def test_a_locked_database_at_the_start_is_waited_for(project: Project) -> None:
    with ExitStack() as stack:
        lock = stack.enter_context(ExitStack())
        lock.enter_context(held(project.database))
        _, heard = stack.enter_context(feeding(project))
        found = heard.wait(lambda s: kind(s) == "locked")
        assert found.problem is not None
        assert found.problem.blocking
        lock.close()
        heard.wait(lambda s: s.problem is None and run_of(s))


def test_a_locked_database_keeps_the_last_picture(project: Project) -> None:
    other = project.home / "other.db"
    shutil.copy(project.database, other)
    with feeding(project) as (feed, heard):
        heard.wait(lambda s: run_of(s) is not None)
        with held(other):
            other.replace(project.database)
            found = heard.wait(lambda s: kind(s) == "locked")
            assert found.problem is not None
            assert not found.problem.blocking
            assert found.stale
            assert run_of(found) is not None
            assert found.counts.insights == 9
            failed = feed._delay
            wait_until(lambda: feed._delay > 2 * failed)  # it stays, however often it is tried
            assert heard.all[-1] == found
        assert not heard.wait(lambda s: s.problem is None).stale


def test_a_newer_database_is_read_and_said_so(project: Project) -> None:
    conn = open_store(project.database)
    conn.execute(
        "INSERT INTO schema_version(version, applied_at) VALUES (?, '2027-01-01')",
        (schema.LATEST + 1,),
    )
    conn.close()
    with feeding(project) as (_, heard):
        found = heard.wait(lambda s: kind(s) == "too new")
        assert found.problem is not None
        assert not found.problem.blocking
        assert run_of(found) is not None
        assert not found.stale


def test_another_file_in_its_place_is_read(project: Project, tmp_path: Path) -> None:
    world = shop.many(tmp_path / "other", 3)
    with feeding(project) as (_, heard):
        heard.wait(lambda s: s.counts.insights == 9)
        world.project.database.replace(project.database)
        heard.wait(lambda s: s.counts.insights == 3)


def test_a_project_that_goes_and_comes_back(project: Project) -> None:
    away = project.root.with_name("away")
    with feeding(project) as (_, heard):
        heard.wait(lambda s: run_of(s) is not None)
        project.root.rename(away)
        found = heard.wait(lambda s: kind(s) == "gone")
        assert run_of(found) is None
        away.rename(project.root)
        heard.wait(lambda s: s.problem is None and run_of(s))


def test_paused_rows_stand_still_and_say_that_news_waits(project: Project) -> None:
    with feeding(project) as (feed, heard):
        heard.wait(lambda s: run_of(s) is not None)
        feed.pause(True)
        shop.World(project.root).store("When paused, wait because somebody reads")
        held = heard.wait(lambda s: s.held_back)
        assert held.counts.insights == 9
        feed.want(Wanted("insights"))
        heard.wait(lambda s: insights_of(s) is not None and s.held_back)
        feed.pause(False)
        assert not heard.wait(lambda s: s.counts.insights == 10).held_back


def test_the_persons_own_change_shows_while_paused(project: Project) -> None:
    with feeding(project) as (feed, heard):
        heard.wait(lambda s: run_of(s) is not None)
        feed.pause(True)
        shop.World(project.root).store("When paused, my own change shows because I made it")
        heard.wait(lambda s: s.held_back)
        feed.refresh()
        heard.wait(lambda s: s.counts.insights == 10)


def test_an_odd_failure_is_a_state_not_the_end(project: Project) -> None:
    with feeding(project) as (feed, heard):
        heard.wait(lambda s: run_of(s) is not None)
        feed.want(Wanted("insights", InsightsWanted(limit="many")))  # type: ignore[arg-type]
        found = heard.wait(lambda s: kind(s) == "unreadable")
        assert found.problem is not None
        assert "TypeError" in (project.home / "helix.log").read_text()
        feed.want(Wanted("insights"))
        heard.wait(lambda s: s.problem is None and insights_of(s))


@contextmanager
def worker(answer: dict[str, object]) -> Iterator[None]:
    """A process's worth of worker: it speaks the protocol, and knows one answer."""
    place = paths.socket_path()
    place.parent.mkdir(parents=True, exist_ok=True)
    listening = socket.socket(socket.AF_UNIX)
    place.unlink(missing_ok=True)  # of an earlier run that had a folder of this name
    listening.bind(str(place))
    listening.listen()

    def serve() -> None:
        while True:
            try:
                sock, _ = listening.accept()
            except OSError:
                return
            with sock:
                protocol.receive(sock)
                protocol.send(sock, {"alive": True})
                protocol.send(sock, {"ok": True, "result": answer})

    thread = threading.Thread(target=serve, daemon=True)
    thread.start()
    try:
        yield
    finally:
        listening.shutdown(socket.SHUT_RDWR)
        listening.close()
        thread.join(10)


@pytest.mark.parametrize(
    ("answer", "state", "words"),
    [
        ({"model_state": "ready", "model": "sentence-transformers/all-MiniLM-L6-v2"}, "ok", ""),
        ({"model_state": "none", "model": None}, "degraded", "no embedding model"),
        ({"model_state": "loading", "model": None}, "degraded", "loading"),
    ],
)
def test_the_workers_word(
    project: Project, answer: dict[str, object], state: str, words: str
) -> None:
    with worker(answer):
        found = Watch(project).now()
    assert found.state == state
    assert words in found.note
    assert found.model == ("all-MiniLM-L6-v2" if state == "ok" else "")


def test_no_worker_and_a_worker_switched_off(
    project: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert Watch(project).now().note == "no worker"
    monkeypatch.setenv("HELIX_WORKER", "off")
    assert Watch(project).now().note == "the worker is switched off"
    monkeypatch.setenv("HELIX_WORKER", "sideways")
    assert "HELIX_WORKER" in Watch(project).now().note


def test_the_worker_is_not_asked_at_every_look(project: Project) -> None:
    asked = []
    watch = Watch(project, lambda: asked.append(1))  # type: ignore[func-returns-value]
    for _ in range(50):
        watch.now()
    assert len(asked) == 1


@pytest.mark.parametrize(
    ("path", "meant"),
    [
        (".helix/injected/a1.json", True),
        (".helix/task-status.jsonl", True),
        (".helix/helix.db", False),
        (".helix/helix.db-wal", False),
        (".helix/helix.db-shm", False),
        (".helix/.tmp-x.json", False),
        (".helix/helix.log", False),
    ],
)
def test_which_files_concern_it(path: str, meant: bool) -> None:
    assert files.concerns(path) is meant


def leads_nowhere(home: Path) -> None:
    home.symlink_to(home.parent / "not here")


def leads_to_itself(home: Path) -> None:
    home.symlink_to(home.name)


def is_a_file(home: Path) -> None:
    home.write_text("no folder")


def holds_a_link(home: Path) -> None:
    home.mkdir()
    (home / "helix.db").symlink_to("elsewhere.db")


@pytest.mark.parametrize(
    ("place", "words"),
    [
        (leads_nowhere, "~/bare/.helix is a link to nothing ("),
        (leads_to_itself, "~/bare/.helix is a link that leads round in a circle, not a folder."),
        (is_a_file, "~/bare/.helix is a file, not a folder."),
        (holds_a_link, "~/bare/.helix/helix.db is a link to nothing (elsewhere.db), no database."),
    ],
)
def test_what_stands_in_the_memorys_place_is_named_and_waited_for(
    bare: Project, project: Project, place: Callable[[Path], None], words: str
) -> None:
    place(bare.home)
    with feeding(bare) as (_, heard):
        problem = heard.wait(lambda s: s.problem is not None).problem
        assert problem is not None
        assert problem.kind == "misplaced"
        assert problem.what.startswith(words)
        assert problem.blocking
        assert "this view attaches by itself" in problem.todo.lower()
        if bare.home.is_dir():
            shutil.rmtree(bare.home)
        else:
            bare.home.unlink()
        shutil.copytree(project.home, bare.home)
        assert heard.wait(lambda s: s.problem is None and s.parts).of(RunView) is not None


def test_a_memory_that_cannot_be_written_is_read_and_said_so(
    project: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    with feeding(project) as (_, heard):
        heard.wait(lambda s: s.parts and s.problem is None)
        with monkeypatch.context() as frozen:
            nobody_may_write(frozen)
            snapshot = heard.wait(lambda s: s.problem is not None)
            assert snapshot.problem is not None
            assert (snapshot.problem.kind, snapshot.problem.blocking) == ("read only", False)
            assert not snapshot.stale
            assert snapshot.of(RunView) is not None
        heard.wait(lambda s: s.problem is None)
