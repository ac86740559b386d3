"""How a command is declared: its name, help, arguments and function. Standard library only."""

from __future__ import annotations

import argparse
import math
import os
import re
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from helix_core import paths
from helix_core.cli import output
from helix_core.cli.call import Caller
from helix_core.errors import UsageError
from helix_core.text import credentials, schema, suggest

Options = argparse.Namespace


@dataclass(frozen=True)
class Command:
    """One command: its name, its one-line help, its arguments, and what runs it."""

    name: str
    help: str
    arguments: Callable[[argparse.ArgumentParser], None]
    run: Callable[[Options], int | None]
    answer: str = ""
    """What `--json` prints, in one line that names the keys; "" where actions have their own."""


COMMANDS: list[Command] = []


def command(
    name: str,
    help_text: str,
    *arguments: tuple[tuple[str, ...], dict[str, Any]],
    answer: str = "",
) -> Callable[[Callable[[Options], int | None]], Callable[[Options], int | None]]:
    """Register a command with its arguments, each given as (flags, options of add_argument).

    `answer`: what `--json` prints, for the help (`Command.answer`).
    """

    def register(run: Callable[[Options], int | None]) -> Callable[[Options], int | None]:
        def add(parser: argparse.ArgumentParser) -> None:
            for flags, options in arguments:
                parser.add_argument(*flags, **options)

        COMMANDS.append(Command(name, help_text, add, run, answer))
        return run

    return register


def arg(*flags: str, **options: Any) -> tuple[tuple[str, ...], dict[str, Any]]:
    """One argument, as `add_argument` takes it."""
    return flags, options


class Parser(argparse.ArgumentParser):
    """A parser whose errors are one line, with what was meant where that can be told."""

    def error(self, message: str) -> None:  # type: ignore[override]
        """Raise instead of printing the usage and leaving."""
        unknown = _UNKNOWN.fullmatch(message)
        if unknown:
            word = unknown[1].split()[0]
            message = f"unknown argument {word!r}{suggest.hint(word, self.every_option())}"
        raise UsageError(f"{message} (see {self.prog} --help)")

    def every_option(self) -> list[str]:
        """The options of this command and of the commands below it."""
        found = list(self._option_string_actions)
        for action in self._actions:
            for below in action.choices.values() if isinstance(action.choices, dict) else ():
                found += below.every_option() if isinstance(below, Parser) else ()
        return list(dict.fromkeys(found))

    def _check_value(self, action: argparse.Action, value: Any) -> None:
        if action.choices is None or value in action.choices:
            return
        known = [str(choice) for choice in action.choices]
        meant = suggest.hint(str(value), known)
        told = "" if len(known) > SHOWN_CHOICES else f"; known: {', '.join(known)}"
        name = str(action.metavar or "value").lower() if not action.option_strings else "value"
        error = f"unknown {name} {value!r}{meant or told}"
        raise argparse.ArgumentError(action if action.option_strings else None, error)


_UNKNOWN = re.compile(r"unrecognized arguments: (.+)", re.DOTALL)
SHOWN_CHOICES = 12


def whole(least: int = 1) -> Callable[[str], int]:
    """What an option takes that is a whole number from `least` on."""

    def read(text: str) -> int:
        try:
            value = int(text)
        except ValueError:
            value = least - 1
        if value < least:
            raise argparse.ArgumentTypeError(f"takes a whole number from {least} on, not {text!r}")
        return value

    return read


def number(low: float, high: float = math.inf) -> Callable[[str], float]:
    """What an option takes that is a number from `low` to `high`; never infinite, never NaN."""
    span = f"from {low:g} on" if high == math.inf else f"from {low:g} to {high:g}"

    def read(text: str) -> float:
        try:
            value = float(text)
        except ValueError:
            value = math.nan
        if not low <= value <= high or math.isinf(value):
            raise argparse.ArgumentTypeError(f"takes a number {span}, not {text!r}")
        return value

    return read


SHARE = number(0.0, 1.0)
COSINE = number(-1.0, 1.0)


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
        help="print exactly one JSON document, of an error too",
    )
    shared.add_argument(
        "-q",
        "--quiet",
        action="store_true",
        default=argparse.SUPPRESS,
        help="no remarks on standard error: only the answer, and errors",
    )
    shared.add_argument(
        "-v",
        "--verbose",
        action="store_true",
        default=argparse.SUPPRESS,
        help="say on standard error which memory this is and who answers",
    )
    return shared


def caller(options: Options) -> Caller:
    """Who asks: the project named or found, and how talkative."""
    start, database = getattr(options, "project", None), getattr(options, "db", None)
    project = paths.named_project(start, database=database)
    who = Caller(
        project,
        quiet=getattr(options, "quiet", False) or as_json(options),
        verbose=getattr(options, "verbose", False),
    )
    who.tell(f"the memory is {project.database} (by {project.reason})")
    return who


def as_json(options: Options) -> bool:
    """Whether `--json` was given."""
    return bool(getattr(options, "json", False))


def remark(options: Options, text: str) -> None:
    """Say something about an answer that is not in it, on standard error; not with `--quiet`."""
    if text and not getattr(options, "quiet", False):
        output.say(f"helix: {text}")


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
    named = options.session or os.environ.get("CLAUDE_CODE_SESSION_ID") or ""
    return credentials.label(named) or None  # it is kept with what is written, so no secret


def known_session(options: Options) -> str:
    """`session_of`; raises UsageError where nobody knows."""
    found = session_of(options)
    if found is None:
        raise UsageError("which session? (--session, else $CLAUDE_CODE_SESSION_ID)")
    return found


NAME = arg("name", metavar="NAME", help="the name of an insight")
NAMES = arg("names", metavar="NAME", nargs="+", help="the names of insights")
SESSION = arg("--session", metavar="ID", help="the session (default: $CLAUDE_CODE_SESSION_ID)")
DRY_RUN = arg("--dry-run", action="store_true", help="say what it would do, change nothing")
INSIGHT = (
    "name, content, tags, effectiveness, use_count, causal_hits, recent_uses, context_spread,"
    " created_at, last_used, pinned, source"
)
"""The keys of an insight (`operations.shapes.insight_json`), for the help."""
RESULT = f"{INSIGHT}, _relevance, _effectiveness, _score, _hop"
"""Those of a recalled one (`operations.shapes.ranked_json`)."""


def json_line(answer: str) -> str | None:
    """The line of a command's help that says what `--json` prints."""
    return f"--json prints {answer}" if answer else None
