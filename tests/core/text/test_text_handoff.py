"""PLAN_SPEC arrays and explorer findings (pitfalls, Extraction)."""

from __future__ import annotations

import json
import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from helix_core.text.markers import read_findings, read_plan

TASKS = [{"seq": "001", "slug": "model", "verify": "grep '[a]' x"}, {"seq": 2, "blocked_by": [1]}]


@pytest.mark.parametrize(
    "written",
    [
        f"PLAN_SPEC:\n{json.dumps(TASKS, indent=1)}\n\nPLAN_COMPLETE: 2 tasks",
        f"PLAN_SPEC: {json.dumps(TASKS)}",
        f"## PLAN_SPEC\n```json\n{json.dumps(TASKS)}\n```\nPLAN_COMPLETE: 2 tasks",
        f"**PLAN_SPEC:**\n\n```\n{json.dumps(TASKS)[:-1]},]\n```",
        f'PLAN_SPEC:\n{{"tasks": {json.dumps(TASKS)}}}',
        f"```\nPLAN_SPEC:\n{json.dumps(TASKS)}\nPLAN_COMPLETE: 2\n```",
        f"PLAN_SPEC: to follow\n\nPLAN_SPEC:\n{json.dumps(TASKS)}",
    ],
)
def test_plans_as_planners_write_them(written: str) -> None:
    assert read_plan(written) == (TASKS, "")


@pytest.mark.parametrize(
    ("written", "reason"),
    [
        ("PLAN_COMPLETE: 3 tasks", "no PLAN_SPEC in the message"),
        ("PLAN_SPEC:\nfirst the model", "the text after PLAN_SPEC is no readable JSON array"),
        ('PLAN_SPEC:\n[{"seq": 1', "the text after PLAN_SPEC is no readable JSON array"),
        ("PLAN_SPEC: [1, 2]", "PLAN_SPEC is no array of task objects"),
        ('PLAN_SPEC: {"seq": 1}', "PLAN_SPEC is no array of task objects"),
        ("The PLAN_SPEC: [] is mid-line", "no PLAN_SPEC in the message"),
    ],
)
def test_unreadable_plans_say_why(written: str, reason: str) -> None:
    assert read_plan(written) == (None, reason)


def test_an_empty_plan_is_a_plan_and_strings_are_safe() -> None:
    assert read_plan("PLAN_SPEC: []") == ([], "")
    plan, _ = read_plan('PLAN_SPEC: [{"slug": "a\\ud83d\\u001b"}]')
    assert plan == [{"slug": "a\ufffd"}]


def report(*findings: object, **extra: object) -> str:
    return json.dumps({"scope": "src", "focus": "auth", "findings": list(findings), **extra})


A = {"file": "a.py", "what": 'rotate():42 { keeps a brace } and a " quote'}
B = {"file": "b.py", "what": "routes"}


def test_pitfall_braces_inside_strings_and_prose() -> None:
    found = read_findings(
        f"I used {{braces}} and set {{x}}.\n```json\n{report(A, B)}\n```\nDone {{"
    )
    assert found == {"scope": "src", "focus": "auth", "status": "", "findings": [A, B]}


def test_pitfall_the_last_object_that_has_findings() -> None:
    first, last = report(A), report(B, status="success")
    message = f'{first}\n{last}\n{{"note": 1}}\n{report()}'
    found = read_findings(message)
    assert found is not None
    assert (found["findings"], found["status"]) == ([B], "success")


def test_pitfall_findings_for_one_file_are_merged() -> None:
    again = {"file": "a.py", "what": "more"}
    found = read_findings(report(A, B, again, again))
    assert found is not None
    assert found["findings"] == [{"file": "a.py", "what": A["what"] + "; more"}, B]


def test_wrapped_trailing_comma_and_odd_entries() -> None:
    wrapped = read_findings('{"result": {"scope": "s", "findings": [{"file": "a", "what": 3}]}}')
    assert wrapped is not None
    assert wrapped["findings"] == [{"file": "a", "what": "3"}]
    comma = read_findings('{"scope": "s", "findings": [{"file": "a", "what": "x"},],}')
    assert comma is not None
    odd = read_findings(report(None, 5, "a note", {"file": None}, {"file": ["x"], "what": "y"}))
    assert odd is not None
    assert odd["findings"][0] == {"file": "", "what": "5; a note"}


def test_an_empty_report_is_a_report_and_prose_is_none() -> None:
    empty = read_findings(report(status="empty"))
    assert empty is not None
    assert empty["findings"] == []
    assert read_findings("nothing here {really}") is None
    assert read_findings('{"findings": "none"}') is None


def test_hostile_nesting_in_bounded_time() -> None:
    began = time.process_time()
    for text in ('{"a":' * 20_000, "{" * 100_000, '{"a":1}' * 20_000, "[" * 100_000, '{"' * 50_000):
        read_findings(text)
        read_plan("PLAN_SPEC: " + text)
    assert time.process_time() - began < 5.0


@settings(max_examples=300, deadline=None)
@given(st.lists(st.sampled_from([*'{}[]":,\\\n1', "findings", "file", "PLAN_SPEC:"])).map("".join))
def test_never_raises(text: str) -> None:
    read_findings(text)
    plan, reason = read_plan(text)
    assert (plan is None) == bool(reason)
