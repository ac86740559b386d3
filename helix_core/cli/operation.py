"""Commands about processes and settings: worker, hook, config, reindex, demo."""

from __future__ import annotations

import sys
from typing import Any

from helix_core import paths
from helix_core.cli import figures_text, output
from helix_core.cli.output import counted
from helix_core.cli.registry import (
    Options,
    arg,
    as_json,
    caller,
    command,
)
from helix_core.errors import RefusedError, UsageError
from helix_core.text import suggest


@command(
    "reindex",
    "embed what has no vector of the present model yet",
    answer="an object: embedded",
)
def reindex(options: Options) -> None:
    """Embed until nothing waits."""
    who = caller(options)
    total = 0
    while True:
        step = who.with_vectors("reindex", {"batch": 64})["embedded"]
        total += step
        if not step:
            break
    text = f"{counted(total, 'insight')} embedded"
    output.emit_json({"embedded": total}) if as_json(options) else output.line(text)


@command(
    "worker",
    "the process that holds the embedding model",
    arg(
        "action",
        choices=("start", "stop", "status"),
        metavar="ACTION",
        help="start (and wait until it is ready), stop or status",
    ),
    answer="an object: model_state and more; for stop: stopped",
)
def worker(options: Options) -> int:
    """Start (and wait until ready), stop, or look."""
    from helix_core.embed import client, lifecycle

    if options.action == "stop":
        found: dict[str, Any] = {"stopped": lifecycle.stop(5000)}
        text = "stopped"
        if not found["stopped"]:
            found["ended"] = lifecycle.end_hanging()
            text = "there was no worker"
            if found["ended"]:
                text = f"process {found['ended']} did not answer and was ended"
        output.emit_json(found) if as_json(options) else output.line(text)
        return 0
    if options.action == "start":
        if not client.status(lifecycle.PATIENCE_MS) and lifecycle.hindrance():
            raise RefusedError(lifecycle.hindrance())
        if not lifecycle.ensure(120.0):
            raise RefusedError("the worker does not start; `make setup` builds its environment")
        who = caller(options)
        if who.project.database.exists():  # from now on it also looks after this project
            who.with_vectors("count", {})
    status = client.status()
    if as_json(options):
        output.emit_json(status or {"model_state": "absent"})
    elif status is None:
        output.line("no worker is running")
    else:
        for key, value in status.items():
            told = value if key == "pid" else figures_text.plain(key, value)
            output.line(f"{figures_text.words(key)}: {told}")
    return 0 if status else 1


@command(
    "hook",
    "run a hook by hand: its payload on standard input",
    arg("event", metavar="EVENT", help="the event, for example SubagentStop"),
    answer="what Claude Code gets, with or without it",
)
def hook(options: Options) -> None:
    """Exactly what Claude Code would get, on standard output."""
    from helix_core.hooks import events, process

    if options.event not in events.HANDLERS:
        meant = suggest.hint(options.event, events.HANDLERS)
        known = f"; known: {', '.join(events.HANDLERS)}"
        raise UsageError(f"unknown event {options.event!r}{meant or known}")
    process.main(options.event)


@command(
    "config",
    "each setting, its value and origin; or one, shown or set here",
    arg("key", nargs="?", metavar="KEY", help="one setting"),
    arg("value", nargs="?", metavar="VALUE", help="what it is to be in this project"),
    answer="an object: each setting with its value and origin",
)
def config(options: Options) -> None:
    """Print the settings in force; with a value set one of them for this project."""
    from helix_core import settings

    project = caller(options).project
    if options.value is not None:
        settings.write(project.home, options.key, options.value)
        paths.ensure_home(project)
    chosen = settings.load(project.home)
    if options.key is not None and options.key not in settings.KEYS:
        raise UsageError(settings.unknown(options.key))
    found = {
        key: {"value": getattr(chosen, key), "origin": chosen.origins.get(key, "default")}
        for key in settings.KEYS
        if options.key in (None, key)
    }
    if as_json(options):
        output.emit_json(found)
    elif options.key is not None:
        output.line(f"{found[options.key]['value']} ({found[options.key]['origin']})")
    else:
        output.table(
            ("setting", "value", "origin"),
            [(key, item["value"], item["origin"]) for key, item in found.items()],
        )


@command(
    "setup",
    "build or repair helix's own Python environment",
    arg("--remove", action="store_true", help="remove all of helix but each project's .helix/"),
    arg("--yes", action="store_true", help="with --remove: without being asked"),
    answer="an object: ready; with --remove: removed, left",
)
def setup(options: Options) -> int:
    """Build the environment, or take helix off this machine."""
    from helix_core import provision, removal

    if not options.remove:
        code = provision.main()
        if as_json(options):
            output.emit_json({"ready": code == 0})
        return code
    plan = removal.planned()
    if plan.gone and not options.yes:
        _confirm(plan.gone)
    done = removal.remove()
    if as_json(options):
        output.emit_json({"removed": done.gone, "left": done.left})
        return 0
    for path in done.gone:
        output.line(f"removed {path}")
    for line in done.left:
        output.line(f"left {line}")
    if not done.gone:
        output.line("there was nothing to remove")
    return 0


def _confirm(gone: list[str]) -> None:
    """Ask a person whether all that may go; raises RefusedError for anything but yes."""
    listed = ", ".join(gone)
    if not sys.stdin.isatty():
        raise RefusedError(f"this would remove {listed}; nothing was: say so with --yes")
    output.say(f"This removes {listed}.")
    output.say("Each project keeps its .helix/. Go on? [y/N]")
    if sys.stdin.readline().strip().lower() not in ("y", "yes"):
        raise RefusedError("nothing was removed")


@command(
    "demo",
    "a whole scripted session through the real hooks, in a scratch project",
    arg("--tui", action="store_true", help="open the dashboard on it while it runs"),
    answer="an object: what was played and what came of it",
)
def demo(options: Options) -> int:
    """Run the demonstration."""
    from helix_core.demo import runner

    return runner.main(tui=options.tui, as_json=as_json(options))
