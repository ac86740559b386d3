"""Running the set-up of a checkout as a process, and asking what it made.

Role: set-up and evidence for the tests of the set-up. May import the standard library.
"""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

from tests.conftest import cleaned_environ


def built(source: Path) -> subprocess.Popen[str]:
    """A set-up that begins."""
    return subprocess.Popen(
        [sys.executable, "-m", "helix_core.provision"],
        cwd=source,
        env={**cleaned_environ(), **os.environ},
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )


def finished(source: Path) -> tuple[int, str]:
    process = built(source)
    _, err = process.communicate(timeout=240)
    return process.returncode, err


def lacking(source: Path, venv: Path) -> str:
    """What the environment lacks, asked from that checkout: nothing is "[]"."""
    code = (
        "import pathlib, sys; from helix_core import provision;"
        "print(provision.lacks(pathlib.Path(sys.argv[1])))"
    )
    return subprocess.run(
        [sys.executable, "-c", code, venv], cwd=source, capture_output=True, text=True, check=True
    ).stdout.strip()


def imported(venv: Path) -> str:
    code = "import torch.m149, tinya.m149, tinyb.m149, helix_core; print(helix_core.__file__)"
    return subprocess.run(
        [venv / "bin" / "python", "-I", "-c", code], capture_output=True, text=True, check=True
    ).stdout
