"""The commands that the repository's documents name, and whether each would do what they say.

Role: helpers of the architecture tests. May import: standard library, helix_core.cli,
helix_core.settings, helix_tui.__main__, tests.architecture.
"""

from __future__ import annotations

import contextlib
import importlib.util
import io
import json
import re
import shlex
from dataclasses import dataclass
from pathlib import Path

from helix_tui.__main__ import build_parser as dashboard_parser
from tests.architecture.prose import fault_of, skills
from tests.architecture.sources import ROOT

NAMES = ("README.md", "ARCHITECTURE.md", "CONTRIBUTING.md", "CHANGELOG.md", "tests/README.md")
_FENCE = re.compile(r"^```\w*\n(.*?)^```$", re.MULTILINE | re.DOTALL)
_SPAN = re.compile(r"(?<!`)`([^`\n]+)`(?!`)|<code>([^<]+)</code>")
_COMMAND = re.compile(r"(?:[A-Z_]+=\S+ )*(?:helix |helix-tui\b|make |python -m |claude |/helix)")
_SETTING = re.compile(r"[A-Z_]+=\S+ ")
_LINK = re.compile(r"\]\(([^)\s]+)\)")
_TARGET = re.compile(r"^([a-z]+):", re.MULTILINE)
CLIENT = {("marketplace", "add"), ("install",), ("uninstall",), ("update",)}
"""What the documents let a reader do with `claude plugin`."""


@dataclass(frozen=True)
class Named:
    """A command in a document; `whole` if it stands in a block, to be typed as it is."""

    document: str
    line: str
    whole: bool

    def __str__(self) -> str:
        return f"{self.document}: {self.line}"


def text_of(name: str) -> str:
    """The text of a document."""
    return (ROOT / name).read_text(encoding="utf-8")


def commands(name: str, text: str | None = None) -> list[Named]:
    """Every command a document names, in blocks and in sentences."""
    text = text_of(name) if text is None else text
    blocks = [line.strip() for match in _FENCE.finditer(text) for line in match[1].splitlines()]
    spans = [match[1] or match[2] for match in _SPAN.finditer(_FENCE.sub("", text))]
    lines = [Named(name, line.removeprefix("$ "), True) for line in blocks]
    lines += [Named(name, line, False) for line in spans]
    return [one for one in lines if _COMMAND.match(one.line) and "::" not in one.line]


def fault(named: Named) -> str | None:
    """Why a command would not run; None if it would."""
    line = named.line
    while match := _SETTING.match(line):
        line = line[match.end() :]
    words = shlex.split(line)
    if words[0] == "helix":
        return fault_of(line, whole=True) if named.whole else fault_of(line, whole=False)
    if words[0] == "helix-tui":
        return _dashboard_fault(words[1:])
    if words[0] == "make":
        unknown = set(words[1:]) - make_targets()
        return f"make has no target {sorted(unknown)}" if unknown else None
    if words[0] == "python":
        return None if _is_module(words[2]) else f"there is no module {words[2]}"
    if words[0] == "claude":
        return _client_fault(words[1:])
    name = words[0].removeprefix("/").removeprefix("helix:")
    known = {skill.fields["name"] for skill in skills()}
    return None if name in known else f"there is no skill {name}"


def make_targets() -> set[str]:
    """The targets of the Makefile."""
    return set(_TARGET.findall(text_of("Makefile")))


def _is_module(name: str) -> bool:
    with contextlib.suppress(ModuleNotFoundError):
        return importlib.util.find_spec(name) is not None
    return False


def _dashboard_fault(words: list[str]) -> str | None:
    said = io.StringIO()
    try:
        with contextlib.redirect_stderr(said):
            dashboard_parser().parse_args(words)
    except SystemExit:
        return said.getvalue().strip().splitlines()[-1]
    return None


def _client_fault(words: list[str]) -> str | None:
    if words[0] != "plugin":
        return f"claude {words[0]} is not what helix is installed by"
    *verbs, subject = words[1:]
    if tuple(verbs) not in CLIENT:
        return f"claude plugin {' '.join(verbs)} is not known here"
    if verbs == ["marketplace", "add"]:
        return None if subject in ("<owner>/<repo>", "./helix") else f"what is {subject}?"
    market = json.loads(text_of(".claude-plugin/marketplace.json"))
    offered = {f"{plugin['name']}@{market['name']}" for plugin in market["plugins"]}
    return None if subject in offered else f"{subject} is none of {sorted(offered)}"


def broken_links(name: str) -> list[str]:
    """The links of a document that lead to no file and no heading of the repository."""
    found = []
    for target in _LINK.findall(text_of(name)):
        if re.match(r"https?://", target):
            continue
        file, _, anchor = target.partition("#")
        path = (ROOT / name).parent / file if file else ROOT / name
        if not path.exists() or (anchor and anchor not in _anchors(path)):
            found.append(target)
    return found


def _anchors(path: Path) -> set[str]:
    titles = re.findall(r"^#+ (.+)$", path.read_text(encoding="utf-8"), re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", title.lower()).replace(" ", "-") for title in titles}
