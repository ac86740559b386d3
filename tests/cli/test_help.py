"""`helix --help` and what a mistyped word is answered: every command, every option, every key."""

from __future__ import annotations

import argparse
import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from helix_core import settings
from helix_core.cli import commands
from helix_core.cli.main import build_parser, overview
from helix_core.text import suggest
from tests.core.command import helix
from tests.hooks import scene

TEXT = "When pytest hangs in CI, pass -x because a fixture leaks"
OTHER = "When the paint peels, sand the wall first because it is damp"
WIDTH = 100


def parsers(
    parser: argparse.ArgumentParser, name: str = "helix"
) -> Iterator[tuple[str, argparse.ArgumentParser]]:
    """Every parser that runs something, with what is typed to reach it."""
    below = [a for a in parser._actions if isinstance(a, argparse._SubParsersAction)]
    for action in below:
        for word, sub in action.choices.items():
            yield from parsers(sub, f"{name} {word}")
    if not below:
        yield name, parser


LEAVES = dict(parsers(build_parser()))


def test_every_command_is_in_one_group_and_in_the_overview() -> None:
    listed = [name for _, names in commands.GROUPS for name in names]
    assert sorted(listed) == sorted(command.name for command in commands.COMMANDS)
    assert len(set(listed)) == len(listed)
    shown = re.findall(r"^  (\S+) {2,}\S", overview(), re.MULTILINE)
    assert shown == listed
    assert max(map(len, overview().splitlines())) <= WIDTH


def test_the_help_shows_the_groups_before_the_options(
    capsys: pytest.CaptureFixture[str],
) -> None:
    for asked in (["--help"], ["help"]):
        with pytest.raises(SystemExit) as left:
            helix_main(asked)
        assert left.value.code == 0
    shown = capsys.readouterr().out
    assert shown.index("Look things up:") < shown.index("options:")


def helix_main(arguments: list[str]) -> int:
    from helix_core.cli.main import main

    return main(arguments)


@pytest.mark.parametrize("name", LEAVES)
def test_every_option_and_argument_says_what_it_does(name: str) -> None:
    for action in LEAVES[name]._actions:
        what = "/".join(action.option_strings) or str(action.metavar or action.dest)
        assert action.help and len(action.help) > 3, f"{name}: {what} has no help"


def test_the_top_of_the_parser_says_what_its_options_do() -> None:
    for action in build_parser()._actions:
        assert action.help, action.option_strings


@pytest.mark.parametrize("name", LEAVES)
def test_every_command_says_in_one_line_what_json_prints(name: str) -> None:
    line = LEAVES[name].epilog or ""
    assert line.startswith("--json prints ") and "\n" not in line


def named(command: str) -> set[str]:
    """The keys that a command's help names for its plain form."""
    line = (LEAVES[f"helix {command}"].epilog or "").removeprefix("--json prints ")
    plain = re.sub(r"\([^)]*\)", "", line.split(";")[0])
    _, colon, keys = plain.partition(":")
    assert colon, line
    return {key.strip() for key in keys.split(",")}


def keys_of(value: Any) -> set[str]:
    rows = value if isinstance(value, list) else [value]
    assert rows, "nothing to look at"
    return set().union(*map(set, rows))


PLAN = json.dumps(
    [{"seq": 1, "slug": "a", "description": "Do it", "relevant_files": ["a.py"], "blocked_by": [],
      "verify": "pytest -q"}]
)  # fmt: skip
TASKS = json.dumps([{"task_id": 1, "task": "pytest"}])
ASKED = {"header": "Why?", "question": "Why so?", "options": [{"label": "a"}, {"label": "b"}]}


def test_the_keys_that_are_named_are_the_keys_that_are_printed(project: Path) -> None:
    one, two = scene.store_directly(project, TEXT, OTHER)
    asked = project / "asked.json"
    asked.write_text(json.dumps(ASKED), encoding="utf-8")
    third = "When the moon is full, paint the fence in blue"
    for call in (
        ("store", third),
        ("recall", "pytest hangs in CI"),
        ("get", one),
        ("feedback", one, "--outcome", "delivered"),
        ("history", one),
        ("tag", one, "+ci"),
        ("edit", one, "--content", f"{TEXT} again"),
        ("explain", "pytest hangs in CI"),
        ("pin", one),
        ("unpin", one),
        ("trash", two),
        ("restore", two),
        ("undo",),
        ("undo", "--dry-run"),
        ("restore", two),
        ("merge", one, two),
        ("count",),
        ("health",),
        ("stats",),
        ("backup",),
        ("export", str(project / "out.jsonl")),
        ("import", str(project / "out.jsonl"), "--dry-run"),
        ("strategic-recall", "pytest hangs in CI"),
        ("batch-inject", "--tasks", TASKS, "--session", "s"),
        ("dag", "plan", PLAN, "--session", "s"),
        ("dag", "status", "--session", "s"),
        ("dag", "ready", "--session", "s"),
        ("dag", "show", "--session", "s"),
        ("dag", "deliveries", "1", "--session", "s"),
        ("dag", "set", "1", "skip", "--session", "s"),
        ("recall-synthesis", "set",
         json.dumps({"objective": "x", "constraints": [], "risk_areas": [],
                     "exploration_targets": []}), "--session", "s"),
        ("recall-synthesis", "get", "--session", "s"),
        ("doctor", "--quick"),
    ):  # fmt: skip
        ran = helix(project, *call, "--json") if call[0] != "tag" else helix(
            project, "--json", *call
        )  # fmt: skip
        assert ran.code == 0 or call[0] == "doctor", (call, ran.err)
        word = " ".join(call[:2]) if call[0] == "dag" else call[0]
        assert keys_of(json.loads(ran.out)) == named(word), call
    found = helix(project, "learn", "ask", str(asked), "--session", "s", "--json").json
    assert set(found) == {"questions", "warnings"}


@pytest.mark.parametrize(
    ("typed", "meant"),
    [
        (("recal", "x"), "recall"),
        (("strategic_recall", "x"), "strategic-recall"),
        (("dag", "satus"), "status"),
        (("learn", "anwser", "1"), "answer"),
        (("worker", "strat"), "start"),
        (("recall", "x", "--limt", "3"), "--limit"),
        (("config", "max_insight"), "max_insights"),
        (("config", "prune_treshold", "0.2"), "prune_threshold"),
        (("hook", "SubagentStopp"), "SubagentStop"),
        (("get", "when-pytest"), "when-pytest-hangs-in-ci-pass-x-because-a-fixture"),
        (("pin", "when-pytest-hang-in-ci-pass-x-because-a-fixture"),
         "when-pytest-hangs-in-ci-pass-x-because-a-fixture"),
        (("feedback", "when-pytest", "--outcome", "delivered"), "when-pytest-hangs"),
        (("history", "when-pytest"), "when-pytest-hangs"),
        (("promote", "when-pytest"), "when-pytest-hangs"),
        (("merge", "when-pytest", "x"), "when-pytest-hangs"),
    ],
)  # fmt: skip
def test_a_mistyped_word_is_answered_by_what_may_be_meant(
    project: Path, typed: tuple[str, ...], meant: str
) -> None:
    scene.store_directly(project, TEXT)
    ran = helix(project, *typed)
    assert ran.code in (1, 2) and "did you mean " in ran.err and meant in ran.err
    assert len(ran.err.splitlines()) == 1


def test_a_name_in_the_trash_is_told_apart(project: Path) -> None:
    [name] = scene.store_directly(project, TEXT)
    helix(project, "trash", name)
    assert "helix restore" in helix(project, "get", name).err
    assert f"did you mean {name}" in helix(project, "restore", name[:20]).err


def test_nothing_like_it_suggests_nothing() -> None:
    assert suggest.hint("xyzzy", settings.KEYS) == ""
    assert suggest.closest("", settings.KEYS) == []
    assert suggest.closest("max_", settings.KEYS) == ["max_chars", "max_insights"]
