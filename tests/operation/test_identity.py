"""Which project a folder belongs to (decision 23), with real git, and that every surface agrees."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from helix_core import paths
from helix_core.errors import RefusedError
from tests.core.command import helix
from tests.hooks import scene
from tests.hooks.fire import ROOT, fire
from tests.operation.limits import bound

LESSON = "When worktrees share a memory, store once because both read it"


def git(folder: Path, *arguments: str) -> None:
    """A git command that asks nobody and reads no configuration of the developer."""
    subprocess.run(
        ["git", "-c", "user.name=t", "-c", "user.email=t@t", "-c", "init.defaultBranch=main",
         "-c", "protocol.file.allow=always", *arguments],
        cwd=folder, check=True, capture_output=True,
        env={**os.environ, "GIT_CONFIG_GLOBAL": "/dev/null", "GIT_CONFIG_SYSTEM": "/dev/null"},
    )  # fmt: skip


def repository(folder: Path) -> Path:
    """A repository with one commit."""
    folder.mkdir(parents=True, exist_ok=True)
    git(folder, "init")
    git(folder, "commit", "--allow-empty", "-m", "first")
    return folder.resolve()


def found(folder: Path) -> tuple[Path, str]:
    project = paths.find_project(folder)
    assert project.database == project.root / ".helix" / "helix.db"
    return project.root, project.reason


def test_a_sub_folder_belongs_to_the_repository(tmp_path: Path) -> None:
    root = repository(tmp_path / "repo")
    deep = root / "src" / "deep"
    deep.mkdir(parents=True)
    assert found(deep) == found(root) == (root, "git")


def test_packages_of_a_monorepo_share_one_memory(tmp_path: Path) -> None:
    root = repository(tmp_path / "mono")
    for name in ("a", "b"):
        package = root / "packages" / name
        package.mkdir(parents=True)
        (package / "package.json").write_text("{}")
        (package / ".helix").mkdir()  # of a time before git, or made by hand
        assert found(package)[0] == root


def test_worktrees_share_the_memory_of_the_main_one(tmp_path: Path) -> None:
    root = repository(tmp_path / "repo")
    git(root, "worktree", "add", str(tmp_path / "elsewhere" / "wt"))
    inside = tmp_path / "elsewhere" / "wt" / "src"
    inside.mkdir()
    assert found(inside) == (root, "git")


def test_a_submodule_is_a_project_of_its_own_and_so_are_its_worktrees(tmp_path: Path) -> None:
    library = repository(tmp_path / "library")
    root = repository(tmp_path / "repo")
    git(root, "submodule", "add", str(library), "lib")
    assert found(root / "lib") == (root / "lib", "git")
    git(root / "lib", "worktree", "add", str(tmp_path / "wt"))
    assert found(tmp_path / "wt")[0] == root / "lib"


def test_worktrees_of_a_bare_repository_share_it(tmp_path: Path) -> None:
    root = repository(tmp_path / "repo")
    git(tmp_path, "clone", "--bare", str(root), "bare.git")
    for name in ("one", "two"):
        git(tmp_path / "bare.git", "worktree", "add", str(tmp_path / name), "-b", name)
    assert found(tmp_path / "one") == found(tmp_path / "two")
    assert found(tmp_path / "one")[0] not in (tmp_path / "one", tmp_path / "two")


def test_a_git_dir_kept_apart(tmp_path: Path) -> None:
    (tmp_path / "repo").mkdir()
    git(tmp_path / "repo", "init", "--separate-git-dir", str(tmp_path / "kept.git"))
    assert found(tmp_path / "repo")[0] == (tmp_path / "repo").resolve()


def test_a_symlink_leads_to_the_same_project(tmp_path: Path) -> None:
    root = repository(tmp_path / "repo")
    (root / "src").mkdir()
    (tmp_path / "link").symlink_to(root / "src")
    assert found(tmp_path / "link") == (root, "git")


def test_without_git_the_nearest_parent_with_a_memory(tmp_path: Path) -> None:
    deep = tmp_path / "plain" / "a" / "b"
    deep.mkdir(parents=True)
    assert found(deep) == (deep.resolve(), "working folder")
    (tmp_path / "plain" / ".helix").mkdir()
    assert found(deep) == ((tmp_path / "plain").resolve(), "parent with .helix")


def test_home_is_no_project_whatever_lies_in_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    home = repository(tmp_path / "home")  # dotfiles under git
    (home / ".helix").mkdir()
    work = home / "work"
    work.mkdir()
    monkeypatch.setenv("HOME", str(home))
    assert found(work) == (work, "working folder")
    with pytest.raises(RefusedError, match="no project"):
        paths.find_project(home)
    with pytest.raises(RefusedError):
        paths.find_project("/")
    named = paths.find_project(home, database=str(tmp_path / "x" / ".helix" / "helix.db"))
    assert named.root == tmp_path / "x"
    fired = fire("SessionStart", home)
    assert (fired.code, fired.out, fired.err) == (0, "", "")
    assert list((home / ".helix").iterdir()) == []


def test_a_deleted_working_folder_still_has_its_project(tmp_path: Path) -> None:
    root = repository(tmp_path / "repo")
    gone = root / "build" / "tmp"
    gone.mkdir(parents=True)
    scene.store_directly(root, LESSON)
    ran = subprocess.run(
        ["sh", "-c", f'cd "{gone}" && rm -r "{gone.parent}" && "{ROOT}/bin/helix" count --json'],
        capture_output=True, text=True, check=False, env={**os.environ},
    )  # fmt: skip
    assert (ran.returncode, json.loads(ran.stdout or "0")) == (0, {"count": 1}), ran.stderr


def test_a_folder_nobody_may_look_into_is_not_asked(tmp_path: Path) -> None:
    """Above a working folder there may be one that cannot be searched."""
    prefix = bound()
    outer = tmp_path / "outer"
    inner = outer / "inner"
    inner.mkdir(parents=True)
    code = f"import sys; sys.path.insert(0, {str(ROOT)!r}); from helix_core import paths;"
    code += f"print(paths.find_project({str(inner)!r}).reason)"
    outer.chmod(0o000)
    try:
        ran = subprocess.run(
            [*prefix, sys.executable, "-c", code], capture_output=True, text=True, check=False
        )
    finally:
        outer.chmod(0o755)
    assert (ran.returncode, ran.stderr, ran.stdout.strip()) == (0, "", "working folder")


def test_hooks_command_line_and_doctor_agree(tmp_path: Path) -> None:
    root = repository(tmp_path / "repo")
    git(root, "worktree", "add", str(tmp_path / "wt"))
    inside = tmp_path / "wt" / "src"
    inside.mkdir()
    assert helix(inside, "store", LESSON).code == 0
    fired = fire("PreToolUse", inside, prompt=scene.task("Store once where worktrees share memory"))
    assert LESSON in fired.specific("updatedInput")["prompt"]
    assert helix(root, "count", "--json").json == {"count": 1}
    assert not (tmp_path / "wt" / ".helix").exists() and not (inside / ".helix").exists()
    lines = helix(inside, "doctor", "--quick", "--json")
    says = {one["name"]: one["says"] for one in json.loads(lines.out)["findings"]}
    assert says["project"] == f"{root} (found by: git)"


def test_what_is_said_outranks_the_environment_and_a_typo_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    one, other = repository(tmp_path / "one"), repository(tmp_path / "other")
    scene.store_directly(one, LESSON)
    monkeypatch.setenv("HELIX_PROJECT_DIR", str(other))
    monkeypatch.setenv("HELIX_DB_PATH", str(other / "x.db"))
    assert helix(one, "count", "--json").json == {"count": 1}
    ran = helix(one / "typo", "count")
    assert ran.code == 1 and "there is no folder" in ran.err
