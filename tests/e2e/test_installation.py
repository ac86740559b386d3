"""The commands of the README by which a reader installs helix, typed at the real client."""

from __future__ import annotations

import re
import shlex
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.e2e import client, stage

pytestmark = [pytest.mark.e2e, pytest.mark.timeout(300), pytest.mark.xdist_group("real-client")]
PARTS = (".claude-plugin", "agents", "bin", "hooks", "skills", "helix_core", "helix_tui")


@pytest.fixture
def place(real_client: None) -> Iterator[client.Place]:
    """A folder with a clone of the plugin in it, and a user who knows nothing of it."""
    with stage.scratch() as root:
        found = stage.new_place(root)
        clone = found.project / "helix"
        for part in PARTS:
            ignored = shutil.ignore_patterns("__pycache__")
            shutil.copytree(client.REPOSITORY / part, clone / part, ignore=ignored)
        yield found


def told(verb: str) -> list[str]:
    """The words of the README's `claude plugin ...` line with this verb that names a clone."""
    text = (client.REPOSITORY / "README.md").read_text(encoding="utf-8")
    lines = re.findall(
        rf"^\s*(claude plugin {verb} .*)$|`(claude plugin {verb} [^`]+)`", text, re.M
    )
    return shlex.split(next(one or other for one, other in lines if "<" not in one + other))


def typed(place: client.Place, words: list[str]) -> str:
    """What the client answers; it has to end well."""
    done = subprocess.run(
        [str(client.find_client()), *words[1:]],
        cwd=place.project,
        # Nobody answers there at once; the real address would be waited for.
        env={**place.environment(), "ANTHROPIC_BASE_URL": "http://127.0.0.1:9"},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def test_from_the_clone_to_the_plugin_and_back(place: client.Place) -> None:
    assert "helix" in typed(place, told("marketplace add"))
    assert "helix@helix" in typed(place, told("install"))
    listed = typed(place, ["claude", "plugin", "list"])
    assert "helix@helix" in listed and "enabled" in listed
    cache = Path(place.environment()["CLAUDE_CONFIG_DIR"]) / "plugins" / "cache"
    (copy,) = cache.glob("helix/helix/*")
    version = subprocess.run(
        [copy / "bin/helix", "--version"], capture_output=True, text=True, check=True
    )
    assert version.stdout.split()[-1] == copy.name
    assert (copy / "bin/helix-tui").is_file() and (copy / "hooks/hooks.json").is_file()
    assert "helix" in typed(place, told("uninstall"))
    assert "helix@helix" not in typed(place, ["claude", "plugin", "list"])
    assert not (place.project / ".helix").exists()
