"""Standard streams that were closed by whoever started us. Standard library only."""

from __future__ import annotations

import os
import sys
from pathlib import Path


def open_closed() -> None:
    """Let what is closed lead nowhere: else the next file we open would take its place."""
    for number, name, mode in ((0, "stdin", "r"), (1, "stdout", "w"), (2, "stderr", "w")):
        try:
            os.fstat(number)
        except OSError:
            os.open(os.devnull, os.O_RDWR)  # the lowest free number: this one
        if getattr(sys, name) is None:
            setattr(sys, name, Path(os.devnull).open(mode, encoding="utf-8"))  # noqa: SIM115 - for good
