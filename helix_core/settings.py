"""Configuration: defaults, the user's file, the project's file, `HELIX_*` variables, in that order.

Standard library only. Each value knows where it came from; an unknown key or a wrong type is a
ConfigError that names file and key.
"""

from __future__ import annotations

import importlib
import math
import os
import re
from collections.abc import Mapping
from dataclasses import dataclass, field, fields, replace
from pathlib import Path
from typing import Any

from helix_core import atomic, constants, folders, paths
from helix_core.errors import ConfigError
from helix_core.text import suggest


@dataclass(frozen=True)
class Settings:
    """Every configurable value; `origins` tells where each one that is not a default came from."""

    worker: str = "auto"
    """auto: started when needed; off: never used, everything goes by keyword."""
    embed_model: str = ""
    """A model name or folder; empty: arctic where cached or downloadable, else the packaged one."""
    worker_idle_minutes: float = 30.0
    worker_memory_mb: int = 3000
    """A worker that holds more (MiB) leaves between requests; the next hook starts a new one."""
    ranking: str = "helix"
    """helix: the measured ranking for injection; spec: the spec's formula everywhere."""
    ranking_strength: float = constants.INJECTION_STRENGTH
    ranking_context: bool = True
    ranking_contrast: bool = True
    """An insight is measured by similar tasks that ran without it (else: by all similar ones)."""
    ranking_kernel: float = 0.35
    """Cosine from which a past task says something about the present one; 0.5 sees too little."""
    ranking_few: bool = True
    ranking_few_events: int = 3
    ranking_few_value: float = 0.65
    ranking_recency: bool = False
    max_insights: int = constants.INJECTION_LIMIT
    max_chars: int = 6000
    min_relevance: float = 0.0
    """Gate of injection; 0 takes the embedding model's own."""
    hops: int = 1
    decay_days: float = 30.0
    prune_threshold: float = constants.PRUNE_THRESHOLD
    prune_min_uses: int = constants.PRUNE_MIN_USES
    prune_contrast: bool = True
    """A poor insight goes only if it also did worse than similar tasks without it."""
    ghost_days: float = 180.0
    """After 60 days, as first planned, a third of the seldom needed lessons are gone."""
    trash_days: float = 90.0
    holdout: float = 0.0
    """Probability with which an insight that was chosen is withheld, to see what it is worth."""
    lineage_credit: bool = False
    """Whether an outcome also moves the insights that its insight was led to by."""
    lock_wait_ms: int = 1500
    """How long a write waits for another process's lock inside a hook."""
    origins: Mapping[str, str] = field(default_factory=dict, compare=False)

    @property
    def worker_enabled(self) -> bool:
        """Whether the worker may be used and started."""
        return self.worker != "off"


_CHOICES = {"worker": {"auto", "off"}, "ranking": {"helix", "spec"}}
_SHARE = (0.0, 1.0)
_RANGES = {
    "holdout": (0.0, constants.HOLDOUT_MAX),
    "hops": (0, 1),
    **dict.fromkeys(("ranking_strength", "ranking_kernel", "ranking_few_value"), _SHARE),
    **dict.fromkeys(("min_relevance", "prune_threshold"), _SHARE),
}
"""What a number must lie between; any other one is 0 or more."""
_KINDS = {"int": "a whole number", "float": "a number", "bool": "true or false"}
KEYS = {f.name: f.type for f in fields(Settings) if f.name != "origins"}


_LINE = re.compile(
    r"""(?P<key>\w+)\s*=\s*(?:(?P<quoted>"[^"\\]*"|'[^']*')|(?P<plain>[^\s#"']+))\s*(?:\#.*)?"""
)


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


def write(project_home: Path, key: str, text: str) -> Any:
    """Set one key in a project's file and leave its other lines as they are; the value as set.

    Raises ConfigError for an unknown key, a value that does not fit, or a file that is not TOML.
    """
    file = project_home / "config.toml"
    what = folders.obstacle(project_home)
    if what:
        raise ConfigError(f"{project_home} is {what}, not a folder: move it away")
    value = _typed(key, text, "config")
    if isinstance(value, str) and not re.fullmatch(r'[^"\\\x00-\x1f\x7f]*', value):
        raise ConfigError(f"config: {key} must hold no quotes, backslashes or line breaks")
    _read(file)  # nothing is added to a file that nobody can read
    said = f'"{value}"' if isinstance(value, str) else str(value).lower()
    lines = file.read_text(encoding="utf-8").splitlines() if file.is_file() else []
    kept = [line for line in lines if line.split("=")[0].strip() != key]
    atomic.write_text(file, "\n".join([*kept, f"{key} = {said}", ""]))
    return value


def _read(file: Path) -> dict[str, Any]:
    try:
        text = file.read_bytes().decode("utf-8")
    except OSError:
        return {}
    except UnicodeDecodeError as error:
        raise ConfigError(f"{file}: not valid TOML: it is no UTF-8 text") from error
    parser = _toml_parser()
    if parser is None:
        return _flat(text, file)
    try:
        table: dict[str, Any] = parser.loads(text)
    except ValueError as error:
        raise ConfigError(f"{file}: not valid TOML: {error}") from error
    return table


def _toml_parser() -> Any:
    """The TOML parser of Python 3.11, or the package; None in a hook on Python 3.10, which sees
    no packages."""
    for name in ("tomllib", "tomli"):
        try:
            return importlib.import_module(name)
        except ModuleNotFoundError:
            continue
    return None


def _flat(text: str, file: Path) -> dict[str, Any]:
    """Flat `key = value` lines, which is all that our settings are; the rest is an error."""
    table: dict[str, Any] = {}
    for number, raw in enumerate(text.splitlines(), 1):
        line = raw.strip()
        if not line or line.startswith("#"):
            continue
        found = _LINE.fullmatch(line)
        if found is None:
            raise ConfigError(f"{file}: line {number} is not `key = value`")
        quoted, plain = found["quoted"], found["plain"]
        table[found["key"]] = quoted[1:-1] if quoted else plain
    return table


def _typed(key: str, value: Any, origin: str) -> Any:
    kind = KEYS.get(key)
    if kind is None:
        raise ConfigError(f"{origin}: {unknown(key)}")
    try:
        if kind == "bool":
            return _boolean(value)
        if kind == "int":
            if isinstance(value, float) and not value.is_integer():
                raise ValueError(value)
            return _number(key, int(value), origin)
        if kind == "float":
            return _number(key, float(value), origin)
    except (TypeError, ValueError) as error:
        raise ConfigError(f"{origin}: {key} must be {_KINDS[str(kind)]}, not {value!r}") from error
    text = str(value)
    if key in _CHOICES and text not in _CHOICES[key]:
        raise ConfigError(
            f"{origin}: {key} must be {' or '.join(sorted(_CHOICES[key]))}, not {text!r}"
        )
    return text


def unknown(key: str) -> str:
    """The error about a setting that there is not, with the one that may have been meant."""
    meant = suggest.hint(key, KEYS)
    return f"unknown setting {key!r}{meant or '; known: ' + ', '.join(sorted(KEYS))}"


def _number(key: str, value: Any, origin: str) -> Any:
    low, high = _RANGES.get(key, (0, math.inf))
    if not low <= value <= high or math.isinf(value):
        span = "0 or more" if high == math.inf else f"from {low:g} to {high:g}"
        raise ConfigError(f"{origin}: {key} must be {span}, not {value}")
    return value


def _boolean(value: Any) -> bool:
    if isinstance(value, bool):
        return value
    text = str(value).strip().lower()
    if text in {"1", "true", "yes", "on"}:
        return True
    if text in {"0", "false", "no", "off"}:
        return False
    raise ValueError(text)
