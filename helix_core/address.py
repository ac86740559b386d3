"""Where the worker listens. Only `os` is imported: every hook asks this first.

The socket lies in a private folder named after the user's data folder, so that another HOME is
another worker, and its path is always under 100 bytes, which is what a socket can take.
"""

from __future__ import annotations

import binascii
import os
from collections.abc import Mapping

LONGEST = 100


def data_folder(env: Mapping[str, str]) -> str:
    """The user's data folder for helix."""
    base = env.get("XDG_DATA_HOME")
    if not base:
        base = os.path.join(env.get("HOME") or os.path.expanduser("~"), ".local", "share")
    return os.path.join(base, "helix")


def socket_address(env: Mapping[str, str] | None = None) -> str:
    """The path of the worker's socket; nothing is created."""
    env = os.environ if env is None else env
    data = data_folder(env)
    name = f"helix-{binascii.crc32(os.fsencode(data)):08x}/worker.sock"
    runtime = env.get("XDG_RUNTIME_DIR") or ""
    for base in (runtime if os.path.isdir(runtime) else "", data):
        found = os.path.join(base, name)
        if base and len(os.fsencode(found)) < LONGEST:
            return found
    return f"/tmp/helix-{os.getuid()}/{name}"
