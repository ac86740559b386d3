"""Where things are: the project, its `.helix/`, the user's data folder, the worker's socket.

Standard library only; nothing here creates a file except `ensure_home`.
"""

from __future__ import annotations

import os
import subprocess
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path

from helix_core import address
from helix_core.errors import RefusedError

HELIX_DIR = ".helix"
WORKING_FOLDER = "working folder"
"""The reason of a project that is none yet: there is neither git nor a memory anywhere above."""


@dataclass(frozen=True)
class Project:
    """One project: its root folder, its `.helix/` and its database, and why they were chosen."""

    root: Path
    home: Path
    database: Path
    reason: str


def find_project(
    start: str | os.PathLike[str] | None = None,
    *,
    database: str | None = None,
    environ: Mapping[str, str] | None = None,
) -> Project:
    """Find the project of a working folder (decision 23).

    `HELIX_PROJECT_DIR` and `HELIX_DB_PATH` come first, then the main work tree of the git common
    dir (worktrees share one memory), then the nearest parent with `.helix/`, then the folder.
    The home folder and `/` are never a project: RefusedError, unless HELIX_PROJECT_DIR or a
    database says so.
    """
    env = os.environ if environ is None else environ
    given = env.get("HELIX_PROJECT_DIR")
    path = database or env.get("HELIX_DB_PATH")
    db = Path(path).expanduser().absolute() if path else None
    here = _existing(Path(start) if start else Path(_cwd(env)))
    if given:
        root, reason = Path(given).expanduser().absolute(), "HELIX_PROJECT_DIR"
    else:
        try:
            root, reason = _search(here)
        except RefusedError:
            if db is None:
                raise
            root = db.parent.parent if db.parent.name == HELIX_DIR else db.parent
            reason = "the database named"
    home = root / HELIX_DIR
    if db is not None and not given and not start and db.parent.name == HELIX_DIR:
        home = db.parent
    return Project(root=root, home=home, database=db or home / "helix.db", reason=reason)


def named_project(
    start: str | None,
    *,
    database: str | None = None,
    environ: Mapping[str, str] | None = None,
) -> Project:
    """The project of a command line: what is said there outranks the environment.

    Raises RefusedError for a folder that is not there, since its parent is another project.
    """
    env = dict(os.environ if environ is None else environ)
    if start is not None:
        if not looks(Path(start).expanduser(), Path.is_dir):
            raise RefusedError(f"there is no folder {start}")
        env = {k: v for k, v in env.items() if k not in ("HELIX_PROJECT_DIR", "HELIX_DB_PATH")}
    return find_project(start, database=database, environ=env)


def _cwd(env: Mapping[str, str]) -> str:
    try:
        return str(Path.cwd())
    except OSError:  # the working folder was deleted
        return env.get("CLAUDE_PROJECT_DIR") or env.get("PWD") or _last_cwd()


def _last_cwd() -> str:
    """Where a deleted working folder was, as far as the system remembers (Linux)."""
    try:
        return str(Path("/proc/self/cwd").readlink()).removesuffix(" (deleted)")
    except OSError:
        return "/"


def _existing(path: Path) -> Path:
    """The nearest ancestor that exists: a deleted working folder still has its project."""
    path = path.expanduser().absolute()
    for candidate in (path, *path.parents):
        if looks(candidate, Path.is_dir):
            return candidate.resolve()
    return path


def looks(path: Path, what: Callable[[Path], bool]) -> bool:
    """`is_dir`, `is_file` or such; what lies in a folder we may not enter is not there for us."""
    try:
        return what(path)
    except OSError:
        return False


def _search(here: Path) -> tuple[Path, str]:
    never = {Path.home().resolve(), Path(here.anchor)}
    git = _git_root(here)
    if git is not None and git not in never:
        return git, "git"
    for folder in (here, *here.parents):
        if folder in never:
            continue
        if looks(folder / HELIX_DIR, Path.is_dir):
            return folder, "parent with .helix"
    if here in never:
        raise RefusedError(f"{here} is no project; go into one, or name one with --project")
    return here, WORKING_FOLDER


def _git_root(here: Path) -> Path | None:
    """The main work tree. Reads `.git` itself; asks git only where that is not plain."""
    for folder in (here, *here.parents):
        dot = folder / ".git"
        if looks(dot, Path.is_dir):
            return folder
        if looks(dot, Path.is_file):
            return _linked_root(folder, dot)
    return None


def _linked_root(folder: Path, dot: Path) -> Path | None:
    try:
        text = dot.read_text(encoding="utf-8", errors="replace").strip()
        gitdir = (folder / text.removeprefix("gitdir:").strip()).resolve()
        common = gitdir / "commondir"
        if common.is_file():  # a linked worktree
            shared = (gitdir / common.read_text(encoding="utf-8").strip()).resolve()
            if shared.name == ".git":
                return shared.parent
            return _configured_root(shared) or _ask_git(folder)
        return folder  # a submodule is a project of its own
    except OSError:
        return folder


def _configured_root(shared: Path) -> Path | None:
    """The work tree that a git dir names in its configuration, as that of a submodule does."""
    given = _git(shared, "config", "--file", str(shared / "config"), "--get", "core.worktree")
    root = (shared / given.strip()).resolve() if given.strip() else None
    return root if root and root.is_dir() else None


def _git(folder: Path, *arguments: str) -> str:
    try:
        return subprocess.run(
            ["git", *arguments],
            cwd=folder,
            capture_output=True,
            text=True,
            timeout=2,
            check=False,
        ).stdout
    except (OSError, subprocess.TimeoutExpired):
        return ""


def _ask_git(folder: Path) -> Path | None:
    """The first entry of `git worktree list`: the main work tree, wherever its git dir lies."""
    out = _git(folder, "worktree", "list", "--porcelain")
    first = out.splitlines()[0] if out else ""
    return Path(first.removeprefix("worktree ").strip()) if first else folder


def ensure_home(project: Project) -> Path:
    """Create `.helix/` with its one-line `.gitignore`; returns it."""
    project.home.mkdir(parents=True, exist_ok=True)
    ignore = project.home / ".gitignore"
    if not ignore.exists():
        ignore.write_text("*\n", encoding="utf-8")
    return project.home


def data_dir(environ: Mapping[str, str] | None = None) -> Path:
    """The user's data folder for helix: environment, worker log, fallback socket."""
    return Path(address.data_folder(os.environ if environ is None else environ))


def config_file(environ: Mapping[str, str] | None = None) -> Path:
    """The user's configuration file."""
    env = os.environ if environ is None else environ
    base = env.get("XDG_CONFIG_HOME") or str(Path(env.get("HOME") or Path.home()) / ".config")
    return Path(base) / "helix" / "config.toml"


def environment_dir(environ: Mapping[str, str] | None = None) -> Path:
    """The Python environment: `$HELIX_VENV`, else the one in the data folder."""
    env = os.environ if environ is None else environ
    given = env.get("HELIX_VENV")
    return Path(given).expanduser() if given else data_dir(environ) / "venv"


def socket_path(environ: Mapping[str, str] | None = None) -> Path:
    """The worker's socket, in a private folder."""
    return Path(address.socket_address(environ))
