"""What `make dist` builds, installed and run from a scratch folder, far from this checkout."""

from __future__ import annotations

import importlib.util
import os
import subprocess
import sys
import sysconfig
import tarfile
import zipfile
from collections.abc import Iterator
from pathlib import Path

import pytest

import helix_core
from helix_core.hooks import events

ROOT = Path(__file__).parents[2]
DEVELOPMENT = {"pytest", "ruff", "mypy", "hypothesis"}
pytestmark = [pytest.mark.timeout(600), pytest.mark.xdist_group("dist")]


def run(*command: object, cwd: Path, **env: str) -> subprocess.CompletedProcess[str]:
    done = subprocess.run(
        [str(part) for part in command],
        cwd=cwd,
        env={**os.environ, **env},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, f"{command}: {done.stdout[-2000:]} {done.stderr[-2000:]}"
    return done


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """A copy of what is in git, built; the wheel and the archive lie in its `dist/`."""
    copy = tmp_path_factory.mktemp("copy") / "helix"
    run("git", "clone", "--quiet", ROOT, copy, cwd=ROOT)
    run("make", "dist", f"PYTHON={sys.executable}", cwd=copy)
    yield copy / "dist"


def product_packages(folder: Path) -> Path:
    """A folder with what helix needs, without helix and without the development tools."""
    folder.mkdir()
    needed = importlib.util.find_spec("textual")
    assert needed is not None and needed.origin is not None
    for part in Path(needed.origin).parents[1].iterdir():
        name = part.name.split("-")[0].lower()
        if not name.startswith("helix") and name not in DEVELOPMENT:
            (folder / part.name).symlink_to(part)
    return folder


@pytest.fixture(scope="module")
def installed(built: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A scratch environment with the wheel in it, and no checkout in sight."""
    place = tmp_path_factory.mktemp("wheel")
    venv = place / "venv"
    run(sys.executable, "-m", "venv", "--without-pip", venv, cwd=place)
    site = Path(sysconfig.get_path("purelib", vars={"base": str(venv)}))
    (site / "needed.pth").write_text(f"{product_packages(place / 'packages')}\n")
    (wheel,) = built.glob("*.whl")
    command = ("-m", "pip", "install", "--quiet", "--no-deps", "--ignore-installed")
    run(sys.executable, *command, "--target", site, wheel, cwd=place)
    return venv


def test_the_wheel_holds_the_two_packages_and_their_data(built: Path) -> None:
    (wheel,) = built.glob("*.whl")
    names = set(zipfile.ZipFile(wheel).namelist())
    assert {"helix_core/__init__.py", "helix_tui/app.tcss"} <= names
    tops = {name.split("/")[0] for name in names}
    assert tops == {"helix_core", "helix_tui", f"helix_memory-{helix_core.__version__}.dist-info"}


def test_a_wheel_without_development_packages_works(installed: Path, project: Path) -> None:
    python = installed / "bin" / "python"
    env = {"HELIX_VENV": str(installed)}
    where = (
        "import helix_core, importlib.util as u; print(helix_core.__file__, u.find_spec('pytest'))"
    )
    told = run(python, "-c", where, cwd=project, **env).stdout
    assert str(installed) in told and "None" in told
    helix = (python, "-m", "helix_core")
    assert (
        run(*helix, "--version", cwd=project, **env).stdout == f"helix {helix_core.__version__}\n"
    )
    run(*helix, "store", "When a wheel is built, run it elsewhere first", cwd=project, **env)
    assert "1" in run(*helix, "count", cwd=project, **env).stdout
    report = run(*helix, "doctor", cwd=project, **env).stdout
    assert "fail" not in {line.split()[0] for line in report.splitlines() if line}
    facts = run(python, "-m", "helix_tui", "--snapshot", "insights", cwd=project, **env).stdout
    assert "When a wheel is built" in facts


def test_the_plugin_archive_works(built: Path, installed: Path, project: Path) -> None:
    with tarfile.open(built / "helix-plugin.tar.gz") as archive:
        archive.extractall(project.parent / "plugin", filter="data")
    plugin = project.parent / "plugin" / "helix"
    env = {"HELIX_VENV": str(installed)}
    run(plugin / "bin" / "helix", "store", "When unpacked, work at once", cwd=project, **env)
    report = run(plugin / "bin" / "helix", "doctor", cwd=project, **env).stdout
    lines = [line.split() for line in report.splitlines() if line]
    assert [line[0] for line in lines if line[1] == "plugin"] == ["ok"], report
    hooks = {line[2]: line[0] for line in lines if line[1] == "hook"}
    assert hooks == dict.fromkeys(events.HANDLERS, "ok")
