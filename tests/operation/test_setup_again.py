"""The set-up once more: where all is there, beside a worker, after a kill; and with a wrong Python.

As in `test_setup.py` everything is real but the weight of the packages.
"""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
from pathlib import Path

import pytest

from helix_core import paths, provision, setup_state
from helix_core.embed import client, lifecycle
from tests.hooks import scene
from tests.hooks.conftest import light_venv as light_venv
from tests.hooks.fire import ROOT
from tests.operation.fake_source import FILES, checkout, write
from tests.operation.setting_up import built, finished, lacking


def test_where_all_is_there_it_says_so_in_one_line_and_does_nothing(plain: Path) -> None:
    source, venv = checkout(plain), paths.environment_dir()
    assert finished(source)[0] == 0
    stamp = (venv / provision.STAMP).stat().st_mtime_ns
    code, err = finished(source)
    assert (code, err) == (0, f"helix setup: ready: helix {_version()} in {venv}\n")
    assert (venv / provision.STAMP).stat().st_mtime_ns == stamp
    [installed] = venv.glob("lib/python3*/site-packages/helix_core/clock.py")
    installed.write_text("damaged\n")
    code, err = finished(source)
    assert code == 0 and "installing helix itself" in err and "torch" not in err
    assert installed.read_bytes() == (source / "helix_core" / "clock.py").read_bytes()


def test_what_is_pinned_otherwise_is_installed_although_the_version_is_the_same(
    plain: Path,
) -> None:
    source, venv = checkout(plain), paths.environment_dir()
    assert finished(source)[0] == 0
    needs = source / "needs.txt"
    write(plain / "wheels", "tinyc", "1.0", {"tinyc/__init__.py": b""})
    needs.write_text(f'{needs.read_text()}tinyc==1.0; extra == "tui"\n')
    (source / "constraints.txt").write_text("tinyc==1.0\n")
    assert finished(source)[0] == 0
    assert list(venv.glob("lib/python3*/site-packages/tinyc/__init__.py"))
    assert lacking(source, venv) == "[]"


def test_newer_code_of_the_same_version_ends_the_worker(plain: Path, light_venv: Path) -> None:
    source, venv = checkout(plain), paths.environment_dir()
    assert finished(source)[0] == 0
    others = len(lifecycle._started)
    try:
        assert lifecycle.start(light_venv / "bin" / "python")
        scene.wait_for(client.status)
        assert finished(source)[0] == 0  # nothing new: it stays
        assert client.status() is not None
        (source / "helix_core" / "news.py").write_text("X = 1\n")
        code, err = finished(source)
        assert code == 0 and "stopped the worker" in err
        assert lifecycle._started[others].wait(20) == 0
        assert list(venv.glob("lib/python3*/site-packages/helix_core/news.py"))
    finally:
        for child in lifecycle._started[others:]:
            child.kill()
            child.wait()
        del lifecycle._started[others:]


@pytest.mark.parametrize("how", [signal.SIGKILL, signal.SIGTERM])
def test_killed_alone_it_leaves_its_tools_the_lock(plain: Path, how: signal.Signals) -> None:
    """What it started goes on for a while: a second set-up must not work beside that."""
    source, venv = checkout(plain), paths.environment_dir()
    process = built(source)
    child = Path(f"/proc/{process.pid}/task/{process.pid}/children")
    if not child.parent.is_dir():
        pytest.skip("no /proc to see its tools by")
    scene.wait_for(lambda: (venv / provision.MADE).exists() and child.read_text().split(), 120)
    tool = int(child.read_text().split()[0])
    os.kill(tool, signal.SIGSTOP)
    try:
        os.kill(process.pid, how)
        process.wait(20)
        assert setup_state._running(venv)
        code, err = finished(source)
        assert code == 1 and "another set-up is running" in err
    finally:
        os.kill(tool, signal.SIGCONT)
    process.communicate()
    scene.wait_for(lambda: not setup_state._running(venv), 120)
    assert finished(source)[0] == 0
    assert provision.is_ready(venv) and lacking(source, venv) == "[]"


def test_torch_without_cuda_comes_from_whom_was_asked(
    plain: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """pip knows a place with a CPU build; uv does not read its settings and must not choose."""
    source, venv = checkout(plain), paths.environment_dir()
    version = provision.TORCH.partition("==")[2]
    for wheel in (plain / "wheels").glob("torch-*"):
        wheel.unlink()
    files = {f"torch/m{n}.py": b"" for n in range(FILES)} | {"torch/__init__.py": b""}
    write(plain / "wheels", "torch", f"{version}+cpu", files)
    tools, calls = tmp_path / "tools", tmp_path / "calls"
    tools.mkdir()
    (tools / "uv").write_text(
        f'#!/bin/sh\necho "$@" >> {calls}\npython=$5; shift 5\n'
        'exec "$python" -m pip install --quiet "$@"\n'
    )
    (tools / "uv").chmod(0o755)
    monkeypatch.setenv("PATH", f"{tools}:{os.environ['PATH']}")
    monkeypatch.delenv("HELIX_TORCH")
    refuses_connections(monkeypatch)
    code, err = finished(source)
    assert (code, lacking(source, venv)) == (0, "[]"), err
    assert "torch==" not in calls.read_text() and len(calls.read_text().splitlines()) == 2
    # And where it is there, nobody is asked for it again.
    (venv / provision.STAMP).unlink()
    assert finished(source)[0] == 0


def refuses_connections(monkeypatch: pytest.MonkeyPatch) -> None:
    """A proxy that is not there is the only way out."""
    for name in ("http_proxy", "https_proxy", "HTTP_PROXY", "HTTPS_PROXY", "all_proxy"):
        monkeypatch.setenv(name, "http://127.0.0.1:9")
    monkeypatch.setenv("no_proxy", "")
    monkeypatch.setenv("PIP_RETRIES", "1")


def test_a_proxy_that_refuses_is_named_as_such(
    plain: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    source = checkout(plain)
    monkeypatch.delenv("PIP_NO_INDEX")
    monkeypatch.delenv("PIP_FIND_LINKS")
    refuses_connections(monkeypatch)
    code, err = finished(source)
    assert code == 1 and "Traceback" not in err
    assert "the package index is not in reach" in err.splitlines()[-1]
    found = setup_state.progress()
    assert found is not None and "not in reach" in found.line and "\n" not in found.line


# -- a wrong Python --------------------------------------------------------------------------------


def old(version: str) -> str:
    """A Python of that version; skips where there is none."""
    homes = [Path(entry) for entry in os.get_exec_path()]
    homes += sorted((Path.home() / ".pyenv/versions").glob(f"{version}*/bin"))
    homes += sorted(Path("/root/.pyenv/versions").glob(f"{version}*/bin"))
    for folder in homes:
        python = folder / f"python{version}"
        asked = [str(python), "-c", "import sys; print('%d.%d' % sys.version_info[:2])"]
        if os.access(python, os.X_OK):
            told = subprocess.run(asked, capture_output=True, text=True, check=False).stdout
            if told.strip() == version:
                return str(python)
    pytest.skip(f"there is no Python {version}")


@pytest.mark.parametrize("version", ["2.7", "3.6", "3.8", "3.9"])
def test_an_old_python_is_told_what_to_do_in_one_line(plain: Path, version: str) -> None:
    python = old(version)
    command = ["make", "--no-print-directory", "setup", f"PYTHON={python}"]
    if shutil.which("make"):
        ran = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
        said = [line for line in ran.stderr.splitlines() if not line.startswith("make")]
        assert ran.returncode != 0 and len(said) == 1
        assert "3.10 or newer" in said[0] and "make setup PYTHON=" in said[0]
    if version >= "3.8":  # the plugin's own way, which the launcher does not take with an old one
        kept = paths.environment_dir() / "bin"
        kept.mkdir(parents=True)
        direct = subprocess.run(
            [python, "-m", "helix_core.provision"],
            cwd=ROOT, capture_output=True, text=True, check=False,
        )  # fmt: skip
        assert direct.returncode == 1 and len(direct.stderr.splitlines()) == 1
        assert "is too old" in direct.stderr and "make setup PYTHON=" in direct.stderr
        assert kept.is_dir()  # nothing was touched


@pytest.mark.parametrize(
    "lacks",
    [
        "raise ModuleNotFoundError(\"No module named 'venv'\")",
        "import sys; print('The virtual environment was not created successfully because ensurepip"
        " is not\\navailable.  On Debian/Ubuntu systems, you need to install the python3-venv\\n"
        "package'); sys.exit(1)",
    ],
    ids=["no venv", "no ensurepip"],
)
def test_a_python_that_cannot_make_environments_is_told_what_to_install(
    plain: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, lacks: str
) -> None:
    source = checkout(plain)
    fake = tmp_path / "fake" / "venv"
    fake.mkdir(parents=True)
    (fake / "__init__.py").write_text("")
    (fake / "__main__.py").write_text(f"{lacks}\n")
    monkeypatch.setenv("PYTHONPATH", str(fake.parent))
    code, err = finished(source)
    assert code == 1 and "Traceback" not in err
    assert "python3-venv" in err.splitlines()[-1] and "uv" in err.splitlines()[-1]
    found = setup_state.progress()
    assert found is not None and "python3-venv" in found.line


def _version() -> str:
    import helix_core

    return helix_core.__version__
