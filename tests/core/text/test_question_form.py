"""What an orchestrator hands in as questions: every fault is named by its place."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from helix_core.model import Option
from helix_core.text.question_form import LIMITS, Form, unquoted
from helix_core.text.question_form import read_forms as read
from helix_core.text.schema import Check

OPTIONS = [{"label": "yes"}, {"label": "no"}]
GOOD = {"header": "Why?", "question": "Why does it fail?", "options": OPTIONS}
FULL = {
    "header": "Redis?",
    "question": "Task 3 says “connection refused” in tests/test_cache.py.\nWhy?",
    "multi_select": True,
    "task": 3,
    "agent": "a1",
    "corrects": "when-redis",
    "files": ["tests/test_cache.py"],
    "outcome": "connection refused",
    "options": [
        "Only here",
        {
            "label": "Never redis",
            "description": "CI has none",
            "evidence": "ci.yml, line 3",
            "insight": {"content": "When a test needs redis, fake it", "tags": ["tests"]},
        },
        {"label": "日本語 🦀", "insight": "When redis is there, use it"},
    ],
}


def read_forms(value: Any) -> tuple[list[Form], list[str]]:
    """What a document holds, and what is wrong with it."""
    check = Check()
    return read(check, value), check.faults


def changed(**changes: Any) -> dict[str, Any]:
    return {key: value for key, value in {**GOOD, **changes}.items() if value is not None}


def test_every_field_arrives() -> None:
    [form], faults = read_forms([FULL])
    assert faults == []
    assert (form.header, form.task, form.agent, form.corrects) == (
        "Redis?",
        "3",
        "a1",
        "when-redis",
    )
    assert form.question == FULL["question"] and form.multi_select
    assert form.files == ("tests/test_cache.py",) and form.outcome == "connection refused"
    assert form.options == (
        Option("Only here"),
        Option(
            "Never redis",
            "CI has none",
            "ci.yml, line 3",
            insight="When a test needs redis, fake it",
            tags=("tests",),
        ),
        Option("日本語 🦀", insight="When redis is there, use it"),
    )


@pytest.mark.parametrize("document", [GOOD, [GOOD, FULL], {"questions": [GOOD] * 4}])
def test_one_object_a_list_or_a_wrapped_list(document: Any) -> None:
    forms, faults = read_forms(document)
    assert forms and faults == []


LONG = {
    "question": (
        {"question": "x" * 2001},
        "questions[0].question: has 2,001 characters, at most 2,000",
    ),
    "header": ({"header": "x" * 41}, "questions[0].header: has 41 characters, at most 40"),
    "label": (
        {"options": [{"label": "x" * 81}, "no"]},
        "questions[0].options[0].label: has 81 characters, at most 80",
    ),
    "insight": (
        {"options": ["yes", {"label": "no", "insight": "x" * 4001}]},
        "questions[0].options[1].insight.content: has 4,001 characters, at most 4,000",
    ),
}


@pytest.mark.parametrize(
    ("changes", "fault"),
    [
        *LONG.values(),
        ({"header": None}, "questions[0].header: missing"),
        ({"header": "  "}, "questions[0].header: must not be empty"),
        ({"question": ["x"]}, "questions[0].question: must be a text, not a list"),
        ({"options": None}, "questions[0].options: 2 to 4 are needed"),
        ({"options": ["a"]}, "questions[0].options: 2 to 4 are needed, not 1"),
        ({"options": list("abcde")}, "questions[0].options: 2 to 4 are needed, not 5"),
        ({"options": ["Yes", "yes"]}, "questions[0].options: two have the same label"),
        ({"options": ["a", 5]}, "questions[0].options[1]: must be an object"),
        ({"options": ["a", {"lable": "b"}]}, "questions[0].options[1].lable: unknown"),
        (
            {"options": ["a", {"label": "b", "insight": 5}]},
            "questions[0].options[1].insight: must be an object",
        ),
        (
            {"options": ["a", {"label": "b", "insight": {"tags": []}}]},
            "questions[0].options[1].insight.content: missing",
        ),
        ({"optoins": []}, "questions[0].optoins: unknown"),
        ({"multi_select": "yes"}, "questions[0].multi_select: must be true or false"),
        ({"files": "a.py"}, "questions[0].files: must be a list of texts"),
        ({"files": ["a.py", None]}, "questions[0].files[1]: must be a text"),
        ({"task": True}, "questions[0].task: must be a text"),
        ({"question": "red \x1b[31m"}, "questions[0].question: control characters"),
        ({"header": "a\u202eb"}, "questions[0].header: hidden characters"),
        ({"question": "half \ud800"}, "questions[0].question: control characters"),
    ],
)
def test_each_fault_is_named_by_its_place(changes: dict[str, Any], fault: str) -> None:
    _, faults = read_forms(changed(**changes))
    assert any(said.startswith(fault) for said in faults), faults


def test_faults_of_several_questions_come_together() -> None:
    _, faults = read_forms([GOOD, changed(header=None), changed(options=[])])
    assert [fault.partition(":")[0] for fault in faults] == [
        "questions[1].header",
        "questions[2].options",
    ]


@pytest.mark.parametrize(
    "document",
    ["", "nonsense", 5, [], None, {}, [[]], {"questions": 5}, [GOOD] * 5],
)
def test_what_is_no_question_is_a_fault(document: Any) -> None:
    _, faults = read_forms(document)
    assert faults and all(fault.startswith("questions") for fault in faults)


def test_secrets_are_masked_but_not_in_what_would_be_stored() -> None:
    token = f"ghp_{'a' * 36}"
    options = [{"label": "a", "description": token, "insight": f"When x use {token}"}, "b"]
    [form], _ = read_forms(changed(question=f"It says {token}", options=options))
    assert token not in form.question and token not in form.options[0].description
    assert token in form.options[0].insight, "the memory's own gate refuses it, by name"


def test_a_persons_tag_is_not_the_orchestrators_to_give() -> None:
    insight = {"content": "When x do y", "tags": ["user-provided", "x"]}
    [form], _ = read_forms(changed(options=["a", {"label": "b", "insight": insight}]))
    assert form.options[1].tags == ("x",)


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=20),
    lambda inner: (
        st.lists(inner, max_size=5)
        | st.dictionaries(
            st.sampled_from([*FULL, "label", "insight", "content", "tags", "\x1b"]), inner
        )
    ),
    max_leaves=20,
)


@given(value=JSON)
def test_any_json_is_read_or_refused(value: Any) -> None:
    forms, faults = read_forms(value)
    assert forms or faults
    for form in forms if not faults else ():
        assert 0 < len(form.header) <= LIMITS["header"] and 2 <= len(form.options) <= 4


@pytest.mark.parametrize(
    ("question", "reason", "files", "missing"),
    [
        ('It says "Connection REFUSED by host": why?', "connection refused by host", [], 0),
        ("Why?", "connection refused by host", [], 1),
        ("Why?", "", [], 0),
        ("Why is it blocked: timeout?", "timeout", [], 0),
        ("Is test_a.py wrong?", "", ["tests/test_a.py", "b.py"], 0),
        ("Is it wrong?", "no such file", ["tests/test_a.py"], 2),
    ],
)
def test_a_question_quotes_the_outcome_and_names_a_file(
    question: str, reason: str, files: list[str], missing: int
) -> None:
    assert len(unquoted(question, reason, files)) == missing
