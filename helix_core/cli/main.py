"""`helix`: the command line. `--version` answers before anything heavy is imported.

Exit codes: 0 done, 1 refused or not found, 2 wrong usage, 3 store unavailable.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence

import helix_core
from helix_core.errors import HelixError, UsageError


class _Parser(argparse.ArgumentParser):
    """A parser whose errors are one line."""

    def error(self, message: str) -> None:  # type: ignore[override]
        raise UsageError(f"{message} (see {self.prog} --help)")


def build_parser() -> argparse.ArgumentParser:
    """The parser with every command; see `helix_core.cli.commands`."""
    from helix_core.cli import commands

    shared = _Parser(add_help=False)
    shared.add_argument(
        "--project",
        metavar="DIR",
        default=argparse.SUPPRESS,
        help="the project (default: found from the working folder)",
    )
    shared.add_argument(
        "--db",
        metavar="PATH",
        default=argparse.SUPPRESS,
        help="the database (default: .helix/helix.db of the project)",
    )
    shared.add_argument(
        "--json",
        action="store_true",
        default=argparse.SUPPRESS,
        help="print exactly one JSON document",
    )
    shared.add_argument("-q", "--quiet", action="store_true", default=argparse.SUPPRESS)
    shared.add_argument("-v", "--verbose", action="store_true", default=argparse.SUPPRESS)
    parser = _Parser(
        prog="helix",
        description="A memory for Claude Code that has to earn its place.",
        parents=[shared],
    )
    parser.add_argument("--version", action="version", version=f"helix {helix_core.__version__}")
    subparsers = parser.add_subparsers(dest="command", metavar="COMMAND")
    for command in commands.COMMANDS:
        sub = subparsers.add_parser(
            command.name, help=command.help, description=command.help, parents=[shared]
        )
        command.arguments(sub)
        sub.set_defaults(run=command.run)
    return parser


def main(argv: Sequence[str] | None = None) -> int:
    """Run one command; returns the exit code. Errors are one line on standard error."""
    arguments = list(sys.argv[1:] if argv is None else argv)
    if arguments == ["--version"]:
        sys.stdout.write(f"helix {helix_core.__version__}\n")
        return 0
    try:
        options = build_parser().parse_args(arguments)
        if not getattr(options, "run", None):
            raise UsageError("which command? (see helix --help)")
        code = options.run(options)
        return int(code or 0)
    except HelixError as error:
        sys.stderr.write(f"helix: {' '.join(str(error).split())}\n")
        return error.exit_code
    except BrokenPipeError:
        return 0
    except KeyboardInterrupt:
        return 130


if __name__ == "__main__":
    raise SystemExit(main())
