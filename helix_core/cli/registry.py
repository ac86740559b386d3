"""How a command is declared: its name, help, arguments and function. Standard library only."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from helix_core import paths
from helix_core.cli.call import Caller

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


def caller(options: Options) -> Caller:
    """Who asks: the project named or found, and how talkative."""
    start, database = getattr(options, "project", None), getattr(options, "db", None)
    project = paths.named_project(start, database=database)
    return Caller(project, quiet=getattr(options, "quiet", False) or as_json(options))


def as_json(options: Options) -> bool:
    """Whether `--json` was given."""
    return bool(getattr(options, "json", False))


def read_text(value: str) -> str:
    """An argument, or standard input for `-`."""
    return sys.stdin.read() if value == "-" else value


NAME = arg("name", metavar="NAME")
NAMES = arg("names", metavar="NAME", nargs="+")
