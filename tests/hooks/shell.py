"""The command line as an orchestrator's Bash tool runs it: in the project and its session.

Role: set-up for tests. May import helix_core, the standard library, pytest, `tests`.
"""

from __future__ import annotations

import json
import os
import subprocess
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from tests.core import command
from tests.hooks.fire import ROOT


@dataclass(frozen=True)
class Said:
    """What one command left: its exit code, what it printed, what it complained of."""

    code: int
    out: str
    err: str

    @property
    def json(self) -> Any:
        """The one JSON document of a command that went well."""
        assert self.code == 0, self.err
        return json.loads(self.out)

    @property
    def refusal(self) -> str:
        """The one line of a command that did not go well; with --json also its document."""
        lines = self.err.strip().splitlines()
        assert (self.code != 0, len(lines)) == (True, 1), self.err
        if self.out:
            told = {"ok": False, "error": lines[0].removeprefix("helix: ")}
            assert json.loads(self.out) == told
        return lines[0]


def helix(
    project: Path, *arguments: str, stdin: str | bytes = "", session: str | None = "s1"
) -> Said:
    """Run the command line in the project, in the session of that id (None: outside of any).

    In this process; where its standard input is no text, as `bin/helix`, a process of its own.
    """
    if isinstance(stdin, bytes) or any("\ud800" <= letter <= "\udfff" for letter in stdin):
        return _process(project, arguments, stdin, session)
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(project)
        if session is not None:
            patch.setenv("CLAUDE_CODE_SESSION_ID", session)
        ran = command.run(*arguments, given=stdin)
    return Said(ran.code, ran.out, ran.err)


def _process(
    project: Path, arguments: tuple[str, ...], stdin: str | bytes, session: str | None
) -> Said:
    env = dict(os.environ)
    if session is not None:
        env["CLAUDE_CODE_SESSION_ID"] = session
    raw = stdin.encode("utf-8", "surrogatepass") if isinstance(stdin, str) else stdin
    done = subprocess.run(
        [ROOT / "bin" / "helix", *arguments],
        cwd=project,
        env=env,
        input=raw,
        capture_output=True,
        check=False,
        timeout=120,
    )
    return Said(done.returncode, done.stdout.decode(), done.stderr.decode("utf-8", "replace"))
