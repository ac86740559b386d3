"""The inner half of the harness: the model API and the client, in one network namespace.

Role: `python -m tests.e2e.inside RECORD PLAN MODE PROJECT CLIENT ARG...`, started by `client`.
May import: standard library, tests.e2e.
"""

from __future__ import annotations

import fcntl
import os
import socket
import struct
import subprocess
import sys
from pathlib import Path

from tests.e2e.loopback_api import LoopbackApi
from tests.e2e.scripts import SCRIPTS

_SIOCGIFFLAGS, _SIOCSIFFLAGS, _IFF_UP = 0x8913, 0x8914, 0x1
_IFREQ = "16sh22x"  # struct ifreq as netdevice(7) describes it: a name, then the flags


def raise_loopback() -> None:
    """Switch the loopback device on; in a fresh network namespace it is off. Linux only."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as channel:
        answer = fcntl.ioctl(channel, _SIOCGIFFLAGS, struct.pack(_IFREQ, b"lo", 0))
        name, flags = struct.unpack(_IFREQ, answer)
        if not flags & _IFF_UP:
            fcntl.ioctl(channel, _SIOCSIFFLAGS, struct.pack(_IFREQ, name, flags | _IFF_UP))


def main(arguments: list[str]) -> int:
    """Serve the script, run the client in the project folder, pass its exit code on."""
    record, plan, mode, project, *command = arguments
    if sys.platform == "linux":
        raise_loopback()
    Path(record).touch()
    script = SCRIPTS[plan](mode == "background")
    with LoopbackApi(script, Path(record)) as api:
        env = {**os.environ, "ANTHROPIC_BASE_URL": api.url}
        return subprocess.run(
            command, cwd=project, env=env, stdin=subprocess.DEVNULL, check=False
        ).returncode


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
