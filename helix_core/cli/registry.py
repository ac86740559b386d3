"""How a command is declared: its name, help, arguments and function. Standard library only."""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from helix_core import paths
from helix_core.cli.call import Caller
from helix_core.errors import UsageError
from helix_core.text import schema

Options = argparse.Namespace


@dataclass(frozen=True)
class Command:
    """One command: its name, its one-line help, its arguments, and what runs it."""

    name: str
    help: str
    arguments: Callable[[argparse.ArgumentParser], None]
    run: Callable[[Options], int | None]


COMMANDS: list[Command] = []


def command(
    name: str, help_text: str, *arguments: tuple[tuple[str, ...], dict[str, Any]]
) -> Callable[[Callable[[Options], int | None]], Callable[[Options], int | None]]:
    """Register a command with its arguments, each given as (flags, options of add_argument)."""

    def register(run: Callable[[Options], int | None]) -> Callable[[Options], int | None]:
        def add(parser: argparse.ArgumentParser) -> None:
            for flags, options in arguments:
                parser.add_argument(*flags, **options)

        COMMANDS.append(Command(name, help_text, add, run))
        return run

    return register


def arg(*flags: str, **options: Any) -> tuple[tuple[str, ...], dict[str, Any]]:
    """One argument, as `add_argument` takes it."""
    return flags, options


class Parser(argparse.ArgumentParser):
    """A parser whose errors are one line."""

    def error(self, message: str) -> None:  # type: ignore[override]
        """Raise instead of printing the usage and leaving."""
        raise UsageError(f"{message} (see {self.prog} --help)")


def shared_options() -> Parser:
    """The options that every command takes, as a parent parser."""
    shared = Parser(add_help=False)
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
    return shared


def caller(options: Options) -> Caller:
    """Who asks: the project named or found, and how talkative."""
    start, database = getattr(options, "project", None), getattr(options, "db", None)
    project = paths.named_project(start, database=database)
    return Caller(project, quiet=getattr(options, "quiet", False) or as_json(options))


def as_json(options: Options) -> bool:
    """Whether `--json` was given."""
    return bool(getattr(options, "json", False))


def read_text(value: str) -> str:
    """An argument, or standard input for `-`. Raises UsageError for input that is no text."""
    if value != "-":
        return value
    try:
        return sys.stdin.read()
    except UnicodeDecodeError:
        raise UsageError("standard input is no UTF-8 text") from None


def read_document(value: str, what: str) -> Any:
    """The JSON of an argument: inline, of standard input for `-`, or else of a file of that name.

    Raises UsageError that names `what` where it cannot be read or is no JSON.
    """
    if value == "-" or value.lstrip()[:1] in ("[", "{"):
        return schema.read_json(read_text(value), what)
    try:
        return schema.read_json(Path(value).read_text(encoding="utf-8"), what)
    except (OSError, UnicodeDecodeError, ValueError) as error:
        reason = getattr(error, "strerror", None) or "no UTF-8 text"
        raise UsageError(f"{what}: cannot read {value!r}: {reason}") from None


def session_of(options: Options) -> str | None:
    """The session that was named, else the one this runs in; None where nobody knows."""
    return options.session or os.environ.get("CLAUDE_CODE_SESSION_ID") or None


def known_session(options: Options) -> str:
    """`session_of`; raises UsageError where nobody knows."""
    found = session_of(options)
    if found is None:
        raise UsageError("which session? (--session, else $CLAUDE_CODE_SESSION_ID)")
    return found


NAME = arg("name", metavar="NAME")
NAMES = arg("names", metavar="NAME", nargs="+")
SESSION = arg("--session", metavar="ID", help="the session (default: $CLAUDE_CODE_SESSION_ID)")
