"""See every file that ever stands in a folder, however short its life.

Role: a witness for `.helix/injected/`. May import: standard library, watchfiles.
"""

from __future__ import annotations

import threading
from pathlib import Path

from watchfiles import Change, watch

_SIGN = "witness-sign"


class FolderWitness:
    """Collects the names of files that appear in `folder` while the `with` block runs.

    The folder must exist. Files that are renamed into place count under their final name.
    """

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._stop = threading.Event()
        self._seen = threading.Event()
        self._names: set[str] = set()
        self._thread = threading.Thread(target=self._look, daemon=True)

    def __enter__(self) -> FolderWitness:
        self._thread.start()
        self._catch_up()
        return self

    def __exit__(self, *_: object) -> None:
        try:
            self._catch_up()
        finally:
            self._stop.set()
            self._thread.join(10)

    @property
    def json_files(self) -> set[str]:
        """The stems of all `*.json` files that have appeared so far."""
        return {Path(name).stem for name in set(self._names) if name.endswith(".json")}

    def _catch_up(self) -> None:
        """Return once a file of our own has been seen: events before it have been seen as well."""
        self._seen.clear()
        sign = self._folder / _SIGN
        for _ in range(100):
            sign.touch()
            sign.unlink()
            if self._seen.wait(0.1):
                return
        raise AssertionError(f"no file events from {self._folder}")

    def _look(self) -> None:
        for changes in watch(
            self._folder,
            watch_filter=None,
            debounce=100,
            step=20,
            rust_timeout=100,
            yield_on_timeout=True,
            stop_event=self._stop,
        ):
            names = {Path(path).name for change, path in changes if change is not Change.deleted}
            self._names |= names
            if _SIGN in names:
                self._seen.set()
