"""Hold an agent's word against the VERIFY command it ran (decision 7).

Standard library and this package. Evidence is asked for, not guessed: a command counts as the
check only where it runs the same program with the same arguments, and a result counts only where
its exit status, or the summary line of a test runner, speaks for that command.
"""

from __future__ import annotations

import re
import shlex
from collections import Counter
from typing import Literal

from helix_core.text.calls import CommandRun

Verdict = Literal["verified", "contradicted", "self"]

_COMMAND_LIMIT = 20_000
_SEPARATOR = re.compile(r"(\|\||&&|[;|\n]|(?<![>&])&(?![>&\d]))")
_QUOTED = re.compile(r"'[^']*'|\"(?:[^\"\\]|\\.)*\"")
_TICKED = re.compile(r"`([^`\n]+)`")
_FENCE_LINE = re.compile(r"^[ \t]*(?:`{3,}|~{3,})[^`\n]*$", re.MULTILINE)
_LABEL = re.compile(r"^[ \t]*(?:[-*+]|\d+[.)]|\$)[ \t]+")
_ASSIGNMENT = re.compile(r"[A-Za-z_]\w*=")
_TIMEOUT_WORD = re.compile(r"-\S*|[\d.]+[smhd]?|[A-Z]+")
_REDIRECT = re.compile(r"\d*(?:>>?|<|>&|&>)&?\S*")
_HEREDOC = re.compile(
    r"(<<-?[ \t]*(['\"]?)(\w+)\2[^\n]*)\n(?:.*?\n)?[ \t]*\3[ \t]*(?=\n|$)", re.DOTALL
)
# Words before a program that change how it is started, not what it checks.
_WRAPPERS = frozenset({"time", "env", "nice", "sudo", "command", "exec", "npx", "stdbuf"})
_RUNNERS = (("uv", "run"), ("poetry", "run"), ("pipenv", "run"), ("pdm", "run"), ("hatch", "run"))
_PYTHON = re.compile(r"(?:\S*/)?python(?:3(?:\.\d+)?)?")
# Extra arguments that make a check smaller, or no check at all.
_NARROWING = re.compile(
    r"-k|-m|--lf|--last-failed|--ff|--sw|--stepwise|--co|--collect-only|--deselect.*|--ignore.*|"
    r"--help|-h|--version|--dry-run|--list|--if-present|--passWithNoTests|-t|--testNamePattern.*"
)
# Flags that take the next word as their value.
_VALUED = frozenset({"--tb", "-n", "-p", "-o", "-c", "-W", "--maxfail", "--timeout", "--durations"})
_QUIET = frozenset({"cd", "export", "source", ".", "set", "mkdir", "echo", "printf", "true"})
_FAILED = re.compile(r"(?<![\d.])[1-9]\d* (?:failed|failures?|failing|errors?)\b|^FAILED\b", re.M)
_PASSED = re.compile(r"(?<![\d.])[1-9]\d* (?:passed|passing)\b|^OK\b", re.M)


def check_outcome(kind: str, verify: str, runs: list[CommandRun]) -> Verdict:
    """Whether the last run of each VERIFY command bears out the marker `kind`.

    `verify` is the prompt's VERIFY text and `runs` the transcript's commands, oldest first.
    DELIVERED agrees with a pass and BLOCKED with a failure; the reverse is `contradicted`.
    PARTIAL agrees with a failure, and a pass does not speak against it, since more was asked
    than the check covers. Everything without clear evidence is `self`.
    """
    result = _result(verify, runs)
    if result is None or kind not in ("delivered", "blocked", "partial"):
        return "self"
    if kind == "delivered":
        return "verified" if result else "contradicted"
    if not result:
        return "verified"
    return "contradicted" if kind == "blocked" else "self"


def _result(verify: str, runs: list[CommandRun]) -> bool | None:
    """True if every check passed at its last run, False if one failed, None if unclear."""
    verdicts = [_last_verdict(check, runs) for check in checks(verify)]
    if any(verdict is False for verdict in verdicts):
        return False
    return True if verdicts and all(verdicts) else None


def checks(verify: str) -> list[list[str]]:
    """The simple commands that a VERIFY text asks for, as lists of words."""
    text = _FENCE_LINE.sub("", verify)
    spans = _TICKED.findall(text)
    lines = spans or [_LABEL.sub("", line) for line in text.split("\n")]
    found: list[list[str]] = []
    for line in lines:
        words = [_words(part) for part, _ in _segments(line)]
        found += [item for item in words if item and item[0] not in ("cd", "true", "export")]
    return found[:8]


def _last_verdict(check: list[str], runs: list[CommandRun]) -> bool | None:
    for run in reversed(runs):
        parts = _segments(run.command)
        for index in range(len(parts) - 1, -1, -1):
            if _runs_check(_words(parts[index][0]), check):
                after = [separator for _, separator in parts[index:] if separator]
                return _verdict(run, after, parts, index)
    return None


def _verdict(
    run: CommandRun, after: list[str], parts: list[tuple[str, str]], index: int
) -> bool | None:
    """What a run says of its part `index`, given the separators from there to the end."""
    before = [separator for _, separator in parts[:index]]
    if run.exit_code == 0 and not run.is_error:
        piped = "|" in after and "pipefail" not in run.command
        masked = piped or any(separator in ("||", ";", "\n", "&") for separator in after)
        # "a || check": the check ran only if a failed.
        return _spoken(run.output) if masked or "||" in before else True
    others = parts[:index] + parts[index + 1 :]
    alone = all((_words(part) or ["cd"])[0] in _QUIET for part, _ in others)
    # A failure is the check's own only where nothing else in the line could have failed.
    return False if alone and "|" not in after else _spoken(run.output)


def _spoken(output: str) -> bool | None:
    """What a test runner's own summary says, where the exit status is not its own."""
    if _FAILED.search(output):
        return False
    return True if _PASSED.search(output) else None


def _runs_check(words: list[str], check: list[str]) -> bool:
    """Whether a command is the check: same program, all of its words, and nothing narrower."""
    if not words or words[0] != check[0] or Counter(check) - Counter(words):
        return False
    spare = Counter(check)
    previous = ""
    for word in words:
        if spare[word] > 0:
            spare[word] -= 1
        elif _NARROWING.fullmatch(word) or "::" in word:
            return False
        elif not word.startswith("-") and previous not in _VALUED:
            # One more path or target is another check than the one asked for.
            return False
        previous = word
    return True


def _segments(command: str) -> list[tuple[str, str]]:
    """Split a shell line at its operators, outside of quotes: (part, operator that follows).

    What a here-document holds is data and is dropped.
    """
    command = _HEREDOC.sub(r"\1", command[:_COMMAND_LIMIT])
    hidden = _QUOTED.sub(lambda found: "\x01" * len(found.group()), command)
    parts: list[tuple[str, str]] = []
    start = 0
    for found in _SEPARATOR.finditer(hidden):
        parts.append((command[start : found.start()], found.group()))
        start = found.end()
    parts.append((command[start:], ""))
    real = [(part, separator) for part, separator in parts if part.strip()]
    # A line break or semicolon at the very end joins nothing.
    if real and real[-1][1] in (";", "\n"):
        real[-1] = (real[-1][0], "")
    return real


def _words(part: str) -> list[str]:
    """The words of a simple command without redirections, assignments and wrappers."""
    part = part.strip()
    if part.count("(") != part.count(")"):
        part = part.lstrip("( ").rstrip(") ")
    try:
        words = shlex.split(part, comments=True)
    except ValueError:
        words = part.split()
    pairs = zip(words, ["", *words], strict=False)
    words = [
        word
        for word, before in pairs
        if not _REDIRECT.fullmatch(word) and before not in (">", ">>", "<", "2>", "&>")
    ]
    while words and (rest := _unwrapped(words)) is not words:
        words = rest
    return [words[0].rpartition("/")[2] or words[0], *words[1:]] if words else []


def _unwrapped(words: list[str]) -> list[str]:
    """The words without the first wrapper, or the same list where there is none."""
    if _ASSIGNMENT.match(words[0]) or words[0] in _WRAPPERS:
        return words[1:]
    if words[0] == "timeout" and len(words) > 1:
        flags = 1
        while flags < len(words) and _TIMEOUT_WORD.fullmatch(words[flags]):
            flags += 1
        return words[flags:]
    module = _PYTHON.fullmatch(words[0]) and words[1:2] == ["-m"]
    return words[2:] if module or tuple(words[:2]) in _RUNNERS else words
