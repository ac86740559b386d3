"""Whatever arrives on a hook's standard input: exit code 0, a valid answer or none, no harm done.

Real payloads of three client versions are mutated: values replaced, keys dropped, types swapped,
texts made hostile. 20,000 of them go through the hook's own code in this process (spread over all
events), and 300 through real hook processes, some of them not even JSON.
"""

from __future__ import annotations

import json
import os
import random
import subprocess
import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from copy import deepcopy
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from helix_core.hooks import events, extraction, process
from helix_core.store.connection import open_store
from tests.hooks import scene
from tests.hooks.fire import ROOT

PAYLOADS = ROOT / "tests" / "fixtures" / "claude-code"
HANDLED = sorted(events.HANDLERS)
INPUTS, PROCESSES = 20_000, 300
SHARDS = 4
HOSTILE: tuple[Any, ...] = (
    None, True, 0, -1, 1e308, 2**70, "", " ", "\x00", "\ud83d", "é\u202e\u200d", "[/]", "'; DROP--",
    "../../../etc/passwd", "/dev/stdin", "/dev/zero", "~/nope.jsonl", "~root/x", "/", "a" * 70_000,
    [], {}, [[]], [None], {"": {}}, ["DELIVERED: x"], {"text": "x"}, "DELIVERED: done",
    "BLOCKED: the reason is a long one, it says enough\n" * 3, "INSIGHT: {\"content\": null}",
    "INSIGHT: {\"content\": \"When fuzzed, stay calm because it ends\", \"tags\": 7}",
    "PLAN_SPEC:\n[{\"seq\": null}]\nPLAN_COMPLETE: 1", "PLAN_SPEC:\n[[1]]",
    "```json\n{\"findings\":",
    "TASK_ID: 1\nTASK: x\nINJECTED: [\"a\", 5]\nINSIGHTS (from past experience):\n- [50%] y",
    "helix:helix-builder", "helix-planner", "helix:helix-explorer", "Agent", "Task", "Bash",
)  # fmt: skip
FORMS: tuple[bytes, ...] = (
    b"", b"[]", b"null", b"{", b'"x"', b"\xff\xfe\x00", b"\xef\xbb\xbf{}", b"{}{}", b"[" * 90_000,
    b'{"a":' * 5_000, b"\x00" * 1_000, b"not json at all", b'{"session_id": "\\ud83d"}',
)  # fmt: skip


def real_payloads() -> list[dict[str, Any]]:
    """Every captured payload of the events we handle."""
    found = []
    for path in sorted(PAYLOADS.glob("*/payloads/*.json")):
        if path.name.split("-")[0].removesuffix(".json") in HANDLED:
            found.append(json.loads(path.read_text(encoding="utf-8")))
    assert len(found) > 50
    return found


def paths_in(value: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """The place of every value inside a payload."""
    items = value.items() if isinstance(value, dict) else ()
    if isinstance(value, list):
        items = enumerate(value)
    for key, inner in items:
        yield (*path, key)
        yield from paths_in(inner, (*path, key))


def mutated(chance: random.Random, payload: dict[str, Any], project: Path) -> dict[str, Any]:
    """A payload with one to four values gone, replaced or spoilt; it names our own project."""
    copy: dict[str, Any] = json.loads(json.dumps(payload))
    copy["cwd"] = str(project)
    for key in ("transcript_path", "agent_transcript_path"):
        if key in copy:
            copy[key] = str(project / "nope" / "main.jsonl")
    for _ in range(chance.randint(1, 4)):
        place = chance.choice(list(paths_in(copy)))
        holder: Any = copy
        for key in place[:-1]:
            holder = holder[key]
        if place == ("cwd",):
            continue  # another project is another test; this one looks at one folder
        kind = chance.random()
        if kind < 0.15:
            del holder[place[-1]]
        elif kind < 0.3 and isinstance(holder[place[-1]], str):
            text = holder[place[-1]]
            cut = chance.randrange(len(text) + 1)
            holder[place[-1]] = text[:cut] + str(chance.choice(HOSTILE)) + text[cut:]
        else:
            holder[place[-1]] = deepcopy(chance.choice(HOSTILE))  # or they grow into each other
    return copy


def check_answer(event: str, answer: object) -> None:
    """An answer the client can read, about this very event, short enough to be shown whole."""
    if answer is None:
        return
    assert isinstance(answer, dict)
    text = json.dumps(answer)
    assert set(answer) <= {"hookSpecificOutput", "suppressOutput"}
    specific = answer["hookSpecificOutput"]
    assert specific["hookEventName"] == event
    assert len(specific.get("additionalContext", "")) < 10_000
    json.loads(text)


def files_in(folder: Path) -> set[str]:
    return {str(path.relative_to(folder)) for path in folder.rglob("*") if path.is_file()}


def outside(folder: Path) -> set[str]:
    return {name for name in files_in(folder) if not name.startswith("project/.helix/")}


@pytest.fixture
def memory(project: Path) -> Path:
    """A project with a memory in it, so that nothing is left alone for want of one."""
    done = subprocess.run(
        [sys.executable, "-m", "helix_core", "--project", str(project), "store",
         "When fuzzed, keep calm because it ends"],
        cwd=ROOT, capture_output=True, check=False, text=True,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    return project


KEYS = sorted({key for payload in real_payloads() for key in payload} - {"cwd"})
ANY_JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=60),
    lambda inner: (
        st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=12), inner, max_size=4)
    ),
    max_leaves=12,
)


@settings(
    max_examples=400, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(
    event=st.sampled_from(HANDLED),
    payload=st.dictionaries(st.sampled_from(KEYS), ANY_JSON, max_size=12),
)
def test_any_json_in_process(
    event: str, payload: dict[str, Any], memory: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(extraction, "MESSAGE_WAIT_SECONDS", 0.0)
    known = {"agent_type": "helix:helix-builder", "agent_id": "a1", "cwd": str(memory)}
    check_answer(event, process.respond(event, {**known, **payload}, 0.0))


@pytest.mark.long
@pytest.mark.parametrize("shard", range(SHARDS))
def test_inputs_in_process(
    shard: int, memory: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(extraction, "MESSAGE_WAIT_SECONDS", 0.0)  # for transcripts that never come
    chance = random.Random(f"helix {shard}")
    real = real_payloads()
    before = outside(memory.parent)
    # A reader that stays, as a dashboard does: else each hook is the last one out, and tidies up.
    with closing(open_store(scene.database(memory), readonly=True)) as reader:
        reader.execute("SELECT count(*) FROM insight").fetchone()
        for _ in range(INPUTS // SHARDS):
            payload = mutated(chance, chance.choice(real), memory)
            named = payload.get("hook_event_name")
            event = named if named in HANDLED and chance.random() < 0.9 else chance.choice(HANDLED)
            check_answer(event, process.respond(event, payload, 0.0))
    assert outside(memory.parent) == before
    assert capfd.readouterr().out == ""


@pytest.mark.long
def test_real_processes(memory: Path, user: Any) -> None:
    chance = random.Random("helix processes")
    real = real_payloads()
    inputs = []
    for number in range(PROCESSES):
        data = (
            chance.choice(FORMS)
            if number % 6 == 0
            else json.dumps(mutated(chance, chance.choice(real), memory)).encode()
        )
        inputs.append((HANDLED[number % len(HANDLED)], data))
    before = outside(memory.parent)
    with ThreadPoolExecutor(2) as pool:
        for event, done in pool.map(lambda each: (each[0], run_hook(*each, memory)), inputs):
            assert done.returncode == 0, done.stderr
            assert b"Traceback" not in done.stderr
            check_answer(event, json.loads(done.stdout) if done.stdout else None)
    assert outside(memory.parent) == before


def run_hook(event: str, data: bytes, project: Path) -> subprocess.CompletedProcess[bytes]:
    code = (
        f"import sys; sys.path.insert(0, {str(ROOT)!r});"
        f"from helix_core.hooks.process import main; main({event!r})"
    )
    return subprocess.run(
        [sys.executable, "-I", "-S", "-c", code],
        input=data,
        cwd=project,
        env={**os.environ, "CLAUDE_PROJECT_DIR": str(project)},
        capture_output=True,
        timeout=60,
        check=False,
    )
