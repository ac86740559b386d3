"""Reading the plugin's prose: frontmatter, code blocks, and the `helix` commands it names.

Role: helpers of the architecture tests. May import: standard library, helix_core.cli,
tests.architecture.
"""

from __future__ import annotations

import argparse
import re
import shlex
from dataclasses import dataclass
from pathlib import Path

from helix_core.cli.main import build_parser
from helix_core.errors import UsageError
from tests.architecture.sources import ROOT

_FENCE = re.compile(r"^```(\w*)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
_SPAN = re.compile(r"`([^`\n]+)`")
_KEY = re.compile(r"([a-z][a-z-]*): (\S.*)")
READING = {"Read", "Grep", "Glob"}
"""Tools that a skill may use without asking and that change nothing."""
_PLACEHOLDERS = {"SEQ": "3", "ID": "1", "NAME": "some-insight", "TOPIC": "topic", "QUERY": "words"}


@dataclass(frozen=True)
class Page:
    """One Markdown file with frontmatter: where it lies, its fields, its text."""

    path: Path
    fields: dict[str, str]
    body: str

    @property
    def blocks(self) -> list[str]:
        """The bodies of its fenced blocks, in order."""
        return [match[2] for match in _FENCE.finditer(self.body)]

    @property
    def commands(self) -> list[str]:
        """The `helix` command lines in shell blocks, without here-documents and pipes."""
        lines = [
            line
            for match in _FENCE.finditer(self.body)
            if match[1] in ("bash", "sh", "")
            for line in match[2].splitlines()
        ]
        return [re.split(r"\s(?:<<|\||&&|;|#)", line)[0] for line in lines if _names_helix(line)]

    @property
    def mentions(self) -> list[str]:
        """The `helix ...` spans inside sentences; they may leave arguments out."""
        spans = _SPAN.findall(_FENCE.sub("", self.body))
        return [span for span in spans if _names_helix(span)]

    @property
    def permissions(self) -> list[str]:
        """The command prefixes that `allowed-tools` lets run without asking."""
        listed = self.fields.get("allowed-tools", "")
        parts = listed.split(", ") if listed else []
        shell = [part for part in parts if part not in READING]
        found = [re.fullmatch(r"Bash\(([^()]*?):\*\)", part) for part in shell]
        assert all(found), f"{self.path}: {listed}"
        return [match[1] for match in found if match]


def _names_helix(line: str) -> bool:
    return line.startswith("helix ") and not line.startswith("helix :")


def page(path: Path) -> Page:
    """Read one file; AssertionError where the frontmatter is not plain `key: value` YAML."""
    text = path.read_text(encoding="utf-8")
    head = re.fullmatch(r"---\n(.*?\n)---\n(.*)", text, re.DOTALL)
    assert head, f"{path.name} has no frontmatter"
    fields = {}
    for line in head[1].splitlines():
        pair = _KEY.fullmatch(line)
        assert pair, f"{path.name}: not one `key: value`: {line!r}"
        # In unquoted YAML these two would end the value or begin a mapping.
        assert ": " not in pair[2] and " #" not in pair[2], f"{path.name}: quote {line!r}"
        assert pair[1] not in fields, f"{path.name}: {pair[1]} twice"
        fields[pair[1]] = pair[2]
    return Page(path, fields, head[2])


def skills() -> list[Page]:
    """The plugin's skills."""
    return [page(path) for path in sorted(ROOT.glob("skills/*/SKILL.md"))]


def references() -> list[Page]:
    """What the skills look up; no frontmatter."""
    return [
        Page(path, {}, path.read_text(encoding="utf-8"))
        for path in sorted(ROOT.glob("skills/*/references/*.md"))
    ]


def agents() -> list[Page]:
    """The plugin's agents."""
    return [page(path) for path in sorted(ROOT.glob("agents/*.md"))]


def readme() -> Page:
    """The README, which has no frontmatter."""
    path = ROOT / "README.md"
    return Page(path, {}, path.read_text(encoding="utf-8"))


def fault_of(command: str, *, whole: bool) -> str | None:
    """What is wrong with a `helix ...` line; None if the command line would take it.

    A `whole` line must parse as it stands (placeholders filled in). Of a mention, the command, its
    options and a first argument with fixed choices must exist.
    """
    words = [_PLACEHOLDERS.get(word, word) for word in shlex.split(command)[1:]]
    if whole:
        try:
            build_parser().parse_args(words)
        except (UsageError, argparse.ArgumentError) as error:
            return str(error)
        return None
    parser = _commands().get(words[0]) if not words[0].startswith("-") else build_parser()
    if parser is None:
        return f"there is no command {words[0]!r}"
    nested = _nested(parser).get(words[1]) if len(words) > 1 else None
    if nested is not None:
        parser, words = nested, words[1:]
    options = {flag for action in parser._actions for flag in action.option_strings}
    unknown = [word for word in words if re.match(r"--?\w", word) and word not in options]
    if unknown:
        return f"helix {words[0]} has no option {unknown[0]}"
    arguments = [word for word in words[1:] if not word.startswith("-")]
    first = next((action for action in parser._actions if not action.option_strings), None)
    if arguments and first is not None and first.choices and arguments[0] not in first.choices:
        return f"helix {words[0]} does not know {arguments[0]!r}"
    return None


def _commands() -> dict[str, argparse.ArgumentParser]:
    found = _nested(build_parser())
    assert found, "the command line has no commands"
    return found


def _nested(parser: argparse.ArgumentParser) -> dict[str, argparse.ArgumentParser]:
    for action in parser._actions:
        if isinstance(action, argparse._SubParsersAction):
            return dict(action.choices)
    return {}
