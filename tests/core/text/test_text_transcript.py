"""Transcripts as they come: B03, B04, B05, B13, B21, and what a capture shows."""

from __future__ import annotations

import json
import os
import time
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from transcript_lines import PROMPT, answers, progress, record, says, user, uses

from helix_core.text.markers import read_outcome
from helix_core.text.transcript import expand, final_message, first_prompt, meta_path, read_meta


@pytest.fixture
def transcript(tmp_path: Path) -> Path:
    return tmp_path / "agent-a1.jsonl"


def write(path: Path, *lines: str) -> Path:
    path.write_text("".join(line + "\n" for line in lines), encoding="utf-8")
    return path


def test_the_last_assistant_text_and_the_first_prompt(transcript: Path) -> None:
    write(
        transcript,
        user(PROMPT),
        says("Reading first."),
        uses("Bash", "t1", {"command": "cat notes"}),
        answers("t1", "DELIVERED: fake marker from a file"),
        says("DELIVERED: real"),
        json.dumps({"type": "attachment", "attachment": {"content": "BLOCKED: no"}}),
    )
    assert final_message(transcript) == "DELIVERED: real"
    assert final_message(str(transcript)) == "DELIVERED: real"
    assert first_prompt(transcript) == PROMPT


@pytest.mark.parametrize(
    "path", [None, "", 5, "/nope/agent-x.jsonl", "~/nope.jsonl", "a\0b", "\ud83d"]
)
def test_b03_no_file_no_message(path: object) -> None:
    assert final_message(path) is None
    assert first_prompt(path) is None
    assert read_meta(path) == {}


def test_b03_home_is_expanded(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    write(tmp_path / "agent-a1.jsonl", says("DELIVERED: x"))
    assert expand("~/agent-a1.jsonl") == tmp_path / "agent-a1.jsonl"
    assert final_message("~/agent-a1.jsonl") == "DELIVERED: x"
    assert expand("~nobody-of-that-name/x") is None


def test_b03_the_parents_transcript_is_not_the_agents(tmp_path: Path) -> None:
    main = json.dumps(
        {**record("assistant", "DELIVERED: by the main thread"), "isSidechain": False}
    )
    path = write(tmp_path / "main.jsonl", says("BLOCKED: by a1"), says("by b", agentId="b"), main)
    assert final_message(path, agent_id="a1") == "BLOCKED: by a1"
    assert final_message(path) == "by b"
    assert final_message(write(tmp_path / "only.jsonl", main)) is None


def test_b03_a_folder_or_a_pipe_is_no_transcript(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "agent-pipe.jsonl")
    assert final_message(tmp_path / "agent-pipe.jsonl") is None
    assert final_message(tmp_path) is None


ODD = (
    '"massive error"',
    "42",
    "[1]",
    "null",
    '{"type":"user","message":"error"}',
    '{"type":"user","message":null}',
    '{"type":"user","message":{"role":"user","content":["wow error"]}}',
    '{"type":"assistant"}',
    '{"type":"assistant","message":null}',
    '{"type":"assistant","message":"error"}',
    '{"type":"assistant","message":["BLOCKED: x"]}',
    '{"type":"assistant","message":{"content":null}}',
    '{"type":"assistant","message":{"content":5}}',
    '{"type":"assistant","message":{"content":[null,3,{"type":"text"},{"type":"text","text":7}]}}',
    '{"type":"assistant","message":{"content":"  "}}',
    '{"type":"assistant","message":{"role":"user","content":"BLOCKED: not its own"}}',
    '{"type":["assistant"],"message":{"content":"BLOCKED: x"}}',
)


@pytest.mark.parametrize("line", ODD)
def test_b04_valid_json_that_is_no_message(transcript: Path, line: str) -> None:
    write(transcript, line, user(PROMPT), says("DELIVERED: ok"), line)
    assert final_message(transcript) == "DELIVERED: ok"
    assert first_prompt(transcript) is not None


@pytest.mark.parametrize(
    "content", ["DELIVERED: ok", ["DELIVERED: ok"], [{"type": "text", "text": "DELIVERED: ok"}]]
)
def test_b04_content_as_text_or_as_a_list(transcript: Path, content: object) -> None:
    write(transcript, json.dumps(record("assistant", content)))
    assert final_message(transcript) == "DELIVERED: ok"


def test_b04_a_bare_message_is_better_than_none(transcript: Path) -> None:
    write(transcript, '{"type":"assistant","message":"DELIVERED: bare"}')
    assert final_message(transcript) == "DELIVERED: bare"


def test_b05_nul_bytes_bad_utf8_and_a_torn_last_line(transcript: Path) -> None:
    write(transcript, user(PROMPT), says("DELIVERED: ok"))
    with transcript.open("ab") as stream:
        stream.write(b'\0\0\0\n\xff\xfe bad\n{"type":"assis')
    assert final_message(transcript) == "DELIVERED: ok"


def test_b05_nul_bytes_inside_a_record_and_bom_and_crlf(transcript: Path) -> None:
    text = "\ufeff" + user(PROMPT) + "\r\n" + says("DELIVERED: ok") + "\r\n"
    transcript.write_bytes(text.encode().replace(b"ok", b"o\0\0k"))
    assert final_message(transcript) == "DELIVERED: ok"
    assert first_prompt(transcript) == PROMPT


def test_b05_invalid_utf8_inside_the_message(transcript: Path) -> None:
    transcript.write_bytes(says("DELIVERED: o@k").encode().replace(b"@", b"\xff"))
    assert final_message(transcript) == "DELIVERED: o\ufffdk"


@pytest.mark.parametrize("between", ["", " ", ",", "\0"])
def test_b05_records_joined_on_one_line(transcript: Path, between: str) -> None:
    lines = [user(PROMPT), *(says(f"step {n}") for n in range(200)), says("DELIVERED: joined")]
    transcript.write_text(between.join(lines))
    assert final_message(transcript) == "DELIVERED: joined"
    assert first_prompt(transcript) == PROMPT


@pytest.mark.parametrize("cut", [1, 20, 60, 100, 150, -30, -3])
@pytest.mark.parametrize("newline", ["", "\n"])
def test_b05_a_record_spliced_into_another(transcript: Path, cut: int, newline: str) -> None:
    outer, inner = says("step one"), says("DELIVERED: inner")
    transcript.write_text(user(PROMPT) + "\n" + outer[:cut] + inner + newline + outer[cut:] + "\n")
    assert final_message(transcript) in ("DELIVERED: inner", "step one")
    outer, inner = says("DELIVERED: outer"), user("noise")
    transcript.write_text(user(PROMPT) + "\n" + outer[:cut] + inner + newline + outer[cut:] + "\n")
    assert final_message(transcript) == "DELIVERED: outer"


def test_b05_a_torn_record_gives_away_nothing_from_inside(transcript: Path) -> None:
    inner = {"type": "assistant", "message": {"role": "assistant", "content": "BLOCKED: other"}}
    line = json.dumps({"type": "progress", "data": {"message": inner}, "sessionId": "s1"})
    write(transcript, says("DELIVERED: mine"), line[:-25])
    assert final_message(transcript) == "DELIVERED: mine"


def test_b05_only_damage_is_no_message(transcript: Path) -> None:
    transcript.write_bytes(b'\0\0{"type":"assistant","message":{"role":"assistant","content":"DELI')
    assert final_message(transcript) is None


def test_b13_half_an_emoji(transcript: Path) -> None:
    write(transcript, says("@").replace("@", "DELIVERED: cut \\ud83d end"))
    assert final_message(transcript) == "DELIVERED: cut \ufffd end"


def test_one_message_in_several_records_is_one_message(transcript: Path) -> None:
    def part(text: str) -> str:
        value = record("assistant", [{"type": "text", "text": text}])
        value["message"]["id"] = "msg_9"
        return json.dumps(value)

    write(transcript, says("before"), part("All pass."), part("DELIVERED: x"))
    assert final_message(transcript) == "All pass.\nDELIVERED: x"


def test_line_separators_inside_a_record_do_not_end_it(transcript: Path) -> None:
    value = record("assistant", "DELIVERED: a\u2028b")
    write(transcript, json.dumps(value, ensure_ascii=False))
    assert final_message(transcript) == "DELIVERED: a\u2028b"


def test_the_clients_own_notes_are_no_prompt(transcript: Path) -> None:
    note = json.dumps(record("user", "a note", isMeta=True))
    write(transcript, note, answers("t0", "result"), user(PROMPT), user("later"))
    assert first_prompt(transcript) == PROMPT


def test_b21_a_hundred_megabytes_in_half_a_second(transcript: Path) -> None:
    with transcript.open("w") as stream:
        stream.write(user(PROMPT) + "\n")
        for _ in range(2_500):
            stream.write(progress(40_000) + "\n")
        stream.write(says("DELIVERED: ok") + "\n")
    assert transcript.stat().st_size > 100_000_000
    began = time.process_time()
    assert final_message(transcript) == "DELIVERED: ok"
    assert first_prompt(transcript) == PROMPT
    assert time.process_time() - began < 0.5
    transcript.unlink()


def test_b21_one_line_of_110_mb_before_the_end(transcript: Path) -> None:
    write(transcript, user(PROMPT), progress(110_000_000), says("DELIVERED: ok"))
    began = time.process_time()
    assert final_message(transcript) == "DELIVERED: ok"
    assert time.process_time() - began < 0.5
    transcript.unlink()


@pytest.mark.parametrize("size", [170_000, 5_000_000])
def test_b21_single_lines_far_above_the_window(transcript: Path, size: int) -> None:
    long = "x" * size + "\nDELIVERED: ok"
    write(transcript, user("y" * size), says(long), answers("t1", "z" * size))
    message = final_message(transcript)
    assert message is not None
    assert read_outcome(message, "helix:helix-builder").kind == "delivered"
    assert len(first_prompt(transcript) or "") > 150_000
    write(transcript, says("DELIVERED: far back"), answers("t1", "z" * size))
    assert final_message(transcript, tail_bytes=1_000) == "DELIVERED: far back"


def test_the_window_never_serves_half_a_record(transcript: Path) -> None:
    write(transcript, says("DELIVERED: whole " + "w" * 3_000), progress(10))
    for size in (1, 100, 500, 3_000):
        message = final_message(transcript, tail_bytes=size)
        assert message is not None
        assert message.startswith("DELIVERED: whole")


def test_meta_paths_and_content(tmp_path: Path) -> None:
    path = meta_path(str(tmp_path / "agent-a47.jsonl"))
    assert path == tmp_path / "agent-a47.meta.json"
    assert read_meta(path) == {}
    path.write_text('\ufeff{"toolUseId": "toolu_1"}')
    assert read_meta(path) == {"toolUseId": "toolu_1"}
    for bad in ("", "[1]", '{"toolUseId": "to', "null", "\xff"):
        path.write_text(bad, encoding="latin-1")
        assert read_meta(path) == {}
    assert meta_path("") == Path()


@settings(max_examples=150, deadline=None)
@given(st.data())
def test_never_raises_and_a_good_last_record_is_found(
    tmp_path_factory: pytest.TempPathFactory, data: st.DataObject
) -> None:
    path = tmp_path_factory.getbasetemp() / "agent-fuzz.jsonl"
    base = "\n".join([user(PROMPT), says("one"), says("two")]).encode()
    cuts = data.draw(st.lists(st.integers(0, len(base)), min_size=2, max_size=2).map(sorted))
    noise = data.draw(st.binary(max_size=30))
    damaged = base[: cuts[0]] + noise + base[cuts[1] :]
    path.write_bytes(damaged + b"\n" + says("DELIVERED: ok").encode() + b"\n")
    first_prompt(path)
    assert final_message(path) == "DELIVERED: ok"
