"""What a session drew from its recall lives as long as the session, and is nobody else's (B08).

read back after the conversation was compressed:
    test_it_outlives_a_compaction_which_says_so
another session's is neither shown nor touched:
    test_two_sessions_of_one_project_keep_theirs
every fault is named by its place, and nothing is half written:
    test_a_fault_is_named_by_its_place
B23 (secrets), B13 (controls, half surrogates), any script:
    test_secrets_and_controls_do_not_reach_the_file
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tests.hooks import scene
from tests.hooks.fire import fire
from tests.hooks.shell import Said, helix

NOTES = {
    "objective": "Make the invoice parser fast",
    "constraints": ["no new dependency [82%]", "run the migration first"],
    "risk_areas": ["the advisory lock"],
    "exploration_targets": ["src/parser: who calls it?"],
}


def keep(project: Path, session: str = "s1", **changes: Any) -> Said:
    text = json.dumps({**NOTES, **changes})
    return helix(project, "recall-synthesis", "set", "--json", stdin=text, session=session)


def kept(project: Path, session: str = "s1") -> dict[str, Any] | None:
    """What a session reads back; None where it has nothing."""
    said = helix(project, "recall-synthesis", "--json", session=session)
    if said.code:
        assert said.code == 1 and "has kept no recall synthesis" in said.refusal
        return None
    return dict(said.json)


def file(project: Path) -> Path:
    return project / ".helix" / "recall_synthesis.json"


def test_it_is_kept_and_read_back(project: Path) -> None:
    assert kept(project) is None
    assert not (project / ".helix").exists()
    value = keep(project, insights=["run-the-migration"]).json
    assert kept(project) == value == json.loads(file(project).read_text())
    assert {key: value[key] for key in NOTES} == NOTES
    assert (value["session_id"], value["insights"]) == ("s1", ["run-the-migration"])
    assert (project / ".helix" / ".gitignore").read_text() == "*\n"
    text = helix(project, "recall-synthesis", "get").out
    assert "CONSTRAINTS:\n- no new dependency [82%]\n" in text
    again = keep(project, constraints=[]).json
    assert kept(project) == again and again["constraints"] == []
    assert helix(project, "recall-synthesis", "clear", "--json").json == {"cleared": True}
    assert helix(project, "recall-synthesis", "clear", "--json").json == {"cleared": False}
    assert kept(project) is None and not file(project).exists()


def test_it_outlives_a_compaction_which_says_so(project: Path) -> None:
    fire("SessionStart", project)
    value = keep(project).json
    for source in ("compact", "resume"):
        started = fire("SessionStart", project, source=source)
        assert "helix recall-synthesis" in started.specific("additionalContext")
        assert kept(project) == value
        assert fire("SessionStart", project, source=source, session_id="s9").answer is None
    assert fire("SessionStart", project, source="clear").answer is None
    assert kept(project) is None


def test_two_sessions_of_one_project_keep_theirs(project: Path) -> None:
    scene.store(project, "When the moon is full, paint the fence in blue")
    for session in ("s1", "s2", "s3"):
        fire("SessionStart", project, session_id=session)
        keep(project, session, objective=f"objective of {session}")
    assert json.loads(file(project).read_text())["session_id"] == "s3"  # the newest is shown
    for session in ("s1", "s2", "s3"):
        found = kept(project, session)
        assert found is not None and found["objective"] == f"objective of {session}"
        assert "others" not in found
    assert kept(project, "s4") is None
    other = helix(project, "recall-synthesis", "--session", "s2", "--json", session="s1").json
    assert other["session_id"] == "s2"  # asked for by name
    newest = helix(project, "recall-synthesis", "--any", "--json", session=None).json
    assert newest["session_id"] == "s3"
    fire("SessionEnd", project, session_id="s3")
    assert [kept(project, s) is None for s in ("s1", "s2", "s3")] == [False, False, True]
    fire("SessionStart", project, session_id="s1", source="clear")
    assert [kept(project, s) is None for s in ("s1", "s2")] == [True, False]


@pytest.mark.parametrize(
    ("document", "place"),
    [
        ("", "recall synthesis: empty"),
        ("nonsense", "recall synthesis: no valid JSON"),
        ("[]", "recall synthesis: must be an object"),
        ('{"objective": "x"}', "constraints: missing"),
        (json.dumps({**NOTES, "objective": 3}), "objective: must be a text, not a number"),
        (json.dumps({**NOTES, "objective": "\x00 "}), "objective: must not be empty"),
        (json.dumps({**NOTES, "objective": "x" * 2001}), "objective: has 2,001 characters"),
        (json.dumps({**NOTES, "risk_areas": "x"}), "risk_areas: must be a list of texts"),
        (json.dumps({**NOTES, "risk_areas": None}), "risk_areas: must be a list of texts"),
        (json.dumps({**NOTES, "risk_areas": ["a", {}]}), "risk_areas[1]: must be a text"),
        (json.dumps({**NOTES, "constraints": ["x" * 601]}), "constraints[0]: has 601"),
        (json.dumps({**NOTES, "constraints": ["x"] * 31}), "constraints: has 31 entries"),
        (json.dumps({**NOTES, "insights": [1]}), "insights[0]: must be a text"),
        (json.dumps({**NOTES, "targets": []}), "targets: unknown; known: objective"),
    ],
    ids=lambda value: str(value)[-30:],
)
def test_a_fault_is_named_by_its_place(project: Path, document: str, place: str) -> None:
    said = helix(project, "recall-synthesis", "set", "-", stdin=document)
    assert said.code == 2 and place in said.refusal
    assert not (project / ".helix").exists()


@pytest.mark.parametrize(
    "arguments",
    [("get", "{}"), ("clear", "{}"), ("clear", "--any"), ("set", "--any"), ("forget",)],
)
def test_wrong_usage(project: Path, arguments: tuple[str, ...]) -> None:
    said = helix(project, "recall-synthesis", *arguments)
    assert said.code == 2 and said.refusal.startswith("helix: ")


def test_without_a_session_nothing_is_guessed(project: Path) -> None:
    for action in ("get", "set", "clear"):
        said = helix(project, "recall-synthesis", action, stdin=json.dumps(NOTES), session=None)
        assert said.code == 2 and "which session?" in said.refusal


def test_secrets_and_controls_do_not_reach_the_file(project: Path) -> None:
    hostile = ["use AKIAIOSFODNN7EXAMPLE here", "a\x1b[31mb\nVERIFY: rm", "半分 \ud83d", "ключ"]
    value = keep(project, constraints=hostile).json
    assert "AKIA" not in file(project).read_text()
    assert value["constraints"] == [
        "use [secret removed: aws-key] here",
        "a[31mb VERIFY: rm",
        "半分 \ufffd",
        "ключ",
    ]


@pytest.mark.parametrize("text", ["", "{", "[]", '"x"', '{"others": 3}', '{"session_id": 4}'])
def test_a_damaged_file_is_nobodys_and_is_replaced(project: Path, text: str) -> None:
    (project / ".helix").mkdir()
    file(project).write_text(text)
    assert kept(project) is None
    value = keep(project).json
    assert kept(project) == value


def test_a_place_that_cannot_be_written_is_one_line(project: Path) -> None:
    (project / ".helix").write_text("a file, not a folder")
    said = helix(project, "recall-synthesis", "set", stdin=json.dumps(NOTES))
    assert said.code == 3 and ".helix" in said.refusal
