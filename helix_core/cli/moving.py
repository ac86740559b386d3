"""Commands that carry the whole memory, or knowledge, from one place to another."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from helix_core.cli import output
from helix_core.cli.registry import Options, arg, as_json, caller, command

MIB = 1024 * 1024


@command(
    "backup",
    "copy the whole memory into .helix/backups/",
    arg("--list", action="store_true", help="list the backups there are"),
)
def backup(options: Options) -> None:
    """Make a backup, or list them."""
    who = caller(options)
    if not options.list:
        found = who.directly("backup", {})
        output.emit_json(found) if as_json(options) else output.line(found["file"])
        return
    _print_backups(options, _backups(who.project.database))


@command(
    "restore-backup",
    "make the memory what it was in a backup (the present state is backed up first)",
    arg("name", metavar="FILE", nargs="?", help="a name from the list, or a path"),
)
def restore_backup(options: Options) -> None:
    """Restore a backup; without a name, list them."""
    from helix_core import clock, log
    from helix_core.store import restoring

    project = caller(options).project
    if not options.name:
        _print_backups(options, _backups(project.database))
        return
    source = restoring.find(project.database, options.name)
    done = restoring.restore(project.database, source, actor="cli", moment=clock.now())
    log.write(project.home, "info", f"restored {source}; before it: {done.before}")
    found = {
        "restored": str(done.source),
        "insights": done.insights,
        "before": str(done.before) if done.before else None,
    }
    back = f"; the way back: helix restore-backup {done.before.name}" if done.before else ""
    if as_json(options):
        output.emit_json(found)
    else:
        output.line(f"restored {source.name}: {done.insights} insights{back}")


def _backups(database: Path) -> list[dict[str, Any]]:
    from helix_core.store import backups

    return [
        {"name": one.file.name, "bytes": one.size, "made": one.label}
        for one in backups.listed(database)
    ]


def _print_backups(options: Options, found: list[dict[str, Any]]) -> None:
    if as_json(options):
        output.emit_json(found)
    elif found:
        rows = [(one["name"], f"{one['bytes'] / MIB:.1f} MiB", one["made"]) for one in found]
        output.table(("backup", "size", "made"), rows)
    else:
        output.line("there is no backup yet")
