"""The dashboard's facts without a dashboard: as text, or as one JSON document. No Textual."""

from __future__ import annotations

import json
from dataclasses import asdict
from typing import Any

from helix_core.paths import Project
from helix_tui import formats, views
from helix_tui.data.service import Watch
from helix_tui.data.source import Source, problem_of, short_place


def facts(project: Project, view: str, *, ask_worker: bool = True) -> dict[str, Any]:
    """What a view would show, as plain values; a problem stands under `problem`."""
    found: dict[str, Any] = {
        "view": view,
        "project": project.root.name,
        "database": short_place(project.database),
        "problem": None,
    }
    if ask_worker:
        found["service"] = asdict(Watch(project).now())
    source = Source(project)
    try:
        source.version()
        found["counts"] = asdict(source.counts())
        found |= source.read(views.of(view).part.facts)
    except Exception as error:  # noqa: BLE001 - whatever it is, a person gets one line
        found["problem"] = asdict(problem_of(error, project))
    finally:
        source.close()
    return found


def as_json(found: dict[str, Any]) -> str:
    """One JSON document."""
    return json.dumps(found, ensure_ascii=False, indent=1)


def as_text(found: dict[str, Any]) -> str:
    """Lines for a person."""
    lines = [f"helix: {found['project']} ({found['database']})"]
    if found.get("service"):
        service = found["service"]
        word = "degraded (keyword only)" if service["state"] == "degraded" else service["state"]
        lines.append(" ".join(filter(None, [word, service["model"], service["note"]])))
    if found["problem"]:
        problem = found["problem"]
        return "\n".join([*lines, problem["title"] + ".", problem["what"], problem["todo"]])
    counts = found["counts"]
    lines.append(
        f"{formats.plural(counts['insights'], 'insight')}, {counts['trash']} in the trash,"
        f" {formats.plural(counts['running'], 'agent')} running"
    )
    return "\n".join([*lines, "", *views.of(found["view"]).part.text(found)])
