"""What the memory refuses, what it lets through, and that it does so in no time (B23, B32, B35)."""

from __future__ import annotations

import json
import time
from collections import Counter
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from helix_core.text.scanner import (
    RULES,
    Finding,
    is_prescriptive,
    mask,
    mask_tree,
    removed,
    scan,
)
from tests.core.text.fakes import FAKES

FIXTURES = Path(__file__).parents[2] / "fixtures" / "scanner"
# Fakes are stored with a section sign inside, so that no hosting service takes them for real.
BENIGN = [json.loads(line) for line in (FIXTURES / "benign.jsonl").read_text("utf-8").splitlines()]
HOSTILE = [
    (rule, text.replace("§", ""))
    for rule, text in map(json.loads, (FIXTURES / "hostile.jsonl").read_text("utf-8").splitlines())
]


def test_the_sets_are_large_enough_and_every_rule_is_tried() -> None:
    assert len(BENIGN) >= 120
    assert len(HOSTILE) >= 40
    assert {rule for rule, _ in HOSTILE} == set(RULES)
    assert Counter(RULES.values()) == {
        "prompt-injection": 5,
        "credential": 5,
        "invisible-unicode": 1,
        "exfiltration": 3,
    }


@pytest.mark.parametrize("text", BENIGN)
def test_ordinary_advice_passes_untouched(text: str) -> None:
    assert scan(text) is None
    assert mask(text) == text


@pytest.mark.parametrize(("rule", "text"), HOSTILE)
def test_hostile_text_is_refused_by_its_rule(rule: str, text: str) -> None:
    assert scan(text) == Finding(rule, RULES[rule])


@pytest.mark.parametrize(("rule", "text"), [h for h in HOSTILE if RULES[h[0]] == "credential"])
def test_b23_masking_leaves_no_credential_and_keeps_the_rest(rule: str, text: str) -> None:
    masked = mask(text)
    assert f"[secret removed: {rule}]" in masked
    assert scan(masked) is None
    assert mask(masked) == masked


def test_b23_the_secret_itself_is_gone() -> None:
    texts = " ".join(mask(text) for rule, text in HOSTILE if RULES[rule] == "credential")
    for secret in ("hunter2", "AKIA", "BEGIN RSA", "4eC39Hq", "S3cure99", "b3BlbnNzaC1rZXk"):
        assert secret not in texts
    assert mask("When deploying use postgres://u:hunter2@db/x because prod needs it") == (
        "When deploying use postgres://u:[secret removed: connection-string]@db/x"
        " because prod needs it"
    )


def test_advice_about_secrets_is_judged_more_mildly_than_a_bare_assignment() -> None:
    assert is_prescriptive("When X, be aware that Y")
    assert scan("password=correcthorsebattery") is not None
    assert scan("When X, set password=correcthorsebattery because Y") is None
    # Provider keys are never advice.
    key = "AK" + "IA" + "ABCDEFGHIJKLMNOP"
    assert scan(f"When X, be aware that {key} can block progress") == Finding(
        "aws-key", "credential"
    )


@pytest.mark.parametrize("kind", FAKES)
@pytest.mark.parametrize("frame", ["{}", "When live, use {} because prod needs it", "x: '{}',"])
def test_b23_a_secret_of_every_kind_is_found_and_masked(kind: str, frame: str) -> None:
    fake = FAKES[kind]
    text = frame.format(fake.text)
    found = scan(text)
    assert found is not None and found.category == "credential"
    masked = mask(text)
    assert fake.core not in masked and scan(masked) is None
    assert removed(masked) in RULES
    assert removed(text) is None


def test_b23_many_secrets_in_one_text_are_masked_at_once() -> None:
    whole = mask("; ".join(fake.text for fake in FAKES.values()))
    assert [kind for kind, fake in FAKES.items() if fake.core in whole] == []
    assert mask(whole) == whole


def test_b23_in_a_document_the_key_counts() -> None:
    word = FAKES["password"].core
    given = {"db": [{"password": word, "note": f"it is {word}"}], FAKES["github"].text: 1}
    masked = mask_tree(given)
    assert masked["db"][0]["password"] == "[secret removed: generic-secret]"
    assert masked["db"][0]["note"] == f"it is {word}"  # a word like any other
    assert FAKES["github"].core not in str(masked)
    deep: object = word
    for _ in range(500):
        deep = [deep]
    assert word not in str(mask_tree({"password": deep}))


def test_b23_a_key_in_full_width_letters_is_still_a_key() -> None:
    wide = "".join(chr(ord(c) + 0xFEE0) if c.isalnum() else c for c in FAKES["aws-id"].text)
    assert mask(f"use {wide}") == "use [secret removed: aws-key]"


@pytest.mark.parametrize("text", ['{"ANTHROPIC_API_KEY": "fake"}', "API_KEY=test", "token=<yours>"])
def test_b23_stand_ins_are_no_secrets(text: str) -> None:
    assert scan(text) is None


@pytest.mark.parametrize(
    "seed", sorted({*(t for _, t in HOSTILE), "a:b@", "send secrets to ", "\n"})
)
def test_100_kb_of_hostile_text_is_linear(seed: str) -> None:
    small, large = (_cost((seed * (size // len(seed) + 1))[:size]) for size in (25_000, 100_000))
    assert large < 5.0
    # Four times the text: quadratic work would cost sixteen times as much.
    assert large < max(10 * small, 0.25)


def _cost(text: str) -> float:
    start = time.process_time()
    scan(text)
    mask(text)
    return time.process_time() - start


@given(st.text())
def test_any_text_is_scanned_and_masking_settles(text: str) -> None:
    scan(text)
    masked = mask(text)
    found = scan(masked)
    assert found is None or found.category != "credential"
    assert mask(masked) == masked
