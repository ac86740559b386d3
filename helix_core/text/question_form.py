"""Reading the questions that an orchestrator wants to ask, with every fault named by its place.

Standard library, `helix_core.model` and this package. A question is shown to a person as it stands,
so it may carry no control and no hidden characters; secrets are masked.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from helix_core.model import USER_TAGS, Option
from helix_core.text import scanner
from helix_core.text.clean import fold
from helix_core.text.schema import Check

MAX_QUESTIONS = 4
MIN_OPTIONS, MAX_OPTIONS = 2, 4
MAX_FILES, MAX_TAGS = 20, 7
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
NEEDED = ("header", "question", "options")
OTHER = ("multi_select", "task", "agent", "corrects", "files", "outcome")
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


def read_forms(check: Check, value: Any) -> list[Form]:
    """The questions of a JSON document: one object, a list of them, or `{"questions": [...]}`.

    What is wrong is noted in `check`; with a fault the questions mean nothing.
    """
    if isinstance(value, dict) and set(value) == {"questions"}:
        value = value["questions"]
    items = [value] if isinstance(value, dict) else value
    if not isinstance(items, list) or not 1 <= len(items) <= MAX_QUESTIONS:
        check.fault("questions", f"one object or a list of 1 to {MAX_QUESTIONS} is needed")
        return []
    reader = _Reader(check)
    forms = [reader.form(item, f"questions[{n}]") for n, item in enumerate(items)]
    return [form for form in forms if form]


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
    """Reads values of the expected shape; the faults go to the document's `Check`."""

    def __init__(self, check: Check) -> None:
        self._check = check

    def form(self, item: Any, place: str) -> Form | None:
        """One question, or None where it is none."""
        if not self._object(item, place, NEEDED, OTHER):
            return None
        several = item.get("multi_select", False)
        if not isinstance(several, bool):
            self._check.fault(f"{place}.multi_select", "must be true or false")
        return Form(
            place=place,
            header=self._line(item, place, "header"),
            question=self._text(item, place, "question"),
            options=self._options(item.get("options", []), f"{place}.options"),
            multi_select=several is True,
            task=self._line(item, place, "task"),
            agent=self._line(item, place, "agent"),
            corrects=self._line(item, place, "corrects"),
            files=self._lines(item, place, "files", MAX_FILES),
            outcome=self._text(item, place, "outcome"),
        )

    def _options(self, value: Any, place: str) -> tuple[Option, ...]:
        if not isinstance(value, list) or not MIN_OPTIONS <= len(value) <= MAX_OPTIONS:
            found = f", not {len(value)}" if isinstance(value, list) else ""
            self._check.fault(place, f"{MIN_OPTIONS} to {MAX_OPTIONS} are needed{found}")
            return ()
        read = [self._option(item, f"{place}[{n}]") for n, item in enumerate(value)]
        labels = [option.label.casefold() for option in read if option and option.label]
        if len(labels) != len(set(labels)):
            self._check.fault(place, "two have the same label")
        return tuple(option for option in read if option)

    def _option(self, item: Any, place: str) -> Option | None:
        """One option; a bare text is its label."""
        item = {"label": item} if isinstance(item, str) else item
        if not self._object(item, place, ("label",), ("description", "evidence", "insight")):
            return None
        content, tags = self._insight(item.get("insight"), f"{place}.insight")
        return Option(
            label=self._line(item, place, "label"),
            description=self._text(item, place, "description"),
            evidence=self._text(item, place, "evidence"),
            insight=content,
            tags=tags,
        )

    def _insight(self, value: Any, place: str) -> tuple[str, tuple[str, ...]]:
        """The text to be stored, which is not masked: a secret in it is refused; and its tags."""
        value = {"content": value} if isinstance(value, str) else value
        if value is None or not self._object(value, place, ("content",), ("tags",)):
            return "", ()
        content = ""
        if "content" in value:
            content = self._sound(value["content"], f"{place}.content", "insight")
        tags = self._lines(value, place, "tags", MAX_TAGS)
        return content, tuple(tag for tag in tags if tag not in USER_TAGS)

    def _object(
        self, value: Any, place: str, needed: tuple[str, ...], other: tuple[str, ...]
    ) -> bool:
        if not isinstance(value, dict):
            self._check.fault(place, "must be an object")
            return False
        self._check.keys(place, value, needed, other)
        return True

    def _line(self, item: dict[str, Any], place: str, key: str) -> str:
        """A text of one line; a whole number counts as its digits."""
        value = item.get(key)
        if isinstance(value, int) and not isinstance(value, bool):
            item = {key: str(value)}
        return fold(self._text(item, place, key))

    def _text(self, item: dict[str, Any], place: str, key: str) -> str:
        """A text, masked; empty where the key is not there, which `_object` has judged."""
        optional = key not in (*NEEDED, "label")
        if key not in item or (optional and item[key] is None):
            return ""
        return scanner.mask(self._sound(item[key], f"{place}.{key}", key, empty=optional))

    def _lines(self, item: dict[str, Any], place: str, key: str, most: int) -> tuple[str, ...]:
        value = item.get(key)
        if value is None:
            return ()
        found = self._check.texts(f"{place}.{key}", value, most, LIMITS[key])
        for n, text in enumerate(found):
            self._judge(text, f"{place}.{key}[{n}]")
        return tuple(fold(scanner.mask(text)) for text in found)

    def _sound(self, value: Any, place: str, key: str, *, empty: bool = False) -> str:
        if isinstance(value, str):
            self._judge(value, place)
        return self._check.text(place, value, LIMITS[key], empty=empty)

    def _judge(self, text: str, place: str) -> None:
        if _CONTROL.search(text):
            self._check.fault(place, "control characters")
        elif scanner.hidden(text):
            self._check.fault(place, "hidden characters")
