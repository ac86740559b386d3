"""`helix doctor` on real faults: each planted, found, and answered with what to do about it."""

from __future__ import annotations

import json
import os
import shutil
import socket
import sqlite3
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import ExitStack, closing, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from helix_core import paths, provision
from helix_core.doctor import memory
from helix_core.embed import client, protocol
from tests.hooks import scene
from tests.hooks.fire import ROOT
from tests.operation.conftest import House
from tests.operation.limits import bound, fill, small_disk

LESSON = "When the doctor looks, change nothing because a look must be safe"
HOLD = """
import sqlite3, sys
conn = sqlite3.connect(sys.argv[1], isolation_level=None)
for statement in sys.argv[2:]:
    conn.execute(statement).fetchone()
print("held", flush=True)
sys.stdin.read()
"""


@dataclass
class Stage:
    """Where a fault is planted: the project, the plugin that looks, how it is started."""

    project: Path
    house: House
    plugin: Path = ROOT
    prefix: list[str] = field(default_factory=list)
    env: dict[str, str] = field(default_factory=dict)
    fired: bool = False
    stack: ExitStack = field(default_factory=ExitStack)

    def own_plugin(self) -> Path:
        """A copy of the plugin that a fault may be planted in."""
        self.plugin = self.house.venv.parents[2] / "plugin"
        for name in ("helix_core", "hooks", "bin", ".claude-plugin"):
            ignore = shutil.ignore_patterns("__pycache__")
            shutil.copytree(ROOT / name, self.plugin / name, ignore=ignore)
        return self.plugin

    def examine(self) -> tuple[int, dict[str, list[dict[str, str]]]]:
        """Exit code and findings by name, from the command as a person runs it."""
        command = [*self.prefix, str(self.plugin / "bin" / "helix"), "doctor", "--json"]
        done = subprocess.run(
            [*command, *([] if self.fired else ["--quick"])],
            cwd=self.project, env={**os.environ, **self.env},
            capture_output=True, text=True, check=False,
        )  # fmt: skip
        assert done.returncode in (0, 1), done.stderr
        assert "Traceback" not in done.stderr
        found: dict[str, list[dict[str, str]]] = {}
        for one in json.loads(done.stdout)["findings"]:
            found.setdefault(one["name"], []).append(one)
        return done.returncode, found


@pytest.fixture
def stage(project: Path, house: House) -> Iterator[Stage]:
    """A sound installation and a project with one insight."""
    scene.store_directly(project, LESSON)
    model = "sentence-transformers/all-MiniLM-L6-v2"
    scene.change(
        project, "UPDATE insight SET embedding = zeroblob(1536), embedding_model = ?", model
    )
    found = Stage(project, house)
    with found.stack:
        yield found


@contextmanager
def holding(project: Path, *statements: str) -> Iterator[None]:
    """Another process that has carried out these statements and keeps its connection open."""
    command = [sys.executable, "-c", HOLD, str(scene.database(project)), *statements]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process:
        assert process.stdout is not None and process.stdout.readline() == b"held\n"
        try:
            yield
        finally:
            process.kill()


def test_a_sound_installation_has_nothing_to_say(stage: Stage) -> None:
    stage.fired = True
    stage.env["HELIX_WORKER"] = "auto"
    code, found = stage.examine()
    assert [one for group in found.values() for one in group if one["state"] != "ok"] == []
    assert code == 0
    assert {f"hook {event}" for event in ("SessionStart", "PreToolUse", "SubagentStop")} <= set(
        found
    )
    assert found["hook PreToolUse"][0]["says"].endswith(" ms")
    assert {"python", "sqlite", "environment", "packages", "model", "worker", "plugin", "project",
            "permissions", "disk", "database", "lock", "log", "vectors", "last hooks",
            "spool"} <= set(found)  # fmt: skip
    assert client.status() is None and not paths.socket_path().exists()  # nothing stays
    assert scene.one(stage.project, "SELECT count(*) FROM hook_call") == 0  # nor was it fired here


# -- the plants ---------------------------------------------------------------------------------


def dangling_python(stage: Stage) -> None:
    """The Python the environment was made from is gone."""
    python = stage.house.venv / "bin" / "python"
    python.unlink()
    python.symlink_to("/nowhere/python3")


def old_python(stage: Stage) -> None:
    python = stage.house.venv / "bin" / "python"
    real = python.resolve()
    python.unlink()
    python.write_text(
        f"#!/bin/sh\nexec {real} -I -c 'import sys;"
        ' sys.version_info = (3, 8, 18, "final", 0); exec(sys.argv.pop())\' "$@"\n'
    )
    python.chmod(0o755)


def missing_package(stage: Stage) -> None:
    stage.house.without("networkx")


def half_made(stage: Stage) -> None:
    (stage.house.venv / "helix-ready.json").unlink()


def other_version(stage: Stage) -> None:
    (stage.house.venv / "helix-ready.json").write_text('{"version": "0.0.1"}')


def no_fts5(stage: Stage) -> None:
    """A SQLite that refuses to register the module, as one built without it has none."""
    compiler = shutil.which("cc")
    if compiler is None:
        pytest.skip("no C compiler to make a SQLite without FTS5")
    folder = stage.house.venv.parents[2]
    (folder / "no_fts5.c").write_text(
        "#define _GNU_SOURCE\n#include <dlfcn.h>\n#include <string.h>\n"
        "int sqlite3_prepare_v2(void *db, const char *sql, int n, void **stmt, const char **tail)"
        "{ int (*real)(void *, const char *, int, void **, const char **) ="
        ' dlsym(dlopen("libsqlite3.so.0", RTLD_LAZY), "sqlite3_prepare_v2");'
        ' return real(db, sql && strstr(sql, "USING fts5") ?'
        ' "CREATE VIRTUAL TABLE temp.x USING no_such_module(x)" : sql, -1, stmt, tail); }\n'
    )
    library = folder / "no_fts5.so"
    subprocess.run(
        [compiler, "-shared", "-fPIC", "-o", library, folder / "no_fts5.c", "-ldl"], check=True
    )
    check = (
        "import sqlite3; conn = sqlite3.connect(':memory:')\n"
        "try: conn.execute('CREATE VIRTUAL TABLE a USING fts5(x)')\n"
        "except sqlite3.OperationalError: print('off')"
    )
    python = stage.house.venv / "bin" / "python"
    env = {**os.environ, "LD_PRELOAD": str(library)}
    tried = subprocess.run([python, "-c", check], env=env, check=False, capture_output=True)
    if tried.stdout != b"off\n":
        pytest.skip("this Python has its SQLite built in: its full text cannot be taken away")
    stage.env["LD_PRELOAD"] = str(library)


def corrupt(stage: Stage) -> None:
    scene.database(stage.project).write_bytes(os.urandom(5000))


def rotten_page(stage: Stage) -> None:
    file = scene.database(stage.project)
    with closing(sqlite3.connect(file)) as conn:
        conn.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        page = conn.execute("SELECT rootpage FROM sqlite_master WHERE name = 'insight'").fetchone()
    data = bytearray(file.read_bytes())
    start = (page[0] - 1) * 4096
    data[start : start + 4096] = os.urandom(4096)
    file.write_bytes(bytes(data))


def newer_schema(stage: Stage) -> None:
    scene.change(stage.project, "INSERT INTO schema_version VALUES (99, '2030-01-01')")


def read_only_home(stage: Stage) -> None:
    stage.prefix = bound()
    (stage.project / ".helix").chmod(0o555)
    stage.stack.callback((stage.project / ".helix").chmod, 0o755)


def home_is_a_file(stage: Stage) -> None:
    shutil.rmtree(stage.project / ".helix")
    (stage.project / ".helix").write_text("x")
    (stage.project / ".git").mkdir()


def missing_hook(stage: Stage) -> None:
    (stage.own_plugin() / "hooks" / "subagent_stop.py").unlink()


def no_hooks_json(stage: Stage) -> None:
    (stage.own_plugin() / "hooks" / "hooks.json").write_text("{ not json")


def not_executable(stage: Stage) -> None:
    (stage.own_plugin() / "hooks" / "launch").chmod(0o644)


def other_manifest(stage: Stage) -> None:
    file = stage.own_plugin() / ".claude-plugin" / "plugin.json"
    file.write_text(json.dumps({**json.loads(file.read_text()), "version": "9.9.9"}))


def hook_that_fails(stage: Stage) -> None:
    (stage.own_plugin() / "hooks" / "subagent_stop.py").write_text("raise SystemExit('no')\n")
    stage.fired = True


def hook_that_does_nothing(stage: Stage) -> None:
    (stage.own_plugin() / "hooks" / "pre_tool_use.py").write_text("")
    stage.fired = True


def stale_socket(stage: Stage) -> None:
    address = paths.socket_path()
    address.parent.mkdir(parents=True)
    with socket.socket(socket.AF_UNIX) as sock:
        sock.bind(str(address))


def old_worker(stage: Stage) -> None:
    """Somebody who answers as a worker of an earlier version does."""
    address = paths.socket_path()
    address.parent.mkdir(parents=True)
    listener = stage.stack.enter_context(socket.socket(socket.AF_UNIX))
    listener.bind(str(address))
    listener.listen(8)

    def serve() -> None:
        while True:
            try:
                sock, _ = listener.accept()
            except OSError:
                return
            with sock:
                protocol.receive(sock)
                protocol.send(sock, {"alive": True, "version": "0.0.1"})
                status = {"pid": 1, "version": "0.0.1", "model_state": "loading"}
                protocol.send(sock, {"ok": True, "result": status})

    threading.Thread(target=serve, daemon=True).start()
    stage.stack.callback(listener.shutdown, socket.SHUT_RDWR)


def foreign_vectors(stage: Stage) -> None:
    scene.change(stage.project, "UPDATE insight SET embedding_model = 'some/other-model'")


def broken_download(stage: Stage) -> None:
    folder = "models--Snowflake--snowflake-arctic-embed-m-v1.5/snapshots/abc"
    (stage.house.venv.parents[2] / "hf" / "hub" / folder).mkdir(parents=True)
    stage.env["HF_HOME"] = str(stage.house.venv.parents[2] / "hf")


def huge_log(stage: Stage) -> None:
    """A reader that never ends its transaction, and much that is written meanwhile."""
    stage.stack.enter_context(holding(stage.project, "BEGIN", "SELECT count(*) FROM insight"))
    with closing(sqlite3.connect(scene.database(stage.project), isolation_level=None)) as conn:
        conn.execute("CREATE TABLE filler (x)")
        for _ in range(40):
            conn.execute("INSERT INTO filler VALUES (zeroblob(1000000))")


def locked(stage: Stage) -> None:
    stage.stack.enter_context(holding(stage.project, "BEGIN IMMEDIATE"))


def full_disk(stage: Stage) -> None:
    folder = stage.stack.enter_context(small_disk(4096))
    shutil.copytree(stage.project / ".helix", folder / ".helix")
    fill(folder, leave=64 * 1024)
    stage.project = folder


def wrong_setting(stage: Stage) -> None:
    (stage.project / ".helix" / "config.toml").write_text("colour = 1\n")


def unread_events(stage: Stage) -> None:
    spool = stage.project / ".helix" / "spool"
    spool.mkdir()
    (spool / "1.json").write_text("{}")
    (spool / "0.bad").write_text("?")


def damage_put_aside(stage: Stage) -> None:
    folder = stage.project / ".helix" / "backups"
    folder.mkdir()
    (folder / "damaged-20260101T000000-helix.db").write_bytes(b"x")


def failing_hook(stage: Stage) -> None:
    scene.change(
        stage.project,
        "INSERT INTO hook_call(event, ms, mode, ok, error, created_at)"
        " VALUES ('SubagentStop', 3.0, 'worker', 0, 'KeyError: x', '2026-01-01T00:00:00+00:00')",
    )


# plant, the finding that names it, its state, what it says, what it advises
PLANTS: list[tuple[Callable[[Stage], None], str, str, str, str]] = [
    (dangling_python, "environment", "fail", "no Python in", "helix setup"),
    (old_python, "environment", "fail", "3.8 is too old", "helix setup"),
    (missing_package, "packages", "fail", "networkx is missing", "helix setup"),
    (half_made, "environment", "fail", "half-made", "helix setup"),
    (other_version, "environment", "warn", "this is helix", "helix setup"),
    (no_fts5, "sqlite", "fail", "no FTS5", "another Python"),
    (corrupt, "database", "fail", "damaged", "restore-backup"),
    (rotten_page, "database", "fail", "damaged", "restore-backup"),
    (newer_schema, "database", "fail", "schema 99 is newer", "update helix"),
    (read_only_home, "permissions", "fail", "read-only", "chmod"),
    (home_is_a_file, "permissions", "fail", "is a file", "move it away"),
    (missing_hook, "hooks", "fail", "subagent_stop.py is missing", "install the plugin again"),
    (no_hooks_json, "hooks", "fail", "hooks.json cannot be read", "install the plugin again"),
    (not_executable, "plugin", "fail", "launch is not executable", "chmod +x"),
    (other_manifest, "plugin", "fail", "9.9.9", "install the plugin again"),
    (hook_that_fails, "hook SubagentStop", "fail", "no", "helix hook SubagentStop"),
    (hook_that_does_nothing, "hook PreToolUse", "fail", "no trace", "install the plugin again"),
    (stale_socket, "worker", "warn", "stale socket", "helix worker start"),
    (old_worker, "worker", "warn", "helix 0.0.1", "helix worker stop"),
    (foreign_vectors, "vectors", "warn", "1 of some/other-model", "helix reindex"),
    (broken_download, "model", "warn", "a broken download", "remove"),
    (huge_log, "log", "warn", "write-ahead log (open in process", "worker stop"),
    (locked, "lock", "fail", "holds the write lock (open in process", "wait for it"),
    (full_disk, "disk", "fail", "nearly full", "free some space"),
    (wrong_setting, "configuration", "fail", "colour", "remove that line"),
    (unread_events, "spool", "warn", "1 events wait", "worker"),
    (damage_put_aside, "spool", "warn", "damaged memory is kept", "restore"),
    (failing_hook, "last hooks", "warn", "KeyError", "helix.log"),
]  # fmt: skip


@pytest.mark.parametrize(
    ("plant", "name", "state", "says", "remedy"), PLANTS, ids=[each[0].__name__ for each in PLANTS]
)
def test_a_planted_fault_is_found_with_its_remedy(
    stage: Stage, plant: Callable[[Stage], None], name: str, state: str, says: str, remedy: str
) -> None:
    plant(stage)
    code, found = stage.examine()
    hits = [one for one in found[name] if one["state"] == state and says in one["says"]]
    assert hits, found[name]
    assert remedy in hits[0]["remedy"]
    assert (code == 1) is (state == "fail")


def test_a_set_up_sees_what_the_doctor_sees(house: House) -> None:
    """What `helix setup` is the remedy for, it must find wrong itself."""
    assert provision.is_ready(house.venv) and provision.lacks(house.venv) == []
    house.without("networkx", "textual")
    assert [line.split()[0] for line in provision.lacks(house.venv)] == ["textual", "networkx"]
    (house.venv / "bin" / "python").unlink()
    assert provision.lacks(house.venv) and not provision.is_ready(house.venv)


def test_it_works_with_any_python_and_nothing_else(project: Path, tmp_path: Path) -> None:
    code = (
        "import sys; sys.path.insert(0, {!r});"
        " from helix_core.cli.main import main; sys.exit(main())"
    )
    done = subprocess.run(
        [sys.executable, "-S", "-E", "-c", code.format(str(ROOT)), "doctor", "--quick"],
        cwd=project, env={**os.environ, "HELIX_VENV": str(tmp_path / "none")},
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert (done.returncode, done.stderr) == (0, "")
    assert "not set up" in done.stdout and "helix setup" in done.stdout
    assert list(project.iterdir()) == []


def test_outside_of_any_project_the_rest_is_still_looked_at(stage: Stage) -> None:
    stage.project = Path.home()
    code, found = stage.examine()
    assert code == 0 and found["project"][0]["state"] == "warn"
    assert "database" not in found and found["environment"][0]["state"] == "ok"


@pytest.mark.parametrize(
    ("free", "need", "state"),
    [(10, 0, "fail"), (100, 0, "warn"), (1000, 0, "ok"), (1000, 2000, "fail"), (1000, 500, "warn")],
)
def test_room_is_held_against_a_backup(free: int, need: int, state: str) -> None:
    assert memory.room(Path("/x"), free * memory.MIB, need * memory.MIB).state == state


def test_a_check_that_breaks_does_not_hide_the_others(monkeypatch: pytest.MonkeyPatch) -> None:
    from helix_core.doctor import finding

    def broken(place: Any) -> Any:
        raise RuntimeError("x")

    ours = [("a", broken), ("b", lambda place: [finding.Finding("b", "ok", "fine")])]
    monkeypatch.setattr(finding, "CHECKS", ours)
    found = finding.look(finding.Place(None, "", None, {}))
    assert [(one.name, one.state) for one in found] == [("a", "warn"), ("b", "ok")]
