"""`helix`: the command line. `--version` answers before anything heavy is imported.

Exit codes: 0 done, 1 refused or not found, 2 wrong usage, 3 store unavailable.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from typing import TYPE_CHECKING

import helix_core
from helix_core import folders
from helix_core.errors import HelixError, UsageError

if TYPE_CHECKING:
    from helix_core.cli.registry import Command, Parser

ABOUT = "A memory for Claude Code that has to earn its place."
USAGE = "helix [--project DIR] [--json] COMMAND ...\n       helix COMMAND --help"
NAME_WIDTH = 18


def build_parser() -> Parser:
    """The parser with every command; see `helix_core.cli.commands`."""
    from helix_core.cli import commands, registry

    shared = registry.shared_options()
    parser = registry.Parser(
        prog="helix",
        usage=USAGE,
        description=overview(),
        formatter_class=argparse.RawDescriptionHelpFormatter,
        parents=[shared],
    )
    parser.add_argument(
        "--version",
        action="version",
        version=f"helix {helix_core.__version__}",
        help="print the version and leave",
    )
    subparsers = parser.add_subparsers(
        dest="command", metavar="COMMAND", help=argparse.SUPPRESS, prog="helix"
    )
    for command in commands.COMMANDS:
        sub = subparsers.add_parser(
            command.name,
            description=command.help,
            epilog=registry.json_line(command.answer),
            parents=[shared],
        )
        command.arguments(sub)
        sub.set_defaults(run=command.run)
    return parser


def overview() -> str:
    """Every command with its line, in groups, in the order in which a person needs them."""
    from helix_core.cli import commands

    known = {command.name: command for command in commands.COMMANDS}
    parts = [ABOUT]
    for title, names in commands.GROUPS:
        parts += ["", f"{title}:", *(_listed(known[name]) for name in names)]
    return "\n".join(parts)


def _listed(command: Command) -> str:
    return f"  {command.name.ljust(NAME_WIDTH)}{command.help}"


def main(argv: Sequence[str] | None = None) -> int:
    """Run one command; returns the exit code. Errors are one line on standard error.

    With `--json` an error is a document on standard output as well: `{"ok": false, "error": ...}`.
    """
    arguments = list(sys.argv[1:] if argv is None else argv)
    if arguments == ["--version"]:
        sys.stdout.write(f"helix {helix_core.__version__}\n")
        return 0
    if arguments[:1] == ["help"]:
        arguments = [*arguments[1:], "--help"]
    folders.keep_private()
    try:
        options = build_parser().parse_args(arguments)
        if not getattr(options, "run", None):
            raise UsageError("which command? (see helix --help)")
        code = options.run(options)
        return int(code or 0)
    except HelixError as error:
        told = "; ".join(filter(None, (str(error), error.remedy)))
        _report(told, as_json="--json" in arguments)
        return error.exit_code
    except BrokenPipeError:
        return 0
    except OSError as error:  # no room, no permission, something else in the place of a file
        where = f"{error.filename}: " if error.filename else ""
        _report(f"{where}{error.strerror or error}", as_json="--json" in arguments)
        return 1
    except KeyboardInterrupt:
        return 130


def _report(text: str, *, as_json: bool) -> None:
    """Print an error: one line, which repeats no secret and ends no frame it stands in."""
    from helix_core.cli import output
    from helix_core.text import clean, credentials

    said = clean.fold(credentials.mask(text))
    output.say(f"helix: {said}")
    if as_json:
        output.emit_json({"ok": False, "error": said})


if __name__ == "__main__":
    raise SystemExit(main())
