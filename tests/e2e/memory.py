"""The product from outside: its command line, and its database read-only.

Role: set-up and evidence for the end-to-end test. May import: standard library, tests.e2e.
"""

from __future__ import annotations

import sqlite3
import subprocess
import sys
import time
from collections.abc import Iterable, Mapping
from contextlib import closing
from pathlib import Path

from tests.e2e.client import REPOSITORY, Place

HELIX = REPOSITORY / "bin" / "helix"
STORE = """
import sys
from helix_core.cli.main import main
for content in sys.argv[1:]:
    assert main(["--json", "store", content]) == 0, content
"""


def database(place: Place) -> Path:
    """The database of the place's project."""
    return place.project / ".helix" / "helix.db"


def helix(place: Place, *arguments: str, env: Mapping[str, str] | None = None) -> str:
    """Run `bin/helix` in the project; its standard output. AssertionError unless it exits 0."""
    done = subprocess.run(
        [HELIX, *arguments],
        cwd=place.project,
        env={**place.environment(), **(env or {})},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert done.returncode == 0, f"helix {arguments}: {done.stdout} {done.stderr}"
    return done.stdout


def rows(db: Path, sql: str, *values: object) -> list[sqlite3.Row]:
    """All rows of one read-only query."""
    with closing(sqlite3.connect(f"{db.as_uri()}?mode=ro", uri=True, timeout=10)) as connection:
        connection.row_factory = sqlite3.Row
        return connection.execute(sql, values).fetchall()


def number(db: Path, sql: str, *values: object) -> int:
    """The single number a query answers."""
    return int(rows(db, sql, *values)[0][0])


def wait_until_zero(db: Path, sql: str, seconds: float = 60) -> None:
    """Wait until the counting query answers 0; AssertionError if it never does."""
    deadline = time.monotonic() + seconds
    while left := number(db, sql):
        assert time.monotonic() < deadline, f"still {left} after {seconds} s: {sql}"
        time.sleep(0.05)


def store_all(place: Place, contents: Iterable[str]) -> None:
    """Store each insight through the command line; every one has to be added as its own row.

    All by one process, since nothing but the place of a process is of interest here.
    """
    wanted = list(contents)
    done = subprocess.run(
        [sys.executable, "-c", STORE, *wanted],
        cwd=place.project,
        env={**place.environment(), "PYTHONPATH": str(REPOSITORY)},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
    assert done.stdout.count('"added"') == len(wanted), (done.stdout, done.stderr)


def product_env(runtime: Path) -> dict[str, str]:
    """What the product is told through the environment: our packages, a private socket folder."""
    return {
        "HELIX_VENV": sys.prefix,
        "XDG_RUNTIME_DIR": str(runtime),
        "HF_HUB_OFFLINE": "1",  # the packaged model, whatever hub could be reached
    }
