"""B23, whole: a secret of every kind, through every door into the memory, ends up in no file.

hook payloads (prompt fields, final messages, findings, plans, API errors), with a worker:
    test_what_agents_and_their_prompts_say
events that had to wait, and the insights in them:
    test_what_waited_in_the_spool
the command line, kind by kind:
    test_what_a_person_types
documents the orchestrator hands over:
    test_what_the_orchestrator_hands_over
exports and Markdown files that are taken in:
    test_what_is_imported
errors with the text they were about:
    test_what_the_logs_repeat
"""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterable
from contextlib import closing
from pathlib import Path

import pytest

from helix_core import log, paths
from helix_core.embed import client
from helix_core.errors import WorkerError
from tests.conftest import User
from tests.core.command import helix as command
from tests.core.text.fakes import FAKES
from tests.hooks import scene
from tests.hooks.conftest import Light
from tests.hooks.fire import fire
from tests.hooks.shell import helix

LESSON = "When tests fail, read the log because it says why"
ALL = "; then ".join(fake.text for fake in FAKES.values())
LINES = "\n".join(f"- with {fake.text} at hand" for fake in FAKES.values())
PROMPT = (
    f"TASK_ID: 7\nTASK: Deploy with {ALL}\nOBJECTIVE: Deploy to production with {ALL}\n"
    f"VERIFY: {ALL} pytest\nCONSTRAINTS:\n{LINES}\nRISK_AREAS:\n{LINES}"
)


def nowhere(*folders: Path) -> None:
    """No file below these folders holds the core of any fake, in capitals or not."""
    cores = {name: fake.core.encode().lower() for name, fake in FAKES.items()}
    files = [file for folder in folders for file in folder.rglob("*") if file.is_file()]
    assert files
    found = []
    for file in files:
        data = file.read_bytes().lower()
        spread = data.replace(rb"\n", b"\n")  # as JSON writes a line break
        found += [(file.name, name) for name, core in cores.items() if core in data + spread]
    assert found == []


def masked(project: Path, sql: str) -> int:
    """How many secrets were masked in the one value of a query."""
    return str(scene.one(project, sql)).count("[secret removed: ")


def insights(texts: Iterable[str]) -> str:
    """INSIGHT lines, one for each text."""
    return "\n".join("INSIGHT: " + json.dumps({"content": text, "tags": [text]}) for text in texts)


def test_what_agents_and_their_prompts_say(light: Light, user: User, project: Path) -> None:
    scene.store_directly(project, LESSON)
    fire("SessionStart", project)
    light.wait_for_one()
    fire("PreToolUse", project, prompt=PROMPT)
    fire("PostToolUse", project, prompt=PROMPT)
    assert masked(project, "SELECT constraints FROM agent_run") >= 0.9 * len(FAKES)
    assert masked(project, "SELECT task FROM agent_run") > 5
    nowhere(project / ".helix")  # while the agent runs: its hand-over file too
    fire("SubagentStop", project, last_assistant_message=f"BLOCKED: production refuses {ALL}")
    assert masked(project, "SELECT summary FROM session_log") > 5
    for number, fake in enumerate(FAKES.values()):
        if number % 3 == 0:  # a message holds three lessons
            texts = [f.text for f in list(FAKES.values())[number : number + 3]]
            message = "DELIVERED: done\n" + insights(f"When live, use {t}" for t in texts)
            fire("SubagentStop", project, agent_id=f"i{number}", last_assistant_message=message)
        assert fake.core
    assert scene.one(project, "SELECT count(*) FROM insight") == 1
    assert scene.one(project, "SELECT sum(count) FROM rejection") >= len(FAKES)
    found = {"scope": ALL, "focus": ALL, "status": "done"}
    found["findings"] = [{"file": f.text, "what": f"it says {f.text}"} for f in FAKES.values()]
    explorer = {"agent_id": "e1", "agent_type": "helix:helix-explorer"}
    fire("SubagentStop", project, **explorer, last_assistant_message=json.dumps(found))
    assert (project / ".helix" / "explorer-results" / "e1.json").exists()
    plan = [
        {"seq": n, "slug": f.text, "description": f"{f.text} " * 40, "verify": f"{f.text} pytest",
         "relevant_files": [f.text], "blocked_by": []}
        for n, f in enumerate(FAKES.values(), 1)
    ]  # fmt: skip
    message = f"PLAN_SPEC:\n{json.dumps(plan)}\nPLAN_COMPLETE: {len(plan)} tasks specified"
    planner = {"agent_id": "p1", "agent_type": "helix:helix-planner"}
    fire("SubagentStop", project, **planner, last_assistant_message=message)
    assert scene.one(project, "SELECT count(*) FROM task") == len(FAKES)
    fire("StopFailure", project, agent_id="f1", last_assistant_message=f"API Error: {ALL}")
    fire("SessionEnd", project)
    nowhere(project / ".helix", user.home)


def test_what_waited_in_the_spool(user: User, project: Path) -> None:
    scene.store_directly(project, LESSON)
    message = f"PARTIAL: half\nREMAINING: {ALL}\n" + insights([f"When live, use {ALL}"])
    with closing(sqlite3.connect(scene.database(project), isolation_level=None)) as conn:
        conn.execute("BEGIN EXCLUSIVE")
        fire("PostToolUse", project, prompt=PROMPT)
        fire("SubagentStop", project, last_assistant_message=message)
        assert len(scene.spooled(project)) == 2
        nowhere(project / ".helix")
    fire("SubagentStop", project, last_assistant_message=message)  # it fires twice
    fire("SessionStart", project, session_id="s2")
    assert scene.spooled(project) == []
    assert scene.outcomes(project) == [("a1", "partial")]
    assert scene.one(project, "SELECT count(*) FROM session_log") == 1
    assert scene.one(project, "SELECT count(*) FROM insight") == 1
    nowhere(project / ".helix", user.home)


def test_what_a_person_types(user: User, project: Path) -> None:
    [name] = scene.store_directly(project, LESSON)
    for kind, fake in FAKES.items():
        text = f"When deploying, use {fake.text} because prod needs it"
        for arguments in (
            ("store", text),
            ("edit", name, "--content", text),
            ("tag", name, f"+{fake.text}"),
            ("store", f"{LESSON} {kind}", "--tag", fake.text),
        ):
            ran = command(project, *arguments)
            assert (ran.code, arguments[0], kind) == (1, arguments[0], kind)
            assert "credential: " in ran.out + ran.err
            assert fake.core not in ran.out + ran.err
        command(project, "recall", text)
    assert scene.rows(project, "SELECT content, tags FROM insight") == [(LESSON, "[]")]
    nowhere(project / ".helix", user.home)


def test_what_the_orchestrator_hands_over(user: User, project: Path) -> None:
    scene.store_directly(project, LESSON)
    texts = [fake.text for fake in FAKES.values()][:25]
    rest = [fake.text for fake in FAKES.values()][25:]
    notes = {"objective": texts[0], "constraints": texts, "risk_areas": rest,
             "exploration_targets": texts}  # fmt: skip
    helix(project, "recall-synthesis", "set", stdin=json.dumps(notes))
    helix(project, "strategic-recall", ALL)
    helix(project, "batch-inject", "--tasks", json.dumps([{"seq": 1, "description": ALL}]))
    plan = [{"seq": n, "slug": f"s{n}", "description": text, "verify": f"{text} pytest",
             "relevant_files": [text], "blocked_by": []}
            for n, text in enumerate([*texts, *rest], 1)]  # fmt: skip
    helix(project, "dag", "plan", "-", stdin=json.dumps(plan))
    assert scene.one(project, "SELECT count(*) FROM task") == len(FAKES)
    helix(project, "dag", "set", "1", "skip", "--reason", "-", stdin=ALL)
    for number, fake in enumerate(FAKES.values(), 1):
        option = {"label": f"use it {number}", "description": fake.text}
        asked = {"header": "Which?", "question": f"Task {number} says {fake.text}. Why?",
                 "options": [option, {"label": "no"}]}  # fmt: skip
        ran = command(project, "learn", "ask", _file(project, asked), "--session", "s1")
        assert ran.code == 0, ran.err
        insight = f"When live, use {fake.text}"
        refused = command(project, "learn", "answer", str(number), "--insight", insight)
        assert refused.code == 1 and "credential: " in refused.err
        words = f"because of {fake.text}"
        assert command(project, "learn", "answer", str(number), "--text", words).code == 0
    answered = "SELECT count(*) FROM question WHERE state = 'answered'"
    assert scene.one(project, answered) == len(FAKES)
    (project / "asked.json").unlink()
    nowhere(project, user.home)


def _file(project: Path, value: object) -> str:
    file = project / "asked.json"
    file.write_text(json.dumps(value), encoding="utf-8")
    return str(file)


def test_what_is_imported(user: User, project: Path, tmp_path: Path) -> None:
    [name] = scene.store_directly(project, LESSON)
    command(project, "feedback", name, "--outcome", "delivered", "--causal", f"{name}=0.9")
    command(project, "edit", name, "--content", f"{LESSON} at once")
    exported = tmp_path / "export.jsonl"
    assert command(project, "export", str(exported)).code == 0
    lines = [json.loads(line) for line in exported.read_text().splitlines()]
    other = tmp_path / "other"
    other.mkdir()
    for fake in FAKES.values():
        spoilt = [lines[0], *(_spoilt(line, fake.text) for line in lines[1:])]
        exported.write_text("".join(json.dumps(line) + "\n" for line in spoilt))
        command(other, "import", str(exported))
    notes = tmp_path / "notes.md"
    bullets = [f"- When deploying, use {f.text} because prod needs it" for f in FAKES.values()]
    notes.write_text("# Lessons\n\n" + "\n".join([*bullets, f"- {LESSON}"]) + "\n")
    assert command(other, "import", str(notes)).code in {0, 1}
    assert scene.one(other, "SELECT count(*) FROM insight WHERE content = ?", LESSON) == 1
    nowhere(other / ".helix", project / ".helix", user.home)


def _spoilt(value: object, secret: str) -> object:
    """An export's line with a secret in every text of more than one word, and in every tag."""
    if isinstance(value, dict):
        spoilt = {key: _spoilt(item, secret) for key, item in value.items()}
        return {**spoilt, **({"tags": [secret]} if "tags" in value else {})}
    if isinstance(value, list):
        return [_spoilt(item, secret) for item in value]
    return f"{value} {secret}" if isinstance(value, str) and " " in value else value


def test_what_the_logs_repeat(light: Light, user: User, project: Path) -> None:
    scene.store_directly(project, LESSON)
    fire("SessionStart", project)
    light.wait_for_one()
    place = paths.find_project(project)
    for fake in FAKES.values():
        log.write(place.home, "warn", "x" * 1980 + f" {fake.text}")  # cut in its middle
        args = {"content": LESSON, "effectiveness": f" {fake.text}"}
        with pytest.raises(WorkerError):
            client.request("store", args, place, first_ms=scene.PATIENCE_MS)
    written = (paths.data_dir() / "worker.log").read_text()
    assert written.count("secret removed") > 0.8 * len(FAKES)
    nowhere(project / ".helix", user.home)
