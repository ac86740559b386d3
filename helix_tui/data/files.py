"""Being told of changes under `.helix/`, where the system tells. Never of the database's own files:
reading a WAL database touches them, and a watcher would feed itself.

The feed polls anyway, so a watcher that fails costs a moment, never the view.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from pathlib import Path

SUFFIXES = (".json", ".jsonl")
LOOK_AGAIN = 2.0


def concerns(path: str) -> bool:
    """Whether a changed file is one the dashboard may have to do with."""
    name = Path(path).name
    return name.endswith(SUFFIXES) and not name.startswith((".", "tmp"))


async def watch(home: Path, wake: Callable[[], None], failed: Callable[[str], None]) -> None:
    """Call `wake` for changes under `home`, waiting for it to appear; `failed` once if it cannot.

    Runs until it is cancelled. Imports watchfiles only here, so that the first paint does not wait.
    """
    try:
        from watchfiles import awatch

        while True:
            while not home.is_dir():
                await asyncio.sleep(LOOK_AGAIN)
            try:
                async for changes in awatch(home, watch_filter=lambda _, path: concerns(path)):
                    if changes:
                        wake()
            except FileNotFoundError:  # gone between two looks; else a limit of the system
                if home.is_dir():
                    raise
            await asyncio.sleep(LOOK_AGAIN)
    except Exception as error:  # noqa: BLE001 - no inotify, no watch left, no package: poll
        failed(f"no file events ({type(error).__name__}): looking every moment instead")
