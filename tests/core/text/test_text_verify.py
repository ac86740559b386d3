"""Decision 7: an agent's word against the VERIFY command it ran."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from helix_core.text.transcript import CommandRun
from helix_core.text.verify import check_outcome

VERIFY = "pytest tests/test_limits.py"


def ran(command: str, code: int | None = 0, output: str = "") -> CommandRun:
    return CommandRun(command, code != 0, code, output)


def verdict(command: str, code: int | None = 0, output: str = "", verify: str = VERIFY) -> str:
    return check_outcome("delivered", verify, [ran(command, code, output)])


@pytest.mark.parametrize(
    ("kind", "code", "expected"),
    [
        ("delivered", 0, "verified"),
        ("delivered", 1, "contradicted"),
        ("blocked", 1, "verified"),
        ("blocked", 0, "contradicted"),
        ("partial", 1, "verified"),
        ("partial", 0, "self"),
        ("unknown", 0, "self"),
        ("plan_complete", 1, "self"),
        ("crashed", 1, "self"),
    ],
)
def test_marker_against_result(kind: str, code: int, expected: str) -> None:
    assert check_outcome(kind, VERIFY, [ran(VERIFY, code)]) == expected


def test_the_last_run_decides() -> None:
    assert check_outcome("delivered", VERIFY, [ran(VERIFY, 1), ran(VERIFY, 0)]) == "verified"
    assert check_outcome("delivered", VERIFY, [ran(VERIFY, 0), ran(VERIFY, 2)]) == "contradicted"
    assert check_outcome("delivered", VERIFY, [ran(VERIFY, 0), ran("ls", 1)]) == "verified"


@pytest.mark.parametrize(
    "command",
    [
        "pytest tests/test_limits.py",
        "  pytest   tests/test_limits.py  -q -x",
        "pytest -q --tb short tests/test_limits.py",
        "cd /home/dev/shop && pytest tests/test_limits.py",
        "python -m pytest tests/test_limits.py",
        ".venv/bin/python3 -m pytest tests/test_limits.py",
        "uv run pytest tests/test_limits.py 2>&1",
        "CI=1 timeout -k 5 60 pytest tests/test_limits.py > out.txt",
        "ruff check . && pytest tests/test_limits.py && echo fine",
        "(cd app && pytest tests/test_limits.py)",
        "set -e\npytest 'tests/test_limits.py'\n",
        "set -o pipefail; pytest tests/test_limits.py | tail -5",
    ],
)
def test_the_check_in_its_usual_dresses(command: str) -> None:
    assert verdict(command) == "verified"


@pytest.mark.parametrize(
    "command",
    [
        "echo pytest tests/test_limits.py",
        "echo 'pytest tests/test_limits.py' && true",
        "# pytest tests/test_limits.py",
        "cat > run.sh <<'EOF'\npytest tests/test_limits.py\nEOF",
        "pytest tests/test_limits.py -k one",
        "pytest tests/test_limits.py::test_one",
        "pytest tests/test_limits.py --collect-only",
        "pytest tests/test_other.py",
        "pytest tests/test_limits.py.bak",
        "git commit -m 'pytest tests/test_limits.py'",
        "pytest tests/test_limits.py || true",
        "pytest tests/test_limits.py; echo done",
        "pytest tests/test_limits.py | tail -3",
        "make || pytest tests/test_limits.py",
        "pytest tests/test_limits.py &",
        "ls",
        "",
    ],
)
def test_what_is_no_evidence_of_a_pass(command: str) -> None:
    assert verdict(command) == "self"


@pytest.mark.parametrize(
    ("output", "expected"),
    [
        ("==== 4 passed in 0.1s ====", "verified"),
        ("==== 1 failed, 3 passed in 0.1s ====", "contradicted"),
        ("FAILED tests/test_limits.py::test_a", "contradicted"),
        ("4 passed, 1 xfailed, 0 failed", "verified"),
        ("Ran 3 tests\n\nOK", "verified"),
        ("nothing telling", "self"),
    ],
)
def test_a_masked_status_is_read_from_the_summary(output: str, expected: str) -> None:
    assert verdict("pytest tests/test_limits.py 2>&1 | tail -5", 0, output) == expected
    assert verdict("pytest tests/test_limits.py; echo end", 0, output) == expected


def test_a_failure_is_the_checks_own_only_where_nothing_else_could_fail() -> None:
    assert verdict("cd app && pytest tests/test_limits.py", 1) == "contradicted"
    assert verdict("pytest tests/test_limits.py && echo ok", 1) == "contradicted"
    assert verdict("npm ci && pytest tests/test_limits.py", 1) == "self"
    assert verdict("pytest tests/test_limits.py && ruff check .", 1) == "self"
    assert verdict("pytest tests/test_limits.py && ruff check .", 1, "2 failed") == "contradicted"
    assert verdict("pytest tests/test_limits.py", None, "boom") == "contradicted"


def test_several_checks_all_have_to_pass() -> None:
    verify = "cd app && ruff check . && pytest -q"
    both = [ran("ruff check ."), ran("cd app && pytest -q")]
    assert check_outcome("delivered", verify, both) == "verified"
    assert check_outcome("delivered", verify, both[:1]) == "self"
    assert check_outcome("delivered", verify, [both[0], ran("pytest -q", 1)]) == "contradicted"
    assert verdict(verify, 0, verify=verify) == "verified"


@pytest.mark.parametrize(
    "verify",
    [
        "`pytest -q`",
        "Run `pytest -q` and see it pass",
        "```bash\npytest -q\n```",
        "- pytest -q",
        "$ pytest -q",
    ],
)
def test_how_a_check_is_written(verify: str) -> None:
    assert verdict("pytest -q", 0, verify=verify) == "verified"


@pytest.mark.parametrize("verify", ["", "look at the page", "``", "cd app", "'unclosed"])
def test_no_check_no_verdict(verify: str) -> None:
    assert verdict("look at it", 0, verify=verify) == "self"


SHELL = st.lists(st.sampled_from([*"'\"\\`|&;\n<>()$ ", "pytest", "EOF", "<<", "-k", "=", "cd"]))


@settings(max_examples=300, deadline=None)
@given(SHELL.map("".join), SHELL.map("".join), st.sampled_from([0, 1, None]))
def test_never_raises(verify: str, command: str, code: int | None) -> None:
    assert check_outcome("delivered", verify, [ran(command, code)]) in (
        "verified",
        "contradicted",
        "self",
    )
