"""B20: INSIGHT objects as models write them; what is clear is taken, and the status never lost."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.hooks import scene
from tests.hooks.fire import fire

GOOD = "When braces {a:{b}} appear, keep them because they are JSON"


def ended(project: Path, text: str) -> list[tuple[str, list[str]]]:
    """What is stored after an agent said this, beside its one status line."""
    fired = fire("SubagentStop", project, last_assistant_message=f"DELIVERED: ok\n{text}")
    assert (fired.code, fired.out, fired.err) == (0, "", "")
    assert scene.outcomes(project) == [("a1", "delivered")]
    rows = scene.rows(project, "SELECT content, tags FROM insight ORDER BY id")
    return [(content, json.loads(tags)) for content, tags in rows]


@pytest.mark.parametrize(
    ("text", "tags"),
    [
        (f'INSIGHT: {{"content": "{GOOD}", "tags": "one, Two"}}', ["one", "two"]),
        (f'INSIGHT: {{"content": "{GOOD}", "tags": 5}}', []),
        (f'INSIGHT: {{"content": "{GOOD}", "tags": null}}', []),
        (f'INSIGHT: {{"content": "{GOOD}", "tags": ["a", 7, null, ["b"]]}}', ["a"]),
        (f'INSIGHT: {{"content": "{GOOD}",}}', []),
        (f"INSIGHT: {{“content”: “{GOOD}”, “tags”: [“q”]}}", ["q"]),
        (f'INSIGHT:\n```json\n{{"content": "{GOOD}"}}\n```', []),
        (f'INSIGHT: {{\n  "content":\n    "{GOOD}",\n  "tags": [\n"x"\n]\n}}', ["x"]),
        (f'**INSIGHT:** {{"content": "{GOOD}", "why": {{"deep": [1, {{}}]}}}}', []),
        (f'INSIGHT: {{"content": "{GOOD}", "tags": ["user-provided", "x"]}}', ["x"]),
    ],
)
def test_b20_what_is_clear_is_taken(project: Path, text: str, tags: list[str]) -> None:
    assert ended(project, text) == [(GOOD, tags)]


@pytest.mark.parametrize(
    "value",
    [
        '{"content": ["a list"], "tags": 5}',
        '{"content": null}',
        '{"content": ""}',
        '{"content": 7}',
        '{"content": "   "}',
        '{"text": "When x do y because z"}',
        '["When x do y because z"]',
        '"When x do y because z"',
        "not json at all",
        "{",
        "",
        '{"content": "When x',
    ],
)
def test_b20_the_rest_is_refused_with_a_line_in_the_log(project: Path, value: str) -> None:
    assert ended(project, f"INSIGHT: {value}") == []
    assert "INSIGHT of agent a1 not taken: " in scene.log(project)


def test_b20_two_lines_are_two_insights_and_one_bad_one_costs_itself(project: Path) -> None:
    lines = [
        f'INSIGHT: {{"content": "{GOOD}"}}',
        'INSIGHT: {"content": ["no"]}',
        'INSIGHT: {"content": "When lines follow, read each because they differ"}',
    ]
    found = [content for content, _ in ended(project, "\n".join(lines))]
    assert found == [GOOD, "When lines follow, read each because they differ"]


def test_b20_a_huge_text_is_refused_by_its_length(project: Path) -> None:
    assert ended(project, f'INSIGHT: {{"content": "When {"x" * 300_000}"}}') == []
    [(rule, count)] = scene.rows(project, "SELECT rule, count FROM rejection")
    assert "4,000" in rule and count == 1
