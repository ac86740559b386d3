"""Configuration: defaults, the user's file, the project's file, `HELIX_*` variables, in that order.

Standard library only. Each value knows where it came from; an unknown key or a wrong type is a
ConfigError that names file and key.
"""

from __future__ import annotations

import importlib
import os
from collections.abc import Mapping
from dataclasses import dataclass, field, fields, replace
from pathlib import Path
from typing import Any

from helix_core import paths
from helix_core.errors import ConfigError


@dataclass(frozen=True)
class Settings:
    """Every configurable value; `origins` tells where each one that is not a default came from."""

    worker: str = "auto"
    """auto: started when needed; off: never used, everything goes by keyword."""
    embed_model: str = ""
    """A model name or folder; empty: arctic where cached or downloadable, else the packaged one."""
    worker_idle_minutes: float = 30.0
    ranking: str = "helix"
    """helix: the measured ranking for injection; spec: the spec's formula everywhere."""
    ranking_strength: float = 0.15
    ranking_context: bool = True
    ranking_few: bool = True
    ranking_recency: bool = False
    max_insights: int = 3
    max_chars: int = 6000
    min_relevance: float = 0.0
    """Gate of injection; 0 takes the embedding model's own."""
    hops: int = 1
    decay_days: float = 30.0
    prune_threshold: float = 0.25
    prune_min_uses: int = 3
    ghost_days: float = 60.0
    trash_days: float = 90.0
    holdout: float = 0.0
    lock_wait_ms: int = 1500
    """How long a write waits for another process's lock inside a hook."""
    origins: Mapping[str, str] = field(default_factory=dict, compare=False)

    @property
    def worker_enabled(self) -> bool:
        """Whether the worker may be used and started."""
        return self.worker != "off"


_CHOICES = {"worker": {"auto", "off"}, "ranking": {"helix", "spec"}}
KEYS = {f.name: f.type for f in fields(Settings) if f.name != "origins"}


def load(project_home: Path | None, environ: Mapping[str, str] | None = None) -> Settings:
    """The settings in force for a project. Raises ConfigError naming file and key."""
    env = os.environ if environ is None else environ
    values: dict[str, Any] = {}
    origins: dict[str, str] = {}
    files = [paths.config_file(dict(env))]
    if project_home is not None:
        files.append(project_home / "config.toml")
    for file in files:
        for key, value in _read(file).items():
            values[key] = _typed(key, value, str(file))
            origins[key] = str(file)
    for key in KEYS:
        name = f"HELIX_{key.upper()}"
        if env.get(name):
            values[key] = _typed(key, env[name], name)
            origins[key] = name
    return replace(Settings(), **values, origins=origins)


def _read(file: Path) -> dict[str, Any]:
    try:
        data = file.read_bytes()
    except OSError:
        return {}
    try:
        parser = importlib.import_module("tomllib")
    except ModuleNotFoundError:  # Python 3.10
        try:
            parser = importlib.import_module("tomli")
        except ModuleNotFoundError as error:
            raise ConfigError(
                f"{file}: reading it needs Python 3.11 or the tomli package"
            ) from error
    try:
        table: dict[str, Any] = parser.loads(data.decode("utf-8"))
    except (ValueError, UnicodeDecodeError) as error:
        raise ConfigError(f"{file}: not valid TOML: {error}") from error
    return table


def _typed(key: str, value: Any, origin: str) -> Any:
    kind = KEYS.get(key)
    if kind is None:
        raise ConfigError(f"{origin}: unknown key {key!r}; known: {', '.join(sorted(KEYS))}")
    try:
        if kind == "bool":
            return _boolean(value)
        if kind == "int":
            return int(value)
        if kind == "float":
            return float(value)
    except (TypeError, ValueError) as error:
        raise ConfigError(f"{origin}: {key} must be {kind}, not {value!r}") from error
    text = str(value)
    if key in _CHOICES and text not in _CHOICES[key]:
        raise ConfigError(f"{origin}: {key} must be one of {sorted(_CHOICES[key])}, not {text!r}")
    return text


def _boolean(value: Any) -> bool:
    if isinstance(value, bool):
        return value
    text = str(value).strip().lower()
    if text in {"1", "true", "yes", "on"}:
        return True
    if text in {"0", "false", "no", "off"}:
        return False
    raise ValueError(text)
