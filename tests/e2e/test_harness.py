"""The harness has to be able to fail: its checks are tried on records that are wrong."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from tests.e2e.checks import Builder, faults_of_injection, given_twice, injected_lines
from tests.e2e.loopback_api import Call, LoopbackApi, Refuse, Say
from tests.e2e.scenario import (
    PLANS,
    WAITING,
    Scenario,
    builder_task,
    call_id,
    final_message,
    prompt_of,
)
from tests.e2e.watch import FolderWitness
from tests.e2e.world import TASKS, task_of, waves


def given(seq: int, *insights: str) -> Builder:
    """The builder of a task as it would stand in a right run, with these insights."""
    task = task_of(seq)
    lines = "\n".join(f"  - [50%] {line}" for line in insights or (task.insight,))
    text = f"{prompt_of(task)}\nINSIGHTS (from past experience):\n{lines}\n\nINJECTED: []"
    return Builder(f"agent{seq}", call_id(task), text)


RIGHT = [given(task.seq) for task in TASKS]


def test_a_right_run_has_no_faults() -> None:
    assert faults_of_injection(RIGHT) == []
    assert injected_lines(RIGHT[0].text) == [TASKS[0].insight]


@pytest.mark.parametrize(("one", "other"), [(0, 1), (6, 11), (3, 20)])
def test_swapped_prompts_are_a_fault(one: int, other: int) -> None:
    wrong = list(RIGHT)
    wrong[one] = replace(RIGHT[one], text=RIGHT[other].text)
    wrong[other] = replace(RIGHT[other], text=RIGHT[one].text)
    faults = "\n".join(faults_of_injection(wrong))
    assert f"task {one + 1} was not given its own insight" in faults
    assert f"task {other + 1} was given the insight of task {one + 1}" in faults
    assert f"the builder of task {one + 1} was given the text of another task" in faults


def test_swapped_insights_are_a_fault_though_each_task_text_is_right() -> None:
    wrong = [given(1, TASKS[1].insight), given(2, TASKS[0].insight), *RIGHT[2:]]
    assert len(faults_of_injection(wrong)) == 4


def test_a_missing_builder_a_bare_prompt_and_a_second_copy_are_faults() -> None:
    assert "task 24 has no builder" in faults_of_injection(RIGHT[:-1])
    bare = Builder("a", call_id(TASKS[0]), prompt_of(TASKS[0]))
    assert len(faults_of_injection([bare, *RIGHT[1:]])) == 1
    extra = "When anything happens, write it down because memory fades"
    twice = [given(s, task_of(s).insight, extra) for s in (1, 2)]
    assert faults_of_injection([*twice, *RIGHT[2:]]) == [f"wave 0: given twice: {extra}"]
    assert given_twice([twice[0].text, RIGHT[1].text]) == []


def test_the_witness_sees_files_that_live_for_an_instant(tmp_path: Path) -> None:
    with FolderWitness(tmp_path) as witness:
        for number in range(40):
            half = tmp_path / f".{number}.tmp"
            half.write_text("{}", encoding="utf-8")
            half.rename(tmp_path / f"a{number}.json")
            (tmp_path / f"a{number}.json").unlink()
    assert witness.json_files == {f"a{number}" for number in range(40)}


def request(
    *messages: tuple[str, object], tools: tuple[str, ...] = ("Agent",)
) -> dict[str, object]:
    """A Messages API request with these turns."""
    turns = [{"role": role, "content": content} for role, content in messages]
    return {"messages": turns, "tools": [{"name": name} for name in tools]}


def test_the_script_launches_a_wave_only_after_the_one_before_has_ended() -> None:
    script = Scenario(PLANS["waves"], background=True)
    first = script(request(("user", "go")))
    assert not isinstance(first, Refuse)
    calls = [block for block in first if isinstance(block, Call)]
    assert [call.id for call in calls] == [call_id(task) for task in waves()[0]]
    turn = ("assistant", [block.whole() for block in first])
    launched = ("user", "launched")
    waiting = script(request(("user", "go"), turn, launched))
    assert not isinstance(waiting, Refuse)
    (wait,) = waiting
    assert isinstance(wait, Call) and wait.name == "Bash"  # until six builders have ended
    assert f"-ge {len(calls)} ]" in wait.arguments["command"]
    asked = ("assistant", [wait.whole()])
    assert script(request(("user", "go"), turn, launched, asked)) == [Say(WAITING)]
    ended = ("user", [{"type": "tool_result", "tool_use_id": wait.id, "content": ""}])
    second = script(request(("user", "go"), turn, launched, asked, ended))
    assert not isinstance(second, Refuse)
    assert second[1] == script._launch(waves()[1][0])


def test_a_builder_reads_the_notes_then_ends_as_its_task_says() -> None:
    script = Scenario(PLANS["waves"], background=False)
    for task in TASKS:
        prompt = ("user", prompt_of(task))
        assert builder_task(request(prompt)) == task.seq
        first = script(request(prompt))
        assert not isinstance(first, Refuse)
        assert len(first) == (2 if task.check == "not run" else 3)
        turn = ("assistant", [block.whole() for block in first])
        last = script(request(prompt, turn, ("user", [])))
        crashed = task.ending == "crashed"
        assert isinstance(last, Refuse) if crashed else last == [Say(final_message(task))]


def test_messages_of_the_loopback_api_have_ids_of_their_own(tmp_path: Path) -> None:
    record = tmp_path / "requests.jsonl"
    api = LoopbackApi(lambda body: [Say("hello")], record)
    with api:
        ids = {api.message("m")["id"] for _ in range(5)}
        assert api.decide("/v1/messages", {"messages": []}) == [Say("hello")]
    assert len(ids) == 5
    assert record.read_text(encoding="utf-8").count("\n") == 1
