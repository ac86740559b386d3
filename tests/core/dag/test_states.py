"""The one rule from agents and decisions to the state of a task."""

from __future__ import annotations

import pytest
from hypothesis import given

from helix_core.dag import states
from helix_core.dag.tasks import Attempt, Task, task_key
from tests.core.dag.graphs import chain, worlds


def task(*attempts: str, decided: str = "", after: int | None = None) -> Task:
    """A task with attempts of these states, numbered from 1; `state/source` gives a source."""
    tried = [Attempt(n, *text.split("/")) for n, text in enumerate(attempts, 1)]
    return Task("1", attempts=tuple(tried), decided=decided, decided_after=after)


@pytest.mark.parametrize(
    ("one", "state"),
    [
        (task(), ""),
        (task("running"), "running"),
        (task("delivered"), "delivered"),
        (task("delivered/verified"), "delivered"),
        (task("partial"), "partial"),
        (task("blocked"), "blocked"),
        (task("crashed"), "crashed"),
        (task("unknown"), "running"),
        (task("done"), "running"),
        (task("no such state"), "running"),
        (task("delivered/contradicted"), "running"),
        (task("blocked/contradicted"), "running"),
        (task("blocked", "running"), "running"),
        (task("blocked", "delivered"), "delivered"),
        (task("delivered", "unknown"), "running"),
        (task(decided="skipped"), "skipped"),
        (task("running", decided="skipped", after=1), "skipped"),
        (task("unknown", decided="delivered", after=1), "delivered"),
        (task("blocked", decided="retry", after=1), ""),
        (task("blocked", "running", decided="retry", after=1), "running"),
        (task("blocked", "delivered", decided="skipped", after=1), "delivered"),
        (task("blocked", "delivered", decided="skipped"), "skipped"),  # before attempts counted
    ],
)
def test_the_newest_word_counts(one: Task, state: str) -> None:
    assert states.worked_state(one) == state


@pytest.mark.parametrize(
    ("one", "settled"),
    [
        (task(), False),
        (task("running"), False),
        (task("delivered"), True),
        (task("blocked"), False),
        (task("crashed"), False),
        (task("unknown"), False),
        (task("blocked", decided="blocked", after=1), True),
        (task("blocked", "running", decided="blocked", after=1), False),
        (task(decided="skipped", after=0), True),
        (task("blocked", decided="retry", after=1), False),
    ],
)
def test_what_is_final(one: Task, settled: bool) -> None:
    assert states.settled(one) is settled


def test_pitfall_skipped_resolves_for_dependents() -> None:
    first = Task("1", decided="skipped", decided_after=0)
    second = Task("2", blocked_by=("1",))
    assert states.states([first, second]) == {"1": "skipped", "2": "ready"}


@pytest.mark.parametrize("blocker", ["running", "partial", "blocked", "crashed", "unknown"])
def test_no_other_end_frees_dependents(blocker: str) -> None:
    first = Task("1", attempts=(Attempt(1, blocker),))
    assert states.states([first, Task("2", blocked_by=("1",))])["2"] == "pending"


def test_pitfall_two_thousand_tasks_in_a_chain() -> None:
    tasks = chain(2000)
    known = states.states(tasks)
    assert [key for key, state in known.items() if state == "ready"] == ["1"]
    done = [
        Task(t.seq, blocked_by=t.blocked_by, attempts=(Attempt(1, "delivered"),)) for t in tasks
    ]
    assert set(states.states(done).values()) == {"delivered"}


@given(worlds())
def test_property_every_task_is_in_one_known_state(tasks: list[Task]) -> None:
    known = states.states(tasks)
    assert set(known) == {t.key for t in tasks}
    assert set(known.values()) <= set(states.STATES)


@given(worlds())
def test_property_none_is_ready_before_its_blockers_are_resolved(tasks: list[Task]) -> None:
    known = states.states(tasks)
    for found in states.ready(tasks):
        assert all(known.get(key) in ("delivered", "skipped") for key in found.blocked_by)


@given(worlds())
def test_property_who_has_worked_is_neither_pending_nor_ready(tasks: list[Task]) -> None:
    known = states.states(tasks)
    for found in tasks:
        if states.newest_attempt(found) is not None:
            assert known[found.key] not in ("pending", "ready")


@pytest.mark.parametrize(
    ("seq", "key"),
    [("3", "3"), ("03", "3"), (" 003 ", "3"), ("0", "0"), ("000", "0"), ("3a", "3a"), ("²", "²"),
     ("3.0", "3"), ("03.00", "3"), ("3.", "3"), ("3.1", "3.1"), ("3.10", "3.10"), ("v3.0", "v3.0"),
     (".0", ".0"), ("3.0.0", "3.0.0"),
     ("9" * 9000, "9" * 9000)],
)  # fmt: skip
def test_pitfall_ids_are_compared_as_numbers(seq: str, key: str) -> None:
    assert task_key(seq) == key
