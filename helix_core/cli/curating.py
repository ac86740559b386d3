"""Commands that change single insights: edit, tag, merge. All recorded, all undoable."""

from __future__ import annotations

from typing import Any

from helix_core.cli import output
from helix_core.cli.registry import (
    INSIGHT,
    NAME,
    Options,
    arg,
    as_json,
    caller,
    command,
    read_text,
    whole,
)
from helix_core.errors import UsageError

VERSION = arg(
    "--version",
    dest="row_version",
    type=whole(),
    metavar="N",
    help="the row_version this is based on; refused where the insight was changed since",
)

EDITED = f"an object: {INSIGHT}, row_version"


@command(
    "edit",
    "give an insight another text (the old one stays as a revision)",
    NAME,
    arg("--content", required=True, metavar="TEXT", help="the text, or - for standard input"),
    VERSION,
    answer=EDITED,
)
def edit(options: Options) -> None:
    """Edit; where the worker answers, the new vector is there at once."""
    who = caller(options)
    args = {
        "name": options.name,
        "content": read_text(options.content),
        "row_version": options.row_version,
    }
    found = who.directly("edit", args)
    who.freshen()
    _said(options, found, f"edited {options.name}, now version {found['row_version']}")


@command(
    "tag",
    "add and remove tags: helix tag NAME +new -old (other options before NAME)",
    VERSION,
    NAME,
    arg("changes", nargs="...", metavar="+TAG or -TAG", help="tags to add, and to take away"),
    answer=EDITED,
)
def tag(options: Options) -> None:
    """Change tags."""
    args: dict[str, Any] = {"name": options.name, "row_version": options.row_version}
    changes = [item for item in options.changes if item != "--json"]
    options.json = as_json(options) or changes != options.changes
    args["add"] = [item[1:] for item in changes if item.startswith("+")]
    args["remove"] = [item[1:] for item in changes if item.startswith("-")]
    odd = [i for i in changes if i[:1] not in "+-" or i.startswith("--") or len(i) < 2]
    if odd or not changes:
        raise UsageError(
            "tags are given as +TAG or -TAG, other options before NAME"
            + (f"; not {odd[0]!r}" if odd else "")
        )
    found = caller(options).directly("tag", args)
    _said(options, found, f"{options.name}: {', '.join(found['tags']) or 'no tags'}")


@command(
    "merge",
    "make two insights one: KEEP's text stays, DROP's record is added to it",
    arg("keep", metavar="KEEP", help="the insight whose text stays"),
    arg("drop", metavar="DROP", help="the insight that goes to the trash"),
    answer=EDITED,
)
def merge(options: Options) -> None:
    """Merge; DROP goes to the trash."""
    found = caller(options).directly("merge", {"keep": options.keep, "drop": options.drop})
    _said(options, found, f"{options.drop} is merged into {options.keep} (helix undo parts them)")


def _said(options: Options, found: dict[str, Any], text: str) -> None:
    output.emit_json(found) if as_json(options) else output.line(text)
