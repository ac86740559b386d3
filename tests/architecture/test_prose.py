"""The skills and agents: valid, minimal, in step with the commands and readers they speak of."""

from __future__ import annotations

import json
import re

import pytest

from helix_core.text.fields import parse_fields
from helix_core.text.handoff import read_findings, read_plan
from helix_core.text.lessons import read_insights
from helix_core.text.markers import read_outcome
from helix_core.text.roles import agent_role
from tests.architecture.prose import READING, Page, agents, fault_of, readme, references, skills

SKILLS = {item.fields["name"]: item for item in skills()}
AGENTS = {item.fields["name"]: item for item in agents()}
PAGES = [*SKILLS.values(), *AGENTS.values(), *references(), readme()]
READ_ONLY = "Read, Grep, Glob"
TOOLS = {
    "helix-explorer": READ_ONLY,
    "helix-planner": READ_ONLY,
    "helix-builder": "Read, Edit, Write, Bash, Grep, Glob",
}
MODELS = {"helix-explorer": "sonnet", "helix-planner": "opus", "helix-builder": "opus"}
COLORS = {"red", "blue", "green", "yellow", "purple", "orange", "pink", "cyan"}
LONGEST = 250
# What may run without asking in the skills that only look.
LOOKING = {
    "helix recall", "helix explain", "helix get", "helix history", "helix neighbors",
    "helix count", "helix health", "helix stats", "helix worker status", "helix prune --dry-run",
    "helix strategic-recall", "helix sessions search", "helix dag plan --check",
}  # fmt: skip
PROMPTS = {
    "helix-explorer": ["CONTEXT", "SCOPE", "FOCUS", "OBJECTIVE"],
    "helix-planner": ["OBJECTIVE", "EXPLORATION", "CONSTRAINTS", "RISK_AREAS"],
    "helix-builder": [
        "TASK_ID", "TASK", "OBJECTIVE", "VERIFY", "RELEVANT_FILES", "WARNING", "PARENT_DELIVERIES",
    ],
}  # fmt: skip


def _file(item: Page) -> str:
    return f"{item.path.parent.name}/{item.path.name}"


def test_the_skills_and_agents_are_there() -> None:
    assert set(SKILLS) == {"helix", "helix-meta-planner", "helix-query", "helix-stats"}
    assert set(AGENTS) == set(TOOLS)
    for name, item in SKILLS.items():
        assert item.path.parent.name == name
    for name, item in AGENTS.items():
        assert item.path.stem == name
        assert agent_role(f"helix:{name}") == name.removeprefix("helix-")


@pytest.mark.parametrize("item", [*SKILLS.values(), *AGENTS.values()], ids=_file)
def test_descriptions_begin_with_when(item: Page) -> None:
    assert item.fields["description"].startswith("Use when ")
    assert len(item.fields["description"]) <= 500
    allowed = {"name", "description", "argument-hint", "allowed-tools", "model", "tools", "color"}
    assert item.fields.keys() <= allowed


@pytest.mark.parametrize("name", sorted(TOOLS))
def test_agents_have_their_model_and_the_fewest_tools(name: str) -> None:
    fields = AGENTS[name].fields
    assert fields["tools"] == TOOLS[name]
    assert fields["model"] == MODELS[name]
    assert fields["color"] in COLORS


@pytest.mark.parametrize("item", PAGES, ids=_file)
def test_every_command_named_exists(item: Page) -> None:
    found = [(line, fault_of(line, whole=True)) for line in item.commands]
    found += [(span, fault_of(span, whole=False)) for span in item.mentions]
    found += [(span, fault_of(span, whole=False)) for span in item.permissions]
    assert [(text, fault) for text, fault in found if fault] == []


@pytest.mark.parametrize(
    ("line", "whole"),
    [
        ("helix remember x", False),
        ("helix recall --graph", False),
        ("helix worker dance", False),
        ("helix dag plan --undo", False),
        ("helix recall --limit many -", True),
        ("helix history", True),
    ],
)
def test_a_command_that_does_not_exist_is_seen(line: str, whole: bool) -> None:
    assert fault_of(line, whole=whole)


def test_the_pages_do_name_commands() -> None:
    assert len(SKILLS["helix"].commands) >= 5
    assert len(SKILLS["helix-query"].mentions) >= 4
    assert len(readme().mentions) >= 5


@pytest.mark.parametrize("item", [*SKILLS.values(), *AGENTS.values()], ids=_file)
def test_no_foreign_text_gets_into_a_shell_line(item: Page) -> None:
    for block in item.blocks:
        assert "$ARGUMENTS" not in block
        assert "<<" not in re.sub(r"<<'[A-Z_]+'\n", "", block), "an unquoted here-document"
    assert not re.search(r"!`", item.body), "a command that runs when the skill is loaded"
    for line in item.commands:
        if re.match(r"helix (recall|store|explain|feedback)\b", line):
            assert line.endswith(" -"), line


def test_what_a_skill_may_run_without_asking() -> None:
    for name in ("helix-query", "helix-stats", "helix-meta-planner"):
        assert set(SKILLS[name].permissions) <= LOOKING
    main = SKILLS["helix"]
    books = {"helix dag", "helix learn", "helix recall-synthesis", "helix session report"}
    assert set(main.permissions) <= LOOKING | books | {"helix store"}
    for line in main.commands:
        assert any(line.startswith(prefix) for prefix in main.permissions), line


def test_the_objective_reaches_the_skills() -> None:
    for name in ("helix", "helix-meta-planner", "helix-query"):
        assert SKILLS[name].body.count("$ARGUMENTS") == 1


def test_skills_are_short_and_their_long_matter_is_found() -> None:
    for item in SKILLS.values():
        assert len(item.path.read_text(encoding="utf-8").splitlines()) <= LONGEST
    for item in references():
        assert f"references/{item.path.name}" in SKILLS[item.path.parents[1].name].body


def test_a_builder_does_not_make_up_what_it_was_to_change() -> None:
    assert re.search(
        r"change a file that is not there.*?`BLOCKED`", AGENTS["helix-builder"].body, re.DOTALL
    )


def test_the_meta_planner_changes_nothing() -> None:
    listed = SKILLS["helix-meta-planner"].fields["allowed-tools"].split(", ")
    assert set(listed) >= READING
    assert not {"Edit", "Write", "Agent"} & set(listed)
    assert "helix:helix-" not in SKILLS["helix-meta-planner"].body


def test_each_phase_of_a_session_has_its_section() -> None:
    titles = re.findall(r"^## \d\. ([A-Z]+)$", SKILLS["helix"].body, re.MULTILINE)
    assert titles == ["RECALL", "EXPLORE", "PLAN", "BUILD", "LEARN", "COMPLETE"]


@pytest.mark.parametrize("name", sorted(PROMPTS))
def test_the_prompt_of_each_agent_is_what_the_hooks_read(name: str) -> None:
    templates = [b for b in SKILLS["helix"].blocks if list(parse_fields(b)) == PROMPTS[name]]
    assert len(templates) == 1, f"no block with exactly {PROMPTS[name]}"
    assert all(parse_fields(templates[0]).values())
    for field in PROMPTS[name]:
        assert f"`{field}`" in AGENTS[name].body, f"{name} is not told what {field} is"
    assert f'"helix:{name}"' in SKILLS["helix"].body


def test_the_explorers_example_is_read() -> None:
    (example,) = AGENTS["helix-explorer"].blocks
    found = read_findings(f"Here is what I found.\n```json\n{example}```")
    assert found is not None
    assert list(found) == ["scope", "focus", "status", "findings"]
    assert found["status"] == "success"
    assert [item["file"] for item in found["findings"]] == [
        item["file"] for item in json.loads(example)["findings"]
    ]


def test_the_planners_example_is_read() -> None:
    (example,) = AGENTS["helix-planner"].blocks
    tasks, fault = read_plan(f"Two tasks, one after the other.\n\n{example}")
    assert tasks is not None, fault
    keys = ["seq", "slug", "description", "relevant_files", "blocked_by", "verify"]
    assert [list(task) for task in tasks] == [keys, keys]
    known = {task["seq"] for task in tasks}
    assert all(set(task["blocked_by"]) <= known - {task["seq"]} for task in tasks)
    outcome = read_outcome(example, "helix-planner")
    assert (outcome.kind, outcome.summary) == ("plan_complete", f"{len(tasks)} tasks specified")


def test_the_builders_outcomes_are_read() -> None:
    body = AGENTS["helix-builder"].body
    for kind, line in (
        ("delivered", "DELIVERED: summary"),
        ("partial", "PARTIAL: done"),
        ("blocked", "BLOCKED: reason"),
    ):
        assert f"- `{line}`" in body
        assert read_outcome(f"Some lines.\n\n{line}", "helix-builder").kind == kind
    partial = read_outcome("PARTIAL: done\nREMAINING: left", "helix-builder")
    assert (partial.summary, partial.remaining) == ("done", "left")
    assert "`REMAINING: left`" in body
    refused = read_outcome("ERROR: reason", "helix-planner")
    assert refused.kind == "blocked" and "`ERROR: reason`" in AGENTS["helix-planner"].body


@pytest.mark.parametrize("name", sorted(TOOLS))
def test_the_form_of_an_insight_is_read(name: str) -> None:
    spans = re.findall(r"`(INSIGHT: \{.*?\})`", AGENTS[name].body)
    assert len(spans) == 1
    found, refused = read_insights(f"Done.\n{spans[0]}")
    assert [item.content for item in found] == ["When X, do Y because Z"] and not refused
    assert "three" in AGENTS[name].body
