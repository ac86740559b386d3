"""Outcome markers: B06 and the pitfall that only the agent's own text counts."""

from __future__ import annotations

import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from helix_core.text.markers import read_outcome

BUILDER = "helix:helix-builder"
PLANNER = "helix:helix-planner"


def kind(message: str, agent: str = BUILDER) -> str:
    return read_outcome(message, agent).kind


@pytest.mark.parametrize(
    "line",
    [
        "DELIVERED: the parser",
        "  DELIVERED: the parser",
        "- DELIVERED: the parser",
        "**DELIVERED:** the parser",
        "**DELIVERED**: the parser",
        "**DELIVERED: the parser**",
        "## DELIVERED: the parser",
        "## DELIVERED\nthe parser",
        "### **DELIVERED**\n\nthe parser",
        "`DELIVERED:` the parser",
        "`DELIVERED: the parser`",
        "**DELIVERED** - the parser",
        "- **DELIVERED:** the parser\r\n",
    ],
)
def test_b06_marker_at_the_start_of_a_line(line: str) -> None:
    outcome = read_outcome(f"Work is done.\n\n{line}", BUILDER)
    assert (outcome.kind, outcome.summary) == ("delivered", "the parser")


@pytest.mark.parametrize(
    "message",
    [
        "Undelivered: 0",
        "UNDELIVERED: 0",
        "status: BLOCKED: x",
        "delivered: yes",
        "Delivered: yes",
        "It was DELIVERED: earlier",
        "> DELIVERED: quoted",
        "DELIVERED the parser",
        "BLOCKED by nothing",
        "[75%] BLOCKED: an injected insight",
        "  - [75%] BLOCKED: an injected insight",
        "outcomes:\n  state: DELIVERED: 3",
        "NOT_DELIVERED: x",
        "",
    ],
)
def test_pitfall_text_that_is_no_marker(message: str) -> None:
    assert kind(message) == "unknown"


def test_b06_prose_about_an_earlier_block_is_no_block() -> None:
    message = "**DELIVERED:** done\nEarlier state was BLOCKED: db missing, now fixed."
    assert kind(message) == "delivered"
    assert kind("DELIVERED ... earlier BLOCKED: now fixed") == "unknown"


def test_the_last_marker_wins() -> None:
    assert kind("BLOCKED: no db\nThen it came up.\nDELIVERED: all") == "delivered"
    assert kind("DELIVERED: all\nBLOCKED: no db after all") == "blocked"


def test_summary_runs_to_the_next_marker_on_one_line_and_is_bounded() -> None:
    message = 'DELIVERED: one\ntwo\u2028three\nINSIGHT: {"content": "x"}\nlater'
    assert read_outcome(message, BUILDER).summary == "one two three"
    assert len(read_outcome("DELIVERED: " + "word " * 900, BUILDER).summary) <= 1_000


@pytest.mark.parametrize(
    "message",
    [
        "PARTIAL: half\nREMAINING: the other half",
        "PARTIAL: half\n**REMAINING:** the other half",
        "PARTIAL: half REMAINING: the other half",
        "**PARTIAL:** half\n\n- REMAINING: the other half\nINSIGHT: none",
    ],
)
def test_partial_with_what_remains(message: str) -> None:
    outcome = read_outcome(message, BUILDER)
    assert (outcome.kind, outcome.summary) == ("partial", "half")
    assert outcome.remaining == "the other half"


def test_a_message_that_is_one_fence_counts() -> None:
    assert read_outcome("```\nDELIVERED: x\n```", BUILDER).summary == "x"
    assert kind("Everything passes.\n\n```text\nBLOCKED: no db\n```\n") == "blocked"


@pytest.mark.parametrize(
    "message",
    [
        "The file contains:\n```\nDELIVERED: fake\n```",
        "```\nDELIVERED: fake\n```\nI looked around and stopped.",
        "```yaml\nDELIVERED: 3\n```",
        "```\n$ cat notes\nDELIVERED: fake\n```",
        "Example output\n\n~~~\nDELIVERED: fake\n~~~",
    ],
)
def test_pitfall_a_quoted_sample_in_a_fence_does_not_count(message: str) -> None:
    assert kind(message) == "unknown"


def test_a_fence_never_beats_a_marker_outside() -> None:
    assert kind("BLOCKED: no db\n```\nDELIVERED: sample\n```") == "blocked"
    assert kind("```\nDELIVERED: sample\n```\nBLOCKED: no db") == "blocked"


def test_an_unclosed_fence_hides_nothing() -> None:
    assert kind("```\ncode\nDELIVERED: x") == "delivered"


def test_markers_inside_an_insight_are_data() -> None:
    message = 'DELIVERED: x\nINSIGHT: {"content": "When a\nBLOCKED: y appears, do z"}'
    outcome = read_outcome(message, BUILDER)
    assert (outcome.kind, outcome.summary) == ("delivered", "x")


@pytest.mark.parametrize(
    ("message", "expected"),
    [
        ("PLAN_SPEC:\n[]\nPLAN_COMPLETE: 0 tasks specified", "plan_complete"),
        ("**PLAN_COMPLETE:** 5 tasks specified", "plan_complete"),
        ("ERROR: the objective is unclear", "blocked"),
        ("DELIVERED: x", "unknown"),
    ],
)
def test_planners(message: str, expected: str) -> None:
    assert kind(message, PLANNER) == expected
    assert kind(message, "helix-planner") == expected


def test_a_planners_error_keeps_its_reason() -> None:
    assert read_outcome("ERROR: no such module", PLANNER).summary == "no such module"


def test_words_of_other_roles_do_not_count() -> None:
    assert kind("PLAN_COMPLETE: 5 tasks") == "unknown"
    assert kind("ERROR: x") == "unknown"
    assert kind("DELIVERED: x", "helix:helix-explorer") == "unknown"


def test_unknown_keeps_what_was_said() -> None:
    outcome = read_outcome("I looked around\nand stopped.", BUILDER)
    assert (outcome.kind, outcome.summary) == ("unknown", "I looked around and stopped.")


def test_half_an_emoji_b13() -> None:
    assert read_outcome("DELIVERED: cut \ud83d end", BUILDER).summary == "cut \ufffd end"


def test_hostile_messages_in_linear_time() -> None:
    lines = (" " * 100_000, "- " * 50_000, "`" * 100_000, "```\nDELIVERED: a\n" * 8_000)
    broken = 'INSIGHT: {"content": "x\n' * 5_000
    began = time.process_time()
    for text in (*lines, broken, "#" * 100_000, "DELIVERED" + " " * 100_000 + "x"):
        read_outcome(text + "\nBLOCKED: end", BUILDER)
    assert time.process_time() - began < 4.0


PIECES = st.sampled_from(
    [
        "DELIVERED",
        "BLOCKED",
        "INSIGHT",
        "PLAN_SPEC",
        "REMAINING",
        ":",
        "\n",
        "```\n",
        "**",
        "{",
        '"',
    ]
)


@settings(max_examples=300, deadline=None)
@given(
    st.lists(PIECES | st.text(st.characters(), max_size=6), max_size=40).map("".join),
    st.sampled_from([BUILDER, PLANNER, "", "x:y"]),
)
def test_never_raises(message: str, agent: str) -> None:
    outcome = read_outcome(message, agent)
    outcome.summary.encode("utf-8")
    assert "\n" not in outcome.summary + outcome.remaining
    assert len(outcome.summary) <= 1_000
