"""The set-up: cut short anywhere, begun by a session, by uv or pip, and what it says meanwhile."""

from __future__ import annotations

import json
import os
import random
import signal
import subprocess
import sys
import time
from contextlib import suppress
from pathlib import Path

import pytest

from helix_core import atomic, paths, provision, setup_state
from helix_core.errors import RefusedError
from tests.core.command import helix
from tests.hooks import scene
from tests.hooks.fire import fire
from tests.operation.fake_source import checkout
from tests.operation.setting_up import built, finished, imported, lacking

LESSON = "When fixing the parser, run the tokenizer tests first"


def no_one_is_at_it() -> bool:
    found = setup_state.progress()
    return found is None or found.stalled


@pytest.mark.long
def test_killed_at_any_moment_it_is_whole_in_the_end(plain: Path) -> None:
    source, venv = checkout(plain), paths.environment_dir()
    dice = random.Random(11)
    steps = set()
    for limit in (0.3, 1.0, 2.0, 4.0, 6.0, 8.0):
        process = built(source)
        time.sleep(dice.uniform(0.05, limit))
        found = setup_state.progress()
        if found is not None:
            steps.add(found.step.split()[0])
        with suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
        process.communicate()
        if not provision.is_ready(venv):
            scene.wait_for(no_one_is_at_it)  # the last of the killed lets go of the lock
    (venv / provision.STAMP).unlink(missing_ok=True)
    for info in list(venv.glob("lib/python3*/site-packages/tinya-*.dist-info/RECORD")):
        info.unlink()  # the moment between the last file and the list of files
    for part in list(venv.glob("lib/python3*/site-packages/tinya/m1*.py")):
        part.unlink()
    assert finished(source)[0] == 0
    assert provision.is_ready(venv) and lacking(source, venv) == "[]"
    assert str(venv) in imported(venv)
    assert setup_state.progress() is None
    assert steps, "no set-up was seen at work"


def test_an_environment_cut_short_is_made_anew(plain: Path) -> None:
    source, venv = checkout(plain), paths.environment_dir()
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", venv], check=True)
    code, err = finished(source)
    assert (code, provision.is_ready(venv)) == (0, True), err


def test_a_session_begins_it_and_waits_for_nothing(plain: Path, project: Path) -> None:
    source = checkout(plain)
    scene.store_directly(project, LESSON)
    env = {"CLAUDE_PLUGIN_ROOT": str(source)}
    first = fire("SessionStart", project, env=env)
    assert "setting up in the background" in first.specific("additionalContext")
    assert "setting up in the background" in helix(project, "doctor").out or provision.is_ready(
        paths.environment_dir()
    )
    asked = fire("PreToolUse", project, env=env, prompt=scene.task("Fix the parser"))
    assert LESSON in asked.specific("updatedInput")["prompt"]  # by keyword meanwhile
    scene.wait_for(lambda: provision.is_ready(paths.environment_dir()), 240)
    scene.wait_for(lambda: setup_state.progress() is None)
    assert [p.name for p in (project / ".helix").iterdir() if "setup" in p.name] == []


def test_two_sessions_begin_one_set_up(plain: Path, project: Path) -> None:
    source = checkout(plain)
    env = {"CLAUDE_PLUGIN_ROOT": str(source)}
    for number in range(3):  # in a project that knows nothing of helix
        fire("SessionStart", project, env=env, session_id=f"s{number}")
    scene.wait_for(lambda: provision.is_ready(paths.environment_dir()), 240)
    assert not (project / ".helix").exists()


def test_what_cannot_be_had_is_one_line_and_left_alone_for_a_while(
    plain: Path, project: Path
) -> None:
    source = checkout(plain)
    for wheel in (plain / "wheels").glob("torch-*"):
        wheel.unlink()
    code, err = finished(source)
    assert code == 1 and "Traceback" not in err
    found = setup_state.progress()
    assert found is not None and "torch" in found.error and "\n" not in found.line
    assert "`helix setup` tries again" in found.line
    scene.store_directly(project, LESSON)
    told = fire("SessionStart", project, env={"CLAUDE_PLUGIN_ROOT": str(source)})
    assert "set-up failed" in told.specific("additionalContext")
    assert not setup_state._running(paths.environment_dir())
    state = setup_state.state_file(paths.environment_dir())
    kept = json.loads(state.read_text())
    atomic.write_json(state, {**kept, "at": kept["at"] - setup_state.RETRY_SECONDS - 1})
    checkout_again = plain / "again"
    checkout(checkout_again)
    os.environ["PIP_FIND_LINKS"] = str(checkout_again / "wheels")
    fire("SessionStart", project, env={"CLAUDE_PLUGIN_ROOT": str(source)})
    scene.wait_for(lambda: provision.is_ready(paths.environment_dir()), 240)


def test_another_model_than_the_known_one_is_refused(plain: Path) -> None:
    source, venv = checkout(plain, model=b"not the model"), paths.environment_dir()
    code, err = finished(source)
    assert code == 1 and "not the known one" in err
    assert not provision.is_ready(venv)
    assert list(venv.glob(f"lib/python3*/site-packages/{provision.MODEL}")) == []


def test_uv_is_used_where_it_is_there_and_pip_where_it_fails(
    plain: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    source, venv = checkout(plain), paths.environment_dir()
    tools, calls = tmp_path / "tools", tmp_path / "calls"
    tools.mkdir()
    uv = tools / "uv"
    uv.write_text(
        f'#!/bin/sh\necho "$@" >> {calls}\n'
        '[ "$1 $2 $3 $4" = "pip install --quiet --python" ] || exit 9\n'
        "python=$5; shift 5\n"
        'case "$*" in torch*) exit 9 ;; esac\n'
        'exec "$python" -m pip install --quiet "$@"\n'
    )
    uv.chmod(0o755)
    monkeypatch.setenv("PATH", f"{tools}:{os.environ['PATH']}")
    code, err = finished(source)
    assert (code, lacking(source, venv)) == (0, "[]"), err
    assert "trying pip" in err
    assert len(calls.read_text().splitlines()) == 3


@pytest.mark.parametrize("way", ["HELIX_SETUP", "HELIX_VENV", "worker", "newer"])
def test_where_it_is_not_wanted_no_session_begins_it(
    plain: Path, project: Path, monkeypatch: pytest.MonkeyPatch, way: str
) -> None:
    source, venv = checkout(plain), paths.environment_dir()
    if way == "HELIX_SETUP":
        monkeypatch.setenv(way, "off")
    elif way == "HELIX_VENV":
        monkeypatch.setenv(way, str(plain / "mine"))
    elif way == "worker":
        paths.config_file().parent.mkdir(parents=True)
        paths.config_file().write_text('worker = "off"\n')
    else:  # an old session must not take back what a newer helix has set up
        (venv / "bin").mkdir(parents=True)
        (venv / "bin" / "python").symlink_to(sys.executable)
        atomic.write_json(venv / provision.STAMP, {"version": "99.0"})
    fired = fire("SessionStart", project, env={"CLAUDE_PLUGIN_ROOT": str(source)})
    assert fired.answer is None
    assert not setup_state.state_file(venv).exists()


def test_a_set_up_beside_another_one_is_refused(plain: Path) -> None:
    source, venv = checkout(plain), paths.environment_dir()
    venv.parent.mkdir(parents=True)
    with (
        atomic.exclusive(venv.parent / provision.LOCK),
        pytest.raises(RefusedError, match="another"),
    ):
        provision.build(venv, source)
