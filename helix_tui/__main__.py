"""`helix-tui`: arguments, and every friendly way to fail before the screen is taken.

The only module that reads the environment. `--version` answers before anything heavy is imported.
Exit codes: 0 done, 1 no terminal, 2 wrong usage, 3 the memory or the dashboard's packages missing.
"""

from __future__ import annotations

import argparse
import os
import sys
import threading
import time
from collections.abc import Sequence

import helix_core
from helix_tui.views import NAMES


def build_parser() -> argparse.ArgumentParser:
    """The arguments."""
    parser = argparse.ArgumentParser(
        prog="helix-tui", description="The dashboard of helix: runs and insights, live."
    )
    parser.add_argument("--version", action="version", version=f"helix {helix_core.__version__}")
    parser.add_argument(
        "--project", metavar="DIR", help="the project (default: found from the working folder)"
    )
    parser.add_argument(
        "--db", metavar="PATH", help="the database (default: .helix/helix.db of the project)"
    )
    parser.add_argument("--view", choices=NAMES, default=NAMES[0], help="the first view")
    parser.add_argument(
        "--snapshot",
        metavar="VIEW",
        choices=NAMES,
        help=f"print what a view shows ({', '.join(NAMES)}) as text, and exit",
    )
    parser.add_argument("--json", action="store_true", help="with --snapshot: one JSON document")
    return parser


def main(argv: Sequence[str] | None = None) -> int:
    """Run the dashboard, or print its facts; returns the exit code."""
    options = build_parser().parse_args(argv)
    from helix_core import folders
    from helix_core.errors import HelixError
    from helix_core.paths import named_project

    folders.keep_private()
    try:
        project = named_project(options.project, database=options.db)
    except HelixError as error:
        sys.stderr.write(f"helix-tui: {error}\n")
        return error.exit_code
    if options.snapshot:
        return _print(project, options.snapshot, options.json)
    if not _has_terminal():
        _print(project, options.view, False)
        sys.stderr.write("helix-tui: needs a terminal; above is what it would show\n")
        return 1
    try:
        from helix_tui.app import HelixApp
    except ModuleNotFoundError as error:
        sys.stderr.write(
            f"helix-tui: the package {error.name} is missing; `helix setup` installs it\n"
        )
        return 3
    from helix_tui.glyphs import choose

    glyphs = choose(dict(os.environ), sys.stdout.encoding or "")
    threading.Thread(target=_end_with_the_terminal, daemon=True).start()
    app = HelixApp(project, glyphs, view=options.view)
    app.run()
    return app.return_code or 0


def _end_with_the_terminal(check_seconds: float = 2.0) -> None:
    """End the process once its terminal is gone, however far an orderly exit got.

    A closed terminal cannot be restored, and Textual's threads would wait for it, or spin on it,
    for ever: nobody would see the process that goes on.
    """
    while os.isatty(0):
        time.sleep(check_seconds)
    time.sleep(check_seconds)  # the orderly way first: it closes the database
    os._exit(129)


def _has_terminal() -> bool:
    if os.environ.get("TERM", "dumb") in ("", "dumb"):
        return False
    try:  # the screen is drawn on standard error
        return sys.stdin.isatty() and sys.stdout.isatty() and sys.stderr.isatty()
    except ValueError:  # closed
        return False


def _print(project: object, view: str, as_json: bool) -> int:
    try:
        from helix_core.paths import Project
        from helix_tui import plain
    except ModuleNotFoundError as error:
        sys.stderr.write(
            f"helix-tui: the package {error.name} is missing; `helix setup` installs it\n"
        )
        return 3
    assert isinstance(project, Project)
    found = plain.facts(project, view)
    text = plain.as_json(found) if as_json else plain.as_text(found)
    try:
        sys.stdout.write(text.encode("utf-8", "replace").decode("utf-8") + "\n")
    except UnicodeEncodeError:  # a terminal that is not UTF-8
        sys.stdout.write(text.encode("ascii", "replace").decode("ascii") + "\n")
    except BrokenPipeError:
        return 0
    return 3 if found["problem"] else 0


if __name__ == "__main__":
    raise SystemExit(main())
