"""Other tasks in the place of one: same predecessors, and its dependents follow."""

from __future__ import annotations

from dataclasses import replace

import networkx
from hypothesis import given
from hypothesis import strategies as st

from helix_core.dag import graph, spec, states
from helix_core.dag.replan import Replanned, replan
from helix_core.dag.tasks import Attempt, Task
from tests.core.dag.graphs import entries


def task(seq: str, waits: str = "", state: str = "") -> Task:
    tried = (Attempt(int(seq) if seq.isdigit() else 99, state),) if state else ()
    return Task(seq, verify="pytest", blocked_by=tuple(waits.split()), attempts=tried)


def waits(done: Replanned) -> dict[str, tuple[str, ...]]:
    return {t.key: t.blocked_by for t in done.tasks if t.key not in done.gone}


PLAN = [task("1", state="delivered"), task("2", "1", "blocked"), task("3", "2"), task("4", "3 1")]


def test_new_tasks_get_the_predecessors_and_the_dependents_follow_the_leaves() -> None:
    done = replan(PLAN, "2", [task("2a"), task("2b", "2a"), task("2c")])
    assert (done.errors, done.gone, done.new) == ((), ("2",), ("2a", "2b", "2c"))
    assert waits(done) == {
        "1": (),
        "2a": ("1",),
        "2b": ("2a",),
        "2c": ("1",),
        "3": ("2b", "2c"),
        "4": ("3", "1"),
    }
    assert [t.key for t in done.tasks] == ["1", "2", "2a", "2b", "2c", "3", "4"]
    assert done.moved == ("3",)
    assert {t.replaces for t in done.tasks if t.key in done.new} == {("2",)}


def test_with_the_subtree_all_that_hangs_on_it_alone_goes_too() -> None:
    done = replan(PLAN, "2", [task("9")], subtree=True)
    assert (done.gone, done.moved) == (("2", "3"), ("4",))
    assert waits(done) == {"1": (), "9": ("1",), "4": ("9", "1")}


def test_a_task_of_the_file_may_be_one_of_the_plan() -> None:
    done = replan(PLAN, "2", [task("2"), task("5", "2"), task("3", "5 1")])
    assert done.errors == ()
    assert (done.gone, done.new) == ((), ("2", "5", "3"))
    assert waits(done) == {"1": (), "2": ("1",), "5": ("2",), "3": ("5", "1"), "4": ("3", "1")}


def test_what_is_done_or_at_work_is_not_replaced() -> None:
    assert replan(PLAN, "1", [task("9")]).errors == ("task 1: is delivered",)
    assert replan(PLAN, "2", [task("1"), task("9")]).errors == ("task 1: is delivered",)
    busy = [task("1", state="running"), task("2", "1")]
    assert replan(busy, "1", [task("9")]).errors == ("task 1: is running",)


def test_an_agent_without_outcome_does_not_stand_in_the_way() -> None:
    silent = [task("1", state="unknown"), task("2", "1")]
    assert waits(replan(silent, "1", [task("9")])) == {"9": (), "2": ("9",)}


def test_faults_of_the_new_plan_are_named() -> None:
    assert replan(PLAN, "2", [task("9", "77")]).errors == ("task 9: waits for 77, not in the plan",)
    assert "each waits for the next" in replan(PLAN, "2", [task("9", "4")]).errors[0]
    (error,) = replan(PLAN, "2", [Task("9")]).errors
    assert error == "task 9: has no verify command"
    (error,) = replan(PLAN, "2", [task("9", "2")]).errors
    assert error == "task 9: waits for 2, not in the plan"


def test_faults_that_were_there_before_do_not_stand_in_the_way() -> None:
    sick = [task("1"), task("2", "3"), task("3", "2"), Task("4")]
    assert replan(sick, "1", [task("9")]).errors == ()
    assert replan(sick, "3", [task("9", "1")]).errors == ()


def test_a_circle_can_be_cut() -> None:
    done = replan([task("1"), task("2", "1 3"), task("3", "2"), task("4", "4")], "2", [task("2")])
    assert waits(done) == {"1": (), "2": ("1",), "3": ("2",), "4": ("4",)}
    done = replan([task("1", "1")], "1", [task("1")])
    assert (waits(done), done.errors) == ({"1": ()}, ())


@given(entries(acyclic=True), st.data())
def test_property_the_new_plan_has_no_circle_and_keeps_who_waits(
    plan: list[dict[str, object]], data: st.DataObject
) -> None:
    tasks = list(spec.read(plan).tasks)
    target = data.draw(st.sampled_from([t.key for t in tasks]))
    size = data.draw(st.integers(1, 4))
    file = [
        replace(
            task(f"n{n}"), blocked_by=tuple(f"n{m}" for m in range(n) if data.draw(st.booleans()))
        )
        for n in range(size)
    ]
    subtree = data.draw(st.booleans())
    done = replan(tasks, target, file, subtree=subtree)
    assert done.errors == ()
    left = [t for t in done.tasks if t.key not in done.gone]
    shape = graph.graph_of(left)
    assert networkx.is_directed_acyclic_graph(shape)
    assert all(b in shape for t in left for b in t.blocked_by)
    before = graph.graph_of(tasks)
    for other in networkx.descendants(before, target) - set(done.gone):
        # Who had to wait for the old task waits for every new one now.
        assert {t.key for t in file} <= networkx.ancestors(shape, other)
    for key in networkx.ancestors(before, target):
        assert all(key in networkx.ancestors(shape, t.key) for t in file)
    assert set(states.states(left).values()) <= {"ready", "pending"}
