"""`helix`: the command line. `--version` answers before anything heavy is imported.

Exit codes: 0 done, 1 refused or not found, 2 wrong usage, 3 store unavailable.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from typing import TYPE_CHECKING

import helix_core
from helix_core import folders
from helix_core.errors import HelixError, UsageError

if TYPE_CHECKING:
    from helix_core.cli.registry import Parser


def build_parser() -> Parser:
    """The parser with every command; see `helix_core.cli.commands`."""
    from helix_core.cli import commands, registry

    shared = registry.shared_options()
    parser = registry.Parser(
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
    folders.keep_private()
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
    except OSError as error:  # no room, no permission, something else in the place of a file
        where = f"{error.filename}: " if error.filename else ""
        sys.stderr.write(f"helix: {where}{error.strerror or error}\n")
        return 1
    except KeyboardInterrupt:
        return 130


if __name__ == "__main__":
    raise SystemExit(main())
