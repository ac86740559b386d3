"""Reading and checking a PLAN_SPEC."""

from __future__ import annotations

import itertools
import json
from pathlib import Path
from typing import Any

import networkx
import pytest
from hypothesis import given
from hypothesis import strategies as st

from helix_core.dag import spec
from helix_core.text.handoff import read_plan
from tests.core.dag.graphs import chain, entries

CAPTURES = Path(__file__).parents[2] / "fixtures" / "claude-code"


def entry(seq: object, *blocked_by: object, **more: Any) -> dict[str, Any]:
    base = {"seq": seq, "slug": f"t{seq}", "description": "Do it", "verify": "pytest tests/t.py"}
    return {**base, "blocked_by": list(blocked_by), **more}


def test_a_good_plan_has_nothing_to_say() -> None:
    plan = spec.read([entry(1), entry("02", 1), entry(3, "1", "2")])
    assert (plan.errors, plan.warnings) == ((), ())
    assert [t.key for t in plan.tasks] == ["1", "2", "3"]
    assert [t.blocked_by for t in plan.tasks] == [(), ("1",), ("1", "2")]


def test_a_number_with_a_point_and_nothing_behind_it_is_the_same_number() -> None:
    plan = spec.read([entry(1), entry("2.0", 1.0), entry(3, "2")])
    assert plan.errors == ()
    assert [task.blocked_by for task in plan.tasks] == [(), ("1",), ("2",)]
    twice = spec.read([entry(1), entry(1.0)])
    assert twice.errors == ("task 1.0: another task has this number",)


@pytest.mark.parametrize("version", ["2.1.197", "2.1.332-background", "2.1.332-foreground"])
def test_the_recorded_planner_has_a_good_plan(version: str) -> None:
    file = CAPTURES / version / "payloads" / "SubagentStop-planner.json"
    found, _ = read_plan(json.loads(file.read_text())["last_assistant_message"])
    assert found is not None
    plan = spec.read(found)
    assert (len(plan.tasks), plan.errors, plan.warnings) == (5, (), ())


@pytest.mark.parametrize(
    ("plan", "errors"),
    [
        ([], ["the plan has no task"]),
        ([entry(1), entry("001")], ["task 001: another task has this number"]),
        ([entry(1, 9)], ["task 1: waits for 9, not in the plan"]),
        ([entry(1, 1)], ["tasks 1 -> 1: each waits for the next"]),
        ([entry(1, 2), entry(2, 1)], ["tasks 1 -> 2 -> 1: each waits for the next"]),
        ([entry(1, verify="")], ["task 1: has no verify command"]),
        ([entry(1, verify=None)], ["task 1: has no verify command"]),
        ([entry(1, verify="echo ok")], ["task 1: its verify command proves nothing: echo ok"]),
        ([entry(1, verify="Look at it")], ["task 1: its verify is no command: Look at it"]),
    ],
)
def test_each_fault_names_its_task(plan: list[dict[str, Any]], errors: list[str]) -> None:
    assert list(spec.read(plan).errors) == errors


def test_a_circle_is_named_in_the_order_of_waiting() -> None:
    plan = [entry(1), entry(2, 1, 4), entry(3, 2), entry(4, 3), entry(5, 4)]
    (error,) = spec.read(plan).errors
    members = error.removeprefix("tasks ").partition(":")[0].split(" -> ")
    assert members[0] == members[-1] and set(members) == {"2", "3", "4"}
    waits = {str(e["seq"]): [str(b) for b in e["blocked_by"]] for e in plan}
    for one, other in itertools.pairwise(members):
        assert other in waits[one]


def test_two_circles_are_both_named() -> None:
    plan = [entry(1, 2), entry(2, 1), entry(3, 4), entry(4, 3)]
    assert len([e for e in spec.read(plan).errors if "waits for the next" in e]) == 2


@pytest.mark.parametrize(
    "command",
    ["pytest -q", "make test", "npm run lint", "./check.sh --all", "test -f out.txt", "Rscript t.R",
     "cd app && cargo test", "Run `pytest -q` and see it pass", "python -m unittest", "CI=1 tox",
     "diff <(./a) <(./b)"],
)  # fmt: skip
def test_a_concrete_check(command: str) -> None:
    assert spec.vague_check(command) == ""


@pytest.mark.parametrize(
    "command",
    ["", "  ", "true", "echo done", "ls -la", ":", "Run the tests", "review by hand", "TBD", "...",
     "Manual testing", "make sure it works", "tests pass", "n/a", "verify that it runs",
     "<command>", "cd app", "ls && echo ok", "Check that the page loads"],
)  # fmt: skip
def test_a_vague_check(command: str) -> None:
    assert spec.vague_check(command)


@pytest.mark.parametrize(
    ("more", "words"),
    [
        ({"relevant_files": list("abcdef")}, "6 files, more than 5"),
        ({"slug": "setup-project"}, "setup, finalize or cleanup"),
        ({"slug": "finalize"}, "setup, finalize or cleanup"),
        ({"description": "Clean up the remaining files"}, "setup, finalize or cleanup"),
        ({"description": "Set up the project"}, "setup, finalize or cleanup"),
        ({"description": ""}, "has no description"),
    ],
)
def test_warnings_do_not_refuse(more: dict[str, Any], words: str) -> None:
    plan = spec.read([entry(1, **more)])
    assert plan.errors == ()
    assert len(plan.warnings) == 1
    assert plan.warnings[0].startswith("task 1: ") and words in plan.warnings[0]


@pytest.mark.parametrize("slug", ["cleanup-api-names-parser", "user-setup-page", "resetup"])
def test_only_a_task_that_is_housekeeping_is_warned_of(slug: str) -> None:
    warned = bool(spec.read([entry(1, slug=slug)]).warnings)
    assert warned is slug.startswith("cleanup")


@pytest.mark.parametrize(
    ("value", "keys"),
    [
        (None, ()),
        ([], ()),
        ("", ()),
        ("none", ()),
        (2, ("2",)),
        ("2, 003", ("2", "3")),
        ([2, "2", None, "002"], ("2",)),
        (["task-a"], ("task-a",)),
        (False, ()),
    ],
)
def test_blockers_as_models_write_them(value: object, keys: tuple[str, ...]) -> None:
    plan = spec.read([{**entry(1), "blocked_by": value}])
    assert plan.tasks[0].blocked_by == keys


@pytest.mark.parametrize("seq", [None, "", "none", [], {}, "n/a"])
def test_a_task_without_a_number_gets_its_place(seq: object) -> None:
    plan = spec.read([entry(7), {**entry(0), "seq": seq}])
    assert plan.tasks[0].key == "7"
    assert plan.tasks[1].key in {"2", "[]", "{}"}


def test_text_is_made_safe_and_secrets_go() -> None:
    secret = "AKIA" + "Z7QX3M5N8P2R4T6V"
    plan = spec.read([entry(1, description=f"Use {secret}\x1b[31m\ud83d", relevant_files="a.py")])
    (task,) = plan.tasks
    assert secret not in task.description and "\x1b" not in task.description
    task.description.encode()
    assert task.relevant_files == ("a.py",)


def test_the_same_plan_has_the_same_digest() -> None:
    one = spec.read([entry(1), entry(2, 1), entry(3, 1, 2)])
    same = spec.read([entry("001"), entry("2", "01"), entry(3, 2, 1)])
    other = spec.read([entry(1), entry(2, 1), entry(3, 1)])
    slugs = [{**e, "slug": f"t{n}"} for n, e in enumerate([entry("001"), entry("2", "01")], 1)]
    assert spec.read([entry(1), entry(2, 1)]).digest == spec.read(slugs).digest
    assert len({one.digest, other.digest, same.digest}) == 3


def test_two_thousand_in_a_chain() -> None:
    assert spec.faults(chain(2000)) == []
    circle = {str(n): (str(n + 1),) for n in range(1, 2000)} | {"2000": ("1",)}
    (members,) = spec.circles(circle)
    assert len(members) == 2000


@given(entries())
def test_property_no_circle_is_ever_accepted(plan: list[dict[str, Any]]) -> None:
    graph = networkx.DiGraph()
    for one in plan:
        graph.add_node(str(one["seq"]))
        graph.add_edges_from((str(b), str(one["seq"])) for b in one["blocked_by"])
    assert bool(spec.read(plan).errors) is not networkx.is_directed_acyclic_graph(graph)


@given(entries(acyclic=True))
def test_property_a_plan_without_circle_is_accepted(plan: list[dict[str, Any]]) -> None:
    assert spec.read(plan).errors == ()


KEYS = ("seq", "slug", "description", "relevant_files", "blocked_by", "verify")
ODD = st.sampled_from(
    [None, True, 0, -1, 1.5, "", "1", "x\ud83d", [], [1, "2", None, [3]], {}, {"a": [{}]}, "`", "'"]
)


@given(st.lists(st.dictionaries(st.sampled_from(KEYS), ODD), max_size=5))
def test_property_nothing_raises(plan: list[dict[str, Any]]) -> None:
    found = spec.read(plan)
    assert len(found.digest) == 32
    json.dumps([task.seq for task in found.tasks]).encode()


def test_another_word_for_waiting_is_an_error_and_any_other_key_a_doubt() -> None:
    base = {"slug": "a", "description": "do it", "verify": "pytest tests/test_a.py"}
    plan = spec.read([{"seq": 1, **base}, {"seq": 2, **base, "dependsOn": [1], "size": "S"}])
    assert plan.errors == ("task 2: 'dependsOn' is not read; say blocked_by",)
    assert plan.warnings == ("task 2: 'size' is not read",)
