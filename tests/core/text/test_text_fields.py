"""Prompt fields: pitfalls (field parsing, TASK_ID), decision 2 (the query), 29 (no bare codes)."""

from __future__ import annotations

import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from helix_core.text.fields import FIELDS, Prompt, parse_fields, read_prompt

BUILDER = """TASK_ID: 003
TASK: Rate limit login attempts per IP
OBJECTIVE: rate limit: Rate limit login attempts per IP
VERIFY: pytest tests/test_limits.py
RELEVANT_FILES: src/api/limits.py, `src/api/auth.py`
WARNING: redis is flaky
PARENT_DELIVERIES:
- 001: token model
INSIGHTS (from past experience):
  - [71%] When tests talk to Redis, start it first

INJECTED: ["when-tests-talk", "second"]
"""


def test_a_full_builder_prompt() -> None:
    fields = parse_fields(BUILDER)
    assert fields["TASK_ID"] == "003"
    assert fields["OBJECTIVE"] == "rate limit: Rate limit login attempts per IP"
    assert fields["PARENT_DELIVERIES"] == "- 001: token model"
    prompt = read_prompt(BUILDER)
    assert prompt.relevant_files == ("src/api/limits.py", "src/api/auth.py")
    assert prompt.injected == ("when-tests-talk", "second")
    assert prompt.has_insights
    assert prompt.query == "Rate limit login attempts per IP"


@pytest.mark.parametrize("lead", ["", "  ", "- ", "## ", "**", "- **", "`"])
def test_what_may_stand_before_a_field(lead: str) -> None:
    close = "**" if "**" in lead else "`" if "`" in lead else ""
    text = f"{lead}TASK{close}: first\n{lead}OBJECTIVE:{close} second\n"
    assert parse_fields(text) == {"TASK": "first", "OBJECTIVE": "second"}


def test_bold_around_a_whole_line() -> None:
    assert parse_fields("**TASK: do it**\n")["TASK"] == "do it"


def test_a_heading_needs_no_colon() -> None:
    assert parse_fields("## OBJECTIVE\nmake it fast\n")["OBJECTIVE"] == "make it fast"


@pytest.mark.parametrize(
    "text",
    [
        "The OBJECTIVE: is unclear",
        "objective: small letters",
        "MY_TASK: no",
        "TASKS: no",
        "OBJECTIVE\nalone on a line without a colon",
        "see `VERIFY`: no, wait, mid-line",
    ],
)
def test_a_field_name_inside_other_text_is_no_field(text: str) -> None:
    assert parse_fields(text) == {}


@pytest.mark.parametrize(
    "text", ["TASK_ID:\nTASK: x", "TASK_ID:   \n\n12\nTASK: x", "TASK_ID: none"]
)
def test_a_task_id_with_a_line_break_is_no_id(text: str) -> None:
    assert read_prompt(text).task_id is None


@pytest.mark.parametrize(
    ("text", "number"),
    [("TASK_ID: 7", "7"), ("TASK_ID: `003` (token-model)", "003"), ("**TASK_ID:** t-1\n", "t-1")],
)
def test_task_ids(text: str, number: str) -> None:
    assert read_prompt(text).task_id == number


def test_empty_fields_stay_empty_and_do_not_swallow_the_next() -> None:
    fields = parse_fields("TASK: x\nVERIFY:\nRELEVANT_FILES:\nOBJECTIVE: y")
    assert fields == {"TASK": "x", "VERIFY": "", "RELEVANT_FILES": "", "OBJECTIVE": "y"}
    assert read_prompt("VERIFY:\nRELEVANT_FILES: none").relevant_files == ()


@pytest.mark.parametrize(
    "block",
    [
        "CONSTRAINTS: keep auth atomic; no new deps",
        "CONSTRAINTS:\n1. keep auth atomic\n2. no new deps",
        "CONSTRAINTS:\n- keep auth atomic\n- no new deps",
        "**CONSTRAINTS**:\n* keep auth atomic\n* no new deps",
        "CONSTRAINTS: 1. keep auth atomic 2. no new deps",
    ],
)
def test_constraints_on_one_line_numbered_or_in_bullets(block: str) -> None:
    prompt = read_prompt(f"OBJECTIVE: x\n{block}\nRISK_AREAS:\n- redis")
    assert "keep auth atomic" in prompt.constraints
    assert prompt.constraints.endswith("no new deps")
    assert prompt.risk_areas == "- redis"


def test_an_item_that_begins_with_a_field_name_stays_in_its_list() -> None:
    fields = parse_fields("CONSTRAINTS:\n- SCOPE: only the API\n1. VERIFY: fast\nFOCUS: auth")
    assert fields["CONSTRAINTS"] == "- SCOPE: only the API\n1. VERIFY: fast"
    assert "SCOPE" not in fields
    assert fields["FOCUS"] == "auth"


def test_the_first_filled_field_counts_and_a_later_one_is_text() -> None:
    text = "OBJECTIVE: real\nVERIFY:\nPARENT_DELIVERIES: built\nOBJECTIVE: from a parent\n"
    fields = parse_fields(text + "VERIFY: pytest")
    assert fields["OBJECTIVE"] == "real"
    assert fields["PARENT_DELIVERIES"] == "built\nOBJECTIVE: from a parent"
    assert fields["VERIFY"] == "pytest"


def test_fields_quoted_in_a_fence_inside_a_field_do_not_count() -> None:
    text = "OBJECTIVE: fix the sample\n```\nSCOPE: quoted\n```\nFOCUS: real"
    assert "SCOPE" not in parse_fields(text)
    assert parse_fields(text)["FOCUS"] == "real"


def test_a_prompt_that_is_one_fence_is_read() -> None:
    assert parse_fields("```\nTASK: x\nOBJECTIVE: y\n```")["TASK"] == "x"


def test_fields_after_long_prose_and_100_kb_in_linear_time() -> None:
    prose = "The word OBJECTIVE: appears here. " * 3_000
    hostile = " " * 50_000 + "\n" + "- " * 20_000 + "\n" + "`" * 20_000 + "\n"
    began = time.process_time()
    prompt = read_prompt(prose + "\n" + hostile + BUILDER)
    assert time.process_time() - began < 1.0
    assert prompt.task == "Rate limit login attempts per IP"
    assert prompt.around.startswith("The word")


@pytest.mark.parametrize(
    ("text", "has"),
    [
        ("TASK: x\n\nNO_PRIOR_MEMORY: Novel domain.", False),
        ("TASK: x\nINSIGHTS: NO_MATCHING_INSIGHTS: No matching", False),
        ("TASK: x\nINSIGHTS (from past experience):\nINJECTED: []", False),
        ("TASK: x\nINSIGHTS: (none)", False),
        ("TASK: x\nINSIGHTS (from past experience):\n- [50%] When a, do b", True),
    ],
)
def test_whether_insights_were_given(text: str, has: bool) -> None:
    prompt = read_prompt(text)
    assert prompt.has_insights is has
    assert prompt.task == "x"


def test_a_notice_ends_the_field_before_it() -> None:
    prompt = read_prompt("RELEVANT_FILES: a.py\nNO_PRIOR_MEMORY: Novel domain.")
    assert prompt.relevant_files == ("a.py",)


@pytest.mark.parametrize(
    "value",
    [
        "src/a.py, src/b.py",
        '["src/a.py", "src/b.py"]',
        "\n- src/a.py - the model\n- `src/b.py` (routes)",
        "\n1. src/a.py: model\n2. src/b.py\n\nReport at the end.",
    ],
)
def test_lists_of_files(value: str) -> None:
    files = read_prompt(f"RELEVANT_FILES: {value}").relevant_files
    assert files == ("src/a.py", "src/b.py")


@pytest.mark.parametrize("value", ['["a", "b"]', "[a, b]", "a, b", '["a", "b", 3]', '["a", "b"'])
def test_lists_of_names(value: str) -> None:
    assert read_prompt(f"INJECTED: {value}\n\nGo on.").injected == ("a", "b")


@pytest.mark.parametrize(
    ("text", "query"),
    [
        ("TASK: Add the parser\nOBJECTIVE: long words", "Add the parser"),
        ("OBJECTIVE: add tokens", "add tokens"),
        ("CONTEXT: c\nSCOPE: src\nFOCUS: auth\nOBJECTIVE: add tokens", "src auth add tokens"),
        ("TASK: E501\nOBJECTIVE: shorten the lines", "E501 shorten the lines"),
        ("TASK: src/api/auth.py\nOBJECTIVE: ECONNREFUSED", ""),
        ("Please fix the login page.\nTASK: src/auth.py", "src/auth.py Please fix the login page."),
        ("TASK: parseRecord\nOBJECTIVE:", ""),
        ("Rewrite the cache", "Rewrite the cache"),
        ("TASK: 修复登录\nOBJECTIVE: x", "修复登录"),
        ("", ""),
    ],
)
def test_the_query_is_never_a_bare_code(text: str, query: str) -> None:
    assert read_prompt(text).query == query


@pytest.mark.parametrize("value", [None, 5, [], {"prompt": 1}, b"TASK: x"])
def test_anything_else_is_an_empty_prompt(value: object) -> None:
    assert read_prompt(value) == Prompt()


def test_windows_line_ends_and_surrogates_b13() -> None:
    prompt = read_prompt("TASK_ID: 1\r\nTASK: half \ud83d emoji\r\nVERIFY: x\r\n")
    assert (prompt.task_id, prompt.task, prompt.verify) == ("1", "half \ufffd emoji", "x")


PIECES = st.sampled_from([*FIELDS, ":", "\n", "**", "- ", "```\n", "#", " ", "[", "]", '"', ","])


@settings(max_examples=300, deadline=None)
@given(st.lists(PIECES | st.text(st.characters(), max_size=8), max_size=40).map("".join))
def test_never_raises_and_only_known_names(text: str) -> None:
    prompt = read_prompt(text)
    prompt.query.encode("utf-8")
    assert set(parse_fields(text)) <= set(FIELDS)
