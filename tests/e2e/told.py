"""The story played on the real client: two sessions in one project, and a person who answers.

Role: what the tests of `test_whole_session` look at. May import: standard library, tests.e2e.
"""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tests.e2e import client, conversation, memory, story
from tests.e2e.stage import PENDING, PLUGIN, UNSETTLED, House, furnish_project, new_place, scratch

TASK_TOOLS = {"CLAUDE_CODE_ENABLE_TODO_TOOLS": "1"}
COMMAND = f"/helix:helix {story.OBJECTIVE}"
OPEN = "SELECT id FROM question WHERE kind = 'asked' AND state = 'open'"
LESSON = "SELECT * FROM insight WHERE content = ?"


@dataclass(frozen=True)
class Told:
    """Both sessions, and what stood in the memory between them."""

    place: client.Place
    first: client.Run
    second: client.Run
    answered: str
    """What the person's command printed."""
    lesson_before: dict[str, Any]
    """The row of the lesson after the first session."""
    task_tools: bool
    """Whether the client offered its own task list."""

    @property
    def db(self) -> Path:
        """The project's database."""
        return memory.database(self.place)

    @property
    def lesson(self) -> dict[str, Any]:
        """The row of the lesson now."""
        (row,) = memory.rows(self.db, LESSON, story.LESSON)
        return dict(row)


class Person:
    """Answers the first question that is asked, with two keys as it were, beside the session."""

    def __init__(self, place: client.Place) -> None:
        self._place = place
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._watch, daemon=True)
        self.said = ""

    def __enter__(self) -> Person:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._stop.set()
        self._thread.join(60)

    def _watch(self) -> None:
        while not self._stop.wait(0.2):
            asked = memory.rows(memory.database(self._place), OPEN)
            if asked:
                number = str(asked[0]["id"])
                command = ("learn", "answer", number, "--option", "1", "--by", "tui")
                self.said = memory.helix(self._place, *command)
                return


@contextmanager
def told(house: House, *, background: bool) -> Iterator[Told]:
    """Play both sessions."""
    with scratch() as root:
        tools = {} if background else TASK_TOOLS
        place = new_place(root, **house.worker_env, **tools)
        furnish_project(place)
        memory.store_all(place, story.INSIGHTS)
        with Person(place) as person:
            first = _session(place, "whole", background)
        (before,) = memory.rows(memory.database(place), LESSON, story.LESSON)
        second = _session(place, "again", background)
        yield Told(place, first, second, person.said, dict(before), bool(tools))


@contextmanager
def consulted(house: House, plan: str, command: str) -> Iterator[tuple[client.Place, client.Run]]:
    """One session of a skill that starts no agent, in a project with a memory."""
    with scratch() as root:
        place = new_place(root, **house.worker_env)
        furnish_project(place)
        memory.store_all(place, story.INSIGHTS)
        yield place, _session(place, plan, True, command)


def _session(
    place: client.Place, plan: str, background: bool, command: str = COMMAND
) -> client.Run:
    run = client.run_session(place, command, plugin=PLUGIN, plan=plan, background=background)
    memory.wait_until_zero(memory.database(place), UNSETTLED)
    memory.wait_until_zero(memory.database(place), PENDING)
    return run


def answers(run: client.Run) -> dict[str, str]:
    """What the orchestrator's calls answered, by the name a step gave them."""
    found: dict[str, str] = {}
    for request in run.requests:
        body = request["body"]
        if not conversation.is_small_question(body):
            found |= conversation.results(body)
    return {key.removeprefix("toolu_"): text for key, text in found.items()}


def first_words(run: client.Run, text: str) -> str:
    """The first message of the agent whose prompt holds `text`. AssertionError if there is none."""
    for request in run.requests:
        body = request["body"]
        given = conversation.first_message(body)
        if conversation.is_small_question(body) and text in given:
            return given
    raise AssertionError(f"no agent was given {text!r}")
