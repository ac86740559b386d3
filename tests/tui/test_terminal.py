"""In a real terminal: tmux starts the dashboard, keys are sent, the captured screen is checked."""

from __future__ import annotations

import os
import shlex
import shutil
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
import shop

import helix_core
from helix_core.paths import Project

pytestmark = [
    pytest.mark.terminal,
    pytest.mark.skipif(shutil.which("tmux") is None, reason="tmux is not there"),
]
ROOT = Path(helix_core.__file__).parent.parent
SECONDS = 60.0


class Terminal:
    """One tmux session of one pane, on a server of its own."""

    def __init__(self, socket: Path) -> None:
        self._tmux = ["tmux", "-S", str(socket), "-f", os.devnull]

    def start(self, command: str, width: int, height: int) -> None:
        self._call("new-session", "-d", "-x", str(width), "-y", str(height), command)

    def _call(self, *args: str) -> str:
        done = subprocess.run(
            [*self._tmux, *args], capture_output=True, text=True, check=True, timeout=60
        )
        return done.stdout

    def keys(self, *keys: str) -> None:
        for key in keys:
            self._call("send-keys", key)

    def screen(self) -> str:
        return self._call("capture-pane", "-p")

    def fact(self, name: str) -> str:
        return self._call("display-message", "-p", f"#{{{name}}}").strip()

    def resize(self, width: int, height: int) -> None:
        self._call("resize-window", "-x", str(width), "-y", str(height))

    def until(self, condition: Callable[[str], object]) -> str:
        deadline = time.monotonic() + SECONDS
        while not condition(screen := self.screen()):
            assert time.monotonic() < deadline, screen
            time.sleep(0.05)
        return screen

    def end(self) -> None:
        subprocess.run([*self._tmux, "kill-server"], capture_output=True, check=False, timeout=60)


@pytest.fixture
def terminal(tmp_path: Path) -> Iterator[Terminal]:
    found = Terminal(tmp_path / "t")
    yield found
    found.end()


def command(project: Project, **env: str) -> str:
    variables = {"PYTHONPATH": str(ROOT), "LC_ALL": "C.UTF-8", **env}
    words = [
        *["env", "-u", "COLUMNS", "-u", "LINES", "-u", "TMUX"],
        *(f"{name}={value}" for name, value in variables.items()),
        sys.executable,
        "-m",
        "helix_tui",
        "--project",
        str(project.root),
    ]
    return f"sh -c {shlex.quote(f'{shlex.join(words)}; echo left with $?; exec cat')}"


def test_a_visit(terminal: Terminal, project: Project) -> None:
    terminal.start(command(project), 80, 24)
    screen = terminal.until(lambda s: "running" in s and "Given" in s)
    assert screen.startswith("≡ [1 Run]")
    assert all(len(line) <= 80 for line in screen.splitlines())
    assert terminal.fact("alternate_on") == "1"
    terminal.keys("2")
    terminal.until(lambda s: "9 insights" in s and "▌" in s)
    terminal.keys("/", "w", "e", "b")
    terminal.until(lambda s: "/ web" in s and "1 of 9" in s and "1 insight" in s)
    terminal.keys("Escape")
    terminal.until(lambda s: "9 insights" in s and "of 9" not in s)
    terminal.keys("d")
    terminal.until(lambda s: "Move this insight to the trash?" in s)
    terminal.keys("y")
    terminal.until(lambda s: "8 insights" in s)
    terminal.keys("u")
    terminal.until(lambda s: "9 insights" in s)
    terminal.resize(120, 36)
    terminal.until(lambda s: "tags" in s or "┌" in s)
    shop.World(project.root).store("When somebody looks, the row is there because it is live")
    terminal.until(lambda s: "10 insights" in s)
    terminal.keys("q")
    terminal.until(lambda s: "left with 0" in s)
    assert terminal.fact("alternate_on") == "0"
    assert terminal.fact("cursor_flag") == "1"
    assert terminal.fact("mouse_any_flag") == "0"


@pytest.mark.parametrize("name", ["SIGTERM", "SIGHUP"])
def test_a_signal_gives_the_terminal_back(terminal: Terminal, project: Project, name: str) -> None:
    terminal.start(command(project), 80, 24)
    terminal.until(lambda s: "Given" in s)
    shell = terminal.fact("pane_pid")
    found = subprocess.run(
        ["pgrep", "-f", "-P", shell, "helix_tui"], capture_output=True, text=True, check=True
    )
    subprocess.run(["kill", f"-{name}", *found.stdout.split()], check=True)
    terminal.until(lambda s: "left with 0" in s)
    assert terminal.fact("alternate_on") == "0"
    assert terminal.fact("cursor_flag") == "1"


def test_no_colour_and_plain_characters(terminal: Terminal, project: Project) -> None:
    terminal.start(command(project, NO_COLOR="1", HELIX_ASCII="1"), 80, 24)
    screen = terminal.until(lambda s: "> running" in s and "Given" in s)
    assert "~ degraded (keyword only)" in screen
    terminal.keys("q")
    terminal.until(lambda s: "left with 0" in s)


def test_ctrl_c_leaves(terminal: Terminal, project: Project) -> None:
    terminal.start(command(project), 80, 24)
    terminal.until(lambda s: "Given" in s)
    terminal.keys("C-c")
    terminal.until(lambda s: "left with 0" in s)
    assert terminal.fact("alternate_on") == "0"


@pytest.mark.parametrize("how", ["", "trap '' HUP; "])
def test_no_process_outlives_its_terminal(terminal: Terminal, project: Project, how: str) -> None:
    """The terminal is closed under it, with and without being told so; nothing goes on unseen."""
    terminal.start(f"{how}{command(project)}", 80, 24)
    terminal.until(lambda s: "Given" in s)
    mark = f"helix_tui --project {project.root}"
    assert subprocess.run(["pgrep", "-f", mark], check=False, capture_output=True).stdout
    terminal.end()
    deadline = time.monotonic() + SECONDS
    while subprocess.run(["pgrep", "-f", mark], check=False, capture_output=True).stdout:
        assert time.monotonic() < deadline
        time.sleep(0.2)


BROKEN = """
import sys
from helix_tui import app
from helix_tui.__main__ import main
app.HelixApp._tick = lambda self: 1 / 0
sys.exit(main(["--project", sys.argv[1]]))
"""


def test_an_error_of_our_own_gives_the_terminal_back(terminal: Terminal, project: Project) -> None:
    words = ["env", f"PYTHONPATH={ROOT}", sys.executable, "-c", BROKEN, str(project.root)]
    terminal.start(
        f"sh -c {shlex.quote(f'{shlex.join(words)}; echo left with $?; exec cat')}", 80, 24
    )
    screen = terminal.until(lambda s: "left with" in s)
    assert "left with 0" not in screen
    assert terminal.fact("alternate_on") == "0"
    assert terminal.fact("cursor_flag") == "1"
    assert terminal.fact("mouse_any_flag") == "0"
    terminal.keys("e", "c", "h", "o")
    terminal.until(lambda s: "echo" in s)  # what is typed is seen again
