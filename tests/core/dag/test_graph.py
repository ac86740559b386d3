"""The shape of a plan: layers, what hangs on a task, and why tasks do not go on."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given

from helix_core.dag import graph, states
from helix_core.dag.layers import layers
from helix_core.dag.tasks import Attempt, Task
from tests.core.dag.graphs import chain, fan, worlds


def plan(**waits: str) -> list[Task]:
    """`plan(a="", b="a")`: b waits for a."""
    return [Task(seq, blocked_by=tuple(names.split())) for seq, names in waits.items()]


def ended(tasks: list[Task], **how: str) -> list[Task]:
    """The same tasks after an agent ended on some: `a="blocked"`, `a="delivered/contradicted"`."""
    found = []
    for n, task in enumerate(tasks, 1):
        state, _, source = how.get(task.seq, "").partition("/")
        tried = (Attempt(n, state, source, summary="so it went"),) if state else ()
        found.append(replace(task, attempts=tried))
    return found


def layers_of(tasks: list[Task]) -> list[list[str]]:
    return layers({task.key: task.blocked_by for task in tasks})


def test_layers_are_topological_generations() -> None:
    tasks = plan(d="b c", a="", b="a", c="a", e="")
    assert layers_of(tasks) == [["a", "e"], ["b", "c"], ["d"]]


def test_circles_and_what_is_behind_them_come_last() -> None:
    tasks = plan(a="", b="a c", c="b", d="c", e="a", f="f")
    assert layers_of(tasks) == [["a"], ["e"], ["b", "c", "d", "f"]]


def test_unknown_blockers_count_for_nothing_in_layers() -> None:
    assert layers_of(plan(a="zz", b="a")) == [["a"], ["b"]]


def test_a_subtree_is_what_hangs_on_a_task_alone() -> None:
    tasks = plan(a="", b="a", c="b", d="b", e="c d", f="e x", x="", g="f")
    assert graph.subtree(tasks, "b") == ["b", "c", "d", "e"]
    assert graph.subtree(tasks, "g") == ["g"]
    assert graph.subtree(tasks, "a") == ["a", "b", "c", "d", "e"]


@pytest.mark.parametrize(
    ("blocker", "kind", "words"),
    [
        ("running", "waiting", "waits for a, which is running"),
        ("blocked", "failed", "waits for a, which is blocked: so it went"),
        ("crashed", "failed", "waits for a, which is crashed: so it went"),
        ("unknown", "undecided", "waits for a, which is running: its agent ended without"),
        ("delivered/contradicted", "undecided", "its last VERIFY run says otherwise"),
    ],
)
def test_pitfall_reasons_are_told_apart(blocker: str, kind: str, words: str) -> None:
    found = graph.stalls(ended(plan(a="", b="a", c="b"), a=blocker))
    by_key = {stall.key: stall for stall in found}
    for key in ("b", "c"):
        assert (by_key[key].kind, by_key[key].by) == (kind, ("a",))
        assert words in by_key[key].why


def test_pitfall_unknown_blockers_circles_and_running_ones() -> None:
    tasks = ended(plan(a="", b="zz", c="d", d="c", e="c", f="a", g="b e a"), a="running")
    found = {stall.key: (stall.kind, stall.by) for stall in graph.stalls(tasks)}
    assert found == {
        "b": ("unknown", ("zz",)),
        "c": ("circle", ("c", "d")),
        "d": ("circle", ("c", "d")),
        "e": ("circle", ("c",)),
        "f": ("waiting", ("a",)),
        "g": ("circle", ("c",)),
    }
    by_key = {stall.key: stall.why for stall in graph.stalls(tasks)}
    assert by_key["b"] == "waits for zz, which is not in the plan"
    assert by_key["c"] == "waits in a circle: c -> d -> c"
    assert by_key["e"] == "waits for c, which is in a circle"


def test_a_circle_behind_a_task_that_waits() -> None:
    tasks = ended(plan(a="", b="a", c="b d", d="c"), a="blocked")
    found = {stall.key: (stall.kind, stall.by) for stall in graph.stalls(tasks)}
    assert found == {
        "a": ("failed", ()),
        "b": ("failed", ("a",)),
        "c": ("circle", ("c", "d")),
        "d": ("circle", ("c", "d")),
    }


def test_a_task_that_failed_is_told_until_it_is_decided() -> None:
    (task,) = ended(plan(a=""), a="blocked")
    (stall,) = graph.stalls([task])
    assert (stall.kind, stall.why) == ("failed", "blocked: so it went")
    assert graph.stalls([replace(task, decided="blocked", decided_after=1)]) == []
    assert graph.stalls([replace(task, decided="retry", decided_after=1)]) == []


def test_many_roots_are_cut_short() -> None:
    tasks = [
        *plan(**{f"t{n}": "" for n in range(30)}),
        Task("z", blocked_by=tuple(f"t{n}" for n in range(30))),
    ]
    (stall,) = [s for s in graph.stalls(tasks) if s.key == "z"]
    assert len(stall.by) == graph.ROOTS


@pytest.mark.parametrize("tasks", [chain(2000), fan(2000)], ids=["chain", "fan"])
def test_pitfall_two_thousand_tasks(tasks: list[Task]) -> None:
    found = graph.stalls(tasks)
    assert len(found) == 1999
    assert {stall.by for stall in found} == {("1",)}
    assert len(layers_of(tasks)) in (3, 2000)
    assert len(graph.subtree(tasks, "1")) == 2000


@given(worlds())
def test_property_whoever_does_not_go_on_is_told_and_why(tasks: list[Task]) -> None:
    known = states.states(tasks)
    told = {stall.key: stall for stall in graph.stalls(tasks)}
    for task in tasks:
        state = known[task.key]
        if state == "pending":
            assert told[task.key].by and told[task.key].why
        elif state in ("ready", "delivered", "skipped"):
            assert task.key not in told
        elif state in states.FAILED:
            assert (task.key in told) is not states.settled(task)


@given(worlds())
def test_property_layers_hold_each_task_once_behind_its_blockers(tasks: list[Task]) -> None:
    found = layers_of(tasks)
    place = {key: n for n, layer in enumerate(found) for key in layer}
    assert sorted(place) == sorted(task.key for task in tasks)
    assert sum(map(len, found)) == len(tasks)
    looped = set(graph.circles(graph.graph_of(tasks)))
    for task in tasks:
        for blocker in task.blocked_by:
            if blocker in place and not looped:
                assert place[blocker] < place[task.key]
