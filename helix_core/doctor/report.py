"""Running all checks for one project, in the order a person wants to read them."""

from __future__ import annotations

import os
from collections.abc import Mapping

from helix_core import paths, settings
from helix_core.doctor import machine, memory, plugin
from helix_core.doctor.finding import Finding, Place, look, worst
from helix_core.errors import ConfigError, HelixError, RefusedError

__all__ = ["Finding", "examine", "machine", "memory", "plugin", "worst"]


def examine(
    start: str | None = None,
    database: str | None = None,
    *,
    quick: bool = False,
    environ: Mapping[str, str] | None = None,
) -> list[Finding]:
    """Every finding for the project of a folder (default: the working folder) and this user."""
    from helix_core.demo.client import plugin_root

    env = dict(os.environ if environ is None else environ)
    project, why = None, ""
    try:
        project = paths.named_project(start, database=database, environ=env)
    except HelixError as error:
        why = str(error)
    notes: dict[str, object] = {}
    chosen = settings.Settings()
    try:
        chosen = settings.load(project.home if project else None, env)
    except ConfigError as error:
        notes["settings"] = str(error)
    try:
        root = plugin_root()
    except RefusedError:
        root = None
    return look(Place(project, why, root, env, chosen, quick, notes))
