"""batch-inject serves a wave as the hook would have, and only what it offered is believed.

decision 3 (no insight twice while another is free), decision 2 (the query), decision 29 (the
ranking), pitfalls: INJECTED names are believed only where they were offered to this very task.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from helix_core.text.fields import read_prompt
from tests.hooks import scene
from tests.hooks.fire import fire
from tests.hooks.shell import helix
from tests.hooks.test_claims import TASK, relevant

PROCEDURE = (
    "When the upload service is rolled out:\n1. stop the queue\n2. migrate the bucket\n3. start it"
)


def asked(project: Path, tasks: Sequence[dict[str, Any]], session: str = "s1") -> list[Any]:
    """What batch-inject gives for tasks handed over on standard input."""
    text = json.dumps(list(tasks))
    return list(
        helix(project, "batch-inject", "--tasks", "-", "--json", stdin=text, session=session)
        .json["tasks"]
    )  # fmt: skip


def by_hook(project: Path, prompt: str, key: str, session: str = "s1") -> str:
    """The block the hook puts under a prompt."""
    fired = fire("PreToolUse", project, prompt=prompt, tool_use_id=key, session_id=session)
    assert (fired.code, fired.err) == (0, "")
    return str(fired.specific("updatedInput")["prompt"]).removeprefix(prompt).strip()


class Cases:
    """The same with and without the worker."""

    @pytest.mark.parametrize("siblings", [0, 1, 2])
    def test_one_task_gets_what_the_hook_gives_beside_the_same_siblings(
        self, project: Path, siblings: int
    ) -> None:
        relevant(project, 3)
        scene.change(
            project, "UPDATE insight SET effectiveness = 0.9, use_count = 9, causal_hits = 9"
        )
        for number in range(siblings):
            by_hook(project, scene.task(TASK, 10 + number), f"toolu_{number}")
        files = ["src/upload/retry.py"]
        (task,) = asked(
            project, [{"task_id": 1, "task": TASK, "objective": "green tests", "files": files}]
        )
        assert task["injected"] == list(read_prompt(f"{TASK}\n\n{task['block']}").injected)
        prompt = (
            f"TASK_ID: 1\nTASK: {TASK}\nOBJECTIVE: green tests\nVERIFY: pytest\n"
            f"RELEVANT_FILES:\n- {files[0]}"
        )
        assert task["block"] == by_hook(project, prompt, "toolu_same")

    def test_a_wave_shares_out_what_there_is(self, project: Path) -> None:
        names = relevant(project, 12)
        found = asked(project, [{"task_id": n, "task": TASK} for n in range(12)])
        given = [task["injected"] for task in found]
        assert [len(each) for each in given] == [1] * 12
        assert sorted(name for each in given for name in each) == sorted(names)

    def test_more_tasks_than_insights_share_rather_than_go_without(self, project: Path) -> None:
        names = relevant(project, 2)
        found = asked(project, [{"task_id": n, "task": TASK} for n in range(4)])
        assert {name for task in found for name in task["injected"]} == set(names)
        assert all(len(task["injected"]) == 1 for task in found)

    def test_a_pasted_block_is_believed_and_nothing_is_added(self, project: Path) -> None:
        relevant(project, 2)
        first, second = asked(project, [{"task_id": n, "task": TASK} for n in ("07", 8)])
        prompt = f"{scene.task(TASK, 7)}\n{first['block']}"
        assert fire("PreToolUse", project, prompt=prompt, tool_use_id="toolu_7").answer is None
        foreign = f"{scene.task(TASK, 8)}\n{first['block']}"
        fire("PreToolUse", project, prompt=foreign, tool_use_id="toolu_8")
        rows = "SELECT tool_use_id, name, source FROM injection"
        assert scene.rows(project, rows) == [("toolu_7", first["injected"][0], "orchestrator")]
        assert first["injected"] != second["injected"]
        assert "was not offered for this task" in scene.log(project)

    def test_another_session_cannot_use_an_offer(self, project: Path) -> None:
        relevant(project, 1)
        (task,) = asked(project, [{"task_id": 1, "task": TASK}], session="s2")
        fire("PreToolUse", project, prompt=f"{scene.task(TASK, 1)}\n{task['block']}")
        assert scene.rows(project, "SELECT name FROM injection") == []


class TestByKeyword(Cases):
    """By keyword, without a worker."""

    def test_it_says_that_it_went_by_keyword(self, project: Path) -> None:
        relevant(project, 1)
        said = helix(project, "batch-inject", "--tasks", json.dumps([{"task_id": 1, "task": TASK}]))
        assert said.code == 0 and "by keyword" in said.err
        assert said.out.startswith("## TASK_ID: 1\nINSIGHTS (from past experience):\n")

    def test_a_task_gives_its_best_to_one_that_has_nothing_else(self, project: Path) -> None:
        both, one = scene.store(
            project,
            "When the invoice renewal mail job hangs, look at its lock first",
            "When an invoice renewal is late, compare the clocks of both hosts",
        )
        tasks = ["Repair the invoice renewal mail job", "Watch over the mail job"]
        alone = [asked(project, [{"task_id": 1, "task": task}])[0]["injected"] for task in tasks]
        assert alone == [[both], [both]]
        found = asked(project, [{"task_id": n, "task": task} for n, task in enumerate(tasks)])
        assert [task["injected"] for task in found] == [[one], [both]]

    def test_second_places_wait_until_every_task_has_its_first(self, project: Path) -> None:
        names = relevant(project, 3)
        scene.change(  # proven: three for one task, were it alone
            project, "UPDATE insight SET effectiveness = 0.9, use_count = 9, causal_hits = 9"
        )
        (alone,) = asked(project, [{"task_id": 0, "task": TASK}])
        assert sorted(alone["injected"]) == sorted(names)
        found = asked(project, [{"task_id": n, "task": TASK} for n in range(2)])
        assert [len(task["injected"]) for task in found] == [2, 1]
        assert sorted(name for task in found for name in task["injected"]) == sorted(names)


@pytest.mark.usefixtures("worker")
class TestWithWorker(Cases):
    """Through the worker, by meaning."""

    def test_a_procedure_has_numbered_steps(self, project: Path) -> None:
        scene.store(project, PROCEDURE, tags=["procedure"])
        (task,) = asked(project, [{"task_id": 1, "task": "Roll the upload service out"}])
        steps = [line.strip() for line in task["block"].splitlines() if line.startswith("    ")]
        assert steps == [
            "1. When the upload service is rolled out:",
            "2. stop the queue",
            "3. migrate the bucket",
            "4. start it",
        ]


def test_an_empty_memory_says_so_and_a_full_one_that_nothing_fits(project: Path) -> None:
    (task,) = asked(project, [{"task_id": 1, "task": TASK}])
    assert (task["block"], task["injected"]) == ("NO_PRIOR_MEMORY: Novel domain.", [])
    scene.store(project, "When the moon is full, paint the fence in blue")
    (task,) = asked(project, [{"task_id": 1, "task": TASK}])
    assert task["block"].startswith("NO_MATCHING_INSIGHTS")


@pytest.mark.parametrize("text", ["設定ファイルの解析を直す", "Почини разбор файла настроек"])
def test_tasks_in_any_script(project: Path, text: str) -> None:
    (name,) = scene.store(project, f"{text}: まず tabs を見る")
    (task,) = asked(project, [{"task_id": "тест-1", "task": text}])
    assert (task["task_id"], task["injected"]) == ("тест-1", [name])


@pytest.mark.parametrize(
    ("document", "place"),
    [
        ("", "tasks: empty"),
        ("[{", "tasks: no valid JSON"),
        ("{}", "tasks: must be a list of 1 to 12"),
        ("[]", "tasks: must be a list of 1 to 12"),
        (json.dumps([{"task_id": n, "task": "x"} for n in range(13)]), "1 to 12"),
        ("[3]", "tasks[0]: must be an object"),
        ('[{"task": "x"}]', "tasks[0].task_id: missing"),
        ('[{"task_id": null, "task": "x"}]', "tasks[0].task_id: must be a number"),
        ('[{"task_id": true, "task": "x"}]', "tasks[0].task_id"),
        ('[{"task_id": 1}]', "tasks[0].task: missing"),
        ('[{"task_id": 1, "task": " "}]', "tasks[0].task: must not be empty"),
        ('[{"task_id": 1, "task": ["x"]}]', "tasks[0].task: must be a text, not a list"),
        ('[{"task_id": 1, "task": "x", "files": "a"}]', "tasks[0].files: must be a list"),
        ('[{"task_id": 1, "task": "x", "files": [1]}]', "tasks[0].files[0]: must be a text"),
        ('[{"task_id": 1, "task": "x", "verify": "y"}]', "tasks[0].verify: unknown"),
        ('[{"task_id": 1, "task": "x"}, {"task_id": "1", "task": "y"}]', "tasks[1].task_id"),
        ("[" * 100_000, "tasks: n"),
        ('[{"task_id": NaN, "task": "x"}]', "NaN"),
    ],
    ids=lambda value: str(value)[:30],
)
def test_a_fault_is_named_by_its_place(project: Path, document: str, place: str) -> None:
    said = helix(project, "batch-inject", "--tasks", "-", stdin=document)
    assert said.code == 2 and place in said.refusal
    assert not (project / ".helix").exists()


def test_other_ways_in_and_what_is_wrong_with_them(project: Path) -> None:
    relevant(project, 1)
    file = project / "wave.json"
    file.write_text(json.dumps([{"task_id": 1, "task": TASK}]))
    assert helix(project, "batch-inject", "--tasks", "wave.json", "--json").json["tasks"]
    missing = helix(project, "batch-inject", "--tasks", "nowhere.json")
    assert missing.code == 2 and "cannot read 'nowhere.json'" in missing.refusal
    binary = helix(project, "batch-inject", "--tasks", "-", stdin=b"\xff\xfe[")
    assert binary.code == 2 and binary.refusal
    outside = helix(project, "batch-inject", "--tasks", "wave.json", session=None)
    assert outside.code == 2 and "which session" in outside.refusal
