"""B23: keys and passwords in what an agent says reach no file, whichever way they come."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.core.command import helix
from tests.hooks import scene
from tests.hooks.fire import PROMPT, fire

# Put together here, so that no scanner takes this file for a leak.
KEY_BODY = "MIIEpAIBAAKCAQEA7bq0" + "Zr3x" * 12
SECRETS = {
    "aws-key": ("AKIAIOSFODNN7" + "EXAMPLE", "AKIAIOSFODNN7"),
    "private-key": (f"-----BEGIN RSA {'PRIVATE'} KEY-----\n{KEY_BODY}", KEY_BODY),
    "generic-secret": ("pass" + "word=hunter2hunter2", "hunter2"),
    "connection-string": ("postgres://app:hunter2" + "@db/orders", "hunter2"),
    "vendor-token": ("gh" + "p_" + "a1B2" * 9, "a1B2a1B2"),
    "bearer": ("Authorization: Bearer " + "abc123DEF456ghi789JKL", "abc123DEF"),
}


def nowhere(project: Path, part: str) -> None:
    """No file of the project's memory holds this."""
    files = [file for file in (project / ".helix").rglob("*") if file.is_file()]
    assert files
    assert [f.name for f in files if part.encode() in f.read_bytes()] == []


@pytest.mark.parametrize("kind", SECRETS)
def test_b23_an_agents_insight_with_a_secret_is_refused(project: Path, kind: str) -> None:
    secret, part = SECRETS[kind]
    insight = json.dumps({"content": f"When deploying, use {secret} because prod needs it"})
    message = f"DELIVERED: set {secret} for prod\nINSIGHT: {insight}"
    fire("SubagentStop", project, last_assistant_message=message)
    assert scene.outcomes(project) == [("a1", "delivered")]
    assert "secret removed" in scene.status(project)[0]["summary"]
    assert scene.one(project, "SELECT count(*) FROM insight") == 0
    [(rule,)] = scene.rows(project, "SELECT rule FROM rejection")
    assert rule.startswith("credential: ")
    nowhere(project, part)


@pytest.mark.parametrize("kind", SECRETS)
def test_b23_a_reason_with_a_secret_is_masked_wherever_it_goes(project: Path, kind: str) -> None:
    secret, part = SECRETS[kind]
    fire("PreToolUse", project, prompt=PROMPT)
    fire("PostToolUse", project, prompt=PROMPT)
    message = f"BLOCKED: the database of production refuses {secret} since yesterday"
    fire("SubagentStop", project, last_assistant_message=message)
    [line] = scene.status(project)
    assert line["outcome"] == "blocked" and "secret removed" in line["summary"]
    nowhere(project, part)


@pytest.mark.parametrize("kind", SECRETS)
def test_b23_the_command_line_refuses_it_and_names_the_rule_only(project: Path, kind: str) -> None:
    secret, part = SECRETS[kind]
    helix(project, "store", "When tests fail, read the log because it says why")
    [name] = [row[0] for row in scene.rows(project, "SELECT name FROM insight")]
    text = f"When deploying, use {secret} because prod needs it"
    for arguments in (("store", text), ("edit", name, "--content", text)):
        ran = helix(project, *arguments)
        assert ran.code == 1
        assert "credential: " in ran.out + ran.err and part not in ran.out + ran.err
    assert helix(project, "health").code == 0
    assert scene.one(project, "SELECT sum(count) FROM rejection") == 2
    nowhere(project, part)


def test_b23_a_tag_is_no_way_round(project: Path) -> None:
    secret, part = SECRETS["vendor-token"]
    helix(project, "store", "When tests fail, read the log because it says why")
    [name] = [row[0] for row in scene.rows(project, "SELECT name FROM insight")]
    assert helix(project, "tag", name, f"+{secret}").code in {0, 1}
    assert helix(project, "store", "When x fails do y because z", "--tag", secret).code == 1
    nowhere(project, part)


@pytest.mark.parametrize(
    "text",
    [
        'When tests need a key, set {"ANTHROPIC_API_KEY": "fake"} because none is called',
        "When a token expires, renew it because the session ends",
        "When connecting in tests, use postgres://app:app@localhost/db because it is a container",
    ],
)
def test_b23_what_is_no_secret_is_stored(project: Path, text: str) -> None:
    ran = helix(project, "store", text)
    assert ran.code == 0, ran.out
