"""Reading the questions that an orchestrator wants to ask, with every fault named by its place.

Standard library, `helix_core.model` and this package. A question is shown to a person as it stands,
so it may carry no control and no hidden characters; secrets are masked.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from helix_core.model import USER_TAGS, Option
from helix_core.text import scanner
from helix_core.text.clean import fold

MAX_QUESTIONS = 4
MIN_OPTIONS, MAX_OPTIONS = 2, 4
MAX_FILES = 20
LIMITS = {
    "header": 40,
    "question": 2000,
    "label": 80,
    "description": 500,
    "evidence": 1000,
    "insight": 4000,
    "outcome": 1000,
    "files": 300,
    "tags": 40,
    "task": 40,
    "agent": 200,
    "corrects": 200,
}
"""Characters at most, by the field that holds the text."""
KEYS = {"header", "question", "options", "multi_select", "task", "agent", "corrects", "files",
        "outcome"}  # fmt: skip
OPTION_KEYS = {"label", "description", "evidence", "insight"}
INSIGHT_KEYS = {"content", "tags"}
_CONTROL = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\ud800-\udfff]")
_WORD = re.compile(r"\w+")
RUN = 3
"""So many words of the outcome in a row are a quotation."""


@dataclass(frozen=True)
class Form:
    """One question as it was handed in, checked."""

    place: str
    header: str
    question: str
    options: tuple[Option, ...]
    multi_select: bool = False
    task: str = ""
    agent: str = ""
    corrects: str = ""
    files: tuple[str, ...] = ()
    outcome: str = ""


def read_forms(text: str) -> tuple[list[Form], list[str]]:
    """The questions of a JSON document (one object, a list of them, or `{"questions": [...]}`).

    Returns them and what is wrong, each fault beginning with its place; with a fault there are no
    questions.
    """
    try:
        value = json.loads(text)
    except (ValueError, RecursionError) as error:
        return [], [f"no readable JSON: {str(error) or 'nested too deeply'}"]
    if isinstance(value, dict) and set(value) == {"questions"}:
        value = value["questions"]
    items = [value] if isinstance(value, dict) else value
    if not isinstance(items, list) or not 1 <= len(items) <= MAX_QUESTIONS:
        return [], [f"questions: one object or a list of 1 to {MAX_QUESTIONS} is needed"]
    reader = _Reader()
    forms = [reader.form(item, f"questions[{n}]") for n, item in enumerate(items)]
    return ([] if reader.faults else [form for form in forms if form]), reader.faults


def unquoted(question: str, reason: str, files: Sequence[str]) -> list[str]:
    """What a question should say and does not: words of the outcome, the name of a file."""
    asked = " ".join(_WORD.findall(question.casefold()))
    words = _WORD.findall(reason.casefold())
    runs = (" ".join(words[n : n + RUN]) for n in range(max(1, len(words) - RUN + 1)))
    missing = []
    if words and not any(run in asked for run in runs):
        missing.append("does not quote the outcome")
    names = [name for path in files for name in (path, path.rpartition("/")[2]) if name]
    if names and not any(name.casefold() in question.casefold() for name in names):
        missing.append("names none of the files")
    return missing


class _Reader:
    """Reads values of the expected shape and collects what is wrong."""

    def __init__(self) -> None:
        self.faults: list[str] = []

    def form(self, item: Any, place: str) -> Form | None:
        """One question, or None where it is none."""
        item = self._object(item, place, KEYS)
        if item is None:
            return None
        several = item.get("multi_select", False)
        if not isinstance(several, bool):
            self._fault(f"{place}.multi_select", "true or false is needed")
        return Form(
            place=place,
            header=self._line(item, place, "header"),
            question=self._text(item, place, "question"),
            options=self._options(item.get("options"), f"{place}.options"),
            multi_select=several is True,
            task=self._line(item, place, "task", needed=False),
            agent=self._line(item, place, "agent", needed=False),
            corrects=self._line(item, place, "corrects", needed=False),
            files=self._lines(item.get("files"), f"{place}.files", MAX_FILES, "files"),
            outcome=self._text(item, place, "outcome", needed=False),
        )

    def _options(self, value: object, place: str) -> tuple[Option, ...]:
        if not isinstance(value, list) or not MIN_OPTIONS <= len(value) <= MAX_OPTIONS:
            found = f", not {len(value)}" if isinstance(value, list) else ""
            self._fault(place, f"{MIN_OPTIONS} to {MAX_OPTIONS} are needed{found}")
            return ()
        read = [self._option(item, f"{place}[{n}]") for n, item in enumerate(value)]
        labels = [option.label.casefold() for option in read if option and option.label]
        if len(labels) != len(set(labels)):
            self._fault(place, "two have the same label")
        return tuple(option for option in read if option)

    def _option(self, item: Any, place: str) -> Option | None:
        if isinstance(item, str):
            item = {"label": item}
        item = self._object(item, place, OPTION_KEYS)
        if item is None:
            return None
        content, tags = self._insight(item.get("insight"), f"{place}.insight")
        return Option(
            label=self._line(item, place, "label"),
            description=self._text(item, place, "description", needed=False),
            evidence=self._text(item, place, "evidence", needed=False),
            insight=content,
            tags=tags,
        )

    def _insight(self, value: Any, place: str) -> tuple[str, tuple[str, ...]]:
        if value is None:
            return "", ()
        if isinstance(value, str):
            value = {"content": value}
        value = self._object(value, place, INSIGHT_KEYS)
        if value is None:
            return "", ()
        tags = self._lines(value.get("tags"), f"{place}.tags", 7, "tags")
        return self._own_text(value, place), tuple(t for t in tags if t not in USER_TAGS)

    def _own_text(self, value: Mapping[str, Any], place: str) -> str:
        """The text of an insight: not masked, since a secret in it is refused."""
        content = value.get("content")
        if not isinstance(content, str) or not content.strip():
            self._fault(f"{place}.content", "a text is needed")
            return ""
        return self._sound(content.strip(), f"{place}.content", LIMITS["insight"])

    def _object(self, value: object, place: str, keys: set[str]) -> dict[str, Any] | None:
        if not isinstance(value, dict):
            self._fault(place, "an object is needed")
            return None
        for key in value:
            if key not in keys:
                known = ", ".join(sorted(keys))
                self._fault(f"{place}.{fold(str(key))[:40]}", f"unknown; there are {known}")
        return value

    def _line(self, item: Mapping[str, Any], place: str, key: str, *, needed: bool = True) -> str:
        """A text of one line; a number counts as its digits."""
        value = item.get(key)
        if isinstance(value, int) and not isinstance(value, bool):
            item = {key: str(value)}
        return fold(self._text(item, place, key, needed=needed))

    def _text(self, item: Mapping[str, Any], place: str, key: str, *, needed: bool = True) -> str:
        value = item.get(key)
        if value is None and not needed:
            return ""
        if not isinstance(value, str) or (needed and not value.strip()):
            self._fault(f"{place}.{key}", "a text is needed")
            return ""
        return scanner.mask(self._sound(value.strip(), f"{place}.{key}", LIMITS[key]))

    def _lines(self, value: object, place: str, most: int, key: str) -> tuple[str, ...]:
        if value is None:
            return ()
        if not isinstance(value, list) or len(value) > most:
            self._fault(place, f"a list of at most {most} texts is needed")
            return ()
        found = []
        for n, item in enumerate(value):
            if isinstance(item, str) and item.strip():
                sound = self._sound(item.strip(), f"{place}[{n}]", LIMITS[key])
                found.append(fold(scanner.mask(sound)))
            else:
                self._fault(f"{place}[{n}]", "a text is needed")
        return tuple(found)

    def _sound(self, text: str, place: str, limit: int) -> str:
        if len(text) > limit:
            self._fault(place, f"{len(text):,} characters, {limit:,} at most")
        elif _CONTROL.search(text):
            self._fault(place, "control characters")
        elif scanner.hidden(text):
            self._fault(place, "hidden characters")
        return text[:limit]

    def _fault(self, place: str, what: str) -> None:
        self.faults.append(f"{place}: {what}")
