"""What helix keeps is its user's alone, in projects and in the data folder, also what is older."""

from __future__ import annotations

import json
import os
import sqlite3
import stat
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from helix_core import folders, paths
from helix_core.embed import client, lifecycle
from tests.core.command import helix
from tests.hooks import scene, shell
from tests.hooks.conftest import Light
from tests.hooks.conftest import light as light
from tests.hooks.conftest import light_venv as light_venv
from tests.hooks.fire import fire
from tests.operation.conftest import House

LESSON = "When a log tells of a project, keep it private because others need not know"
MESSAGE = f'DELIVERED: done\nINSIGHT: {{"content": "{LESSON}"}}'


@pytest.fixture(autouse=True)
def _usual_umask() -> Iterator[None]:
    """What most systems give: files that everybody may read."""
    before = os.umask(0o022)
    yield
    os.umask(before)


def open_to_others(folder: Path) -> dict[str, str]:
    """What others have rights on in a folder, itself included, with the mode of each."""
    return {
        str(path.relative_to(folder.parent)): oct(stat.S_IMODE(path.lstat().st_mode))
        for path in (folder, *folder.rglob("*"))
        if path.lstat().st_mode & 0o077 and not path.is_symlink()
    }


def used(project: Path) -> Path:
    """One of everything: log, spool, hand-over files, backup, configuration. Its `.helix/`."""
    assert shell.helix(project, "store", LESSON).code == 0
    fire("SessionStart", project)
    fire("PreToolUse", project, prompt=scene.task("Keep the log of a project private"))
    fire("PostToolUse", project)
    with closing(sqlite3.connect(scene.database(project), isolation_level=None)) as conn:
        conn.execute("BEGIN IMMEDIATE")
        fire("SubagentStop", project, agent_id="a2", last_assistant_message=MESSAGE)
    for command in (("backup",), ("config", "max_insights", "2"), ("export", "out.jsonl")):
        assert shell.helix(project, *command).code == 0
    home = project / ".helix"
    kept = {path.name for path in home.iterdir()}
    assert {"helix.log", "spool", "injected", "backups", "config.toml"} <= kept
    assert scene.spooled(project) and list((home / "backups").glob("*.db"))
    return home


def test_all_that_hooks_and_commands_write_is_private(project: Path) -> None:
    home = used(project)
    assert open_to_others(home) == {}
    assert open_to_others(project / "out.jsonl") == {}


@pytest.mark.parametrize("by", ["hook", "command"])
def test_what_an_older_version_left_open_is_narrowed(project: Path, by: str) -> None:
    home = used(project)
    for path in (home, *home.rglob("*")):
        path.chmod(0o755 if path.is_dir() else 0o644)
    (home / "link").symlink_to(project)
    before = stat.S_IMODE(project.stat().st_mode)
    if by == "hook":
        assert fire("SessionStart", project).code == 0
    else:
        assert helix(project, "store", LESSON).code == 0
    assert open_to_others(home) == {}
    assert stat.S_IMODE(project.stat().st_mode) == before  # no link is followed


def test_one_open_file_in_a_private_folder_is_narrowed(project: Path) -> None:
    home = used(project)
    (home / "helix.log").chmod(0o644)
    (home / "spool").chmod(0o755)
    assert fire("SessionStart", project).code == 0
    assert open_to_others(home) == {}


def test_rights_are_taken_from_others_and_given_to_nobody(tmp_path: Path) -> None:
    folder = tmp_path / "kept"
    (folder / "inner").mkdir(parents=True)
    (folder / "inner" / "file").write_text("x")
    (folder / "inner" / "file").chmod(0o444)
    (folder / "inner").chmod(0o575)
    folder.chmod(0o755)
    folders.tighten(folder)
    modes = [
        stat.S_IMODE(p.stat().st_mode)
        for p in (folder, folder / "inner", folder / "inner" / "file")
    ]
    assert modes == [0o700, 0o500, 0o400]
    (folder / "inner").chmod(0o700)


def test_of_a_database_elsewhere_only_its_own_files_are_narrowed(tmp_path: Path) -> None:
    shared = tmp_path / "shared"
    shared.mkdir()
    (shared / "notes.txt").write_text("x")
    database = shared / "team.db"
    assert shell.helix(tmp_path, "store", LESSON, "--db", str(database)).code == 0
    database.chmod(0o644)
    assert shell.helix(tmp_path, "store", LESSON, "--db", str(database)).code == 0
    assert stat.S_IMODE(database.stat().st_mode) == 0o600
    assert stat.S_IMODE(shared.stat().st_mode) == 0o755
    assert stat.S_IMODE((shared / "notes.txt").stat().st_mode) == 0o644


def test_the_data_folder_is_private_once_a_worker_ran(light: Light, project: Path) -> None:
    data = paths.data_dir()
    data.mkdir(parents=True, mode=0o755)
    (data / "worker.log").write_text("of an older version\n")
    assert lifecycle.start()
    scene.wait_for(client.status)
    assert open_to_others(data) == {}


def test_the_doctor_names_what_is_open_and_its_remedy_mends_it(house: House, project: Path) -> None:
    home = used(project)
    assert [one for one in said(project) if one["state"] == "warn"] == []
    (home / "helix.log").chmod(0o644)
    paths.data_dir().chmod(0o755)
    warned = [one for one in said(project) if one["state"] == "warn"]
    assert [one["says"].split(" (")[0].rpartition(" ")[2] for one in warned] == [
        str(paths.data_dir()),
        str(home / "helix.log"),
    ]
    for one in warned:
        command = one["remedy"].removeprefix("run: ").split(" (")[0]
        assert os.system(command) == 0
    assert [one for one in said(project) if one["state"] == "warn"] == []


def said(project: Path) -> list[dict[str, str]]:
    """What the doctor says of permissions."""
    found = json.loads(helix(project, "doctor", "--quick", "--json").out)["findings"]
    return [one for one in found if one["name"] == "permissions"]
