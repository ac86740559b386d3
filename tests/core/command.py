"""The command line in this process: what a person types, and what comes back."""

from __future__ import annotations

import contextlib
import io
import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from helix_core.cli.main import main


@dataclass(frozen=True)
class Ran:
    """One command: its exit code and what it printed."""

    code: int
    out: str
    err: str

    @property
    def json(self) -> Any:
        """The one JSON document of a command that did what it was asked."""
        assert self.code == 0, self.err
        return json.loads(self.out)


def helix(project: Path, *arguments: str) -> Ran:
    """Run one command on a project; an exception fails the test, as a traceback would."""
    return run("--project", str(project), *arguments)


def run(*arguments: str, given: str | None = None) -> Ran:
    """Run one command where this process is, with a text on its standard input if one is given.

    An exception fails the test, as a traceback would.
    """
    out, err = io.StringIO(), io.StringIO()
    with (
        pytest.MonkeyPatch.context() as patch,
        contextlib.redirect_stdout(out),
        contextlib.redirect_stderr(err),
    ):
        if given is not None:
            patch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(given.encode()), "utf-8"))
        code = main(arguments)
    return Ran(code, out.getvalue(), err.getvalue())
