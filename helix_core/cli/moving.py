"""Commands that carry the whole memory, or knowledge, from one place to another."""

from __future__ import annotations

import json
import sys
import tempfile
from dataclasses import replace
from pathlib import Path
from typing import Any

from helix_core import atomic
from helix_core.cli import output
from helix_core.cli.call import Caller
from helix_core.cli.output import counted
from helix_core.cli.registry import NAME, Options, arg, as_json, caller, command
from helix_core.errors import RefusedError, UsageError
from helix_core.text import clean

MIB = 1024 * 1024
MAX_FILE = 256 * MIB
REASONS_SHOWN = 20
HISTORY = ("events", "edges", "revisions")
MARKDOWN = (".md", ".markdown", ".mdx")


@command(
    "backup",
    "copy the whole memory into .helix/backups/",
    arg("--list", action="store_true", help="list the backups there are"),
    answer="an object: file, bytes; with --list a list: name, bytes, made",
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
    "make the memory what it was in a backup",
    arg(
        "name",
        metavar="FILE",
        nargs="?",
        help="a name from the list, or a path; none: list them (what is there now is kept first)",
    ),
    answer="an object: restored, insights, before; without FILE a list: name, bytes, made",
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
        output.line(f"restored {source.name}: {counted(done.insights, 'insight')}{back}")


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


@command(
    "export",
    "the whole memory as JSON Lines, with its history, or as Markdown for reading",
    arg("file", metavar="FILE", nargs="?", help="default, and for -: standard output"),
    arg("--format", choices=("jsonl", "markdown"), help="default: by the file's name, else jsonl"),
    answer="an object: file, insights; to standard output a list of all records",
)
def export(options: Options) -> None:
    """Export; an existing file is replaced only where it is an earlier export."""
    target = Path(options.file).expanduser() if options.file not in (None, "", "-") else None
    by_name = "markdown" if target and target.suffix.lower() in MARKDOWN else "jsonl"
    if target is not None:
        _check_target(target)
    found = caller(options).directly("export", {"format": options.format or by_name})
    if target is not None:
        try:
            atomic.write_text(target, found["text"])
        except OSError as error:
            raise RefusedError(f"{target} cannot be written: {error.strerror}") from error
        said = {"file": str(target), "insights": found["insights"]}
        text = f"{target}: {counted(found['insights'], 'insight')}"
        output.emit_json(said) if as_json(options) else output.line(text)
    elif as_json(options) and options.format == "markdown":
        output.emit_json(found)
    elif as_json(options):
        output.emit_json([json.loads(line) for line in found["text"].splitlines()])
    else:
        plain = clean.untagged if options.format == "markdown" else clean.json_untagged
        sys.stdout.write(plain(found["text"]))


def _check_target(target: Path) -> None:
    from helix_core.memory.exporting import MARK
    from helix_core.text.carried import FORMAT

    try:
        head = target.read_bytes()[:200] if target.exists() else b""
    except OSError as error:
        raise RefusedError(f"{target} cannot be written: {error.strerror}") from error
    if head and FORMAT.encode() not in head and not head.startswith(MARK.encode()):
        raise RefusedError(f"{target} exists and is no export; choose another name")


@command(
    "import",
    "take in an export, or lessons from Markdown as unproven candidates",
    arg("file", metavar="FILE", help="a file, or - for standard input"),
    arg("--format", choices=("jsonl", "markdown"), help="default: by its name and first line"),
    arg("--dry-run", action="store_true", help="say what would happen, change nothing"),
    answer="an object: added, back, known, refused, edges, events, revisions, rejections, backup,"
    " event",
)
def take_in(options: Options) -> int:
    """Import; one bad line costs that line, with its reason."""
    data = _content(options.file)
    markdown = options.format == "markdown" or (not options.format and _is_text(options.file, data))
    args: dict[str, Any] = {"dry_run": options.dry_run}
    from helix_core.text import carried

    lines = carried.decoded(data)
    if markdown:
        kept = {number: line for number, line in lines if line is not None}
        last = max(kept, default=0)
        args["text"] = "\n".join(kept.get(number, "") for number in range(1, last + 1))
        unread = [n for n, line in lines if line is None]
    else:
        args["lines"], unread = lines, []
    found = _import(caller(options), args)
    found["refused"] += [{"line": n, "reason": "not UTF-8"} for n in unread]
    if as_json(options):
        output.emit_json(found)
    else:
        _print_import(found, options.dry_run)
    return 1 if found["refused"] and not (found["added"] or found["back"] or found["known"]) else 0


def _content(name: str) -> bytes:
    """The bytes of a file or of standard input."""
    try:
        if name == "-":
            data = sys.stdin.buffer.read(MAX_FILE + 1)
        else:
            with Path(name).expanduser().open("rb") as stream:
                data = stream.read(MAX_FILE + 1)
    except OSError as error:
        raise RefusedError(f"{name} cannot be read: {error.strerror}") from error
    if len(data) > MAX_FILE:
        raise UsageError(f"{name} is larger than {MAX_FILE // MIB} MiB")
    return data


def _is_text(name: str, data: bytes) -> bool:
    """Whether a file of no stated format is Markdown: by its name, else by its beginning."""
    if Path(name).suffix.lower() in MARKDOWN:
        return True
    head = data[:64].lstrip(b"\xef\xbb\xbf\xff\xfe\0 \t\r\n")
    return Path(name).suffix.lower() not in (".jsonl", ".json") and not head.startswith(b"{")


def _import(who: Caller, args: dict[str, Any]) -> dict[str, Any]:
    """Lessons go where the model is, to be compared by meaning; an export needs none."""

    def run(by: Caller) -> dict[str, Any]:
        op = by.with_vectors if "text" in args else by.directly
        done: dict[str, Any] = op("import", args)
        return done

    if not (args["dry_run"] and not who.project.database.exists()):
        found = run(who)
        if not args["dry_run"]:
            who.freshen()
        return found
    with tempfile.TemporaryDirectory(prefix="helix-") as scratch:  # no memory yet: leave none
        home = Path(scratch) / ".helix"
        place = replace(who.project, root=Path(scratch), home=home, database=home / "helix.db")
        return run(replace(who, project=place))


def _print_import(found: dict[str, Any], dry_run: bool) -> None:
    would = "would be " if dry_run else ""
    for name in found["added"]:
        output.line(f"{would}added: {name}")
    for name in found["back"]:
        output.line(f"{would}brought back: {name}")
    for item in found["refused"][:REASONS_SHOWN]:
        output.line(f"line {item['line']} left out: {item['reason']}")
    more = len(found["refused"]) - REASONS_SHOWN
    if more > 0:
        output.line(f"... and {counted(more, 'more line', 'more lines')} left out")
    history = ", ".join(counted(found[key], key[:-1]) for key in HISTORY)
    output.line(
        f"{len(found['added']) + len(found['back'])} {would}taken in, {found['known']} known,"
        f" {counted(len(found['refused']), 'line')} left out; {history}"
        + ("" if dry_run or not found["event"] else " (helix undo takes it back)")
    )


@command(
    "promote",
    "a proven insight as a line for CLAUDE.md; nothing is written",
    NAME,
    answer="an object: name, line, evidence",
)
def promote(options: Options) -> None:
    """Print the line."""
    found = caller(options).directly("promote", {"name": options.name})
    output.emit_json(found) if as_json(options) else output.line(found["line"])
